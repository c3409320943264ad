from __future__ import annotations

import json

import pytest

from pi_term.base.json_kinds import BAD
from pi_term.coding.settings.schema import SCHEMA, Setting


@pytest.mark.parametrize("setting", SCHEMA.values(), ids=SCHEMA)
def test_every_setting_is_described_and_its_default_is_one_of_its_values(setting: Setting[object]) -> None:
    assert setting.doc.endswith(".")
    if setting.default is None:
        return
    faults: list[str] = []
    default = json.loads(json.dumps(setting.default))
    cleaned = setting.kind.clean(default, lambda path, message: faults.append(message))
    assert cleaned is not BAD
    assert faults == []
    assert cleaned == setting.default


def test_no_setting_stands_where_another_needs_an_object() -> None:
    for key in SCHEMA:
        assert not any(other.startswith(f"{key}.") for other in SCHEMA)
