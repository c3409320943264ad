"""Which proxy a request goes through, by the environment variables that everybody uses."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from fnmatch import fnmatchcase
from urllib.parse import urlsplit, urlunsplit

PROXY_EXTENSION = "pi_term.proxy"  # the name under which a request carries the proxy that is configured


def proxy_for(
    scheme: str, host: str, port: int, env: Mapping[str, str], configured: str | None = None
) -> str | None:
    """The proxy's URL, or None for a direct connection.

    `configured` counts before `https_proxy`, `http_proxy` and `all_proxy`, which are read in lower and upper
    case; `no_proxy` counts for all of them. This machine itself is always reached directly: through a proxy
    its name would mean another machine.
    """
    proxy = (configured or "").strip() or _variable(env, f"{scheme}_proxy") or _variable(env, "all_proxy")
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
    name = host.lower().rstrip(".")
    entries = no_proxy.replace(",", " ").replace(";", " ").lower().split()
    return any(_covers(entry, name, port) for entry in entries)


def _covers(entry: str, host: str, port: int) -> bool:
    """Whether one entry of `no_proxy` names the host: a name, a domain, an address, a network, or `*`.

    An entry may carry a scheme and a port, and `*` inside; one that makes no sense covers nothing.
    """
    if "://" in entry:
        entry = entry.partition("://")[2].partition("/")[0]
    if entry == "*":
        return True
    address = _address(host)
    if "/" in entry:
        return address is not None and _is_inside(address, entry)
    name, _, wanted_port = entry.rpartition(":")
    if wanted_port.isdigit() and name and (name.startswith("[") or ":" not in name):
        if int(wanted_port) != port:
            return False
        entry = name
    if address is not None:
        return _address(entry) == address or ("*" in entry and fnmatchcase(host.strip("[]"), entry))
    domain = entry.strip("[]").removeprefix("*").strip(".")
    if "*" in domain:
        return fnmatchcase(host, domain)
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _is_inside(address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: str) -> bool:
    try:
        return address in ipaddress.ip_network(network.replace("[", "").replace("]", ""), strict=False)
    except ValueError:
        return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
