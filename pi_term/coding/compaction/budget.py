"""How many tokens start a compaction, and how many it keeps."""

from __future__ import annotations

from pi_term.ai.models import Model
from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore

_FIELDS = ("reserveTokens", "keepRecentTokens")


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens: `reserve` stay free, `keep` recent ones are never summarised; more than `threshold` in the
    context is too much."""

    reserve: int
    keep: int
    threshold: int


def budget_of(settings: SettingsStore, model: Model) -> Budget:
    """The numbers for `model`: its own override, else the ordinary setting, for each field by itself.

    In small windows the reserve is at most half of the window, and what is kept at most half of the
    threshold: else a context would be over the threshold again as soon as it was compacted. Raises
    `PiTermError("bad_setting")` where the settings files say something about it that is no token number.
    """
    _refuse_bad(settings, model)
    override = settings.get(schema.COMPACTION_OVERRIDES).get(model.key, {})
    reserve: int = override.get("reserveTokens", settings.get(schema.COMPACTION_RESERVE))
    keep: int = override.get("keepRecentTokens", settings.get(schema.COMPACTION_KEEP))
    reserve = min(reserve, model.context_window // 2)
    threshold = model.context_window - reserve
    return Budget(reserve, min(keep, threshold // 2), threshold)


def _refuse_bad(settings: SettingsStore, model: Model) -> None:
    """The store leaves bad values out; that must not make another number of what somebody chose."""
    override = f"{schema.COMPACTION_OVERRIDES.key}.{model.key}"
    numbers = [f"{group}.{field}" for group in ("compaction", override) for field in _FIELDS]
    objects = ["compaction", schema.COMPACTION_OVERRIDES.key, override]
    for diagnostic in settings.diagnostics:
        if diagnostic.key in numbers:
            raise _bad(diagnostic, "a whole number of at least 0")
        if diagnostic.key in objects:
            raise _bad(diagnostic, "an object")


def _bad(diagnostic: Diagnostic, allowed: str) -> PiTermError:
    line = "" if diagnostic.line is None else f", line {diagnostic.line}"
    hint = "" if diagnostic.file is None else f"It is in {diagnostic.file}{line}."
    return PiTermError("bad_setting", f"{diagnostic.key} must be {allowed}.", hint)
