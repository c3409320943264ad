"""Token counts as Google reports them."""

from __future__ import annotations

from pi_term.ai.messages import Usage
from pi_term.ai.usage import count
from pi_term.base.json import JsonObject


def usage_from(report: JsonObject) -> Usage:
    """The counts of one report, each token in one place only: the prompt contains what was cached, the
    candidates do not contain the thoughts."""
    prompt = count(report.get("promptTokenCount")) + count(report.get("toolUsePromptTokenCount"))
    cached = count(report.get("cachedContentTokenCount"))
    thoughts = count(report.get("thoughtsTokenCount"))
    usage = Usage(
        input=max(0, prompt - cached),
        output=count(report.get("candidatesTokenCount")) + thoughts,
        cache_read=cached,
        reasoning=thoughts or None,
    )
    usage.total_tokens = usage.input + usage.output + usage.cache_read
    return usage
