from __future__ import annotations

from pathlib import Path

import pytest
from textual.worker import WorkerFailed

from pi_term.base.crash import write_crash_report
from pi_term.base.log import log, redact, remember_secret, setup_logging


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer SECRET123",
        "{'x-api-key': 'SECRET123'}",
        '{"apiKey":"SECRET123"}',
        "api_key=SECRET123",
        "key sk-SECRET123 was refused",
        "password: SECRET123",
    ],
)
def test_what_looks_like_a_secret_is_cut_out(text: str) -> None:
    assert "SECRET123" not in redact(text)


def test_a_known_secret_is_cut_out_wherever_it_stands() -> None:
    remember_secret("plain-word-key")
    assert redact("https://x/?k=plain-word-key&b") == "https://x/?k=[redacted]&b"


def test_the_log_is_private_and_redacted(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "pi-term.log"
    setup_logging(file, debug=True)
    try:
        log.debug("calling with authorization: bearer %s", "abc123456")
        log.handlers[-1].flush()
    finally:
        log.handlers.pop().close()
    assert file.stat().st_mode & 0o777 == 0o600
    assert "abc123456" not in file.read_text()
    assert "calling with" in file.read_text()


def test_nothing_is_logged_unasked(tmp_path: Path) -> None:
    setup_logging(tmp_path / "pi-term.log", debug=False)
    assert not list(tmp_path.iterdir())


def test_a_crash_report_tells_where_and_not_what(tmp_path: Path) -> None:
    secret_of_the_user = "my private text"
    try:
        raise ValueError(secret_of_the_user)
    except ValueError as error:
        file = write_crash_report(error, tmp_path / "crashes")
    text = file.read_text()
    assert "ValueError" in text
    assert "test_a_crash_report_tells_where_and_not_what" in text
    assert secret_of_the_user not in text
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_crash_report_tells_where_the_error_of_a_background_task_came_from(tmp_path: Path) -> None:
    def breaks() -> None:
        raise KeyError

    try:
        breaks()
    except KeyError as error:
        text = write_crash_report(WorkerFailed(error), tmp_path / "crashes").read_text()
    assert "KeyError" in text
    assert "in breaks" in text
