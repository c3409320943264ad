from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from pi_term.ai import registry
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.models import Model
from pi_term.ai.registry import api_adapter, register_api, stream_model, unregister_api
from pi_term.ai.scripted import Reply, Say, scripted_stream
from pi_term.ai.stream import AssistantStream
from pi_term.base.errors import PiTermError


def say_hello(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    return scripted_stream(model, context, options, Reply([Say("hello")]))


@pytest.fixture
def hello_api() -> Iterator[str]:
    register_api("hello-api", say_hello)
    yield "hello-api"
    unregister_api("hello-api")


def model(api: str) -> Model:
    return Model(id="m", provider="p", api=api)


async def test_a_call_goes_to_the_adapter_of_the_models_api(hello_api: str) -> None:
    message = await stream_model(model(hello_api), Context(), StreamOptions()).result()
    assert (message.text, message.api) == ("hello", "hello-api")


@pytest.mark.parametrize("api", sorted(registry._MODULES))
def test_every_built_in_api_has_its_adapter(api: str) -> None:
    assert callable(api_adapter(api))


def test_an_adapter_is_imported_when_it_is_used_and_not_before() -> None:
    script = (
        "import sys; from pi_term.ai.registry import api_adapter; m = 'pi_term.ai.wire.anthropic_messages'; "
        "before = m in sys.modules; api_adapter('anthropic-messages'); print(before, m in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_an_unknown_api_is_told_with_those_that_there_are(hello_api: str) -> None:
    with pytest.raises(PiTermError) as caught:
        api_adapter("telepathy")
    assert caught.value.code == "unknown_api"
    assert "telepathy" in caught.value.text()
    assert "openai-completions" in caught.value.hint
    assert hello_api in caught.value.hint


def test_a_registered_api_goes_before_a_built_in_one_until_it_is_taken_back() -> None:
    built_in = api_adapter("demo")
    register_api("demo", say_hello)
    assert api_adapter("demo") is say_hello
    unregister_api("demo")
    assert api_adapter("demo") is built_in


def test_taking_back_what_was_never_registered_is_harmless(hello_api: str) -> None:
    unregister_api("telepathy")
    assert api_adapter(hello_api) is say_hello


async def test_a_call_that_cannot_even_begin_is_a_failed_answer() -> None:
    stream = stream_model(model("telepathy"), Context(), StreamOptions())
    events = [event async for event in stream]
    assert [event.type for event in events] == ["error"]
    message = await stream.result()
    assert message.stop_reason == "error"
    assert "telepathy" in (message.error_message or "")
    assert (message.provider, message.model) == ("p", "m")


async def test_an_adapter_that_throws_at_once_is_a_failed_answer(hello_api: str) -> None:
    def refuse(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
        raise ValueError("no such endpoint")

    register_api(hello_api, refuse)
    message = await stream_model(model(hello_api), Context(), StreamOptions()).result()
    assert (message.stop_reason, message.error_message) == ("error", "no such endpoint")
