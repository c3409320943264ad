from __future__ import annotations

from pathlib import Path

from pi_term.agent.tools import ToolResult
from pi_term.base.json import JsonObject
from pi_term.coding.prompt import build_sections
from pi_term.coding.resources.loader import ContextFile
from pi_term.coding.resources.places import Origin
from pi_term.coding.resources.skills import Skill
from pi_term.coding.tools.definition import ToolContext, ToolDefinition


async def nothing(args: JsonObject, context: ToolContext) -> ToolResult:
    return ToolResult([])


def tool(name: str, snippet: str = "", *guidelines: str) -> ToolDefinition:
    return ToolDefinition(name, name, "", {}, nothing, snippet, guidelines)


READ = tool("read", "show a file", "Use read to look.", "Shared rule.")
BASH = tool("bash", "run commands", "Shared rule.")
CWD = Path("/work/here")


def test_the_default_prompt_has_its_sections_in_order() -> None:
    sections = build_sections(cwd=CWD, tools=[READ, BASH])
    assert list(sections) == ["preamble", "tools", "rules", "cwd"]
    assert sections["tools"] == "<tools>\n- read: show a file\n- bash: run commands\n</tools>"
    assert sections["cwd"] == "<cwd>\n/work/here\n</cwd>"
    assert sections["rules"].count("Shared rule.") == 1
    assert "- Use read to look." in sections["rules"]


def test_searching_by_shell_is_advised_only_without_search_tools() -> None:
    assert "find" in build_sections(cwd=CWD, tools=[BASH])["rules"]
    assert "find" not in build_sections(cwd=CWD, tools=[BASH, tool("grep", "x")])["rules"]
    assert "find" not in build_sections(cwd=CWD, tools=[READ])["rules"]


def test_without_tools_the_sections_are_still_there() -> None:
    assert list(build_sections(cwd=CWD, tools=[])) == ["preamble", "tools", "rules", "cwd"]
    assert list(build_sections(cwd=CWD, tools=[tool("hidden")])) == ["preamble", "tools", "rules", "cwd"]


def test_an_own_prompt_replaces_preamble_tools_and_rules() -> None:
    files = [ContextFile(Path('/a/"q"&/AGENTS.md'), "RULE\n\n"), ContextFile(Path("/b/CLAUDE.md"), "OTHER")]
    sections = build_sections(
        cwd=CWD, tools=[READ], context_files=files, system_prompt="OWN\n", appended="MORE\n"
    )
    assert list(sections) == ["preamble", "addendum", "project_context", "cwd"]
    assert sections["preamble"] == "OWN\n"
    assert sections["addendum"] == "<addendum>\nMORE\n</addendum>"
    context = sections["project_context"]
    assert context.index("RULE") < context.index("OTHER")
    assert '<project_instructions path="/a/&quot;q&quot;&amp;/AGENTS.md">\nRULE\n</project' in context


def skill(name: str, about: str = "About it.", *, hidden: bool = False) -> Skill:
    return Skill(name, about, Path(f"/s/{name}/SKILL.md"), Origin("user"), "BODY", hidden)


def test_skills_are_told_of_where_they_can_be_read() -> None:
    skills = [skill("pdf", "Handles <PDF> & more."), skill("secret", hidden=True)]
    for tools in ([READ], [BASH]):
        sections = build_sections(cwd=CWD, tools=tools, skills=skills)
        assert list(sections)[-2:] == ["skills", "cwd"]
        for told in (
            "<name>pdf</name>",
            "<description>Handles &lt;PDF&gt; &amp; more.</description>",
            "<location>/s/pdf/SKILL.md</location>",
        ):
            assert told in sections["skills"]
        assert "secret" not in sections["skills"]
        assert "BODY" not in sections["skills"]
    for tools in ([], [tool("edit")]):
        assert "skills" not in build_sections(cwd=CWD, tools=tools, skills=skills)
    assert "skills" not in build_sections(cwd=CWD, tools=[READ], skills=[skill("secret", hidden=True)])
