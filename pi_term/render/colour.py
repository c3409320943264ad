"""Colours as theme files write them: hex, OKLCH, OKHSL and palette indices, turned into sRGB.

A resolved colour is `"#rrggbb"`, an index 0-15 of the terminal's own palette, or `""` for the terminal's
default colour. OKLab and OKHSL follow the definitions of Björn Ottosson (bottosson.github.io).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TypeAlias

Colour: TypeAlias = str | int
Rgb: TypeAlias = tuple[float, float, float]

_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")
_FUNCTION = re.compile(r"(oklch|okhsl)\(\s*([^\s,()]+)[\s,]+([^\s,()]+)[\s,]+([^\s,()]+)\s*\)\Z")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")
_BISECTIONS = 24
# Towards blue the gamut is slightly hollow: on the way to its rim, red falls below zero by this much.
_HOLLOW = 1e-3

AA = 4.5
"""The contrast ratio that WCAG 2 asks for at level AA."""
_MIDDLE = 0.179  # the luminance of a ground on which white and black are read equally well
_STEPS = 20

# The first sixteen colours as most terminals ship them, for where a concrete value is needed.
ANSI_HEX = (
    *("#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"),
    *("#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"),
)


def parse_colour(text: str) -> Colour | None:
    """The colour that `text` writes as hex or as a function; None when it is neither.

    Raises `ValueError` for a function with impossible numbers.
    """
    if _HEX.match(text):
        digits = text[1:].lower()
        return "#" + ("".join(digit * 2 for digit in digits) if len(digits) == 3 else digits)
    if match := _FUNCTION.match(text.strip()):
        return _from_function(match[1], match[2], match[3], match[4])
    if text.startswith(("oklch(", "okhsl(", "#")):
        raise ValueError(f"not a colour: {text}")
    return None


def from_index(index: int) -> Colour:
    """A palette index 0-255: the terminal's own below 16, the fixed colour cube and greys above."""
    if not 0 <= index <= 255:
        raise ValueError(f"palette indices go from 0 to 255, not {index}")
    if index < 16:
        return index
    if index >= 232:
        level = 8 + (index - 232) * 10
        return f"#{level:02x}{level:02x}{level:02x}"
    cube = index - 16
    steps = (cube // 36, cube // 6 % 6, cube % 6)
    return "#" + "".join(f"{0 if step == 0 else 55 + step * 40:02x}" for step in steps)


@lru_cache(maxsize=512)
def _from_function(name: str, first: str, second: str, third: str) -> str:
    if name == "oklch":
        chroma = _amount(second, 0.4)
        return _to_hex(_oklch_to_linear(_amount(first, 1.0), chroma, _hue(third)))
    return _to_hex(_okhsl_to_linear(_hue(first), _amount(second, 1.0), _amount(third, 1.0)))


def _amount(text: str, whole: float) -> float:
    """A number, or a percentage of `whole`; not below zero."""
    percent = text.endswith("%")
    value = _number(text[:-1] if percent else text)
    return max(0.0, value * whole / 100 if percent else value)


def _hue(text: str) -> float:
    return math.radians(_number(text.removesuffix("deg")))


def _number(text: str) -> float:
    if not _NUMBER.match(text):
        raise ValueError(f"not a number: {text}")
    return float(text)


def _oklab_to_linear(lightness: float, a: float, b: float) -> Rgb:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _largest_chroma(lightness: float, a: float, b: float) -> float:
    """The most chroma that sRGB has at this lightness and hue (a unit vector)."""
    low, high = 0.0, 0.5
    for _ in range(_BISECTIONS):
        chroma = (low + high) / 2
        rgb = _oklab_to_linear(lightness, a * chroma, b * chroma)
        if min(rgb) >= -_HOLLOW and max(rgb) <= 1 + 1e-4:
            low = chroma
        else:
            high = chroma
    return low


def _oklch_to_linear(lightness: float, chroma: float, hue: float) -> Rgb:
    lightness = min(1.0, lightness)
    a, b = math.cos(hue), math.sin(hue)
    chroma = min(chroma, _largest_chroma(lightness, a, b))
    return _oklab_to_linear(lightness, a * chroma, b * chroma)


def _cusp(a: float, b: float) -> tuple[float, float]:
    """Lightness and chroma of the most colourful sRGB colour of this hue."""
    low, high = 0.0, 2.0
    for _ in range(_BISECTIONS + 6):
        saturation = (low + high) / 2
        if min(_oklab_to_linear(1.0, a * saturation, b * saturation)) >= 0:
            low = saturation
        else:
            high = saturation
    brightest = max(_oklab_to_linear(1.0, a * low, b * low))
    lightness = math.cbrt(1 / brightest)
    return lightness, lightness * low


def _toe_inverse(x: float) -> float:
    k1, k2 = 0.206, 0.03
    k3 = (1 + k1) / (1 + k2)
    return (x * x + k1 * x) / (k3 * (x + k2))


def _middle(a: float, b: float) -> tuple[float, float]:
    """Slopes of the smoothed gamut triangle that OKHSL uses for medium saturation."""
    s = 0.11516993 + 1 / (
        7.44778970
        + 4.15901240 * b
        + a
        * (
            -2.19557347
            + 1.75198401 * b
            + a * (-2.13704948 - 10.02301043 * b + a * (-4.24894561 + 5.38770819 * b + 4.69891013 * a))
        )
    )
    t = 0.11239642 + 1 / (
        1.61320320
        - 0.68124379 * b
        + a
        * (
            0.40370612
            + 0.90148123 * b
            + a * (-0.27087943 + 0.61223990 * b + a * (0.00299215 - 0.45399568 * b - 0.14661872 * a))
        )
    )
    return s, t


def _okhsl_to_linear(hue: float, saturation: float, lightness: float) -> Rgb:
    if lightness >= 1:
        return (1.0, 1.0, 1.0)
    if lightness <= 0:
        return (0.0, 0.0, 0.0)
    saturation = min(1.0, saturation)
    a, b = math.cos(hue), math.sin(hue)
    value = _toe_inverse(lightness)
    least, middle, most = _chroma_stops(value, a, b)
    # The scale runs through three stops, at 0 with the slope of `least`, at 0.8 and at 1.
    if saturation < 0.8:
        step = saturation * 1.25
        k1 = 0.8 * least
        chroma = step * k1 / (1 - (1 - k1 / middle) * step)
    else:
        step = (saturation - 0.8) / 0.2
        k1 = 0.2 * middle * middle * 1.25 * 1.25 / least
        span = most - middle
        chroma = middle if span <= 1e-9 else middle + step * k1 / (1 - (1 - k1 / span) * step)
    return _oklab_to_linear(value, a * chroma, b * chroma)


def _chroma_stops(value: float, a: float, b: float) -> tuple[float, float, float]:
    cusp_lightness, cusp_chroma = _cusp(a, b)
    most = _largest_chroma(value, a, b)
    s_max, t_max = cusp_chroma / cusp_lightness, cusp_chroma / (1 - cusp_lightness)
    k = most / min(value * s_max, (1 - value) * t_max)
    s_mid, t_mid = _middle(a, b)
    c_a, c_b = value * s_mid, (1 - value) * t_mid
    middle = 0.9 * k * math.sqrt(math.sqrt(1 / (1 / c_a**4 + 1 / c_b**4)))
    c_a, c_b = value * 0.4, (1 - value) * 0.8
    return math.sqrt(1 / (1 / c_a**2 + 1 / c_b**2)), middle, most


def _to_hex(linear: Rgb) -> str:
    return "#" + "".join(f"{_encode(channel):02x}" for channel in linear)


def _encode(channel: float) -> int:
    channel = min(1.0, max(0.0, channel))
    encoded = channel * 12.92 if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055
    return round(encoded * 255)


def luminance(hex_colour: str) -> float:
    """WCAG relative luminance of `#rrggbb`, 0 (black) to 1 (white)."""
    red, green, blue = (_decode(int(hex_colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _decode(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def contrast(one: str, other: str) -> float:
    """WCAG contrast ratio of two `#rrggbb` colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def blend(ground: str, ink: str, amount: float) -> str:
    """`ground` with some of `ink` in it: both as `#rrggbb`, `amount` from 0 to 1."""
    channels = ((int(ground[at : at + 2], 16), int(ink[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(low + (high - low) * amount):02x}" for low, high in channels)


@lru_cache(maxsize=1024)
def legible(ink: str, ground: str) -> str:
    """`ink`, with as much white or black in it as it takes to be read on `ground` (all `#rrggbb`)."""
    end = "#ffffff" if luminance(ground) < _MIDDLE else "#000000"
    mixtures = (blend(ink, end, step / _STEPS) for step in range(_STEPS))
    return next((colour for colour in mixtures if contrast(colour, ground) >= AA), end)
