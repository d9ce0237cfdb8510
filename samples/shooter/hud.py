"""What the player reads: help, health and ammunition, and what the marks come to."""

from collections.abc import Sequence
from typing import Any

from direct.gui.DirectWaitBar import DirectWaitBar
from panda3d.core import LColor, LVecBase4f, NodePath, TextNode

from samples.common.clock import FrameRate
from samples.shooter.enemies import Enemies
from samples.shooter.hero import HEALTH, Hero
from samples.shooter.marks import Marks
from samples.shooter.weapons import BLAST_COLOR, BLAST_COOLDOWN, RIFLE, SHOTGUN, Gun, Weapons

BRIGHT = LColor(0.93, 0.95, 0.97, 1)
PANEL = LColor(0.02, 0.03, 0.04, 0.55)
TROUGH = (0.10, 0.12, 0.14, 0.75)
RED = LColor(0.95, 0.25, 0.18, 1)
BAR_FRAME = (-0.19, 0.19, -0.014, 0.014)
FRAMES_BETWEEN_COUNTS = 5


class Hud:
    """Text and bars over the picture.

    Attributes:
        paused: whether to say so.
    """

    def __init__(self, base: Any, hero: Hero, weapons: Weapons, enemies: Enemies, marks: Marks) -> None:
        self._hero = hero
        self._weapons = weapons
        self._enemies = enemies
        self._marks = marks
        self._help, self._help_text = _panel(base.a2dTopRight, (-0.06, -0.10), 0.045, TextNode.A_right)
        _, self._counts = _panel(base.a2dBottomRight, (-0.06, 0.53), 0.045, TextNode.A_right)
        _, self._message = _panel(base.aspect2d, (0, 0.45), 0.09, TextNode.A_center)
        colors = {"health": RED, RIFLE.name: RIFLE.color, SHOTGUN.name: SHOTGUN.color, "blast": BLAST_COLOR}
        self._bars = {
            name: _bar(base.a2dBottomCenter, 0.42 * (number - 1.5), color)
            for number, (name, color) in enumerate(colors.items())
        }
        self._frame_rate = FrameRate()
        self._frames = 0
        self.paused = False

    def set_help(self, lines: Sequence[str]) -> None:
        """Show this help."""
        self._help_text.set_text("\n".join(lines))

    def toggle_help(self) -> None:
        """Show or hide the help."""
        if self._help.is_hidden():
            self._help.show()
        else:
            self._help.hide()

    def counts(self) -> list[str]:
        """How the game stands, and what its marks come to: a line each."""
        stamps = self._marks.stamps
        return [
            f"wave {self._enemies.wave}",
            f"{len(self._enemies.alive)} enemies",
            f"{self._enemies.killed} killed",
            f"{self._frame_rate.value:.0f} fps",
            f"{self._marks.living} living marks",
            f"pool: {stamps.active_count} of {stamps.config.max_pool_size}",
            f"memory: {stamps.memory_bytes / 2**20:.0f} MB",
            f"look: {self._marks.look}",
            f"quality: {self._marks.quality}",
            f"marks {'stay' if self._marks.holding else 'fade'}",
        ]

    def update(self) -> None:
        """Show how things stand; what is for the curious, every few frames."""
        self._frame_rate.count()
        if self._frames % FRAMES_BETWEEN_COUNTS == 0:
            self._counts.set_text("\n".join(self.counts()))
        self._frames += 1
        self._message.set_text(self._say())
        self._show_bar("health", self._hero.health / HEALTH, "health")
        for gun in (RIFLE, SHOTGUN):
            self._show_gun(gun)
        ready = 1 - self._weapons.blast_ready_in / BLAST_COOLDOWN
        self._show_bar("blast", ready, "blast" if ready == 1 else "blast ...")

    def _say(self) -> str:
        if self.paused:
            return "pause"
        if self._hero.is_down:
            return "you are down\nenter: new game"
        return f"wave {self._enemies.wave}" if self._enemies.is_coming else ""

    def _show_gun(self, gun: Gun) -> None:
        rounds = self._weapons.rounds[gun.name]
        text = f"{gun.name} ..." if self._weapons.reloading[gun.name] else f"{gun.name} {rounds}"
        self._show_bar(gun.name, rounds / gun.magazine, text)

    def _show_bar(self, name: str, share: float, text: str) -> None:
        bar = self._bars[name]
        value = 100 * max(share, 0)
        if (bar["value"], bar["text"]) != (value, text):
            bar["value"] = value
            bar["text"] = text


def _panel(
    parent: NodePath, place: tuple[float, float], size: float, align: Any
) -> tuple[NodePath, TextNode]:
    text = TextNode("panel")
    text.set_align(align)
    text.set_text_color(BRIGHT)
    text.set_card_color(PANEL)
    text.set_card_as_margin(0.6, 0.6, 0.4, 0.4)
    text.set_card_decal(True)
    path = parent.attach_new_node(text)
    path.set_pos(place[0], 0, place[1])
    path.set_scale(size)
    return path, text


def _bar(parent: NodePath, x: float, color: LVecBase4f) -> Any:
    return DirectWaitBar(
        parent=parent, pos=(x, 0, 0.07), frameSize=BAR_FRAME, frameColor=TROUGH, barColor=color,
        text="", text_scale=0.045, text_pos=(0, 0.035), text_fg=BRIGHT, text_shadow=(0, 0, 0, 0.8),
    )  # fmt: skip
