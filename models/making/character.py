"""From parts, paint and moves to files."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from panda3d.core import Filename, SamplerState, Texture

from models.making.loft import Floats, Part
from models.making.motion import Frame
from models.making.paint import Texels, rasterise, to_image
from models.making.rig import Skeleton, lay_out, write_animation, write_character
from models.making.textures import save_jpg

TEXTURE_SIZE = 512
Color = tuple[float, float, float]


def make_character(
    folder: Path,
    name: str,
    skeleton: Skeleton,
    parts: Sequence[Part],
    paint: Callable[[Texels, Sequence[Part]], Floats],
    glow: Mapping[str, Color],
    moves: Mapping[str, Sequence[Frame]],
) -> list[Path]:
    """Write NAME.jpg, NAME.bam and NAME-MOVE.bam; `paint` gives the colours (n, 3) of texels."""
    uvs = lay_out(parts)
    texels = rasterise(parts, uvs, TEXTURE_SIZE)
    picture = folder / f"{name}.jpg"
    save_jpg(to_image(texels, paint(texels, parts)), picture)
    written = [picture, folder / f"{name}.bam"]
    write_character(written[1], skeleton, parts, uvs, _load(picture), glow)
    for move, frames in moves.items():
        written.append(folder / f"{name}-{move}.bam")
        write_animation(written[-1], name, skeleton, frames)
    return written


def _load(picture: Path) -> Texture:
    texture = Texture(picture.stem)
    if not texture.read(Filename.from_os_specific(str(picture))):
        raise OSError(f"cannot read {picture}")
    texture.set_minfilter(SamplerState.FT_linear_mipmap_linear)
    texture.set_magfilter(SamplerState.FT_linear)
    return texture
