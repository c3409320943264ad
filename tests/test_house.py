"""The sizes and walls of the house."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "pi_term").rglob("*.py"))
MOST_LINES, MOST_IN_A_FUNCTION, MOST_IN_THE_APP = 400, 60, 200

# At most five functions may be longer, each with the reason why.
LONG_FUNCTIONS: dict[str, str] = {}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_modules_stay_short() -> None:
    long = {
        name(path): lines for path in MODULES if (lines := len(path.read_text().splitlines())) > MOST_LINES
    }
    assert not long


def test_functions_stay_short() -> None:
    assert len(LONG_FUNCTIONS) <= 5
    long = {
        f"{name(path)}:{node.name}": length
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MOST_IN_A_FUNCTION
    }
    assert set(long) == set(LONG_FUNCTIONS)


def test_the_app_only_composes() -> None:
    found = {
        node.name: (node.end_lineno or 0) - node.lineno + 1
        for path in (ROOT / "pi_term").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        and any("App" in ast.unparse(base).split("[")[0] for base in node.bases)
    }
    assert "PiTermApp" in found
    assert all(length <= MOST_IN_THE_APP for length in found.values()), found


@pytest.mark.parametrize("floor", ["base", "ai", "agent", "coding", "render", "tui", "headless", "testing"])
def test_the_public_face_of_a_floor_is_true(floor: str) -> None:
    module = import_module(f"pi_term.{floor}")
    assert module.__doc__
    for public in module.__all__:
        assert getattr(module, public) is not None
    assert sorted(module.__all__) == list(module.__all__)


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh Python has loaded after running `code`."""
    script = f"{code}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {
    "httpx2",
    "jsonschema",
    "yaml",
    "watchfiles",
    "PIL",
    "openai",
    "anthropic",
    "markdown_it",
    "pygments",
}


def test_the_core_loads_no_terminal() -> None:
    loaded = loaded_by("import pi_term.coding.startup, pi_term.coding.tools.builtin, pi_term.coding.feed")
    assert not loaded & {"textual", "rich", *HEAVY}


def test_version_loads_next_to_nothing() -> None:
    code = "from pi_term.cli.main import main\nmain(['--version'])"
    assert not loaded_by(code) & {"textual", "rich", "asyncio", "orjson", *HEAVY}


def test_print_mode_loads_no_textual() -> None:
    code = "from pi_term.cli.main import main\nmain(['--demo', '--no-session', '-p', 'run true'])"
    assert not loaded_by(code) & {"textual", "rich"}


def test_the_full_screen_program_starts_without_the_heavy_ones() -> None:
    loaded = loaded_by("import pi_term.cli.interactive, pi_term.tui.app")
    assert "textual" in loaded
    assert not loaded & (HEAVY - {"pygments", "markdown_it"})
