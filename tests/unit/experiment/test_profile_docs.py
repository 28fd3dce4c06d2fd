# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/profiles.md has each key of a profile, with the default and the bounds of the schema."""

import re
import types
import typing
from typing import Annotated, Literal, Union

import annotated_types
import pytest
from pydantic.fields import FieldInfo

from tsqlab.experiment.bounds import Between, Whole
from tsqlab.experiment.neutral import NEUTRAL, written
from tsqlab.experiment.profile import Airlink, EdcaOverride, Wireline
from tsqlab.paths import ROOT

TEXT = (ROOT / "docs" / "profiles.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
COMMON = ("kind", "title")
TABLES = {
    "Keys of an Ethernet card": (Wireline, COMMON),
    "Keys of a radio": (Airlink, COMMON),
    "Keys of an access category": (EdcaOverride, ()),
}


def rows(section):
    """The rows of a section's tables of keys: key, default, accepted."""
    return {
        key: (default, accepted)
        for key, default, accepted in re.findall(
            r"^\| `(\w+)` \| (.*?) \| (.*?) \| .+ \|$", SECTIONS[section], re.MULTILINE
        )
    }


def parts(hint):
    """The types and the metadata in a hint, however deep they are."""
    if typing.get_origin(hint) is Annotated:
        kind, *metadata = typing.get_args(hint)
        yield from parts(kind)
        for one in metadata:
            yield from one.metadata if isinstance(one, FieldInfo) else [one]
    elif typing.get_origin(hint) in (Union, types.UnionType):
        for one in typing.get_args(hint):
            yield from parts(one)
    else:
        yield hint


def accepted(hint):
    """What a key takes, as the page says it."""
    found = list(parts(hint))
    for one in found:
        if typing.get_origin(one) is Literal:
            return ", ".join(f'`"{value}"`' for value in typing.get_args(one))
    if bool in found:
        return "`true`, `false`"
    if Airlink in found or Wireline in found:
        return "a profile"
    numbers = {type(one): one for one in found}
    unit = f", whole {numbers[Whole].unit}" if Whole in numbers else ""
    if bounds := numbers.get(Between):
        return f"{bounds.low} to {bounds.high}{unit}"
    if low := numbers.get(annotated_types.Ge):
        return f"{low.ge} to {numbers[annotated_types.Le].le}"
    return {"rate": "a rate", "edca": "a table"}


def default(model, key, field):
    if model is EdcaOverride:
        return "the standard's"
    special = {"ethernet": "`gigabit`", "access_point": "this one", "edca": "the standard's"}
    if model is Airlink and key in special:
        return special[key]
    if field.is_required():
        return "needed"
    value = NEUTRAL.get(key, field.default) if model is Airlink else field.default
    text = "none" if value is None else written(value)
    return text if text in ("no limit", "none") else f"`{text}`"


@pytest.mark.parametrize("section", TABLES)
def test_every_key_is_there_as_the_schema_has_it(section):
    model, left_out = TABLES[section]
    hints = typing.get_type_hints(model, include_extras=True)
    expected = {}
    for key, field in model.model_fields.items():
        if key not in left_out:
            takes = accepted(hints[key])
            expected[key] = (
                default(model, key, field),
                takes if isinstance(takes, str) else takes[key],
            )
    assert rows(section) == expected


def test_the_keys_of_both_kinds_are_there():
    assert tuple(rows("Keys of both kinds")) == COMMON
    assert all(model.model_fields.keys() >= set(COMMON) for model in (Wireline, Airlink))


def test_the_picture_shows_every_key_of_a_radio_and_no_other():
    section = SECTIONS["A frame's way through a radio, and where each key acts"]
    words = set(re.findall(r"\b[a-z]+(?:_[a-z]+)*\b", section))
    keys = set(Airlink.model_fields)
    assert keys - words == {"kind", "title", "access_point", "ethernet"}
    assert {word for word in words if "_" in word} <= keys
