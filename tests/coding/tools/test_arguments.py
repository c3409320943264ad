"""Arguments as models send them: not quite of the right type or shape, but clear."""

from __future__ import annotations

from typing import Any

import pytest


def placed(args: dict[str, Any], cwd: str) -> dict[str, Any]:
    """The arguments with the working folder for `CWD`."""
    return {
        name: value.replace("CWD", cwd) if isinstance(value, str) else value for name, value in args.items()
    }


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("read", {"path": "f", "offset": "2", "limit": "1"}, "two\n\n[2 more lines"),
        ("read", {"path": "f", "offset": None, "limit": None}, "one\ntwo\nthree\n"),
        ("read", {"path": "@f"}, "one\ntwo\nthree\n"),
        ("read", {"path": "file://CWD/f"}, "one\ntwo\nthree\n"),
        ("read", {"path": "CWD/f", "surplus": [1]}, "one\ntwo\nthree\n"),
        ("read", {"path": 7}, "seven\n"),
        ("write", {"path": "@new/f", "content": 12.5}, "Wrote 4 bytes to @new/f"),
        ("bash", {"command": "cat f", "timeout": "20"}, "one\ntwo\nthree\n"),
        ("bash", {"command": "cat f", "timeout": None}, "one\ntwo\nthree\n"),
        ("edit", {"path": "@f", "edits": '{"oldText": "two", "newText": 2}'}, "Edited @f in 1 place"),
        ("edit", {"path": "f", "oldText": "two", "newText": "2"}, "Edited f in 1 place"),
    ],
)
async def test_what_models_mean_is_understood(bench: Any, name: str, args: dict[str, Any], said: str) -> None:
    (bench.cwd / "f").write_text("one\ntwo\nthree\n")
    (bench.cwd / "7").write_text("seven\n")
    result = await bench.run(name, **placed(args, str(bench.cwd)))
    assert not result.is_error
    assert result.content[0].text.startswith(said)
