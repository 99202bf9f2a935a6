# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""All kinds of steps.

A step is a dict for JSON: `do` is its kind, `by` the side that takes it, and `branch` the branch.
Other entries depend on the kind. Its class has these functions and attributes:

- `draw(random, state, version)`: returns the other entries of a random step, or None if the kind
  does not apply to this version.
- `possible(step, state, version)`: returns whether the step can be taken; true if omitted.
  Shortened histories skip steps whose columns or versions do not exist.
- `plan(step, state, version)`: returns the expected version, and an Arrow table for the sides.
- `refs(step, state)`: changes the expected tags or branches; optional.
- `spark(step, table, version, rows)` and `pylance(...)`: take the step.
- `weight`: its frequency. `sides`: the sides that can take it. `may_drop_indices`, `new_row_ids`,
  `forgets`: whether it may change indices, row ids, and earlier versions.
"""

from kit.fuzz import column_steps, row_steps, table_steps

KINDS = {
    name: kind
    for module in (row_steps, column_steps, table_steps)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and hasattr(kind, "weight")
}
SIDES = ("spark", "pylance")


def sides(kind):
    """The sides that can take a step."""
    return getattr(kind, "sides", SIDES)


def is_possible(step, state):
    """Whether a step can be taken."""
    if step["branch"] not in state.branches:
        return False
    kind = KINDS[step["do"]]
    version = state.branches[step["branch"]].latest
    return not hasattr(kind, "possible") or kind.possible(step, state, version)


def draw(random, state):
    """A random step that is possible."""
    names = list(KINDS)
    weights = [KINDS[name].weight for name in names]
    while True:
        branch = random.choice(["main", *state.branches])
        (name,) = random.choices(names, weights)
        kind = KINDS[name]
        drawn = kind.draw(random, state, state.branches[branch].latest)
        if drawn is None:
            continue
        step = {"do": name, "by": random.choice(sides(kind)), "branch": branch, **drawn}
        if is_possible(step, state):
            return step
