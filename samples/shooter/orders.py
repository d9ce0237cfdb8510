"""What the hero is told to do: by a player (controls.py), or by the script (script.py)."""

from dataclasses import dataclass, field

from panda3d.core import LVector2, Point3


@dataclass
class Orders:
    """The orders of one frame.

    Attributes:
        move: the way to run in the world; its length, up to 1, is the share of full speed.
        aim: the point of the world to look and shoot at.
        rifle, shotgun, blast: whether their triggers are held.
        reload: whether to reload.
    """

    move: LVector2 = field(default_factory=LVector2)
    aim: Point3 = field(default_factory=lambda: Point3(0, 100, 1))
    rifle: bool = False
    shotgun: bool = False
    blast: bool = False
    reload: bool = False
