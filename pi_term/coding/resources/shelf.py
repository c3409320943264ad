"""Prompt templates and skills, as they lie on the disk."""

from __future__ import annotations

from collections.abc import Iterator

from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.resources.documents import Documents
from pi_term.coding.resources.places import Surroundings
from pi_term.coding.resources.skills import KEYS as SKILL_KEYS
from pi_term.coding.resources.skills import Skill, SkillFinder
from pi_term.coding.resources.templates import KEYS as TEMPLATE_KEYS
from pi_term.coding.resources.templates import PromptTemplate, find_templates


class Shelf:
    """Finds them, in the order in which they win. Files that have not changed are not read again."""

    def __init__(self) -> None:
        self._documents = Documents((*SKILL_KEYS, *TEMPLATE_KEYS))

    def templates(self, around: Surroundings, problems: list[Diagnostic]) -> Iterator[PromptTemplate]:
        """The prompt templates of all places."""
        for place in around.places("prompts", problems):
            yield from find_templates(place, self._documents, problems)

    def skills(self, around: Surroundings, problems: list[Diagnostic]) -> Iterator[Skill]:
        """The skills of all places."""
        finder = SkillFinder(self._documents, problems)
        for place in around.places("skills", problems):
            yield from finder.find(place)
