"""The three configurations that the report compares, and their keys."""

from __future__ import annotations

from dataclasses import dataclass

from storagelab.reconstruct.log import Key
from storagelab.study.testbed import TestBed


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way in which EOS keeps files.

    Attributes
    ----------
    name : str
        The key `filesystem`.
    part : str
        Its part of the test bed: with replicas, or with fragments of data and redundancy.
    """

    name: str
    part: str

    def keys(self, bed: TestBed) -> dict[str, Key]:
        """Return its keys of the contract."""
        shared: dict[str, Key] = {"filesystem": self.name, "protocol": "xrootd", "server_link": bed.si("fst.link")}
        return shared | {"server_memory": bed.si("fst.memory")} | self._layout(bed)

    def block(self, bed: TestBed) -> dict[str, Key]:
        """Return the block that is only read whole, where there is one."""
        return {"fetch_block": bed.si(f"{self.part}.block")} if "block" in bed.parts[self.part] else {}

    def _layout(self, bed: TestBed) -> dict[str, Key]:
        if "data" not in bed.parts[self.part]:
            return {"layout": "replicate", "replicas": bed.si(f"{self.part}.replicas")}
        code = f"{bed.text(self.part, 'data')}+{bed.text(self.part, 'redundancy')}"
        return {"layout": "disperse", "erasure_code": code}


DEV = Configuration("eos-dev", "dev")
NARROW = Configuration("eos-kinetic-10-2", "narrow")
WIDE = Configuration("eos-kinetic-32-4", "wide")
CONFIGURATIONS = (DEV, NARROW, WIDE)
