"""The items of a transcript: messages, tool calls, notices, summaries, shell records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.render.blocks.assistant import AssistantBlock as AssistantBlock
    from pi_term.render.blocks.notice import NoticeBlock as NoticeBlock
    from pi_term.render.blocks.shell import ShellBlock as ShellBlock
    from pi_term.render.blocks.summary import CustomBlock as CustomBlock
    from pi_term.render.blocks.summary import SummaryBlock as SummaryBlock
    from pi_term.render.blocks.switch import SwitchBlock as SwitchBlock
    from pi_term.render.blocks.tool import ToolBlock as ToolBlock
    from pi_term.render.blocks.user import UserBlock as UserBlock

_HOMES = {
    "assistant": ("AssistantBlock",),
    "notice": ("NoticeBlock",),
    "shell": ("ShellBlock",),
    "summary": ("CustomBlock", "SummaryBlock"),
    "switch": ("SwitchBlock",),
    "tool": ("ToolBlock",),
    "user": ("UserBlock",),
}

__all__ = [
    "AssistantBlock",
    "CustomBlock",
    "NoticeBlock",
    "ShellBlock",
    "SummaryBlock",
    "SwitchBlock",
    "ToolBlock",
    "UserBlock",
]

__getattr__ = lazy_exports(__name__, _HOMES)
