"""Every setting: its key in settings.json, what it may be, its default, and what it does.

This table drives the file, the defaults, the settings screen and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from pi_term.ai.models import THINKING_LEVELS, ThinkingLevel
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.json_kinds import (
    BOOLEAN,
    TEXT,
    Kind,
    ListOf,
    MapOf,
    Shape,
    choice,
    constant,
    either,
    number,
    whole,
)

if TYPE_CHECKING:
    from pi_term.agent.queues import QueueMode

T = TypeVar("T")
V = TypeVar("V")
D = TypeVar("D")

TrustDefault: TypeAlias = Literal["ask", "always", "never"]
NotifyBy: TypeAlias = Literal["auto", "bell", "osc9", "osc99", "osc777", "off"]

_LEVEL = choice(*THINKING_LEVELS)
_QUEUE_MODE: Kind[QueueMode] = choice("one-at-a-time", "all")
_TRUST_DEFAULT: Kind[TrustDefault] = choice("ask", "always", "never")
_NOTIFY_BY: Kind[NotifyBy] = choice("auto", "bell", "osc9", "osc99", "osc777", "off")
_SAFE_INTEGER = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting.

    `key` is dotted (`compaction.enabled` lies in the object `compaction`); `project` tells whether a
    trusted project may set it; `merge(lower, higher)` joins the values of two layers, else the higher wins.
    """

    key: str
    kind: Kind[Any]
    default: T
    doc: str
    project: bool = True
    merge: Callable[[Any, Any], Any] | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """Where the value lies in the file."""
        return tuple(self.key.split("."))


SCHEMA: dict[str, Setting[Any]] = {}


def _setting(
    key: str,
    kind: Kind[V],
    default: D,
    doc: str,
    *,
    project: bool = True,
    merge: Callable[[Any, Any], Any] | None = None,
) -> Setting[V | D]:
    setting: Setting[V | D] = Setting(key, kind, default, doc, project, merge)
    SCHEMA[key] = setting
    return setting


def _merge_objects(lower: Mapping[str, Any], higher: Mapping[str, Any]) -> Mapping[str, Any]:
    """Entry by entry, objects in them too."""
    out = dict(lower)
    for key, value in higher.items():
        under = out.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            value = _merge_objects(under, value)
        out[key] = value
    return out


def _merge_lists(lower: Sequence[Any], higher: Sequence[Any]) -> Sequence[Any]:
    return (*lower, *higher)


def change_selection(base: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """Apply a list of tool names to a selection.

    Plain names make a new selection; `+name` adds to and `-name` takes from it, in order. A list with
    only such changes starts from `base`.
    """
    plain = [name for name in changes if not name.startswith(("+", "-"))]
    chosen = dict.fromkeys(base if changes and not plain else plain)
    for name in changes:
        if name.startswith("+"):
            chosen[name[1:]] = None
        elif name.startswith("-"):
            chosen.pop(name[1:], None)
    return tuple(chosen)


def _timeout() -> Kind[float]:
    return either(number(), constant("disabled", 0.0))


# --- model and thinking

DEFAULT_PROVIDER = _setting("defaultProvider", TEXT, None, "Provider of the model that new sessions use.")
DEFAULT_MODEL = _setting("defaultModel", TEXT, None, "Id of the model that new sessions use.")
DEFAULT_THINKING_LEVEL: Setting[ThinkingLevel] = _setting(
    "defaultThinkingLevel", _LEVEL, "medium", "How hard the model thinks in new sessions."
)
MODEL_THINKING_LEVELS: Setting[Mapping[str, ThinkingLevel]] = _setting(
    "modelThinkingLevels",
    MapOf(_LEVEL),
    {},
    "The thinking level to begin with, by provider/model.",
    merge=_merge_objects,
)
THINKING_BUDGETS: Setting[Mapping[str, int]] = _setting(
    "thinkingBudgets",
    MapOf(whole(), ("minimal", "low", "medium", "high")),
    {},
    "Tokens a model may think for at each level, where its provider takes a number.",
    merge=_merge_objects,
)
ENABLED_MODELS = _setting(
    "enabledModels", ListOf(TEXT), None, "Patterns of the models to cycle through; all, unless set."
)
HIDE_THINKING = _setting("hideThinkingBlock", BOOLEAN, False, "Hide what the model thinks.")
CROSS_MODEL_THINKING = _setting(
    "crossModelThinking",
    choice("drop", "text"),
    "drop",
    "What the next model sees of another model's thinking: nothing, or plain text.",
)

# --- interaction

STEERING_MODE: Setting[QueueMode] = _setting(
    "steeringMode",
    _QUEUE_MODE,
    "one-at-a-time",
    "Whether waiting steering messages are delivered one each turn, or together.",
)
FOLLOW_UP_MODE: Setting[QueueMode] = _setting(
    "followUpMode",
    _QUEUE_MODE,
    "one-at-a-time",
    "Whether waiting follow-ups are delivered one each turn, or together.",
)
EXTERNAL_EDITOR = _setting(
    "externalEditor", TEXT, None, "Command that edits the prompt; else $VISUAL, then $EDITOR."
)
DOUBLE_ESCAPE = _setting(
    "doubleEscapeAction",
    choice("tree", "fork", "rewind", "none"),
    "tree",
    "What Escape twice in an empty editor opens.",
)
TREE_FILTER = _setting(
    "treeFilterMode",
    choice("default", "no-tools", "user-only", "labeled-only", "all"),
    "default",
    "Which entries the session tree shows at first.",
)
DEFAULT_PROJECT_TRUST: Setting[TrustDefault] = _setting(
    "defaultProjectTrust",
    _TRUST_DEFAULT,
    "ask",
    "Whether the project files of a folder without a stored decision are loaded.",
    project=False,
)
KEYMAP = _setting("keymap", TEXT, "pi", "Name of the keymap; keybindings.json is applied on top.")

# --- tools

DEFAULT_TOOLS: Setting[tuple[str, ...]] = _setting(
    "defaultTools",
    ListOf(TEXT),
    ("read", "bash", "edit", "write"),
    "Tools to begin with; +name and -name change the list of the layer below.",
    merge=change_selection,
)

# --- files that people write

SKILLS: Setting[tuple[str, ...]] = _setting(
    "skills",
    ListOf(TEXT),
    (),
    "More files and folders of skills; !pattern, -path and +path leave out and take in.",
    merge=_merge_lists,
)
ENABLE_SKILL_COMMANDS = _setting(
    "enableSkillCommands", BOOLEAN, True, "Offer skills among the commands, as /skill:name."
)
PROMPTS: Setting[tuple[str, ...]] = _setting(
    "prompts",
    ListOf(TEXT),
    (),
    "More files and folders of prompt templates, as in skills.",
    merge=_merge_lists,
)
THEMES: Setting[tuple[str, ...]] = _setting(
    "themes",
    ListOf(TEXT),
    (),
    "More files and folders of themes, as in skills.",
    merge=_merge_lists,
)

# --- sessions and context

SESSION_DIR = _setting("sessionDir", TEXT, None, "Folder for session files.")
COMPACTION_ENABLED = _setting(
    "compaction.enabled", BOOLEAN, True, "Shorten what the model sees before its context window is full."
)
COMPACTION_RESERVE = _setting(
    "compaction.reserveTokens", whole(0, _SAFE_INTEGER), 16384, "Tokens of the context window to keep free."
)
COMPACTION_KEEP = _setting(
    "compaction.keepRecentTokens", whole(0, _SAFE_INTEGER), 20000, "Recent tokens that are never summarised."
)
COMPACTION_OVERRIDES: Setting[Mapping[str, JsonObject]] = _setting(
    "compaction.modelOverrides",
    MapOf(
        Shape({"reserveTokens": whole(0, _SAFE_INTEGER), "keepRecentTokens": whole(0, _SAFE_INTEGER)}),
    ),
    {},
    "Other token numbers for some models, by provider/model.",
    merge=_merge_objects,
)
CHECKPOINTS_ENABLED = _setting(
    "checkpoints.enabled", BOOLEAN, True, "Keep what files held before a tool changes them."
)
CHECKPOINTS_MAX_FILE = _setting(
    "checkpoints.maxFileMegabytes", whole(1, 1024), 8, "Files larger than this are not kept."
)
CHECKPOINTS_MAX_TOTAL = _setting(
    "checkpoints.maxTotalMegabytes",
    whole(1, _SAFE_INTEGER),
    500,
    "Megabytes that all that is kept may take; what the oldest sessions kept goes first.",
    project=False,
)
BRANCH_SUMMARY_RESERVE = _setting(
    "branchSummary.reserveTokens", whole(), 16384, "Tokens to keep free when a branch is summarised."
)
BRANCH_SUMMARY_SKIP = _setting(
    "branchSummary.skipPrompt", BOOLEAN, False, "Leave a branch without asking for a summary."
)

# --- terminal and display

PLAIN = _setting(
    "plain", BOOLEAN, False, "Talk in labelled lines instead of drawing a screen, as for screen readers."
)
THEME = _setting(
    "theme",
    TEXT,
    "light/dark",
    'Name of the theme, "system" for the terminal\'s own colours, or two by its background as "light/dark".',
)
QUIET_STARTUP = _setting(
    "quietStartup",
    either(BOOLEAN, constant("header", "header")),
    False,
    "Start without the header and the list of what was loaded, or with the header alone.",
)
EDITOR_PADDING = _setting("editorPaddingX", whole(0, 3), 0, "Cells left free at both sides of the editor.")
HARDWARE_CURSOR = _setting(
    "showHardwareCursor", BOOLEAN, False, "Show the terminal's own cursor, as some input methods need it."
)
AUTOCOMPLETE_MAX = _setting("autocompleteMaxVisible", whole(3, 20), 5, "Rows of the completion list.")
WHEEL_LINES = _setting(
    "fullscreenWheelScrollLines",
    either(whole(1, 100), constant("auto", "auto")),
    "auto",
    "Lines that one step of the mouse wheel scrolls.",
)
SCROLLBAR = _setting(
    "fullscreenScrollbar",
    choice("auto", "always", "hidden"),
    "auto",
    "When the transcript has a scroll bar.",
)
COPY_ON_SELECT = _setting("fullscreenCopyOnSelect", BOOLEAN, True, "Copy selected text at once.")
EXIT_OUTPUT = _setting(
    "fullscreenExitOutput",
    choice("transcript", "resume-hint"),
    "transcript",
    "What is left in the terminal after the program ends: what was said, or only how to go on.",
)
SHOW_IMAGES = _setting("terminal.showImages", BOOLEAN, True, "Draw images where the terminal can.")
IMAGE_WIDTH = _setting("terminal.imageWidthCells", whole(1), 60, "Width of drawn images in cells.")
IMAGE_PROTOCOL = _setting(
    "terminal.images",
    either(choice("kitty", "iterm2", "auto"), constant(False, "none")),
    "auto",
    "How images are drawn, instead of asking the terminal.",
)
HYPERLINKS = _setting(
    "terminal.hyperlinks",
    either(BOOLEAN, constant("auto", "auto")),
    "auto",
    "Make links clickable, instead of asking the terminal.",
)
TRUE_COLOR = _setting(
    "terminal.trueColor",
    either(BOOLEAN, constant("auto", "auto")),
    "auto",
    "Use 24-bit colour, instead of what the terminal is known for; from the next start on.",
)
TERMINAL_PROGRESS = _setting(
    "terminal.showTerminalProgress", BOOLEAN, False, "Show in the terminal's tab that work goes on."
)
TERMINAL_TITLE = _setting(
    "terminal.title", BOOLEAN, True, "Show the session and what goes on in the terminal's title."
)
NOTIFY: Setting[NotifyBy] = _setting(
    "terminal.notify",
    _NOTIFY_BY,
    "auto",
    "How the terminal tells you, while you look elsewhere, that the agent is done or asks something.",
)
AUTO_RESIZE_IMAGES = _setting("images.autoResize", BOOLEAN, True, "Shrink big images before sending them.")
BLOCK_IMAGES = _setting("images.blockImages", BOOLEAN, False, "Never send an image to a model.")

SPEND_LIMIT = _setting(
    "spendLimit", number(), None, "Dollars that may be spent before you are asked.", project=False
)

# --- network and retries

HTTP_PROXY = _setting("httpProxy", TEXT, None, "Proxy for all requests of the program.", project=False)
HTTP_IDLE_TIMEOUT: Setting[float] = _setting(
    "httpIdleTimeoutMs", _timeout(), 300_000, "Milliseconds without a byte before a request fails; 0: never."
)
RETRY_ENABLED = _setting("retry.enabled", BOOLEAN, True, "Try again after a passing failure of a provider.")
RETRY_MAX = _setting("retry.maxRetries", whole(), 3, "How often to try again.")
RETRY_BASE_DELAY: Setting[float] = _setting(
    "retry.baseDelayMs", number(), 2000, "Milliseconds before the first new try; doubles each time."
)
RETRY_MAX_DELAY: Setting[float] = _setting(
    "retry.maxAgentDelayMs", number(), 60_000, "The longest wait between tries."
)
PROVIDER_TIMEOUT = _setting(
    "retry.provider.timeoutMs",
    number(),
    None,
    "Milliseconds for one request; as httpIdleTimeoutMs, unless set.",
)
PROVIDER_MAX_DELAY: Setting[float] = _setting(
    "retry.provider.maxRetryDelayMs", number(), 60_000, "The longest wait a server may ask for; 0: any."
)

# --- shell

RIPGREP_PATH = _setting(
    "ripgrepPath", TEXT, None, "The ripgrep for grep and find, as rg; else the one that came along."
)
SHELL_PATH = _setting("shellPath", TEXT, None, "The shell for commands; ~ is your home.")
SHELL_PREFIX = _setting("shellCommandPrefix", TEXT, None, "Put before every command.")
