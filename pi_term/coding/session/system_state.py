"""The system prompt and tool set that a model was told of, as system messages replay it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from pi_term.ai.messages import SystemMessage, text_of
from pi_term.ai.tools import Tool
from pi_term.base.dataclass import dataclass


@dataclass(slots=True)
class SystemState:
    """What is in force: free text, prompt sections and tools by name, each in the order they came."""

    content: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever declared."""
        return not (self.content or self.sections or self.tools)

    def prompt(self) -> str:
        """The system prompt as one text: sections and free text, blank lines between them."""
        return "\n\n".join(part for part in (self.content, *self.sections.values()) if part)

    def apply(self, message: SystemMessage) -> None:
        """Take in what `message` declares or changes."""
        text = text_of(message.content)
        if text:
            self.content = f"{self.content}\n\n{text}" if self.content else text
        for name, section in (message.sections or {}).items():
            if section is None:
                self.sections.pop(name, None)
            else:
                self.sections[name] = section
        for reference in message.tools_removed or ():
            self.tools.pop(str(reference.get("name")), None)
        for tool in message.tools_added or ():
            self.tools[tool.name] = tool

    def message(self) -> SystemMessage:
        """One system message that declares all of it: the leading one, or a compaction's checkpoint."""
        return SystemMessage(
            content=self.content,
            sections=dict(self.sections) or None,
            tools_added=list(self.tools.values()),
        )


def replay_system(messages: Iterable[object]) -> SystemState:
    """The state after the system messages among `messages`, in their order."""
    state = SystemState()
    for message in messages:
        if isinstance(message, SystemMessage):
            state.apply(message)
    return state


def diff_system(current: SystemState, wanted: SystemState) -> SystemMessage | None:
    """The message that leads from `current` to `wanted`, or None when they are the same.

    From an empty state it is the leading declaration of everything. Later ones patch sections and
    tools; free text cannot be taken back by a patch and is left as it was. Order does not count.
    """
    if current.is_empty:
        return None if wanted.is_empty else wanted.message()
    sections: dict[str, str | None] = {
        name: text for name, text in wanted.sections.items() if current.sections.get(name) != text
    }
    sections.update({name: None for name in current.sections if name not in wanted.sections})
    added = [tool for name, tool in wanted.tools.items() if current.tools.get(name) != tool]
    removed = [{"name": name} for name in current.tools if name not in wanted.tools]
    if not (sections or added or removed):
        return None
    return SystemMessage(sections=sections or None, tools_added=added or None, tools_removed=removed or None)
