"""The one writer: what a command leaves on disk goes through here, and is there whole, as it was or as it is now.

What is new is made in a folder of the writer's own beside its place, brought to the disk and put in place by a rename,
which is brought to the disk too. A folder is exchanged with the one before it in one step; where a file system cannot,
the old one goes aside and the new one in, and whoever comes next finishes what was begun. A killed process leaves its
own folder behind: the name says whose it is, and the next writer there removes it. Errors name the file.
"""

from storagelab.writing.disk import OURS
from storagelab.writing.files import (
    append_line,
    append_to,
    link,
    make,
    new_compressed_text,
    new_file,
    new_text,
    nowhere,
    output,
    put,
    remove,
    write_bytes,
    write_text,
)
from storagelab.writing.folders import new_folder, remove_empty, renewed_folder
from storagelab.writing.growing_outputs import BEGUN, begun, growing, move
from storagelab.writing.locks import LOCK, claimed, locked
from storagelab.writing.own_folders import ENDED, OLD, ready, scratch, scratch_file, start_of, sweep

__all__ = [
    "BEGUN",
    "ENDED",
    "LOCK",
    "OLD",
    "OURS",
    "append_line",
    "append_to",
    "begun",
    "claimed",
    "growing",
    "link",
    "locked",
    "make",
    "move",
    "new_compressed_text",
    "new_file",
    "new_folder",
    "new_text",
    "nowhere",
    "output",
    "put",
    "ready",
    "remove",
    "remove_empty",
    "renewed_folder",
    "scratch",
    "scratch_file",
    "start_of",
    "sweep",
    "write_bytes",
    "write_text",
]
