#!/usr/bin/env python3
"""Makes the images of this folder and values.npz, what they hold: PNG written and read by pypng, JPEG by Pillow.

An array is (height, width, channels): palettes and transparent colours expanded, 1, 2 and 4 bits scaled to 0 ... 255.
"""
from pathlib import Path

import numpy as np
import png
from PIL import Image

HERE = Path(__file__).parent
H, W = 11, 13
rng = np.random.default_rng(5)
values = {}


def pattern(channels, bits):
    y, x, c = np.meshgrid(np.arange(H), np.arange(W), np.arange(channels), indexing="ij")
    top = 2**bits - 1
    return ((x * (37 + c) + y * y * 11 + c * 91 + rng.integers(0, 3, (H, W, channels))) * max(top // 255, 1)) % (top + 1)


def save(name, rows, **how):
    with open(HERE / f"{name}.png", "wb") as f:
        png.Writer(W, H, **how).write(f, rows.reshape(H, -1).tolist())
    w, h, flat, info = png.Reader(filename=str(HERE / f"{name}.png")).asDirect()
    a = np.array([list(r) for r in flat]).reshape(h, w, info["planes"])
    bits = info["bitdepth"]
    if bits < 8:
        a = a * 255 // (2**bits - 1)
    values[name] = a.astype(np.uint16 if bits == 16 else np.uint8)


for interlace in (False, True):
    end = "_interlaced" if interlace else ""
    for bits in (1, 2, 4, 8, 16):
        save(f"grey{bits}{end}", pattern(1, bits), greyscale=True, bitdepth=bits, interlace=interlace)
    for bits in (8, 16):
        save(f"grey_alpha{bits}{end}", pattern(2, bits), greyscale=True, alpha=True, bitdepth=bits, interlace=interlace)
        save(f"rgb{bits}{end}", pattern(3, bits), greyscale=False, bitdepth=bits, interlace=interlace)
        save(f"rgba{bits}{end}", pattern(4, bits), greyscale=False, alpha=True, bitdepth=bits, interlace=interlace)
    for bits in (1, 2, 4, 8):
        colours = [tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(2**bits)]
        save(f"palette{bits}{end}", pattern(1, bits), palette=colours, bitdepth=bits, interlace=interlace)
colours = [tuple(int(v) for v in rng.integers(0, 256, 4)) for _ in range(16)]
save("palette_alpha", pattern(1, 4), palette=colours, bitdepth=4)
save("grey_transparent", pattern(1, 4), greyscale=True, bitdepth=4, transparent=3)
save("rgb_transparent", pattern(3, 8), greyscale=False, bitdepth=8, transparent=tuple(int(v) for v in values["rgb8"][0, 0]))


def jpeg(name, image, **how):
    image.save(HERE / f"{name}.jpg", **how)
    a = np.asarray(Image.open(HERE / f"{name}.jpg"))
    values[name] = a[..., None] if a.ndim == 2 else a


y, x = np.mgrid[:H, :W]
smooth = np.stack([x * 19, y * 22, 255 - x * 9 - y * 8], -1).astype(np.uint8)
jpeg("grey", Image.fromarray(smooth[..., 0]), quality=90)
jpeg("colour", Image.fromarray(smooth), quality=85)
jpeg("full", Image.fromarray(smooth), quality=95, subsampling=0)
jpeg("progressive", Image.fromarray(smooth), quality=90, progressive=True, optimize=True)
Image.fromarray(smooth).convert("CMYK").save(HERE / "cmyk.jpg")
np.savez_compressed(HERE / "values.npz", **values)
