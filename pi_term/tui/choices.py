"""What a list offers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One item: `value` is what choosing it gives, `detail` is said beside its label."""

    value: str
    label: str
    detail: str = ""
