"""Whether a file can be one that HDF5 wrote to its end, which each version of its first block states elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from storagelab import truncated_hdf5


@pytest.mark.parametrize(("version", "size_of_addresses", "end"), [(0, 13, 40), (1, 13, 44), (2, 9, 28), (3, 9, 28)])
def test_the_end_that_the_first_block_states_is_that_of_the_file(
    version: int, size_of_addresses: int, end: int, tmp_path: Path
) -> None:
    block = bytearray(truncated_hdf5.SIGNATURE.ljust(160, b"\0"))
    block[8], block[size_of_addresses] = version, 8
    block[end : end + 8] = (160).to_bytes(8, "little")
    path = tmp_path / "x.nc"
    path.write_bytes(block)
    assert truncated_hdf5.damage(path) == ""
    path.write_bytes(block[:120])
    assert truncated_hdf5.damage(path) == "expected 160 bytes, found 120"
