"""No test touches a real home folder, a real key or a real network."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pi_term.base import log

# How fast a machine is must not decide whether a test passes.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CI", "PYTEST_XDIST_WORKER")
_NODE = ("AIMOCK_BIN", "NODE_DIR", "PI_BIN", "PI_083_BIN", "PI083_BIN", "PI_DOCS")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """HOME and PI_TERM_HOME are fresh folders; keys, colour switches and themes of the machine are gone."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name not in (*_KEPT, *_NODE) and not name.startswith(("PYTEST", "COV", "HYPOTHESIS")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PI_TERM_HOME", str(home / "pi-term"))
    monkeypatch.setattr(log, "_SECRETS", set())  # or one test's secret is cut out of another's texts
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    return home
