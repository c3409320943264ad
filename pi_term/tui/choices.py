"""What a list offers."""

from __future__ import annotations

from pi_term.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One item: `value` is what choosing it gives, `detail` is said beside its label, `aside` at the edge.

    `faded` is an item that few will want: shown fainter, and found after the others. `found_by` are more
    words to search for.
    """

    value: str
    label: str
    detail: str = ""
    aside: str = ""
    faded: bool = False
    found_by: str = ""

    @property
    def searched(self) -> str:
        """The text that is searched, the label as its first line."""
        return f"{self.label}\n{self.detail} {self.aside} {self.found_by}"
