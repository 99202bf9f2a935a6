# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Compares the table with the model, as Spark and pylance read it."""

import contextlib
import re
from dataclasses import replace

from kit.exchange import arrow_of, assert_same_rows, values
from kit.fuzz import conditions
from kit.fuzz.rejections import is_interrupt, reason_for
from kit.fuzz.values import SQL, order, quoted

STABLE_COLUMNS = ["_row_created_at_version", "_row_last_updated_at_version"]

_NEW_TYPE = "the type of the column was changed in the range of versions"
_NO_FIT = "the value .* does not fit"
_OLD_FILES = "a change feed with data files of version 0.1"
UNREADABLE_FEEDS = {
    "Overwrite": f"{_NEW_TYPE}|{_OLD_FILES}",
    "Restore": f"{_NEW_TYPE}|{_OLD_FILES}|{_NO_FIT}",
    "WidenColumn": _OLD_FILES,
}
"""Expected errors of change feeds by the kind of the step, see docs/changes.md."""


class Checks:
    """Compares both sides with the model.

    Attributes:
        rejected: steps and filters that pylance rejected, with the reasons.
    """

    def __init__(self, spark, pylance, state):
        self.spark, self.pylance, self.state = spark, pylance, state
        self.rejected = []

    def look_back(self, which, at):
        """Compares an earlier version, or that of a tag."""
        refs = [*self.state.branches, *self.state.tags]
        chosen = refs[int(which * len(refs))]
        if chosen in self.state.tags:
            branch, number = self.state.tags[chosen]
            frame = self.spark.session.read.format("lance").option("tag", chosen)
            ours = frame.load(self.spark.path)
        else:
            branch, numbers = chosen, sorted(self.state.branches[chosen].versions)
            number = numbers[int(at * len(numbers))]
            ours = self.spark.read(branch, version=number)
        version = self.state.branches[branch].versions[number]
        opened = self.pylance.open(branch, number)
        columns = ["id", *version.columns]
        expected = version.table()
        where = f"version {number} of {branch}"
        with _context(f"pylance, {where}"):
            _assert_same(expected, opened.to_table(columns).sort_by("id"))
        with _context(f"Spark, {where}"):
            _assert_same(expected, arrow_of(ours).sort_by("id"))

    def latest(self, branch, step, kind=None):
        """Compares the latest version, and remembers its number, columns, indices, and row ids."""
        state = self.state.branches[branch]
        opened = self.pylance.open(branch)
        with _context(f"pylance, {branch} is damaged"):
            opened.validate()
        stable = self.state.settings["stable"]
        names = ["id", *state.latest.columns]
        assert opened.schema.names == names, f"{branch} has columns {opened.schema.names}"
        extra = STABLE_COLUMNS if stable else []
        expected = state.latest.table()
        theirs = opened.to_table([*names, *extra], with_row_id=True, with_row_address=True)
        theirs = theirs.sort_by("id")
        with _context(f"pylance, {branch}"):
            _assert_same(expected, theirs.select(names))
        columns = [*map(quoted, [*names, *extra]), "_rowid", "_rowaddr"]
        ours = arrow_of(self.spark.read(branch).select(*columns)).sort_by("id")
        with _context(f"Spark, {branch}"):
            _assert_same(expected, ours.select(names))
        with _context(f"row ids and versions, pylance's expected, {branch}"):
            assert_same_rows(theirs.drop_columns(names), ours.drop_columns(names))
        self._row_ids(branch, theirs, kind)
        self._indices(branch, opened, step, kind)
        fields = {f.name: f for f in opened.schema if f.name != "id"}
        state.latest = replace(state.latest, columns=fields)
        if opened.version not in state.versions:
            state.versions[opened.version] = state.latest
        state.number = opened.version
        self._filters(branch, opened, step)

    def feed(self, branch, number, before, step):
        """Applies the changes of a step to the rows before it.

        After a change of columns, only ids and inserted rows are compared.
        """
        after = self.state.branches[branch]
        if after.number == number:
            return
        do, old, new = step["do"], before.columns.values(), after.latest.columns.values()
        has_same_columns = [(c.name, c.type) for c in old] == [(c.name, c.type) for c in new]
        names = ["id", *after.latest.columns]
        feed = self.spark.read(branch, readChangeFeed="true", startingVersion=number + 1)
        feed = feed.select("_commit_version", "_change_type", *map(quoted, names))
        try:
            found = arrow_of(feed)
        except Exception as e:
            allowed = UNREADABLE_FEEDS.get(do)
            if allowed and re.search(allowed, str(e)):
                return
            raise
        if not has_same_columns and do not in ("Overwrite", "Restore"):
            assert not found.num_rows, f"changes of columns: {found.to_pylist()[:5]}"
            return
        rows = _plain(before.table()) if has_same_columns else dict.fromkeys(before.rows)
        changes = zip(*(found[n].to_pylist() for n in found.column_names[:2]), strict=True)
        changes = [(v, k, r) for (v, k), r in zip(changes, _plain_list(found), strict=True)]
        gone = ("delete", "update_preimage")
        for version, kind, (key, *row) in sorted(changes, key=lambda c: (c[0], c[1] not in gone)):
            what = f"feed, {kind} of {key} in {version}"
            if kind in gone:
                assert key in rows, f"{what}, which does not exist"
                there = rows.pop(key)
                assert there in (row, None), f"{what}: {row}, not {there}"
            else:
                assert key not in rows, f"{what}, which exists"
                rows[key] = row
        wanted = _plain(after.latest.table())
        assert rows.keys() == wanted.keys(), (
            f"feed, {branch}: {sorted(rows.keys() ^ wanted.keys())}"
        )
        different = [k for k, row in rows.items() if row not in (wanted[k], None)]
        assert not different, f"feed, {branch} since {number}: rows {sorted(different)[:20]}"

    def aggregates(self, branch):
        """Compares counts and min/max aggregates with and without indices."""
        version = self.state.branches[branch].latest
        kinds = {n: c.type for n, c in version.columns.items() if str(c.type) in SQL}
        parts, expected = ["count(*) AS c"], [len(version.rows)]
        for name in kinds:
            present = [r[name] for r in version.rows.values() if r[name] is not None]
            ordered = sorted(present, key=order)
            parts += [f"{f}({quoted(name)})" for f in ("count", "min", "max")]
            expected += [len(present), *([ordered[0], ordered[-1]] if present else [None, None])]
        for use in ("true", "false"):
            frame = self.spark.read(branch, useScalarIndex=use)
            (row,) = frame.selectExpr(*parts).collect()
            assert list(map(_ordered, row)) == list(map(_ordered, expected)), (
                f"Spark, {branch}, useScalarIndex={use}: {parts} are {list(row)},"
                f" expected {expected}"
            )

    def _row_ids(self, branch, theirs, kind):
        now = dict(zip(theirs["id"].to_pylist(), theirs["_rowid"].to_pylist(), strict=True))
        before = self.state.row_ids.get(branch, {})
        assert len(set(now.values())) == len(now), f"{branch}: row ids are not unique"
        if self.state.settings["stable"] and not getattr(kind, "new_row_ids", False):
            moved = {k: (before[k], now[k]) for k in before if k in now and before[k] != now[k]}
            assert not moved, f"{branch}: row ids changed, {dict(list(moved.items())[:5])}"
        self.state.row_ids[branch] = now

    def _indices(self, branch, opened, step, kind):
        names = {}
        for field in opened.lance_schema.fields():
            _add_ids(names, field, field.name())
        # The index of deferred compactions has no fields.
        found = (index for index in opened.describe_indices() if index.fields)
        now = {index.name: names.get(index.fields[0]) for index in found}
        lost = set(self.state.indices.get(branch, {})) - set(now)
        may = getattr(kind, "may_drop_indices", False) or kind is None
        assert may or not lost, f"{branch} lost indices {lost}"
        self.state.indices[branch] = now

    def _filters(self, branch, opened, step):
        """Compares the rows that match filters, with and without indices."""
        version = self.state.branches[branch].latest

        def wanted(name):
            return [
                (condition, sorted(version.matching(condition)))
                for condition in step.get(name, ())
                if conditions.is_possible(condition, version)
            ]

        of_both = wanted("filters")
        self._filter_in_pylance(branch, opened, version, of_both)
        self._filter_in_spark(branch, version, of_both + wanted("spark_filters"))

    def _filter_in_pylance(self, branch, opened, version, wanted):
        for condition, ids in wanted:
            where = conditions.text(condition, "pylance", version)
            for use in (False, True):
                what = f"pylance, {branch}, {'with' if use else 'without'} indices: {where}"
                try:
                    table = opened.to_table(["id"], filter=where, use_scalar_index=use)
                except BaseException as e:
                    if is_interrupt(e):
                        raise
                    # After a scan without an error, an index is the cause, perhaps one of Spark.
                    action = "indexed filter" if use else "filter"
                    try:
                        self.rejected.append((action, reason_for(action, e)))
                    except AssertionError as unexpected:
                        raise AssertionError(f"{what}: {unexpected}") from e
                    break
                found = sorted(table["id"].to_pylist())
                assert found == ids, f"{what}: expected {ids}, found {found}"

    def _filter_in_spark(self, branch, version, wanted):
        """Evaluates all filters in two queries, with and without indices."""
        found = {}
        for use in ("true", "false") if wanted else ():
            self.spark.read(branch, useScalarIndex=use).createOrReplaceTempView("filtered")
            parts = [
                f"SELECT {n} AS n, id FROM filtered"
                f" WHERE {conditions.text(condition, 'spark', version)}"
                for n, (condition, _) in enumerate(wanted)
            ]
            for row in self.spark.sql(" UNION ALL ".join(parts)):
                found.setdefault((row.n, use), []).append(row.id)
        for n, (condition, ids) in enumerate(wanted):
            for use in ("true", "false"):
                where = conditions.text(condition, "spark", version)
                seen = sorted(found.get((n, use), []))
                assert seen == ids, (
                    f"Spark, {branch}, useScalarIndex={use}: {where}: expected {ids}, found {seen}"
                )


def _ordered(value):
    return None if value is None else order(value)


def _plain_list(table):
    """The rows from `id` on as lists of comparable values."""
    names = table.column_names[table.column_names.index("id") :]
    return [list(row) for row in zip(*(values(table[n]) for n in names), strict=True)]


def _plain(table):
    """The rows by id."""
    return {key: row for key, *row in _plain_list(table)}


def _add_ids(names, field, column):
    """Adds the column of each field by the id of the field."""
    names[field.id()] = column
    for child in field.children():
        _add_ids(names, child, column)


def _assert_same(expected, found):
    """Fails with the ids of rows that differ, or with the first value that does."""
    wanted, ids = expected["id"].to_pylist(), found["id"].to_pylist()
    assert wanted == ids, (
        f"rows {sorted(set(wanted) - set(ids))[:20]} of {len(wanted)} are missing,"
        f" rows {sorted(set(ids) - set(wanted))[:20]} of {len(ids)} are not expected"
    )
    assert_same_rows(expected, found)


@contextlib.contextmanager
def _context(what):
    """Adds the compared side to the message of a failure."""
    try:
        yield
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise AssertionError(f"{what}: {error}") from error
