"""Calls of a model, let out of a container that can reach nothing else, with a key that it never sees.

    UPSTREAM=https://api.anthropic.com UPSTREAM_KEY=… python gateway.py 8080

Only calls of a model are passed on. The container's models.json names this server as `baseUrl`, with
anything as `apiKey`; compose.yaml beside this file puts the two together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

CALLS = ("/v1/messages", "/v1/chat/completions", "/v1/responses")
_KEYS = ("authorization", "x-api-key")
_OUR_CONNECTION = (
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "transfer-encoding",
    "accept-encoding",
)
_TIMEOUT = httpx2.Timeout(600, connect=30)


class Gateway(BaseHTTPRequestHandler):
    """Passes a call on, with the real key, and its answer back as it comes."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One call."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.partition("?")[0] not in CALLS:
            self.send_error(403, "Only calls of a model are passed on.")
            return
        url = os.environ["UPSTREAM"].rstrip("/") + self.path
        try:
            with httpx2.stream(
                "POST", url, content=body, headers=self._upstream_headers(), timeout=_TIMEOUT
            ) as answer:
                self._pass_on(answer)
        except httpx2.HTTPError as error:
            self.close_connection = True
            self.log_error("%s", error)

    def _upstream_headers(self) -> dict[str, str]:
        dropped = {*_KEYS, *_OUR_CONNECTION}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
        key = os.environ["UPSTREAM_KEY"]
        real = ("x-api-key", key) if "x-api-key" in self.headers else ("authorization", f"Bearer {key}")
        return {**kept, real[0]: real[1]}

    def _pass_on(self, answer: httpx2.Response) -> None:
        self.send_response(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in (*_OUR_CONNECTION, "content-encoding", "date", "server"):
                self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in _pieces(answer):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")


def _pieces(answer: httpx2.Response) -> Iterator[bytes]:
    return (piece for piece in answer.iter_bytes() if piece)


if __name__ == "__main__":
    ThreadingHTTPServer(("", int(sys.argv[1])), Gateway).serve_forever()
