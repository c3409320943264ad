"""What every floor needs: JSON, files and locks, paths, diagnostics, logging, abort signals, safe text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.base.abort import (
        AbortController,
        AbortError,
        AbortSignal,
        run_abortable,
    )
    from pi_term.base.diagnostics import (
        Diagnostic,
    )
    from pi_term.base.errors import (
        PiTermError,
    )
    from pi_term.base.files import (
        atomic_write,
        private_dir,
        read_text,
    )
    from pi_term.base.locks import (
        file_lock,
    )
    from pi_term.base.paths import (
        AppPaths,
        shipped,
    )
    from pi_term.base.records import (
        Record,
    )
    from pi_term.base.sanitize import (
        sanitize,
        sanitize_keep_sgr,
        sanitize_line,
    )

__all__ = [
    "AbortController",
    "AbortError",
    "AbortSignal",
    "AppPaths",
    "Diagnostic",
    "PiTermError",
    "Record",
    "atomic_write",
    "file_lock",
    "private_dir",
    "read_text",
    "run_abortable",
    "sanitize",
    "sanitize_keep_sgr",
    "sanitize_line",
    "shipped",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "abort": ("AbortController", "AbortError", "AbortSignal", "run_abortable"),
        "diagnostics": ("Diagnostic",),
        "errors": ("PiTermError",),
        "files": ("atomic_write", "private_dir", "read_text"),
        "locks": ("file_lock",),
        "paths": ("AppPaths", "shipped"),
        "records": ("Record",),
        "sanitize": ("sanitize", "sanitize_keep_sgr", "sanitize_line"),
    },
)
