"""A client that goes on as soon as a kernel is ready.

Jupyter's own waits for a fifth of a second in which the kernel says nothing, once it has answered. The end of the
answer is told too: a kernel is idle again once all that it had to say was sent (Jupyter messaging protocol, "Kernel
status").
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty
from typing import Any

from jupyter_client.asynchronous import AsyncKernelClient

ANSWER, SILENCE = 1.0, 0.2
"""Seconds to wait for the answer, and then for each thing said meanwhile, before the kernel is asked again."""


class PaperClient(AsyncKernelClient):
    """Talks with the kernel of a paper."""

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers, and all that it said until then is read.

        Raises
        ------
        RuntimeError
            If the kernel dies before, or the time is over.
        """
        end = time.monotonic() + (timeout if timeout is not None else float("inf"))
        while not await self._is_ready():
            if not await self.is_alive():
                raise RuntimeError("Kernel died before replying to kernel_info")
            if time.monotonic() > end:
                raise RuntimeError(f"Kernel didn't respond in {timeout:g} seconds")

    async def _is_ready(self) -> bool:
        """Ask the kernel who it is; what it says while nobody listens yet is lost, and it has to be asked again."""
        asked = self.kernel_info()
        with suppress(Empty):
            reply = await self.get_shell_msg(timeout=ANSWER)
            while _answers(reply) != asked:
                reply = await self.get_shell_msg(timeout=ANSWER)
            while not _is_idle(await self.get_iopub_msg(timeout=SILENCE), asked):
                pass
            self._handle_kernel_info_reply(reply)
            return True
        return False


def _answers(message: Mapping[str, Any]) -> Any:
    """Return the request that a message answers."""
    return message["parent_header"].get("msg_id")


def _is_idle(message: Mapping[str, Any], asked: Any) -> bool:
    """Whether a message says that a request was worked off."""
    return bool(_answers(message) == asked and message["content"].get("execution_state") == "idle")
