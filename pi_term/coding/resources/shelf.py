"""Prompt templates and skills, as they lie on the disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.resources.documents import Documents
from pi_term.coding.resources.places import Place
from pi_term.coding.resources.skills import KEYS as SKILL_KEYS
from pi_term.coding.resources.skills import Skill, SkillFinder
from pi_term.coding.resources.templates import KEYS as TEMPLATE_KEYS
from pi_term.coding.resources.templates import PromptTemplate, find_templates


class Shelf:
    """Finds them, in the order in which they win. Files that have not changed are not read again."""

    def __init__(self) -> None:
        self._documents = Documents((*SKILL_KEYS, *TEMPLATE_KEYS))

    def templates(self, places: Iterable[Place], problems: list[Diagnostic]) -> Iterator[PromptTemplate]:
        """The prompt templates of these places."""
        for place in places:
            yield from find_templates(place, self._documents, problems)

    def skills(self, places: Iterable[Place], problems: list[Diagnostic]) -> Iterator[Skill]:
        """The skills of these places."""
        finder = SkillFinder(self._documents, problems)
        for place in places:
            yield from finder.find(place)
