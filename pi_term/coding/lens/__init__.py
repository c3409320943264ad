"""The context lens: what a model gets with the next request, and taking parts of it out of its view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.lens.blocks import Block, CacheView, ContextView
    from pi_term.coding.lens.edit import exclude, restore
    from pi_term.coding.lens.export import export_json
    from pi_term.coding.lens.request import look

__all__ = ["Block", "CacheView", "ContextView", "exclude", "export_json", "look", "restore"]

__getattr__ = lazy_exports(
    __name__,
    {
        "blocks": ("Block", "CacheView", "ContextView"),
        "edit": ("exclude", "restore"),
        "export": ("export_json",),
        "request": ("look",),
    },
)
