"""What ripgrep says beside its results."""

from __future__ import annotations

import pytest

from pi_term.coding.tools.search.report import Report, read_log

IGNORED = 'Ignore(IgnoreMatch(Gitignore(Glob { from: Some("./.gitignore"), original: "*.log" })))'
OVERRIDE = 'Ignore(IgnoreMatch(Override(Glob(Matched(Glob { from: None, original: "!.git/" })))))'
LINK = "failed to pass haystack filter: file type: Some(FileType { is_symlink: true, .. })"
WALK = "DEBUG|ignore::walk|crates/ignore/src/walk.rs:1799: "


@pytest.mark.parametrize("mark", ["rg: ", ""], ids=["version 14", "version 13"])
def test_what_was_left_out_and_what_could_not_be_read(mark: str) -> None:
    log = "\n".join(
        [
            f"{mark}DEBUG|rg::flags::hiargs|crates/core/flags/hiargs.rs:174: using 2 thread(s)",
            f"{mark}{WALK}ignoring ./b/x: y.log: {IGNORED}",
            f"{mark}{WALK}ignoring ./a\nb.log: {IGNORED}",
            f"{mark}./secret: Permission denied (os error 13)",
            f"{mark}{WALK}ignoring ./.git: {OVERRIDE}",
            f"{mark}{WALK}whitelisting ./keep.log: Whitelist(IgnoreMatch(Gitignore(Glob {{}})))",
            f"{mark}DEBUG|grep_printer::summary|a.rs:1: ignoring ./bin: found binary data at offset 6",
            f"{mark}DEBUG|rg::haystack|crates/core/haystack.rs:70: ignoring ./link: {LINK}",
            "2",
        ]
    )
    assert read_log(log) == Report(
        ignored=("a\nb.log", "b/x: y.log"), special=("link",), unreadable=("secret (Permission denied)",)
    )


def test_why_nothing_was_searched() -> None:
    log = "rg: DEBUG|a|b.rs:1: x\nrg: regex parse error:\n    (?:()\n    ^\nerror: unclosed group 2"
    assert read_log(log).failure == "regex parse error:\n    (?:()\n    ^\nerror: unclosed group"


def test_no_program() -> None:
    assert read_log("sh: 1: rg: not found\n 127").is_missing


@pytest.mark.parametrize("log", [None, "", "cut off", f"{WALK}in other words ./x.log 0", " 1", " 0"])
def test_without_a_log_that_is_understood_nothing_is_known(log: str | None) -> None:
    assert read_log(log) == Report()


def test_a_log_that_was_cut_in_the_middle() -> None:
    log = f"{WALK}ignoring ./a.log: {IGNORED}\n{WALK}ignoring ./b.lo) 0"
    assert read_log(log) == Report(ignored=("a.log",))
