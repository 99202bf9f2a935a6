# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Conditions as lists for JSON, and their evaluation in the model and in the SQL of both sides.

A condition on a column contains the type of the column. It does not apply to other types.
"""

import pyarrow as pa

from kit.fuzz.values import decoded, encoded, is_leaf, order, quoted, sql

COMPARISONS = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def draw(random, version, depth=1, wide=False):
    """Returns a random condition on the columns of a version. Most conditions match some rows.

    Args:
        random: the source of random numbers.
        version: the version.
        depth: levels of AND and OR.
        wide: whether literals may occur that only Spark compares like the model.
    """
    if depth and random.random() < 0.3:
        parts = [draw(random, version, depth - 1, wide) for _ in range(2)]
        return [random.choice(("and", "or")), *parts]
    if random.random() < 0.1:
        inner = draw(random, version, depth, wide)
        # The sides differ in whether a list with null elements has another one.
        return inner if mentions(inner, "has") else ["not", inner]
    if version.columns and random.random() < 0.7:
        return _on_column(random, version, random.choice(list(version.paths())), wide)
    if random.random() < 0.5:
        modulus = random.randint(2, 7)
        return ["mod", modulus, random.randrange(modulus)]
    keys = sorted(version.rows) or [0]
    first = random.choice(keys)
    if random.random() < 0.5:
        return ["in", "id", "int64", sorted({first, random.choice(keys), 10**6})]
    return ["compare", "id", "int64", random.choice(list(COMPARISONS)), first]


def mentions(condition, kind):
    """Returns whether a condition or a part of it is of a kind."""
    return condition[0] == kind or any(
        isinstance(part, list) and part and mentions(part, kind) for part in condition[1:]
    )


def _on_column(random, version, name, wide):
    column = version.kind(name)
    kind = str(column)
    if random.random() < 0.2:
        return [random.choice(("null", "not null")), name, kind]
    values = (version.value(row, name) for row in version.rows.values())
    present = [value for value in values if value is not None]
    if pa.types.is_list(column) and is_leaf(column.value_type):
        items = [encoded(v) for values in present for v in values if v is not None]
        items = [v for v in items if v is not None]
        item = column.value_type
        if items and not pa.types.is_floating(item) and not pa.types.is_timestamp(item):
            return ["has", name, kind, random.choice(items)]
    if not is_leaf(column):
        return ["null", name, kind]
    some = [v for v in (encoded(value, wide) for value in present) if v is not None]
    if not some:
        return ["not null", name, kind]
    value = random.choice(some)
    chosen = random.random()
    if pa.types.is_string(column):
        if chosen < 0.15:
            return ["prefix", name, kind, value[: random.randint(1, 3)] or "a"]
        if chosen < 0.35:
            return ["contains", name, kind, value[random.randint(0, 2) :][:5] or "ark"]
    if chosen < 0.5:
        return ["in", name, kind, [value, random.choice(some)]]
    return ["compare", name, kind, random.choice(list(COMPARISONS)), value]


def names(condition):
    """The columns of a condition with their types."""
    kind, *rest = condition
    if kind in ("and", "or", "not"):
        return [found for part in rest for found in names(part)]
    return [] if kind == "mod" or rest[0] == "id" else [(rest[0], rest[1])]


def is_possible(condition, version):
    """Whether the version has the columns."""
    return all(str(version.kind(n)) == t for n, t in names(condition))


def holds(condition, key, row, version):
    """The value of a condition for a row: true, false, or None."""
    kind, *rest = condition
    if kind == "not":
        inner = holds(rest[0], key, row, version)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        found = [holds(part, key, row, version) for part in rest]
        end = kind == "or"
        return end if end in found else None if None in found else not end
    if kind == "mod":
        return key % rest[0] == rest[1]
    name = rest[0]
    value = key if name == "id" else version.value(row, name)
    if kind in ("null", "not null"):
        return (value is None) == (kind == "null")
    if value is None:
        return None
    column = pa.int64() if name == "id" else version.kind(name)
    if kind == "has":
        wanted = decoded(column.value_type, rest[2])
        return True if wanted in value else None if None in value else False
    if kind == "prefix":
        return value.startswith(rest[2])
    if kind == "contains":
        return rest[2] in value
    if kind == "in":
        return order(value) in [order(decoded(column, v)) for v in rest[2]]
    return COMPARISONS[rest[2]](order(value), order(decoded(column, rest[3])))


def text(condition, side, version):
    """The condition in SQL."""
    kind, *rest = condition
    if kind == "not":
        return f"NOT ({text(rest[0], side, version)})"
    if kind in ("and", "or"):
        return f" {kind.upper()} ".join(f"({text(part, side, version)})" for part in rest)
    if kind == "mod":
        return f"id % {rest[0]} = {rest[1]}"
    name = quoted(rest[0])
    if kind in ("null", "not null"):
        return f"{name} IS {kind.upper()}"
    column = pa.int64() if rest[0] == "id" else version.kind(rest[0])
    if kind == "has":
        function = "array_contains" if side == "spark" else "array_has"
        return f"{function}({name}, {sql(column.value_type, rest[2], side)})"
    if kind == "prefix":
        return f"starts_with({name}, {sql(column, rest[2], side)})".replace(
            "starts_with", "startswith" if side == "spark" else "starts_with"
        )
    if kind == "contains":
        return f"contains({name}, {sql(column, rest[2], side)})"
    if kind == "in":
        return f"{name} IN ({', '.join(sql(column, v, side) for v in rest[2])})"
    return f"{name} {rest[2]} {sql(column, rest[3], side)}"
