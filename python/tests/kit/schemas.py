# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Random nested schemas."""

import random

import pyarrow as pa

from kit.values import LEAVES

KEYS = (pa.string(), pa.int32(), pa.date32(), pa.decimal128(9, 2))


def random_schema(seed, depth=4, leaves=LEAVES, maps=False, required=False):
    """A schema of one to six columns, nested up to a depth. Depends only on the arguments.

    Args:
        seed: Decides everything else.
        depth: Levels of nesting, at most.
        leaves: Arrow types by name.
        maps: Whether there are maps.
        required: Whether some columns, fields and items are not nullable.
    """
    pick = _Picker(random.Random(f"schema {seed}"), tuple(leaves.values()), maps, required)
    return pa.schema([pick.field(f"c{i}", depth) for i in range(pick.random.randint(1, 6))])


class _Picker:
    def __init__(self, random, leaves, maps, required):
        self.random, self.leaves, self.maps, self.required = random, leaves, maps, required

    def field(self, name, depth):
        kind = self.kind(depth)
        return pa.field(name, kind, nullable=not (self.required and self.random.random() < 0.25))

    def kind(self, depth):
        r = self.random
        if depth == 0 or r.random() < 0.4:
            return r.choice(self.leaves)
        if self.maps and r.random() < 0.25:
            return pa.map_(r.choice(KEYS), self.field("value", depth - 1))
        if r.random() < 0.5:
            return pa.list_(self.field("item", depth - 1))
        return pa.struct([self.field(f"f{i}", depth - 1) for i in range(r.randint(1, 3))])
