"""Which proxy a request goes through, by the environment variables that everybody uses."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit


def proxy_for(scheme: str, host: str, port: int, env: Mapping[str, str]) -> str | None:
    """The proxy's URL, or None for a direct connection.

    `https_proxy`, `http_proxy` and `all_proxy` are read in lower and upper case. This machine itself is
    always reached directly: through a proxy its name would mean another machine.
    """
    proxy = _variable(env, f"{scheme}_proxy") or _variable(env, "all_proxy")
    if not proxy or _is_loopback(host) or _is_exempt(host, port, _variable(env, "no_proxy")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def without_credentials(url: str) -> str:
    """The URL fit to be shown: user name and password cut out."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _variable(env: Mapping[str, str], name: str) -> str:
    return (env.get(name) or env.get(name.upper()) or "").strip()


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def _is_exempt(host: str, port: int, no_proxy: str) -> bool:
    return any(_covers(entry, host.lower(), port) for entry in no_proxy.replace(",", " ").lower().split())


def _covers(entry: str, host: str, port: int) -> bool:
    """Whether one entry of `no_proxy` names the host: a name, a domain, an address, a network, or `*`."""
    if entry == "*":
        return True
    address = _address(host)
    if "/" in entry and address is not None:
        try:
            return address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    name, _, wanted_port = entry.rpartition(":")
    if wanted_port.isdigit() and name and (name.startswith("[") or ":" not in name):
        if int(wanted_port) != port:
            return False
        entry = name
    entry = entry.strip("[]")
    if address is not None:
        return _address(entry) == address
    domain = entry.removeprefix("*").removeprefix(".")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
