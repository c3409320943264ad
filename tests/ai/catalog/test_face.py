from __future__ import annotations

import pytest

from pi_term.ai import catalog


@pytest.mark.parametrize("name", catalog.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(catalog, name) is not None


def test_other_names_do_not() -> None:
    with pytest.raises(AttributeError):
        catalog.__getattr__("nosuch")
