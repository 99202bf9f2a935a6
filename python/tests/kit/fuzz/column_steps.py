# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Steps that change columns. Each has the functions that `kit.fuzz.steps` describes."""

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type

from kit.fuzz import conditions
from kit.fuzz.model import NAMES, can_widen
from kit.fuzz.row_steps import by_id, expression
from kit.fuzz.values import EASY, WIDER, quoted
from kit.schemas import random_schema


def _has(step, version):
    column = version.columns.get(step["column"])
    return column is not None and str(column.type) == step["type"]


def _some(random, version, *tests):
    """The name and the type of a column that passes the tests."""
    found = [c for c in version.columns.values() if all(test(c) for test in tests)]
    if not found:
        return None
    column = random.choice(found)
    return {"column": column.name, "type": str(column.type)}


class AddColumn:
    """A column of values that ids determine."""

    weight = 5

    @staticmethod
    def draw(random, state, version):
        return {
            "column": random.choice(NAMES),
            "type": random.choice(list(EASY)),
            "value": random.randrange(2, 60),
        }

    @staticmethod
    def possible(step, state, version):
        fits = state.file_version != "0.1" or step["type"] not in ("float", "double")
        return fits and step["column"] not in version.columns and bool(version.rows)

    @staticmethod
    def plan(step, state, version):
        column = pa.field(step["column"], EASY[step["type"]])
        kind, modulus = step["type"], step["value"]
        return version.with_column(column, lambda key, _: by_id(kind, modulus, key)), None

    @staticmethod
    def spark(step, table, version, rows):
        value = expression(step["type"], step["value"])
        name = f"{quoted(step['column'])} {from_arrow_type(EASY[step['type']]).simpleString()}"
        table.sql(f"ALTER TABLE {table.name(step['branch'])} ADD COLUMNS ({name} AS ({value}))")

    @staticmethod
    def pylance(step, table, version, rows):
        value = expression(step["type"], step["value"])
        table.open(step["branch"]).add_columns({step["column"]: value})


class AddNulls:
    """A column without values, of any type."""

    weight = 3

    @staticmethod
    def draw(random, state, version):
        return {"column": random.choice(NAMES), "draw": random.randrange(10**6)}

    @staticmethod
    def possible(step, state, version):
        return step["column"] not in version.columns and state.file_version != "0.1"

    @staticmethod
    def _column(step, state):
        depth = 0 if state.is_old else 2
        kind = random_schema(step["draw"], depth, maps=state.file_version == "2.2")[0].type
        return pa.field(step["column"], kind)

    @staticmethod
    def plan(step, state, version):
        column = AddNulls._column(step, state)
        return version.with_column(column, lambda *_: None), pa.table(
            {"c": pa.nulls(0, column.type)}
        )

    @staticmethod
    def spark(step, table, version, rows):
        kind = from_arrow_type(rows.schema[0].type).simpleString()
        name = table.name(step["branch"])
        table.sql(f"ALTER TABLE {name} ADD COLUMNS ({quoted(step['column'])} {kind})")

    @staticmethod
    def pylance(step, table, version, rows):
        column = pa.field(step["column"], rows.schema[0].type)
        table.open(step["branch"]).add_columns(column)


class AddFrom:
    """A column from a query that has some of the rows."""

    weight = 2
    sides = ("spark",)

    @staticmethod
    def draw(random, state, version):
        drawn = AddColumn.draw(random, state, version)
        return {**drawn, "where": conditions.draw(random, version)}

    @staticmethod
    def possible(step, state, version):
        possible = AddColumn.possible(step, state, version) and state.file_version != "0.1"
        return possible and conditions.is_possible(step["where"], version)

    @staticmethod
    def plan(step, state, version):
        keys = set(version.matching(step["where"]))
        column = pa.field(step["column"], EASY[step["type"]])

        def value(key, _):
            return by_id(step["type"], step["value"], key) if key in keys else None

        return version.with_column(column, value), None

    @staticmethod
    def spark(step, table, version, rows):
        value = expression(step["type"], step["value"])
        where = conditions.text(step["where"], "spark", version)
        name, column = table.name(step["branch"]), quoted(step["column"])
        table.sql(
            f"ALTER TABLE {name} ADD COLUMNS {column} FROM"
            f" (SELECT _rowaddr, {value} AS {column} FROM {name} WHERE {where})"
        )


class DropColumn:
    """Removes a column."""

    weight = 3
    may_drop_indices = True

    @staticmethod
    def draw(random, state, version):
        return _some(random, version)

    @staticmethod
    def possible(step, state, version):
        return _has(step, version)

    @staticmethod
    def plan(step, state, version):
        return version.without_column(step["column"]), None

    @staticmethod
    def spark(step, table, version, rows):
        name = table.name(step["branch"])
        table.sql(f"ALTER TABLE {name} DROP COLUMNS ({quoted(step['column'])})")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"]).drop_columns([quoted(step["column"])])


class RenameColumn:
    """Renames a column."""

    weight = 3

    @staticmethod
    def draw(random, state, version):
        found = _some(random, version)
        return found and {**found, "to": random.choice(NAMES)}

    @staticmethod
    def possible(step, state, version):
        return _has(step, version) and step["to"] not in version.columns

    @staticmethod
    def plan(step, state, version):
        return version.renamed(step["column"], step["to"]), None

    @staticmethod
    def spark(step, table, version, rows):
        name, column = table.name(step["branch"]), quoted(step["column"])
        table.sql(f"ALTER TABLE {name} RENAME COLUMN {column} TO {quoted(step['to'])}")

    @staticmethod
    def pylance(step, table, version, rows):
        change = {"path": quoted(step["column"]), "name": step["to"]}
        table.open(step["branch"]).alter_columns(change)


class WidenColumn:
    """Changes a column to the next wider type."""

    weight = 3

    @staticmethod
    def draw(random, state, version):
        return _some(random, version, can_widen)

    @staticmethod
    def possible(step, state, version):
        indexed = state.indices.get(step["branch"], {}).values()
        return _has(step, version) and step["column"] not in indexed and bool(version.rows)

    @staticmethod
    def plan(step, state, version):
        column = version.columns[step["column"]].with_type(EASY[WIDER[step["type"]]])
        return version.with_column(column, lambda _, row: row[step["column"]]), None

    @staticmethod
    def spark(step, table, version, rows):
        kind = from_arrow_type(EASY[WIDER[step["type"]]]).simpleString()
        name, column = table.name(step["branch"]), quoted(step["column"])
        table.sql(f"ALTER TABLE {name} ALTER COLUMN {column} TYPE {kind}")

    @staticmethod
    def pylance(step, table, version, rows):
        kind = EASY[WIDER[step["type"]]]
        change = {"path": quoted(step["column"]), "data_type": kind}
        table.open(step["branch"]).alter_columns(change)
