"""Calls of file systems, under the many names that clients, servers and tools give them, in words of the contract."""

from __future__ import annotations

from collections.abc import Mapping

OPERATION_OF_CALL: Mapping[str, str] = {
    "read": "read", "read_bytes": "read", "write": "write", "write_bytes": "write", "append": "append",
    "open": "open", "close": "close", "create": "create", "mknod": "create", "stat": "stat", "getattr": "stat",
    "md_getattr": "stat", "access": "access", "chmod": "chmod", "mkdir": "mkdir", "rmdir": "rmdir", "link": "link",
    "unlink": "unlink", "remove": "unlink", "destroy": "unlink", "delete": "delete", "rename": "file_rename",
    "readdir": "readdir", "readdirplus": "readdir", "sync": "sync", "fsync": "sync", "commit": "sync",
    "truncate": "truncate", "punch": "truncate", "seek": "seek", "copy": "copy", "put": "put", "get": "get",
}  # fmt: skip
"""Name of a call in lower case -> operation of the contract."""


def operation_of(call: str) -> str:
    """Name the operation behind a call; "" for one that the contract has no word for, which `label` then names.

    Examples
    --------
    >>> operation_of("READDIRPLUS"), operation_of("fsinfo")
    ('readdir', '')
    """
    return OPERATION_OF_CALL.get(call.lower(), "")
