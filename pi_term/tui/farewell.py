"""What is left in the terminal when the program has ended: the last of what was said and done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import ColorSystem

from pi_term.render.line import Line

if TYPE_CHECKING:
    from pi_term.tui.app import PiTermApp

_MOST_ROWS = 1_000


def transcript_text(app: PiTermApp) -> str:
    """The end of the transcript as it was on the screen; of a long one the last rows.

    Without colours where those are for another background than the terminal's own.
    """
    transcript, light = app.main.transcript, app.parts.light
    readable = light is None or light == (app.theme_colours.appearance == "light")
    colours = app.console._color_system if readable and not app.no_color else None
    return "".join(_row(line, colours, links=transcript.links) for line in transcript.last_lines(_MOST_ROWS))


def _row(line: Line, colours: ColorSystem | None, *, links: bool) -> str:
    parts: list[str] = []
    for text, style, _ in line.segments:
        if style is None:
            parts.append(text)
        else:
            shown = style if links else style.update_link(None)
            parts.append(shown.render(text, color_system=colours))
    return "".join(parts) + "\n"
