"""The words of the contract: bases, names of keys of one's own, the five keys."""

from __future__ import annotations

import math

import pytest

from storagelab import dataset, schema
from storagelab.errors import ContractError, UnknownNameError
from storagelab.schema.conditions import condition
from storagelab.schema.names import Field
from storagelab.schema.own_keys import OwnKeys
from storagelab.schema.vocabularies import BASES, weakest


def test_what_is_made_of_several_values_rests_on_the_weakest() -> None:
    assert [weakest([base, "", "published"]) for base in BASES] == ["published", "derived", "model"]
    assert weakest(["", ""]) == weakest([]) == ""


@pytest.mark.parametrize("name", ["Mount", "größe", "mount options", "1st", "_mount", ""])
def test_a_name_of_ones_own_is_of_small_letters(name: str) -> None:
    assert schema.OWN.refused(name).startswith("expected a name of small letters, digits and _, such as mount_options")


def test_a_name_of_the_contract_is_none_of_ones_own() -> None:
    assert schema.OWN.refused("mount_options") == ""
    assert schema.OWN.refused("throughput").startswith("'throughput' is a variable of the contract (throughput")


def test_who_reads_a_dataset_knows_the_keys_that_its_study_declared() -> None:
    release = Field(
        "release", "key", None, "release of the file system", ("A", "B"), own=True, description="as printed"
    )
    schema.OWN.declare_all([release], "s")
    made = dataset.from_rows([{"throughput": 1.0, "release": "A"}], origin="measured")
    schema.OWN.forget()
    with pytest.raises(UnknownNameError, match="'release'"):
        schema.field("release")
    schema.OWN.declare_columns(made.variables, "s.nc")
    assert schema.field("release") == release
    schema.OWN.forget()


def test_a_layout_says_how_files_are_cut_unless_the_striping_does() -> None:
    said = [
        condition(row, {})["striping"] for row in ({"layout": "disperse"}, {"layout": "tiered"}, {"layout": ""}, {})
    ]
    assert said == ["fragments", "tiered", "not applicable", "unknown"]
    assert condition({"layout": "disperse", "striping": "4 OSTs"}, {})["striping"] == "4 OSTs"


def test_the_drivers_of_network_and_disk_are_one_key() -> None:
    both = condition({"driver_net": "virtio", "driver_disk": "ide", "nodes": 3.0}, {"filesystem": "ext4"})
    assert (both["driver"], both["clients"], both["filesystem"]) == ("network virtio, disk ide", 3.0, "ext4")
    assert condition({"driver_net": "unknown", "driver_disk": ""}, {})["driver"] == "unknown"
    assert math.isnan(condition({}, {})["clients"])


def test_a_study_declares_its_own_keys_anew_and_none_of_the_contract() -> None:
    throughput = schema.FIELDS["throughput"]
    keys = OwnKeys({throughput.name: throughput})
    zone, rack = (Field(name, "key", None, name) for name in ("zone", "rack"))
    keys.declare_all([zone], "a")
    keys.declare_all([rack], "b")
    assert list(keys) == ["zone", "rack"]
    keys.declare_all([], "a")
    assert list(keys) == ["rack"]
    with pytest.raises(ContractError, match="'throughput' is a variable of the contract"):
        keys.declare(throughput, "a")
