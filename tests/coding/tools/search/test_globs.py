"""Globs: what they fit, on their own."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.agent.tools import ToolError
from pi_term.coding.tools.search.globs import MOST_ALTERNATIVES, Glob

FILES = [
    *("src/a/x.spec.ts", "src/y.ts", "src/.h.ts", ".github/w.yml", "b/x.log", ".cfg/hook.sh", "dash.txt"),
    *("--exec=id", "pkg/src/z.ts", "Foo.TS", "foo.ts", "[x].txt", "a b.txt", "q?.txt", "deep/er/er/f.go"),
    *(".hidden", "node_modules/m/index.js", "x,y.txt", "{z}.txt", "back\\slash.txt", "é.txt", "n\nl.txt"),
]
FOLDERS = [
    *("src/", "src/a/", ".github/", "b/", ".cfg/", "pkg/", "pkg/src/", "deep/", "deep/er/", "deep/er/er/"),
    *("node_modules/", "node_modules/m/"),
]
ALL = [*FILES, *FOLDERS]
IN_SRC = ["src/a/", "src/.h.ts", "src/a/x.spec.ts", "src/y.ts"]
TS = ["Foo.TS", "foo.ts", "pkg/src/z.ts", "src/.h.ts", "src/a/x.spec.ts", "src/y.ts"]


def fitting(glob: str, root: str = "/work") -> list[str]:
    return sorted(filter(Glob(glob, smart_case=True).test(root), ALL))


# What Pi finds with them, where it finds anything.
@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("src/**/*.spec.ts", ["src/a/x.spec.ts"]),
        ("./src/*.ts", ["src/.h.ts", "src/y.ts"]),
        ("**/*.yml", [".github/w.yml"]),
        ("*.log", ["b/x.log"]),
        ("--exec=id", ["--exec=id"]),
        ("*", ALL),
        ("", ALL),
        ("**", ALL),
        ("**/*", ALL),
        ("./", ALL),
        ("x", []),
        ("*.TS", ["Foo.TS"]),
        ("*.ts", TS),
        ("./**/*.ts", TS),
        ("/**/*.ts", TS),
        ("**ts", TS),
        ("*.{ts,yml}", [*TS, ".github/w.yml"]),
        ("src", ["pkg/src/", "src/"]),
        ("src**", ["pkg/src/", "src/"]),
        ("/work/src/*.ts", ["src/.h.ts", "src/y.ts"]),
        ("/other/src/*.ts", []),
        ("src/**", IN_SRC),
        ("src/*", ["src/.h.ts", "src/a/", "src/y.ts"]),
        ("src/***", ["src/.h.ts", "src/a/", "src/y.ts"]),
        ("**/a/**", ["src/a/x.spec.ts"]),
        ("*/src/*.ts", ["pkg/src/z.ts"]),
        ("**/src/*.ts", ["pkg/src/z.ts", "src/.h.ts", "src/y.ts"]),
        ("[[]x].txt", ["[x].txt"]),
        ("\\[x\\].txt", ["[x].txt"]),
        ("[x].txt", []),
        ("[!a-z]oo.ts", []),
        ("[^a-z]oo.ts", []),
        ("[f-h]oo.ts", ["Foo.TS", "foo.ts"]),
        ("{a,b}/x.log", ["b/x.log"]),
        ("a b.txt", ["a b.txt"]),
        ("q\\?.txt", ["q?.txt"]),
        ("x,y.txt", ["x,y.txt"]),
        ("\\{z\\}.txt", ["{z}.txt"]),
        ("{z}.txt", []),
        ("{src,pkg}/**/*.ts", ["pkg/src/z.ts", "src/.h.ts", "src/a/x.spec.ts", "src/y.ts"]),
        ("{src/y.ts,b/x.log}", ["b/x.log", "src/y.ts"]),
        ("a**/x*", []),
        ("er/*", []),
        ("er", ["deep/er/", "deep/er/er/"]),
        ("**/er/**", ["deep/er/er/", "deep/er/er/f.go"]),
        ("deep/**/f.go", ["deep/er/er/f.go"]),
        ("../*", []),
        ("SRC/*.ts", []),
        ("Src/y.ts", []),
        (".*", [".cfg/", ".github/", ".hidden", "src/.h.ts"]),
        ("!*.ts", []),
        (".", []),
        ("src\\*.ts", []),
        (".github/**", [".github/w.yml"]),
        ("**/{w,z}.*", [".github/w.yml", "pkg/src/z.ts"]),
        ("**/**/y.ts", ["src/y.ts"]),
        ("back\\\\slash.txt", ["back\\slash.txt"]),
    ],
)
def test_what_a_glob_fits(glob: str, expected: list[str]) -> None:
    assert fitting(glob) == sorted(expected)


# Where Pi finds nothing, or refuses, though it is plain what was meant.
@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("?.txt", ["é.txt"]),
        ("*.{go,{ts,js}}", [*TS, "deep/er/er/f.go", "node_modules/m/index.js"]),
        ("*.ts{,x}", TS),
        ("src/", ["pkg/src/", "src/"]),
        ("*/", FOLDERS),
        ("**/", FOLDERS),
        ("src/*/", ["src/a/"]),
        (".//src/y.ts", ["src/y.ts"]),
        ("n*l.txt", ["n\nl.txt"]),
    ],
)
def test_what_is_meant_is_found(glob: str, expected: list[str]) -> None:
    assert fitting(glob) == sorted(expected)


@pytest.mark.parametrize(
    ("glob", "part"),
    [
        ("[", "[ is not closed"),
        ("[a-", "[ is not closed"),
        ("[]", "[ is not closed"),
        ("{a", "{ is not closed"),
        ("{a,{b}", "{ is not closed"),
        ("a\\", "backslash"),
        ("[z-a]", "z comes after a"),
        ("{a,b}" * 12, f"over {MOST_ALTERNATIVES}"),
    ],
)
def test_a_malformed_glob_is_refused(glob: str, part: str) -> None:
    with pytest.raises(ToolError, match=re.escape(part)):
        Glob(glob).test("/")


def test_no_glob_takes_long() -> None:
    assert not Glob("*a" * 200 + "b").test("")("a" * 4000)
    assert not Glob("**/a/" * 100 + "x").test("")("a/" * 1500 + "y")
    assert not Glob("?*" * 100 + "!").test("")("a" * 250)


def test_case_counts_without_smart_case() -> None:
    assert not Glob("*.ts").test("")("Foo.TS")
    assert Glob("*.ts", smart_case=True).test("")("Foo.TS")


@pytest.mark.parametrize(
    ("glob", "is_named"), [("**/.git", True), (".git/**", True), ("*", False), (".gi*", False)]
)
def test_naming_a_folder(glob: str, is_named: bool) -> None:
    assert Glob(glob).mentions(".git") == is_named


_PIECES = st.sampled_from(
    ["a", "b", "B", ".", "*", "?", "**", "/", "[ab]", "[!a]", "{a,b}", "{,a/b}", "é", "\\*", ":"]
)
_GLOBS = st.lists(_PIECES, min_size=1, max_size=6).map("".join)
_PATHS = st.lists(st.text("abBé.*:", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)


@given(_GLOBS, _PATHS)
def test_a_glob_fits_what_a_plain_walk_says(glob: str, path: str) -> None:
    if glob.startswith("/"):
        return
    assert bool(Glob(glob).test("/r")(path)) == _fits(glob, path)


@given(_GLOBS, _PATHS)
def test_names_stand_for_all_that_a_glob_fits(glob: str, path: str) -> None:
    found = Glob(glob)
    names = found.names()
    if names is None or not found.test("")(path):
        return
    name = path.rpartition("/")[2]
    patterns = [re.sub(r"\[(.)\]|(\*)|(.)", _as_pattern, each) for each in names]
    assert any(re.fullmatch(pattern, name) for pattern in patterns), names


def _as_pattern(piece: re.Match[str]) -> str:
    literal = piece[1] or piece[3]
    return re.escape(literal) if literal else ".*"


def _fits(glob: str, path: str) -> bool:
    """The meaning of a glob, by trying everything."""
    while glob.startswith("./"):
        glob = glob[2:].lstrip("/")
    if glob.endswith("/"):
        return False
    if glob == "":
        return True
    if "/" not in glob:
        path = path.rpartition("/")[2]
    return any(_parts_fit(each.split("/"), path.split("/")) for each in _without_braces(glob))


def _without_braces(glob: str) -> list[str]:
    match = re.search(r"\{([^{}]*)\}", glob)
    if match is None:
        return [glob]
    return [
        whole
        for choice in match[1].split(",")
        for whole in _without_braces(glob[: match.start()] + choice + glob[match.end() :])
    ]


def _parts_fit(glob: list[str], path: list[str]) -> bool:
    if not glob or not path:
        return not glob and not path
    if glob[0] == "**":
        rest = glob[1:]
        if not rest:
            return True
        return _parts_fit(rest, path) or (len(path) > 1 and _parts_fit(glob, path[1:]))
    return _part_fits(glob[0], path[0]) and _parts_fit(glob[1:], path[1:])


def _part_fits(glob: str, name: str) -> bool:
    if not glob:
        return not name
    if glob[0] == "*":
        return _part_fits(glob[1:], name) or (name != "" and _part_fits(glob, name[1:]))
    if not name:
        return False
    for begin, allowed in (("[ab]", name[0] in "ab"), ("[!a]", name[0] != "a"), ("\\*", name[0] == "*")):
        if glob.startswith(begin):
            return allowed and _part_fits(glob[len(begin) :], name[1:])
    return glob[0] in ("?", name[0]) and _part_fits(glob[1:], name[1:])
