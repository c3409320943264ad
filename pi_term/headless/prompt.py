"""What a mode that takes all its prompts at the start is given."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.ai.messages import ImageContent
from pi_term.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt, with the images that belong to it."""

    text: str
    images: Sequence[ImageContent] = ()

    @classmethod
    def of(cls, given: Prompt | str) -> Prompt:
        """A text is a prompt without images."""
        return Prompt(given) if isinstance(given, str) else given
