from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pi_term.coding.ui_bridge import UiBridge
from pi_term.headless.rpc import RpcUi
from pi_term.testing.rpc import RpcPeer

JsonObject = dict[str, Any]


class Person:
    """Answers each request with the fields it was made with."""

    def __init__(self, **answer: Any) -> None:
        self.asked: list[JsonObject] = []
        self.ui = RpcUi()
        self.ui.connect(self._take)
        self._answer = answer

    def _take(self, request: JsonObject) -> None:
        self.asked.append(request)
        response = {"type": "extension_ui_response", "id": request["id"], **self._answer}
        asyncio.get_running_loop().call_soon(self.ui.take, response)


Ask = Callable[[UiBridge], Awaitable[object]]
QUESTIONS: list[tuple[str, Ask, JsonObject, object, JsonObject]] = [
    (
        "select",
        lambda ui: ui.select("Allow?", ["Yes", "No"], timeout=10),
        {"value": "No"},
        "No",
        {"title": "Allow?", "options": ["Yes", "No"], "timeout": 10_000},
    ),
    (
        "confirm",
        lambda ui: ui.confirm("Clear?", "All is lost."),
        {"confirmed": True},
        True,
        {"title": "Clear?", "message": "All is lost."},
    ),
    (
        "input",
        lambda ui: ui.input("Name", "type it"),
        {"value": "x"},
        "x",
        {"title": "Name", "placeholder": "type it"},
    ),
    ("editor", lambda ui: ui.editor("Text", "a\nb"), {"value": ""}, "", {"title": "Text", "prefill": "a\nb"}),
]


@pytest.mark.parametrize(("method", "ask", "answer", "expected", "fields"), QUESTIONS)
async def test_a_question_is_a_request_and_its_answer_comes_back(
    method: str, ask: Ask, answer: JsonObject, expected: object, fields: JsonObject
) -> None:
    person = Person(**answer)

    assert await ask(person.ui) == expected

    [request] = person.asked
    id = request.pop("id")
    assert isinstance(id, str)
    assert request == {"type": "extension_ui_request", "method": method, **fields}


@pytest.mark.parametrize(("method", "ask", "answer", "expected", "fields"), QUESTIONS)
@pytest.mark.parametrize("dismissal", [{"cancelled": True}, {"value": 5, "confirmed": "yes"}, {}])
async def test_a_dismissed_question(
    method: str, ask: Ask, answer: JsonObject, expected: object, fields: JsonObject, dismissal: JsonObject
) -> None:
    nobody = False if method == "confirm" else None

    assert await ask(Person(**dismissal).ui) is nobody
    assert await ask(RpcUi()) is nobody


async def test_only_one_of_the_options_is_an_answer() -> None:
    assert await Person(value="Perhaps").ui.select("Allow?", ["Yes", "No"]) is None


async def test_a_question_that_nobody_answers_ends_by_itself() -> None:
    sent: list[JsonObject] = []
    ui = RpcUi()
    ui.connect(sent.append)

    assert await ui.confirm("Sure?", "", timeout=0.01) is False
    assert ui.take({"type": "extension_ui_response", "id": sent[0]["id"], "confirmed": True}) is True


async def test_notices_need_no_answer() -> None:
    sent: list[JsonObject] = []
    ui = RpcUi()
    ui.notify("nobody hears this")
    ui.connect(sent.append)

    ui.notify("Blocked", "warning")
    ui.set_status("mine", "Turn 3")
    ui.set_status("mine", None)
    ui.set_widget("w", ["one", "two"], "belowEditor")
    ui.set_widget("w", None)
    ui.set_title("pi - project")
    ui.set_editor_text("text")

    ids = [request.pop("id") for request in sent]
    assert len({*ids}) == len(ids)
    assert all(request.pop("type") == "extension_ui_request" for request in sent)
    assert sent == [
        {"method": "notify", "message": "Blocked", "notifyType": "warning"},
        {"method": "setStatus", "statusKey": "mine", "statusText": "Turn 3"},
        {"method": "setStatus", "statusKey": "mine"},
        {
            "method": "setWidget",
            "widgetKey": "w",
            "widgetLines": ["one", "two"],
            "widgetPlacement": "belowEditor",
        },
        {"method": "setWidget", "widgetKey": "w", "widgetPlacement": "aboveEditor"},
        {"method": "setTitle", "title": "pi - project"},
        {"method": "set_editor_text", "text": "text"},
    ]
    assert await ui.custom(object()) is None


async def test_over_the_wire(client: RpcPeer) -> None:
    ui = client.started.session.harness.ui
    asking = asyncio.create_task(ui.input("Name"))
    request = await client.event("extension_ui_request")

    await client.write(
        b'{"type":"extension_ui_response","id":"nobody asked","value":"x"}\n'
        b'{"type":"extension_ui_response","id":"%s","value":"y"}\n' % request["id"].encode()
    )

    assert await asking == "y"
    assert client.of("response") == []


async def test_open_questions_are_dismissed_when_the_client_goes(client: RpcPeer) -> None:
    ui = client.started.session.harness.ui
    asking = asyncio.create_task(ui.confirm("Sure?", ""))
    await client.event("extension_ui_request")

    assert await client.end() == 0
    assert await asking is False
