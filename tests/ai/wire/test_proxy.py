from __future__ import annotations

import pytest

from pi_term.ai.wire.proxy import proxy_for, without_credentials

NO_PROXY = (
    "localhost,127.0.0.1,.corp.test,10.0.0.0/8, example.org:8443 ,*.wild.test,[fe80::1],::1/x,%%%,http://"
    ";http://full.test:8080/path,172.16.*,dotted.test.,in*.glob.test,[2001:db8::]/32,a/b/c,:80,*."
)


@pytest.mark.parametrize(
    ("host", "port", "direct"),
    [
        ("localhost", 8080, True),
        ("127.0.0.1", 8080, True),
        ("127.8.8.8", 80, True),
        ("::1", 80, True),
        ("api.corp.test", 443, True),
        ("corp.test", 443, True),
        ("notcorp.test", 443, False),
        ("API.CORP.TEST", 443, True),
        ("10.1.2.3", 80, True),
        ("11.1.2.3", 80, False),
        ("example.org", 8443, True),
        ("example.org", 443, False),
        ("a.wild.test", 80, True),
        ("fe80::1", 80, True),
        ("fe80::2", 80, False),
        ("api.other.test", 443, False),
        ("full.test", 8080, True),
        ("full.test", 443, False),
        ("172.16.0.9", 80, True),
        ("172.17.0.9", 80, False),
        ("api.dotted.test", 443, True),
        ("dotted.test.", 443, True),
        ("inner.glob.test", 443, True),
        ("glob.test", 443, False),
        ("2001:db8::7", 443, True),
    ],
)
def test_local_and_listed_hosts_are_reached_directly(host: str, port: int, direct: bool) -> None:
    env = {"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": NO_PROXY}
    assert proxy_for("https", host, port, env) == (None if direct else "http://proxy:1")


def test_a_star_exempts_everything() -> None:
    assert proxy_for("https", "api.test", 443, {"all_proxy": "http://p", "no_proxy": "x,*"}) is None


@pytest.mark.parametrize(
    ("env", "proxy"),
    [
        ({"http_proxy": "http://a"}, "http://a"),
        ({"HTTP_PROXY": "http://a"}, "http://a"),
        ({"http_proxy": "http://a", "HTTP_PROXY": "http://b"}, "http://a"),
        ({"https_proxy": "http://a"}, None),
        ({"ALL_PROXY": "socks5://a"}, "socks5://a"),
        ({"http_proxy": "host:3128"}, "http://host:3128"),
        ({"http_proxy": "  "}, None),
        ({}, None),
    ],
)
def test_reads_the_usual_variables(env: dict[str, str], proxy: str | None) -> None:
    assert proxy_for("http", "api.test", 80, env) == proxy


def test_what_is_configured_counts_before_the_environment() -> None:
    env = {"https_proxy": "http://a", "no_proxy": "direct.test"}
    assert proxy_for("https", "api.test", 443, env, "http://mine:1") == "http://mine:1"
    assert proxy_for("https", "api.test", 443, env, " ") == "http://a"
    assert proxy_for("https", "direct.test", 443, env, "http://mine:1") is None
    assert proxy_for("http", "127.0.0.1", 80, env, "http://mine:1") is None


def test_even_without_a_list_this_machine_is_reached_directly() -> None:
    assert proxy_for("http", "127.0.0.1", 11434, {"http_proxy": "http://p"}) is None


def test_credentials_are_not_shown() -> None:
    assert without_credentials("http://user:pw@proxy:3128") == "http://proxy:3128"
