"""The terminal modes the interface uses, as bytes that switch them on and off."""

from __future__ import annotations

import os
from collections.abc import Mapping

_KITTY_DISAMBIGUATE = 1
_KITTY_ALTERNATE_KEYS = 4
_KITTY_ALL_KEYS = 8
_KITTY_TEXT = 16
KITTY_FLAGS = _KITTY_DISAMBIGUATE | _KITTY_ALTERNATE_KEYS | _KITTY_ALL_KEYS | _KITTY_TEXT
"""Kitty keyboard enhancements to ask for: Textual's, and the place of keys for other alphabets."""

MODIFY_OTHER_KEYS = "\x1b[>4;2m"
"""Ask xterm, tmux and others without the Kitty protocol to report modified keys as sequences."""

LEAVE = "".join(
    [
        "\x1b[?2026l",  # a frame may have been cut off
        "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l",  # mouse
        "\x1b[?1004l",  # focus reports
        "\x1b[?2004l",  # bracketed paste
        "\x1b[>4;0m",  # modifyOtherKeys
        "\x1b[<u",  # Kitty keyboard; kept per screen, so before the alternate screen is left
        "\x1b[?7h",  # line wrap
        "\x1b[0m",
        "\x1b[?1049l",  # alternate screen
        "\x1b[?25h",  # cursor
    ]
)
"""Undoes every mode. Safe to send twice, save that the second time pops somebody else's Kitty flags."""

END_OF_STRING = "\x1b\\"
"""Ends whatever sequence was cut off in the middle."""


def misreads_modify_other_keys(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal takes `MODIFY_OTHER_KEYS` for a text style."""
    return environ.get("TERM_PROGRAM") == "Apple_Terminal" or environ.get("TERM") == "linux"
