"""Joins the frames of `release/film.py` to one moving picture."""

import json
import sys
from pathlib import Path

from PIL import Image

COLOURS = 96


def main(frames: Path, out: Path) -> None:
    """Write the picture: one palette for all frames, and of each only what changed."""
    times = json.loads((frames / "times.json").read_text())
    pictures = [Image.open(file).convert("RGB") for file in sorted(frames.glob("*.png"))]
    palette = pictures[len(pictures) // 2].quantize(COLOURS, dither=Image.Dither.NONE)
    drawn = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]
    drawn[0].save(
        out,
        save_all=True,
        append_images=drawn[1:],
        duration=times,
        loop=0,
        optimize=False,
        disposal=1,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
