"""`--list-models`."""

from __future__ import annotations

import sys

from pi_term.ai.catalog import ModelRegistry
from pi_term.base.paths import AppPaths
from pi_term.base.sanitize import sanitize_line
from pi_term.cli.args import Arguments
from pi_term.coding.credentials import FileCredentialStore


def model_list(args: Arguments, paths: AppPaths) -> str:
    """The models whose provider has a key, one a line, with the size of their context."""
    store = FileCredentialStore(paths.auth_file)
    registry = ModelRegistry(paths.models_file, credentials=store, demo=args.demo)
    models = registry.available()
    findings = [each.text() for each in (*registry.diagnostics, *store.diagnostics)]
    for finding in findings:
        sys.stderr.write(f"pi-term: {sanitize_line(finding)}\n")
    if not models:
        return f"No model is set up. Describe some in {paths.models_file}, or try --demo."
    width = max(len(model.key) for model in models)
    rows = (
        f"{model.key:<{width}}  {model.context_window:>9,} tokens{'  thinks' if model.reasoning else ''}"
        for model in models
    )
    return "\n".join(sanitize_line(row) for row in rows)
