"""What is kept stays within its bound, and what is still of use stays longest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.abort import AbortError
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.checkpoints.prune import named_digests, prune
from pi_term.coding.checkpoints.pruner import remember_folder, remembered_folders
from pi_term.coding.session import SessionFile
from pi_term.testing import until

SIZE = 1000


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "checkpoints")


def put(store: BlobStore, number: int, *, age: float = 10_000) -> str:
    """An old content of SIZE bytes on disk."""
    data = os.urandom(SIZE - 12) + bytes([number])
    digest = sha256(data).hexdigest()
    store.put(digest, data)
    when = next(blob.used for blob in store.blobs() if blob.digest == digest) - age
    os.utime(store.folder / digest[:1] / digest[1:], (when, when))
    return digest


def session(folder: Path, number: int, digests: Sequence[str]) -> Path:
    path = folder / f"{number}.jsonl"
    lines = (f'{{"type":"custom","data":{{"before":{{"size":1,"digest":"{each}"}}}}}}\n' for each in digests)
    path.write_text("".join(lines))
    return path


def left(store: BlobStore) -> set[str]:
    return {blob.digest for blob in store.blobs()}


def test_under_the_bound_everything_stays(store: BlobStore, tmp_path: Path) -> None:
    digests = {put(store, number) for number in range(5)}
    assert prune(store, [], 5 * SIZE) == 0
    assert left(store) == digests


def test_what_the_oldest_sessions_kept_goes_first(store: BlobStore, tmp_path: Path) -> None:
    digests = [put(store, number) for number in range(10)]
    new = session(tmp_path, 1, digests[8:])
    middle = session(tmp_path, 2, digests[4:8])
    old = session(tmp_path, 3, digests[:4])
    assert prune(store, [new, middle, old], 9 * SIZE) == 3
    assert left(store) >= set(digests[4:])
    assert prune(store, [new, middle, old], 6 * SIZE) > 0
    assert left(store) >= set(digests[8:])
    assert sum(blob.size for blob in store.blobs()) <= 6 * SIZE


def test_what_no_session_names_goes_before_what_any_does(store: BlobStore, tmp_path: Path) -> None:
    named = [put(store, number, age=50_000) for number in range(4)]
    for number in range(4, 8):
        put(store, number)
    prune(store, [session(tmp_path, 1, named)], 6 * SIZE)
    assert left(store) == set(named)


def test_what_a_newer_session_names_as_well_stays(store: BlobStore, tmp_path: Path) -> None:
    digests = [put(store, number) for number in range(6)]
    sessions = [session(tmp_path, 1, [digests[0], digests[5]]), session(tmp_path, 2, digests)]
    prune(store, sessions, 5 * SIZE)
    assert left(store) >= {digests[0], digests[5]}


def test_of_one_large_session_the_newest_stays(store: BlobStore, tmp_path: Path) -> None:
    digests = [put(store, number, age=20_000 - number) for number in range(10)]
    prune(store, [session(tmp_path, 1, digests)], 5 * SIZE)
    assert left(store) == set(digests[6:])


def test_what_was_kept_a_moment_ago_stays(store: BlobStore, tmp_path: Path) -> None:
    old = [put(store, number) for number in range(3)]
    new = [put(store, number, age=0) for number in range(3, 6)]
    prune(store, [], 2 * SIZE)
    assert left(store) == set(new)
    assert not left(store) & set(old)


def test_it_can_be_called_off(store: BlobStore, tmp_path: Path) -> None:
    digests = {put(store, number) for number in range(4)}
    with pytest.raises(AbortError):
        prune(store, [], SIZE, wanted=lambda: False)
    assert left(store) == digests


@pytest.mark.parametrize("before", [0, 1, 1 << 20, (1 << 20) - 60, (1 << 20) - 20, (2 << 20) - 40])
def test_names_are_found_wherever_they_stand(tmp_path: Path, before: int) -> None:
    digests = [f"{number:064x}" for number in range(3)]
    path = session(tmp_path, 1, digests)
    path.write_bytes(b"x" * before + path.read_bytes())
    assert named_digests(path) == set(digests)
    assert named_digests(tmp_path / "gone") == set()


def test_folders_of_sessions_are_remembered_once(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folders"
    odd = Path(os.fsdecode(b"/caf\xe9\n"))
    for folder in (tmp_path, odd, tmp_path):
        remember_folder(file, folder)
    assert remembered_folders(file) == [tmp_path, odd]
    file.write_bytes(file.read_bytes() + b'{"a":1}\nhalf a li')
    assert remembered_folders(file) == [tmp_path, odd]


async def test_keeping_much_prunes_by_itself(desk: Any) -> None:
    """Sessions lie in two places, of which one is known only because it was used."""
    store = BlobStore(desk.store)
    desk.settings.set("checkpoints.maxTotalMegabytes", 1)
    elsewhere = desk.folder / "elsewhere"
    desk.recorder.change_file(SessionFile.create(elsewhere, desk.work))
    await desk.say()
    (desk.work / "f").write_bytes(os.urandom(300_000))
    await desk.write("f", "text")
    await desk.checkpoints.aclose()
    kept = desk.kept()
    for number in range(5):
        data = bytes([number]) + os.urandom(200_000)
        store.put(sha256(data).hexdigest(), data)
    for blob in store.blobs():
        os.utime(desk.store / blob.digest[:1] / blob.digest[1:], (1, 1))
    desk.reopen()
    again = type(desk)(desk.folder, settings=desk.settings)
    await again.say()
    (again.work / "g").write_bytes(os.urandom(300_000))
    await again.write("g", "text")
    await until(lambda: len(again.kept()) == 2, pause=0.01)
    assert kept < again.kept()
    await again.checkpoints.aclose()
    again.file.close()
