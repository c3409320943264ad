"""The store of contents."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.checkpoints.blobs import BlobStore


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "checkpoints")


CONTENTS = {"empty": b"", "text": b"text\n" * 1000, "noise": os.urandom(5000), "bytes": b"\0\xff\r\n"}


@pytest.mark.parametrize("data", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_content_comes_back_and_is_kept_once(store: BlobStore, data: bytes) -> None:
    assert not store.has(digest(data))
    assert store.get(digest(data)) is None
    assert store.put(digest(data), data) > 0
    assert store.put(digest(data), data) == 0
    assert store.has(digest(data))
    assert store.get(digest(data)) == data
    assert [blob.digest for blob in store.blobs()] == [digest(data)]


@given(st.binary(max_size=300))
def test_any_content_comes_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = BlobStore(tmp_path_factory.mktemp("blobs"))
    store.put(digest(data), data)
    assert store.get(digest(data)) == data


def test_only_the_owner_may_look(store: BlobStore) -> None:
    before = os.umask(0)
    try:
        store.put(digest(b"secret"), b"secret")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in store.folder.rglob("*") if path.is_file()}
    assert modes == {0o600}
    folders = [store.folder, *(path for path in store.folder.rglob("*") if path.is_dir())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_text_takes_less_than_its_size(store: BlobStore) -> None:
    data = b"def function(argument):\n    return argument\n" * 500
    assert store.put(digest(data), data) < len(data) / 5


@pytest.mark.parametrize("torn", [b"", b"x", b"\x78\x01"], ids=["empty", "other", "beginning"])
def test_what_is_torn_is_not_given_out(store: BlobStore, torn: bytes) -> None:
    store.put(digest(b"content"), b"content")
    path = next(path for path in store.folder.rglob("*") if path.is_file())
    path.write_bytes(torn)
    assert store.get(digest(b"content")) is None


def test_what_a_power_cut_left_empty_is_kept_again(store: BlobStore) -> None:
    store.put(digest(b"content"), b"content")
    next(path for path in store.folder.rglob("*") if path.is_file()).write_bytes(b"")
    store.put(digest(b"content"), b"content")
    assert store.get(digest(b"content")) == b"content"


def test_another_content_under_a_name_is_not_given_out(store: BlobStore) -> None:
    store.put(digest(b"content"), b"something else")
    assert store.get(digest(b"content")) is None


def test_what_killed_processes_left_goes(store: BlobStore) -> None:
    store.put(digest(b"content"), b"content")
    folder = next(path for path in store.folder.iterdir() if path.is_dir())
    old, new = folder / f".pi-term-{'a' * 16}.tmp", folder / f".pi-term-{'b' * 16}.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    assert len(list(store.blobs())) == 1
    assert (old.exists(), new.exists()) == (False, True)


def test_what_is_put_again_is_not_removed(store: BlobStore) -> None:
    store.put(digest(b"content"), b"content")
    path = next(path for path in store.folder.rglob("*") if path.is_file())
    os.utime(path, (1, 1))
    [blob] = store.blobs()
    store.put(digest(b"content"), b"content")
    store.remove(blob)
    assert store.has(digest(b"content"))
    [blob] = store.blobs()
    store.remove(blob)
    assert not store.has(digest(b"content"))
