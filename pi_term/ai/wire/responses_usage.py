"""Token counts as `responses` servers report them."""

from __future__ import annotations

from pi_term.ai.messages import Usage
from pi_term.ai.usage import count
from pi_term.ai.wire.exchange import object_value
from pi_term.base.json import JsonObject


def usage_from(report: JsonObject) -> Usage:
    """The counts of one report, each token in one place only: the input contains what was cached, the
    output the reasoning."""
    whole = count(report.get("input_tokens"))
    details = object_value(report, "input_tokens_details")
    cached, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    reasoning = count(object_value(report, "output_tokens_details").get("reasoning_tokens"))
    usage = Usage(
        input=max(0, whole - cached - written),
        output=count(report.get("output_tokens")),
        cache_read=cached,
        cache_write=written,
        reasoning=reasoning or None,
    )
    usage.total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
    return usage
