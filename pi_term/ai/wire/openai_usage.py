"""Token counts as `chat/completions` servers report them."""

from __future__ import annotations

from pi_term.ai.messages import Usage
from pi_term.ai.usage import count
from pi_term.ai.wire.exchange import object_value
from pi_term.base.json import JsonObject


def usage_from(report: JsonObject) -> Usage:
    """The counts of one report, each token in one place only.

    `prompt_tokens` contains what was read from and written to a cache. `completion_tokens` contains the
    reasoning, save on servers whose total only adds up when it does not.
    """
    prompt = count(report.get("prompt_tokens"))
    output = count(report.get("completion_tokens"))
    in_detail = object_value(report, "prompt_tokens_details")
    cached = count(in_detail.get("cached_tokens")) or count(report.get("prompt_cache_hit_tokens"))
    written = count(in_detail.get("cache_write_tokens"))
    reasoning = count(object_value(report, "completion_tokens_details").get("reasoning_tokens"))
    if reasoning and count(report.get("total_tokens")) == prompt + output + reasoning:
        output += reasoning
    usage = Usage(
        input=max(0, prompt - cached - written),
        output=output,
        cache_read=cached,
        cache_write=written,
        reasoning=reasoning or None,
    )
    usage.total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
    return usage
