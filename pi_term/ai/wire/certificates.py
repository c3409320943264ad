"""Which certificate authorities are trusted: the system's, and those that the environment names.

`SSL_CERT_FILE` and `SSL_CERT_DIR` replace the system's; `NODE_EXTRA_CA_CERTS` adds to them, since
people who need an authority of their own have mostly set that one already.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

import httpcore2

from pi_term.ai.faults import Fault, ProviderError
from pi_term.base.log import log

Authorities: TypeAlias = tuple[str, str, str]

_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")


def authorities_named_by(env: Mapping[str, str]) -> Authorities:
    """What the environment says of certificate authorities: file, folder, file of further ones."""
    file, folder, extra = (env.get(name, "").strip() for name in _VARIABLES)
    return file, folder, extra


@lru_cache(maxsize=8)
def tls_context(authorities: Authorities) -> ssl.SSLContext:
    """The TLS settings for these authorities. Raises `ProviderError` where the named file is of no use."""
    file, folder, extra = authorities
    if file or folder:
        try:
            context = ssl.create_default_context(cafile=file or None, capath=folder or None)
        except (OSError, ssl.SSLError) as error:
            message = f"SSL_CERT_FILE or SSL_CERT_DIR cannot be used ({file or folder}): {error}"
            raise ProviderError(Fault("bad_request", message)) from error
    else:
        context = httpcore2.default_ssl_context()
    if extra:
        try:
            context.load_verify_locations(extra)
        except (OSError, ssl.SSLError) as error:
            # Other programs go on without it, too; a certificate that is refused for it says so later.
            log.warning("NODE_EXTRA_CA_CERTS cannot be used (%s): %s", extra, error)
    return context
