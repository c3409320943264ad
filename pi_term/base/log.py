"""The log file: off unless asked for, private, rotating, without secrets."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pi_term.base.files import private_dir
from pi_term.version import __version__

log = logging.getLogger("pi_term")
log.addHandler(logging.NullHandler())
log.propagate = False

_SECRETS: set[str] = set()
_PATTERNS = (
    r"(?i)((?:authorization|x-api-key|x-goog-api-key|api[-_]?key|token|secret|password)[\"']?\s*[:=]\s*[\"']?(?:bearer\s+)?)"
    r"[^\s\"',;]+"
    r"|\b(?:sk|pk|rk|ghp|gho|xox[bap])[-_][A-Za-z0-9_\-]{6,}"
)


def remember_secret(value: str) -> None:
    """From now on `value` is cut out of everything that `redact` sees."""
    if len(value) >= 4:
        _SECRETS.add(value)


def redact(text: str, more: Iterable[str] = ()) -> str:
    """`text` with known secrets, and what looks like one, replaced by `[redacted]`."""
    for secret in (*_SECRETS, *more):
        text = text.replace(secret, "[redacted]")
    return _patterns().sub(lambda match: (match[1] or "") + "[redacted]", text)


@cache
def _patterns() -> re.Pattern[str]:
    return re.compile(_PATTERNS)


class _Redacting(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def setup_logging(file: Path, *, debug: bool) -> None:
    """Write the log to `file` (0600, rotated at 5 MB) when `debug` or `PI_TERM_LOG` asks for it."""
    level = os.environ.get("PI_TERM_LOG", "debug" if debug else "").upper()
    if not level:
        return
    from logging.handlers import RotatingFileHandler

    private_dir(file.parent)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.close(descriptor)
    handler = RotatingFileHandler(file, maxBytes=5_000_000, backupCount=2, encoding="utf-8")
    handler.setFormatter(_Redacting("%(asctime)s %(levelname)s %(name)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(level if level in logging.getLevelNamesMapping() else logging.DEBUG)
    log.info("pi-term %s, Python %s, %s", __version__, sys.version.split()[0], sys.platform)
