"""What `grep` is asked."""

from __future__ import annotations

from pi_term.agent.tools import ToolError
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.text import without_surrogates
from pi_term.coding.tools.search.globs import Glob, Test


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for, and in which files: `glob` without its `!`, which makes it `negated`."""

    pattern: str
    ignore_case: bool
    literal: bool
    glob: Glob | None = None
    negated: bool = False

    @classmethod
    def of(cls, args: JsonObject) -> Question:
        """The question that the arguments of a call ask."""
        pattern = without_surrogates(args["pattern"])
        if "\0" in pattern:
            raise ToolError("pattern must not contain a NUL character.")
        glob: str = args.get("glob") or ""
        return cls(
            pattern,
            ignore_case=bool(args.get("ignoreCase")),
            literal=bool(args.get("literal")),
            glob=Glob(glob.removeprefix("!")) if glob else None,
            negated=glob.startswith("!"),
        )

    def arguments(self) -> list[str]:
        """The question as ripgrep takes it, without the glob."""
        case = "--ignore-case" if self.ignore_case else "--case-sensitive"
        literal = ["--fixed-strings"] if self.literal else []
        return [case, *literal, f"--regexp={self.pattern}"]

    def narrowing(self) -> list[str]:
        """What keeps ripgrep from opening many files that the glob does not fit.

        Not its own option for globs: that finds ignored files, too.
        """
        names = None if self.glob is None or self.negated else self.glob.names()
        if names is None:
            return []
        return [*(f"--type-add=wanted:{name}" for name in names), "--type=wanted"]

    def test(self, root: str) -> Test:
        """What tells whether the glob lets a path pass."""
        if self.glob is None:
            return lambda _: True
        fits = self.glob.test(root)
        return (lambda path: not fits(path)) if self.negated else fits
