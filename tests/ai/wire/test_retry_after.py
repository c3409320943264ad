from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from pi_term.ai.wire.retry_after import wait_named_by


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please retry in 45.1s.", 45.1),
        ("Please try again in 20s", 20),
        ("Rate limit reached. Please try again in 6m0s.", 360),
        ("Limit 30000, used 29000, requested 4000. Please try again in 1m12.5s.", 72.5),
        ("Please try again in 250ms", 0.25),
        ("try again in 1 hour and 3 minutes", 3780),
        ("Your quota will reset after 12h34m", 45240),
        ("wait 5 minutes", 300),
        ("Please retry later.", None),
        ("The server had an error. Please retry. Support answers in 30 days.", None),
        ("", None),
    ],
)
def test_reads_the_wait_in_the_words(text: str, seconds: float | None) -> None:
    assert wait_named_by({}, text) == (pytest.approx(seconds) if seconds else None)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "junk", "retry-after": "3"}, 3),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({}, None),
    ],
)
def test_reads_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert wait_named_by(headers, "") == seconds


def test_a_date_is_a_wait_until_then() -> None:
    wait = wait_named_by({"retry-after": formatdate(time.time() + 100, usegmt=True)}, "")
    assert wait is not None
    assert 0 < wait <= 101


def test_the_header_counts_before_the_words() -> None:
    assert wait_named_by({"retry-after": "7"}, "retry in 99s") == 7
