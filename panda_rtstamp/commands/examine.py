"""`python -m panda_rtstamp doctor MODEL`: what a model is like for marks, and what a game does with it."""

from panda_rtstamp.commands.atlas import check_unwrapper, make_atlas, print_atlas
from panda_rtstamp.commands.model import Model, find, load
from panda_rtstamp.commands.output import say
from panda_rtstamp.commands.report import UvSet, print_faults, print_model, uv_sets
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.surface import uv_set_of


def examine(name: str) -> int:
    """Print a report on a model; 0 if it can be marked, else 1.

    Raises:
        CommandError: there is no such model.
    """
    config = StampConfig()
    check_unwrapper(config.unwrapper)
    model = load(name, find(name))
    print(f"panda_rtstamp doctor {name}")
    sets = uv_sets(model.mesh) if model.mesh.count else []
    print_model(model, sets)
    print_faults(model, sets)
    print()
    if not model.mesh.count:
        say("marks", "cannot be made: the model has no triangles")
        return 1
    asked = uv_set_of(model.root, config)
    if asked is not None:
        return _say_asked(asked, sets)
    usable = [one.name for one in sets if one.usable]
    if usable:
        say("marks", f"are laid out by the UV set {usable[0]!r}, from the first hit on")
        return 0
    _say_unwrapped(model, config)
    return 0


def _say_asked(asked: str, sets: list[UvSet]) -> int:
    who = f"UV set {asked!r}, as the tag rtstamp-uv or the PRC variable rtstamp-uv-set says"
    found = next((one for one in sets if one.name == asked), None)
    if found is None or found.found is None:
        say("marks", f"cannot be made: there is nothing usable in the {who}")
        return 1
    say("marks", f"are laid out by the {who}{'' if found.usable else ': with the faults above'}")
    return 0


def _say_unwrapped(model: Model, config: StampConfig) -> None:
    """Unwrap the model to know how long that takes; nothing is kept."""
    made = make_atlas(model.mesh, None, config)
    big = model.mesh.count > config.unwrap_at_once
    where = "in the background" if big else "in the frame of the first hit"
    say("marks", f"are laid out by an atlas that the game makes {where}")
    say("", "(python -m panda_rtstamp unwrap makes it beforehand)")
    print()
    print_atlas(model.mesh, made)
