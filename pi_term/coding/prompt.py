"""The system prompt, in named sections.

Sections are stored in the session by name, so that a later change is told to the model as a patch of
the one section that changed. The names are those of Pi's session files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.coding.resources.loader import ContextFile
from pi_term.coding.resources.markup import escaped
from pi_term.coding.tools.definition import ToolDefinition

if TYPE_CHECKING:
    from pi_term.coding.resources.skills import Skill

_PREAMBLE = (
    "You are the coding agent of pi-term, a program in the user's terminal. You work in the user's folder "
    "with the tools below: look before you change, carry the task through to the end, and check your work."
)
_GENERAL_RULES = (
    "Keep answers short and to the point.",
    "When you speak of a file, give its path.",
)
_SEARCH_BY_SHELL = "Use bash with ls, find and rg to list and search files."
_SEARCH_TOOLS = frozenset({"grep", "find", "ls"})
_READING_TOOLS = frozenset({"read", "bash"})
_ABOUT_SKILLS = (
    "These skills are instructions for certain kinds of work. When the task is what a description says, read "
    "the file at its location first and do as it says. Paths in it are relative to its folder."
)


def build_sections(
    *,
    cwd: Path,
    tools: Sequence[ToolDefinition],
    context_files: Sequence[ContextFile] = (),
    skills: Iterable[Skill] = (),
    system_prompt: str | None = None,
    appended: str | None = None,
) -> dict[str, str]:
    """The sections in their order: preamble, tools, rules, addendum, project_context, skills, cwd.

    `system_prompt` replaces the first three; `appended` is the addendum. Empty ones are left out. Skills
    are told of where there is a tool to read them with.
    """
    sections = {"preamble": system_prompt} if system_prompt is not None else _own_prompt(tools)
    if appended:
        sections["addendum"] = _tagged("addendum", appended)
    if context_files:
        sections["project_context"] = _tagged("project_context", _context(context_files))
    offered = [skill for skill in skills if not skill.hidden]
    if offered and any(tool.name in _READING_TOOLS for tool in tools):
        sections["skills"] = _tagged("skills", _skills(offered))
    sections["cwd"] = _tagged("cwd", str(cwd))
    return sections


def _own_prompt(tools: Sequence[ToolDefinition]) -> dict[str, str]:
    listed = [f"{tool.name}: {tool.prompt_snippet}" for tool in tools if tool.prompt_snippet]
    return {
        "preamble": _PREAMBLE,
        "tools": _tagged("tools", _bullets(listed) if listed else "There are none."),
        "rules": _tagged("rules", _bullets(_rules(tools))),
    }


def _rules(tools: Sequence[ToolDefinition]) -> Iterable[str]:
    """What each tool asks for, then what always holds; each rule once."""
    names = {tool.name for tool in tools}
    by_shell = [_SEARCH_BY_SHELL] if "bash" in names and not names & _SEARCH_TOOLS else []
    of_tools = [rule for tool in tools for rule in tool.prompt_guidelines]
    return dict.fromkeys((*by_shell, *of_tools, *_GENERAL_RULES))


def _context(files: Sequence[ContextFile]) -> str:
    parts = [
        f'<project_instructions path="{escaped(str(file.path))}">\n'
        f"{file.text.rstrip()}\n"
        "</project_instructions>"
        for file in files
    ]
    return "\n\n".join(("The user keeps these instructions for work in this folder:", *parts))


def _skills(skills: Iterable[Skill]) -> str:
    listed = (
        "<skill>\n"
        f"<name>{escaped(skill.name)}</name>\n"
        f"<description>{escaped(skill.description)}</description>\n"
        f"<location>{escaped(str(skill.path))}</location>\n"
        "</skill>"
        for skill in skills
    )
    return "\n".join((_ABOUT_SKILLS, *listed))


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>\n{text.strip()}\n</{tag}>"
