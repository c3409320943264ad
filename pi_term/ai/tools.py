"""What a model is told of a tool."""

from __future__ import annotations

from dataclasses import field

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.records import Record


@dataclass(slots=True)
class Tool(Record):
    """Name, description and a JSON Schema of the arguments object."""

    name: str = ""
    description: str = ""
    parameters: JsonObject = field(default_factory=dict)
