"""Talks for hundreds of turns to a model server that fails at 30 % of the requests, on each wire format.

    AIMOCK_BIN=… python benchmarks/chaos.py [--turns 200] [--rate 0.3] [API ...]

The server is aimock with its `--chaos-*`: server errors, rate limits, broken JSON and closed connections,
a quarter each. Every third turn has the model call a tool. The session is driven as front ends do it, with
`retry.maxRetries` 8 and short delays. Afterwards the file is opened again, and has to have every prompt and
every message that was finished, in order. Prints a line for each API and exits with 1 where anything was
lost, an answer did not come, or an exception went unhandled.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pi_term.agent.events import MessageEnd
from pi_term.ai.messages import AssistantMessage, ToolResultMessage, UserMessage, text_of
from pi_term.base import json
from pi_term.base.log import log
from pi_term.base.paths import AppPaths
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AutoRetryStart, SessionEvent
from pi_term.coding.session import SessionFile, build_context
from pi_term.coding.startup import StartRequest, start_session
from pi_term.coding.ui_bridge import NullUi

APIS = ("openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai")
FAULTS = ("drop", "ratelimit", "malformed", "disconnect")
SETTINGS: json.JsonObject = {
    "retry.maxRetries": 8,
    "retry.baseDelayMs": 5,
    "retry.maxAgentDelayMs": 100,
    "compaction.enabled": False,
}
LOOK, TOLD, PLAIN = "look", "The command said it ran.", "This is an answer of a few words."
CALL: json.JsonObject = {"toolCalls": [{"name": "bash", "arguments": '{"command":"echo ran"}'}]}


def fixtures() -> json.JsonObject:
    """What the server answers: a turn that looks has a tool call first."""
    called = {"match": {"userMessage": LOOK, "hasToolResult": False}}
    return {
        "fixtures": [
            # The server's own reason for the end of a call is none that Gemini knows.
            {"match": {**called["match"], "model": "m-google"}, "response": {**CALL, "finishReason": "stop"}},
            {**called, "response": CALL},
            {"match": {"userMessage": LOOK, "hasToolResult": True}, "response": {"content": TOLD}},
            {"match": {"userMessage": "turn"}, "response": {"content": PLAIN}},
        ]
    }


@contextmanager
def server(folder: Path, rate: float) -> Iterator[int]:
    """The mock server; its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    file = folder / "fixtures.json"
    file.write_text(json.dumps_str(fixtures()))
    chaos = [word for fault in FAULTS for word in (f"--chaos-{fault}", f"{each_rate(rate):.6f}")]
    process = subprocess.Popen(
        [os.environ["AIMOCK_BIN"], "-p", str(port), "-f", str(file), *chaos],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def each_rate(rate: float) -> float:
    """The chance of each fault: they are drawn one after the other, and shall fail at `rate` together."""
    return 1.0 - float((1.0 - rate) ** (1 / len(FAULTS)))


def wait_for(port: int) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@dataclass
class Run:
    """One conversation on one API, and what went wrong in it."""

    api: str
    port: int
    folder: Path
    finished: list[json.JsonObject] = field(default_factory=list)
    retries: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    async def talk(self, turns: int) -> None:
        home, work = self.folder / "home", self.folder / "work"
        home.mkdir(parents=True)
        work.mkdir()
        (home / "models.json").write_text(json.dumps_str(self.models()))
        request = StartRequest(cwd=work, model=f"chaos/{self.model}", settings=SETTINGS)
        async with await start_session(request, AppPaths(home, home, home, home), NullUi()) as started:
            session = started.session
            session.subscribe(self.hear)
            for turn in range(turns):
                await self.turn(session, turn)
            path = session.file.path
        assert path is not None
        self.check(path, turns)

    @property
    def model(self) -> str:
        return "m-google" if self.api.startswith("google") else "m"

    def models(self) -> json.JsonObject:
        path = {"anthropic-messages": "", "google-generative-ai": "/v1beta"}.get(self.api, "/v1")
        model = {"id": self.model, "contextWindow": 1_000_000, "maxTokens": 4096}
        place = {"baseUrl": f"http://127.0.0.1:{self.port}{path}", "api": self.api, "apiKey": "k"}
        return {"providers": {"chaos": {**place, "models": [model]}}}

    async def turn(self, session: AgentSession, turn: int) -> None:
        looks = turn % 3 == 0
        try:
            await session.prompt(prompt_of(turn))
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            self.wrong.append(f"turn {turn} raised {error!r}")
            return
        last = session.agent.state.messages[-1]
        said = last.text if isinstance(last, AssistantMessage) else repr(last)
        if said != (TOLD if looks else PLAIN):
            reason = last.error_message if isinstance(last, AssistantMessage) else ""
            self.wrong.append(f"turn {turn} ended with {said!r} {reason}")

    async def hear(self, event: SessionEvent) -> None:
        if isinstance(event, AutoRetryStart):
            self.retries[event.error_message[:60]] += 1
        if isinstance(event, MessageEnd) and isinstance(
            event.message, UserMessage | AssistantMessage | ToolResultMessage
        ):
            self.finished.append(event.message.to_json())

    def check(self, path: Path, turns: int) -> None:
        """What is in the file is what was said to be finished, and a model is shown each turn once."""
        file = SessionFile.open(path)
        self.wrong += [each.text() for each in file.diagnostics]
        roles = ("user", "assistant", "toolResult")
        stored = [record["message"] for record in records(path) if record["type"] == "message"]
        if [each for each in stored if each["role"] in roles] != self.finished:
            self.wrong.append(f"{len(stored)} messages in the file are not the {len(self.finished)} finished")
        shown = build_context(file.tree).messages
        file.close()
        prompts = [text_of(each.content) for each in shown if isinstance(each, UserMessage)]
        if prompts != [prompt_of(turn) for turn in range(turns)]:
            self.wrong.append(f"{len(prompts)} prompts of {turns} are shown to the model")
        answers = [each for each in shown if isinstance(each, AssistantMessage)]
        if [each.text for each in answers if each.stop_reason == "stop"] != [
            PLAIN if turn % 3 else TOLD for turn in range(turns)
        ]:
            self.wrong.append("the answers that the model is shown are not one for each prompt")

    def report(self, seconds: float) -> str:
        kinds = ", ".join(f"{count} x {what}" for what, count in self.retries.most_common())
        lost = "nothing lost" if not self.wrong else f"WRONG ({len(self.wrong)}): {'; '.join(self.wrong[:5])}"
        return f"{self.api:22} {seconds:5.0f} s, {self.retries.total()} retries, {lost}\n    {kinds}"


def prompt_of(turn: int) -> str:
    return f"{'turn' if turn % 3 else LOOK} {turn}"


def records(path: Path) -> list[json.JsonObject]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


async def run_all(runs: list[Run], turns: int, unhandled: list[str]) -> None:
    """All conversations at once: most of the time is waiting for a server that says when to come back."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: unhandled.append(str(context)))

    async def one(run: Run) -> None:
        began = time.monotonic()
        try:
            await run.talk(turns)
        except Exception as error:  # noqa: BLE001 - told like all that goes wrong
            unhandled.append(f"{run.api}: {error!r}")
        print(run.report(time.monotonic() - began), flush=True)

    await asyncio.gather(*map(one, runs))


class _Errors(logging.Handler):
    """Work in the background that fails is logged as an error."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        self._found.append(f"{record.getMessage()} {record.exc_info}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("apis", nargs="*", default=APIS)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rate", type=float, default=0.3)
    given = parser.parse_args()
    if "AIMOCK_BIN" not in os.environ:
        sys.exit("AIMOCK_BIN has to name the mock model server, and Node to be on the PATH.")
    with tempfile.TemporaryDirectory(prefix="pi-term-chaos-") as name, server(Path(name), given.rate) as port:
        runs = [Run(api, port, Path(name) / api) for api in given.apis]
        unhandled: list[str] = []
        log.addHandler(_Errors(unhandled))
        asyncio.run(run_all(runs, given.turns, unhandled))
    for each in unhandled:
        print(f"UNHANDLED: {each}")
    return 1 if unhandled or any(run.wrong for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
