from __future__ import annotations

import io
import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pi_term.cli.main import main

KEY = "sk-test-123456"


@pytest.fixture
def home(clean_environment: Path) -> Path:
    return clean_environment / "pi-term"


def give_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def stored(home: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((home / "auth.json").read_text())
    return content


def test_a_piped_key_is_stored_and_used(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, f" {KEY}\r\n")
    before = os.umask(0o022)
    try:
        assert main(["auth", "login", "anthropic"]) == 0
    finally:
        os.umask(before)
    assert stored(home) == {"anthropic": {"type": "api_key", "key": KEY}}
    assert stat.S_IMODE((home / "auth.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert main(["--list-models", "opus", "5"]) == 0
    assert main(["auth", "check"]) == 0
    assert main(["auth", "check", "anthropic"]) == 0
    out, err = capfd.readouterr()
    assert "claude-opus-5" in out
    assert "anthropic: auth.json" in out
    assert KEY not in out + err


def test_a_typed_key_is_not_shown(home: Path) -> None:
    """Through a real terminal: what is typed does not come back."""
    parent, child = pty.openpty()
    command = [sys.executable, "-c", "from pi_term.cli.main import main; raise SystemExit(main())"]
    process = subprocess.Popen(
        [*command, "auth", "login", "openai"],
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
    )
    os.close(child)
    shown = b""
    try:
        while b"not shown" not in shown:
            shown += os.read(parent, 4096)
        os.write(parent, KEY.encode() + b"\n")
        assert process.wait(30) == 0
        os.set_blocking(parent, False)
        with pytest.raises(OSError, match="Input/output"):
            while True:
                shown += os.read(parent, 4096)
    finally:
        process.kill()
        process.wait()
        os.close(parent)
    assert KEY.encode() not in shown
    assert stored(home) == {"openai": {"type": "api_key", "key": KEY}}


@pytest.mark.parametrize("key", ["$HOME", "!echo no", "a$b!c", "$$", "!!x"])
def test_a_key_stands_for_itself(home: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    import asyncio

    from pi_term.ai.catalog import ModelRegistry
    from pi_term.coding.credentials import FileCredentialStore

    give_stdin(monkeypatch, key)
    assert main(["auth", "login", "openai"]) == 0
    registry = ModelRegistry(credentials=FileCredentialStore(home / "auth.json"), env={"HOME": "no"})
    assert asyncio.run(registry.resolve_key("openai")) == key


@pytest.mark.parametrize(
    "argv",
    [
        ["auth", "login"],
        ["auth", "login", "anthropic", KEY],
        ["auth", "login", KEY],
        ["auth", KEY],
        ["auth", "login", f"--key={KEY}"],
        ["auth", "logout", KEY],
        ["auth", "check", KEY],
        ["auth", "login", "demo"],
    ],
)
def test_a_key_on_the_command_line_is_refused_and_not_repeated(
    argv: list[str], home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, KEY)
    assert main(argv) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("pi-term: ")
    assert err.count("\n") == 1
    assert KEY not in err
    assert not (home / "auth.json").exists()


@pytest.mark.parametrize("key", ["", " \n", "two\nlines", "schlüssel", "a\x00b"])
def test_what_is_no_key_is_refused(
    key: str, home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, key)
    assert main(["auth", "login", "openai"]) == 1
    assert "no key" in capfd.readouterr().err
    assert not (home / "auth.json").exists()


def test_logging_out_forgets_one_key(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    entries = {"openai": {"type": "api_key", "key": KEY}, "gone-provider": {"type": "api_key", "key": "x"}}
    (home / "auth.json").write_text(json.dumps(entries))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert main(["auth", "logout", "openai"]) == 0
    out = capfd.readouterr().out
    assert "There still is a key for it: the environment variable OPENAI_API_KEY." in out
    assert stored(home) == {"gone-provider": {"type": "api_key", "key": "x"}}
    assert main(["auth", "logout", "gone-provider"]) == 0
    assert stored(home) == {}
    assert main(["auth", "logout", "mistral"]) == 0
    assert "Nothing is stored for mistral." in capfd.readouterr().out


def test_checking_tells_where_each_key_comes_from(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["auth", "check"]) == 1
    assert "No provider has a key" in capfd.readouterr().out
    home.mkdir()
    local = {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "models": [{"id": "m"}]}
    providers = {
        "mine": {**local, "apiKey": f"!echo {KEY}"},
        "broken": {**local, "apiKey": f"!echo {KEY}; exit 3"},
        "unset": {**local, "apiKey": "$NO_SUCH_VARIABLE"},
        "open": local,
    }
    (home / "models.json").write_text(json.dumps({"providers": providers}))
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    assert main(["auth", "check"]) == 1
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        "groq: the environment variable GROQ_API_KEY",
        f"mine: {home / 'models.json'}",
        f"broken: There is no API key for broken: its command ended with code 3. "
        f'Set "apiKey" of "broken" in {home / "models.json"}, or use /login broken in the program or '
        "pi-term auth login broken.",
        f"unset: {home / 'models.json'}: NO_SUCH_VARIABLE is not set",
    ]
    assert main(["auth", "check", "open"]) == 1
    assert capfd.readouterr().out == "open: no key\n"
    assert main(["auth", "check", "demo"]) == 0
    assert KEY not in out + err


def test_a_slip_of_the_pen_gets_a_hint(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["auth", "check", "antropic"]) == 1
    assert "Did you mean anthropic?" in capfd.readouterr().err


@pytest.mark.parametrize("argv", [["auth"], ["auth", "--help"], ["auth", "login", "-h"]])
def test_the_help(argv: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    assert "pi-term auth login PROVIDER" in capfd.readouterr().out
