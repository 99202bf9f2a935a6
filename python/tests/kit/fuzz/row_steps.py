# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Steps that change rows. Each has the functions that `kit.fuzz.steps` describes."""

from dataclasses import replace

import lance
import pyarrow as pa

from kit.fuzz import conditions
from kit.fuzz.model import Version
from kit.fuzz.values import INTEGERS, SQL, quoted


class Append:
    """New rows."""

    weight = 12

    @staticmethod
    def draw(random, state, version):
        return {
            "rows": random.choice((1, 2, 5, 5, 20, 60)),
            "per_file": random.choice((3, 10, 1000)),
            "draw": random.randrange(10**6),
        }

    @staticmethod
    def plan(step, state, version):
        rows = state.new_rows(version, step["draw"], step["rows"])
        return version.with_rows(rows), replace(version, rows=rows).table()

    @staticmethod
    def spark(step, table, version, rows):
        table.write(rows, step["branch"], "append", max_rows_per_file=step["per_file"])

    @staticmethod
    def pylance(step, table, version, rows):
        opened = table.open(step["branch"])
        lance.write_dataset(rows, opened, mode="append", max_rows_per_file=step["per_file"])


class Overwrite:
    """Other rows, and other columns as well unless `columns` is null."""

    weight = 2
    may_drop_indices = True

    @staticmethod
    def draw(random, state, version):
        columns = random.randrange(10**6) if random.random() < 0.6 else None
        return {**Append.draw(random, state, version), "columns": columns}

    @staticmethod
    def plan(step, state, version):
        columns = version.columns
        if step["columns"] is not None:
            columns = state.new_columns(step["columns"])
        after = Version(columns, {})
        after = after.with_rows(state.new_rows(after, step["draw"], step["rows"]))
        return after, after.table()

    @staticmethod
    def spark(step, table, version, rows):
        options = {} if step["columns"] is None else {"overwrite_schema": True}
        per_file = step["per_file"]
        table.write(rows, step["branch"], "overwrite", max_rows_per_file=per_file, **options)

    @staticmethod
    def pylance(step, table, version, rows):
        opened = table.open(step["branch"])
        lance.write_dataset(rows, opened, mode="overwrite", max_rows_per_file=step["per_file"])


class Delete:
    """Removes matching rows."""

    weight = 8

    @staticmethod
    def draw(random, state, version):
        return {"where": conditions.draw(random, version)}

    @staticmethod
    def possible(step, state, version):
        return conditions.is_possible(step["where"], version)

    @staticmethod
    def plan(step, state, version):
        return version.without(version.matching(step["where"])), None

    @staticmethod
    def spark(step, table, version, rows):
        where = conditions.text(step["where"], "spark", version)
        table.sql(f"DELETE FROM {table.name(step['branch'])} WHERE {where}")

    @staticmethod
    def pylance(step, table, version, rows):
        where = conditions.text(step["where"], "pylance", version)
        table.open(step["branch"]).delete(where)


class Update:
    """Sets a column of matching rows to values that their ids determine."""

    weight = 10

    @staticmethod
    def draw(random, state, version):
        names = [n for n, c in version.columns.items() if str(c.type) in SQL or c.nullable]
        if not names:
            return None
        name = random.choice(names)
        column = version.columns[name]
        null = str(column.type) not in SQL or (column.nullable and random.random() < 0.2)
        return {
            "column": name,
            "type": str(column.type),
            "value": None if null or state.file_version == "0.1" else random.randrange(2, 60),
            "where": conditions.draw(random, version),
            "mode": random.choice(("rows", "columns", "auto")),
        }

    @staticmethod
    def possible(step, state, version):
        column = version.columns.get(step["column"])
        if column is None or str(column.type) != step["type"]:
            return False
        if step["value"] is None and (not column.nullable or state.is_old):
            return False
        return conditions.is_possible(step["where"], version)

    @staticmethod
    def plan(step, state, version):
        name, keys = step["column"], set(version.matching(step["where"]))
        column = version.columns[name]

        def value(key, row):
            return by_id(step["type"], step["value"], key) if key in keys else row[name]

        return version.with_column(column, value), None

    @staticmethod
    def spark(step, table, version, rows):
        where = conditions.text(step["where"], "spark", version)
        value = expression(step["type"], step["value"])
        table.session.conf.set("spark.lance.write.updateMode", step["mode"])
        try:
            table.sql(
                f"UPDATE {table.name(step['branch'])} SET {quoted(step['column'])} = {value}"
                f" WHERE {where}"
            )
        finally:
            table.session.conf.unset("spark.lance.write.updateMode")

    @staticmethod
    def pylance(step, table, version, rows):
        where = conditions.text(step["where"], "pylance", version)
        value = expression(step["type"], step["value"])
        table.open(step["branch"]).update({step["column"]: value}, where=where)


def by_id(kind, modulus, key):
    """The value of `expression` for a row."""
    if modulus is None:
        return None
    number = key % modulus
    if kind in INTEGERS:
        return number
    if kind in ("float", "double"):
        return float(number)
    if kind == "bool":
        return number == 0
    if kind == "string":
        return f"u{number}"
    return pa.scalar(modulus * 300, pa.int32()).cast(pa.date32()).as_py()


def expression(kind, modulus):
    """SQL of both sides for a value of a type, null without a modulus."""
    if modulus is None:
        return "NULL"
    if kind == "bool":
        return f"id % {modulus} = 0"
    if kind == "string":
        return f"concat('u', CAST(id % {modulus} AS STRING))"
    if kind == "date32[day]":
        return f"DATE '{by_id(kind, modulus, 0).isoformat()}'"
    return f"CAST(id % {modulus} AS {SQL[kind]})"


class Merge:
    """Rows that replace others with their id, and new ones.

    Attributes of a step: `kind`, see `KINDS`; `columns`, the columns of the source.
    """

    weight = 10
    KINDS = ("upsert", "update", "insert", "delete", "sync", "partial")

    @staticmethod
    def draw(random, state, version):
        keys = sorted(version.rows)
        chosen = random.sample(keys, min(len(keys), random.choice((0, 1, 3, 10))))
        columns = [n for n in version.columns if random.random() < 0.5]
        return {
            "kind": random.choice(Merge.KINDS),
            "keys": sorted(chosen),
            "rows": random.choice((0, 1, 4, 30)),
            "draw": random.randrange(10**6),
            "columns": {n: str(version.columns[n].type) for n in columns},
            "where": conditions.draw(random, version),
        }

    @staticmethod
    def possible(step, state, version):
        types = {n: str(c.type) for n, c in version.columns.items()}
        if step["kind"] == "partial" and not step["columns"]:
            return False
        if any(types.get(n) != t for n, t in step["columns"].items()):
            return False
        if not conditions.is_possible(step["where"], version):
            return False
        return step["rows"] + len(step["keys"]) > 0

    @staticmethod
    def plan(step, state, version):
        new = state.new_rows(version, step["draw"], step["rows"])
        drawn = list(state.new_rows(version, f"{step['draw']} again", len(step["keys"])).values())
        again = dict(zip(step["keys"], drawn, strict=True))
        source = replace(version, rows={**again, **new}).table()
        found = {k: r for k, r in again.items() if k in version.rows}
        unknown = {k: r for k, r in {**again, **new}.items() if k not in version.rows}
        kind = step["kind"]
        if kind == "insert":
            return version.with_rows(unknown), source
        if kind == "update":
            return version.with_rows(found), source
        if kind == "partial":
            names = step["columns"]
            changed = {
                k: {n: (r if n in names else version.rows[k])[n] for n in r}
                for k, r in found.items()
            }
            return version.with_rows(changed), source.select(["id", *names])
        if kind == "delete":
            return version.without(found).with_rows(unknown), source
        after = version.with_rows({**found, **unknown})
        if kind == "sync":
            gone = set(version.matching(step["where"])) - set(found)
            after = after.without(gone)
        return after, source

    @staticmethod
    def spark(step, table, version, rows):
        table.frame(rows).createOrReplaceTempView("merged")
        kind = step["kind"]
        clauses = {
            "insert": "",
            "delete": "WHEN MATCHED THEN DELETE",
            "partial": "WHEN MATCHED THEN UPDATE SET "
            + ", ".join(f"{quoted(n)} = s.{quoted(n)}" for n in step["columns"]),
        }.get(kind, "WHEN MATCHED THEN UPDATE SET *")
        if kind not in ("update", "partial"):
            clauses += " WHEN NOT MATCHED THEN INSERT *"
        if kind == "sync":
            where = conditions.text(step["where"], "spark", version)
            clauses += f" WHEN NOT MATCHED BY SOURCE AND ({where}) THEN DELETE"
        name = table.name(step["branch"])
        table.sql(f"MERGE INTO {name} t USING merged s ON t.id = s.id {clauses}")

    @staticmethod
    def pylance(step, table, version, rows):
        merge = table.open(step["branch"]).merge_insert("id")
        kind = step["kind"]
        if kind == "delete":
            merge = merge.when_matched_delete()
        elif kind != "insert":
            merge = merge.when_matched_update_all()
        if kind not in ("update", "partial"):
            merge = merge.when_not_matched_insert_all()
        if kind == "sync":
            where = conditions.text(step["where"], "pylance", version)
            merge = merge.when_not_matched_by_source_delete(where)
        merge.execute(rows)


class Replace:
    """Replaces matching rows by new ones."""

    weight = 2
    sides = ("spark",)

    @staticmethod
    def draw(random, state, version):
        return {**Append.draw(random, state, version), **Delete.draw(random, state, version)}

    @staticmethod
    def possible(step, state, version):
        # Spark does not translate array_contains for the conditions of writes.
        translated = not conditions.mentions(step["where"], "has")
        # Spark replaces conditions that are always true, and the step would be an overwrite.
        constant = any(
            conditions.mentions(step["where"], kind) for kind in ("null", "not null")
        ) and any(not c.nullable for c in version.columns.values())
        return translated and not constant and Delete.possible(step, state, version)

    @staticmethod
    def plan(step, state, version):
        kept, _ = Delete.plan(step, state, version)
        rows = state.new_rows(version, step["draw"], step["rows"])
        # The new rows must match, too.
        new = replace(version, rows=rows)
        new = replace(new, rows={k: rows[k] for k in new.matching(step["where"])})
        return kept.with_rows(new.rows), new.table()

    @staticmethod
    def spark(step, table, version, rows):
        where = conditions.text(step["where"], "spark", version)
        table.frame(rows).createOrReplaceTempView("replacing")
        table.sql(
            f"INSERT INTO {table.name(step['branch'])} REPLACE WHERE {where}"
            " SELECT * FROM replacing"
        )


class Truncate:
    """Removes all rows."""

    weight = 1
    may_drop_indices = True

    @staticmethod
    def draw(random, state, version):
        return {}

    @staticmethod
    def plan(step, state, version):
        return replace(version, rows={}), None

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"TRUNCATE TABLE {table.name(step['branch'])}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"]).delete("true")
