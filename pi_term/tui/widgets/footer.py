"""The last row: where we are, what it cost, how full the context is, who answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.dataclass import dataclass
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.tui.text import Span, count_text, ends, home_path, spans_width
from pi_term.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from pi_term.coding.stats import SessionStats


_PLACE = 20  # cells that the folder keeps in any case


@dataclass(frozen=True, slots=True)
class FooterState:
    """What the footer tells. `context_tokens` None: not known yet."""

    cwd: Path
    branch: str | None
    session_name: str | None
    stats: SessionStats
    context_tokens: int | None
    context_window: int
    model: str
    thinking: str | None


class Footer(Rows):
    """One row; what does not fit goes from the left."""

    def update(self, state: FooterState, theme: Theme) -> None:
        """Show another state."""
        self.show([footer_line(state, theme, self.size.width or self.app.size.width)])


def footer_line(state: FooterState, theme: Theme, width: int) -> Line:
    """The row at this width: where it is narrow, less is told of the tokens, then nothing."""
    dim, muted = theme.style("dim"), theme.style("muted")
    place = home_path(state.cwd) + (f" ({state.branch})" if state.branch else "")
    left: list[Span] = [(place, muted)]
    if state.session_name:
        left.append((f" · {state.session_name}", dim))
    tail: list[Span] = [_context(state, theme), (f" · {state.model}", muted)]
    if state.thinking is not None:
        tail.append((f" · {state.thinking}", theme.style(thinking_token(state.thinking))))
    room = width - 2 - min(_PLACE, spans_width(left)) - spans_width(tail)
    usage = next((text for text in _usages(state.stats) if spans_width([(text, None)]) <= room - 4), "")
    right = [(f"{usage} · ", dim), *tail] if usage else tail
    return ends(left, right, width)


def thinking_token(level: str) -> str:
    """The theme's colour for a thinking level: also that of the editor's border."""
    return f"thinking{level[:1].upper()}{level[1:]}"


def _usages(stats: SessionStats) -> list[str]:
    """Tokens and cost, in less and less detail."""
    fresh = _counts(("↑", stats.input), ("↓", stats.output))
    cached = _counts(("R", stats.cache_read), ("W", stats.cache_write))
    cost = []
    if stats.cost:
        cost = [f"${stats.cost:.2f}" if stats.cost >= 0.995 else f"${stats.cost:.3f}"]
    return [" ".join(parts) for parts in ([*fresh, *cached, *cost], [*fresh, *cost], cost) if parts]


def _counts(*counted: tuple[str, int]) -> list[str]:
    return [f"{sign}{count_text(number)}" for sign, number in counted if number]


def _context(state: FooterState, theme: Theme) -> Span:
    window = count_text(state.context_window)
    if state.context_tokens is None:
        return (f"?/{window}", theme.style("dim"))
    share = 100 * state.context_tokens / max(1, state.context_window)
    token = "error" if share > 90 else "warning" if share > 70 else "dim"
    return (f"{share:.1f}%/{window}", theme.style(token))
