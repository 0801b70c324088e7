"""A kernel is ready once it is idle again, and not before all that it said is read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from queue import Empty
from typing import Any

import pytest

from storagelab.paper.kernel_client import PaperClient

Message = Mapping[str, Any]


def said(answers: str, state: str = "") -> Message:
    return {"parent_header": {"msg_id": answers} if answers else {}, "content": {"execution_state": state}}


class Scripted(PaperClient):
    """A client whose kernel says what is written down, and nothing more."""

    def __init__(self, replies: list[Message | None], statuses: list[Message | None], *, lives: bool = True) -> None:
        super().__init__()
        self.replies, self.statuses, self.lives = replies, statuses, lives
        self.asked, self.answered = 0, list[Message]()

    def kernel_info(self, *_: Any, **__: Any) -> str:
        self.asked += 1
        return f"request {self.asked}"

    async def get_shell_msg(self, *_: Any, **__: Any) -> Any:
        return self._next(self.replies)

    async def get_iopub_msg(self, *_: Any, **__: Any) -> Any:
        return self._next(self.statuses)

    async def is_alive(self) -> bool:
        return self.lives

    def _handle_kernel_info_reply(self, msg: Any) -> None:
        self.answered.append(msg)

    @staticmethod
    def _next(messages: list[Message | None]) -> Message:
        if not messages or (message := messages.pop(0)) is None:
            raise Empty
        return message


def test_what_a_kernel_says_until_it_is_idle_is_read_and_no_more() -> None:
    before = [said("", "starting"), said("request 1", "busy"), said("another", "idle"), said("request 1", "idle")]
    client = Scripted([said("another"), said("request 1")], [*before, said("later")])
    asyncio.run(client.wait_for_ready(timeout=60))
    assert (client.asked, client.answered) == (1, [said("request 1")])
    assert client.statuses == [said("later")]


def test_a_kernel_whose_answer_is_lost_is_asked_again() -> None:
    client = Scripted([None, said("request 2"), said("request 3")], [None, said("request 3", "idle")])
    asyncio.run(client.wait_for_ready(timeout=60))
    assert (client.asked, client.answered) == (3, [said("request 3")])


def test_a_kernel_that_dies_or_never_answers_is_told() -> None:
    with pytest.raises(RuntimeError, match="Kernel died before replying to kernel_info"):
        asyncio.run(Scripted([], [], lives=False).wait_for_ready(timeout=60))
    with pytest.raises(RuntimeError, match=r"Kernel didn't respond in 0 seconds"):
        asyncio.run(Scripted([], []).wait_for_ready(timeout=0))
