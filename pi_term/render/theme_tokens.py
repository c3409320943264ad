"""The names of Pi's theme format, and what each colour is used for."""

from __future__ import annotations

REQUIRED_TOKENS = (
    *("accent", "border", "borderAccent", "borderMuted", "success", "error", "warning"),
    *("muted", "dim", "text", "thinkingText", "selectedBg"),
    *("userMessageBg", "userMessageText", "customMessageBg", "customMessageText", "customMessageLabel"),
    *("toolPendingBg", "toolSuccessBg", "toolErrorBg", "toolTitle", "toolOutput"),
    *("mdHeading", "mdLink", "mdLinkUrl", "mdCode", "mdCodeBlock", "mdCodeBlockBorder"),
    *("mdQuote", "mdQuoteBorder", "mdHr", "mdListBullet"),
    *("toolDiffAdded", "toolDiffRemoved", "toolDiffContext"),
    *("syntaxComment", "syntaxKeyword", "syntaxFunction", "syntaxVariable", "syntaxString"),
    *("syntaxNumber", "syntaxType", "syntaxOperator", "syntaxPunctuation"),
    *("thinkingOff", "thinkingMinimal", "thinkingLow", "thinkingMedium", "thinkingHigh", "thinkingXhigh"),
    "bashMode",
)

OPTIONAL_TOKENS = {
    "scrollbarTrack": "muted",
    "scrollbarThumb": "text",
    "searchMatchBg": "selectedBg",
    "searchMatchText": "text",
    "thinkingMax": "thinkingXhigh",
}
"""Tokens that may be left out, with the token whose colour they take then."""

ALL_TOKENS = frozenset(REQUIRED_TOKENS) | frozenset(OPTIONAL_TOKENS)

EXPORT_TOKENS = ("pageBg", "cardBg", "infoBg")

TOP_LEVEL_KEYS = frozenset({"$schema", "name", "appearance", "vars", "colors", "export"})

SYNTAX_TOKENS: dict[tuple[str, ...], str] = {
    ("Comment",): "syntaxComment",
    ("Comment", "Preproc"): "syntaxKeyword",
    ("Keyword",): "syntaxKeyword",
    ("Keyword", "Type"): "syntaxType",
    ("Keyword", "Constant"): "syntaxNumber",
    ("Name", "Function"): "syntaxFunction",
    ("Name", "Class"): "syntaxType",
    ("Name", "Exception"): "syntaxType",
    ("Name", "Namespace"): "syntaxType",
    ("Name", "Decorator"): "syntaxFunction",
    ("Name", "Builtin"): "syntaxFunction",
    ("Name", "Builtin", "Pseudo"): "syntaxVariable",
    ("Name", "Tag"): "syntaxKeyword",
    ("Name", "Attribute"): "syntaxFunction",
    ("Name", "Constant"): "syntaxNumber",
    ("Name", "Label"): "syntaxVariable",
    ("Name", "Variable"): "syntaxVariable",
    ("Literal",): "syntaxNumber",
    ("Literal", "String"): "syntaxString",
    ("Literal", "String", "Escape"): "syntaxNumber",
    ("Literal", "String", "Interpol"): "syntaxVariable",
    ("Operator",): "syntaxOperator",
    ("Operator", "Word"): "syntaxKeyword",
    ("Punctuation",): "syntaxPunctuation",
    ("Generic", "Heading"): "mdHeading",
    ("Generic", "Subheading"): "mdHeading",
    ("Generic", "Inserted"): "toolDiffAdded",
    ("Generic", "Deleted"): "toolDiffRemoved",
    ("Generic", "Error"): "error",
    ("Generic", "Prompt"): "muted",
    ("Generic", "Output"): "muted",
}
"""Pygments token types (without the leading `Token`) and the theme token that colours them.

A type that is not listed takes the colour of its nearest listed ancestor, else that of plain code.
"""
