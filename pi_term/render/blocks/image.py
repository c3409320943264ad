"""Images in messages and results: drawn where that is possible, else told of in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from pi_term.base.sanitize import sanitize_line
from pi_term.render.line import Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import Row, wrap_runs

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent
    from pi_term.render.line import Redrawn


def image_lines(
    image: ImageContent, width: int, view: ViewOptions, margin: Margin, asker: Redrawn, style: Style
) -> list[Line]:
    """The rows of an image, or one that tells of it in words, in `style`."""
    drawn = picture_lines(image, width, view, margin, asker)
    return drawn or to_lines(wrap_runs([(caption(image), style)], width - margin.cells), margin)


def picture_lines(
    image: ImageContent, width: int, view: ViewOptions, margin: Margin, asker: Redrawn
) -> list[Line]:
    """The rows of an image; none where it cannot be drawn. Copied, they are its caption."""
    rows = None if view.pictures is None else view.pictures.rows(image, width - margin.cells, asker)
    if not rows:
        return []
    last = len(rows) - 1
    drawn = [Row(list(row), "" if at else caption(image), at < last) for at, row in enumerate(rows)]
    return to_lines(drawn, margin)


def caption(image: ImageContent) -> str:
    """`[image: image/png, 12 KB]`."""
    size = len(image.data) * 3 // 4
    return f"[image: {sanitize_line(image.mime_type)}, {max(1, size // 1024):,} KB]"
