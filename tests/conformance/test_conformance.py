"""The real Pi is the oracle: what it did in 32 scenarios, pi-term does, but where it says why not.

`tests/conformance_differences.json` lists what is different on purpose: `lines` is a regular expression
that matches the harness's words for each difference in that aspect of that scenario.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
HARNESS = PROJECT.parent / "shared" / "conformance"
LISTED = PROJECT / "tests" / "conformance_differences.json"
PROGRAM = Path(sys.executable).with_name("pi-term")

Report = dict[str, dict[str, list[str]]]


@dataclass(frozen=True)
class Difference:
    """One that is deliberate."""

    scenario: str
    aspect: str
    lines: str
    reason: str

    def covers(self, line: str) -> bool:
        return re.match(self.lines, line) is not None


def listed() -> list[Difference]:
    return [Difference(**each) for each in json.loads(LISTED.read_text())]


def deviations(found: Report, differences: list[Difference]) -> list[str]:
    """What is different and not listed, and what is listed and not different any more."""
    told: list[str] = []
    used: set[Difference] = set()
    for scenario, aspects in found.items():
        for aspect, lines in aspects.items():
            known = [each for each in differences if (each.scenario, each.aspect) == (scenario, aspect)]
            for line in lines:
                covering = [each for each in known if each.covers(line)]
                used.update(covering)
                if not covering:
                    told.append(f"not listed: {scenario}, {line}")
    gone = (each for each in differences if each not in used)
    return told + [f"vanished: {each.scenario}, {each.aspect}: {each.lines}" for each in gone]


@pytest.mark.node
def test_pi_is_followed_but_where_it_is_said_why_not(tmp_path: Path) -> None:
    missing = [name for name in ("AIMOCK_BIN", "NODE_DIR", "PI_BIN") if name not in os.environ]
    if missing or not HARNESS.is_dir():
        pytest.skip(f"needs {HARNESS} and the reference installation ({', '.join(missing)})")
    report = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "harness", "compare", "--agent", "pi-term", "--jobs", "2", "--report", report],
        cwd=HARNESS,
        env={
            **os.environ,
            "PI_TERM_BIN": str(PROGRAM),
            "PI_TERM_PATH": str(PROGRAM.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert report.exists(), done.stderr
    found: Report = json.loads(report.read_text())

    assert len(found) >= 32
    assert deviations(found, listed()) == [], done.stderr


def test_every_listed_difference_has_its_reason() -> None:
    names = {path.stem for path in HARNESS.glob("scenarios/*/*.py")}
    for each in listed():
        assert not names or each.scenario in names
        assert each.aspect in ("requests", "events", "session", "output", "files")
        assert len(each.reason) > 20
        re.compile(each.lines)


def test_what_is_unlisted_or_vanished_is_told() -> None:
    known = Difference("skills", "output", r"output\.runs\[0\]", "…")
    same: Report = {"skills": {"output": [], "events": []}}
    expected: Report = {"skills": {"output": ["output.runs[0].exit: 1"], "events": []}}
    more: Report = {"skills": {"output": ["output.runs[0].exit: 1", "output.runs[1].exit: 1"]}}

    assert deviations(expected, [known]) == []
    assert deviations(same, []) == []
    assert [told.split(":")[0] for told in deviations(same, [known])] == ["vanished"]
    assert [told.split(":")[0] for told in deviations(more, [known])] == ["not listed"]
    assert [told.split(":")[0] for told in deviations(expected, [])] == ["not listed"]
