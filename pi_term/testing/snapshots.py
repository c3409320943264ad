"""Pictures of the screen, kept as SVG files and compared.

Needs `pytest-textual-snapshot` (in the extra `test`). In a `conftest.py`:

    @pytest.fixture
    def picture(snapshot):
        return snapshot.use_extension(svg_folder(Path("snapshots")))

and in a test `assert driver.picture() == picture`. `pytest --snapshot-update` writes new pictures and
deletes those without a test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_textual_snapshot import SVGImageExtension


def svg_folder(root: Path, tests: str = "tests") -> type[SVGImageExtension]:
    """A syrupy extension that keeps pictures below `root`, in folders that mirror those of the tests."""

    class FolderExtension(SVGImageExtension):
        @classmethod
        def dirname(cls, *, test_location: Any) -> str:
            path = Path(test_location.filepath)
            parts = path.with_suffix("").parts
            inner = parts[parts.index(tests) + 1 :] if tests in parts else (path.stem,)
            return str(root.joinpath(*inner))

    return FolderExtension
