"""A position in a line of Markdown, counted in columns, where a tab goes to the next multiple of four."""

from __future__ import annotations

_TAB = 4


class Cursor:
    """What is left of a line after the marks of its containers were read."""

    __slots__ = ("_column", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._column = 0

    @property
    def blank(self) -> bool:
        """Whether only blanks are left."""
        return not self.text or self.text.isspace()

    @property
    def indent(self) -> int:
        """Columns of blanks that come next."""
        column = self._column
        for char in self.text:
            if char == " ":
                column += 1
            elif char == "\t":
                column += _TAB - column % _TAB
            else:
                break
        return column - self._column

    def skip(self, columns: int) -> None:
        """Leave out up to so many columns of blanks; of a tab that is cut, the rest becomes spaces."""
        index, column, goal = 0, self._column, self._column + columns
        while column < goal and index < len(self.text):
            char = self.text[index]
            if char not in " \t":
                break
            column += 1 if char == " " else _TAB - column % _TAB
            index += 1
        rest = self.text[index:]
        self.text = " " * (column - goal) + rest if column > goal else rest
        self._column = min(column, goal)

    def take(self, characters: int) -> None:
        """Leave out characters that are no tabs."""
        self.text = self.text[characters:]
        self._column += characters
