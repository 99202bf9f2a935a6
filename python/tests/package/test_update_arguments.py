# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The forms of `LanceTable.update`: which argument is the condition, and which the new values."""

import pytest

from pyspark_lance.update_arguments import update_arguments

VALUES = {"n": "n + 1"}
WHERE = "id = 1"


@pytest.mark.parametrize(
    ("positional", "named"),
    [
        ((WHERE, VALUES), {}),
        ((WHERE,), {"set": VALUES}),
        ((), {"condition": WHERE, "set": VALUES}),
        ((VALUES, WHERE), {}),
        ((VALUES,), {"where": WHERE}),
        ((), {"updates": VALUES, "where": WHERE}),
        ((), {"set": VALUES, "where": WHERE}),
    ],
)
def test_both_forms_have_the_same_meaning(positional, named):
    assert update_arguments(positional, named) == (VALUES, WHERE)


@pytest.mark.parametrize(
    ("positional", "named"),
    [((VALUES,), {}), ((None, VALUES), {}), ((), {"set": VALUES}), ((), {"updates": VALUES})],
)
def test_the_condition_is_optional(positional, named):
    assert update_arguments(positional, named) == (VALUES, None)


@pytest.mark.parametrize(
    ("positional", "named", "fault"),
    [
        ((WHERE, VALUES), {"updates": VALUES}, "new values twice, as set and updates"),
        ((WHERE, VALUES), {"set": VALUES}, "new values twice, as set and set"),
        ((VALUES,), {"set": VALUES}, "new values twice, as updates and set"),
        ((WHERE, VALUES), {"where": WHERE}, "condition twice, as condition and where"),
        ((VALUES, WHERE), {"condition": WHERE}, "condition twice, as where and condition"),
        ((VALUES, VALUES), {}, "condition of an update is SQL .* not dict"),
        (
            (),
            {"condition": VALUES},
            "condition of an update is SQL .* not dict",
        ),
        ((WHERE, WHERE), {}, "new values of an update are a dict .* not str"),
        ((), {"set": WHERE, "where": WHERE}, "new values of an update are a dict .* not str"),
        ((WHERE, VALUES, 3), {}, "takes two positional arguments, not 3"),
        ((), {"set": VALUES, "filter": WHERE}, "has no argument filter"),
    ],
)
def test_other_arguments_are_rejected_with_both_forms(positional, named, fault):
    with pytest.raises(TypeError, match=fault) as raised:
        update_arguments(positional, named)
    assert 'update({"n": "n + 1"}, where="id = 1")' in str(raised.value)
