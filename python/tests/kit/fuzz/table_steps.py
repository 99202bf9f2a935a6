# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Steps that keep rows and columns: maintenance, indices, tags, branches, and earlier versions.

A step names a version by a number from 0 to 1, its place among the versions of the branch: numbers
of versions depend on the steps before.
"""

import datetime

from kit.fuzz import conditions
from kit.fuzz.model import Branch, can_index
from kit.fuzz.values import INTEGERS, quoted

INDICES = {
    "BTREE": {"zone_size": 8},
    "BITMAP": {},
    "ZONEMAP": {"rows_per_zone": 4},
    "BLOOMFILTER": {"number_of_items": 8},
    "NGRAM": {},
    "LABEL_LIST": {},
}
"""Kinds of indices with options of Spark that suit small tables."""

TAGS = ("t1", "t2")
BRANCHES = ("b1", "b2")


def _options(options):
    given = ", ".join(f"{k} = {str(v).lower()}" for k, v in options.items())
    return f" WITH ({given})" if given else ""


def version_at(step, state):
    """The number of the version that a step names."""
    numbers = sorted(state.branches[step["branch"]].versions)
    return numbers[int(step["at"] * len(numbers))]


def _as_of(step):
    """The version that a step names, in the SQL of Spark."""
    of = "" if step["branch"] == "main" else f"BRANCH {step['branch']} "
    return f"AS OF {of}VERSION {step['number']}"


def _reference(step):
    """The version that a step names, for pylance."""
    return None if step["branch"] == "main" else step["branch"], step["number"]


def _same(step, state, version):
    return version, None


class Compact:
    """Compacts small fragments."""

    weight = 6

    @staticmethod
    def draw(random, state, version):
        return {
            "rows": random.choice((3, 10, 1000)),
            "threshold": random.choice((0.0, 0.1, 1.0)),
            "defer": not state.settings["stable"] and random.random() < 0.2,
        }

    @staticmethod
    def _options(step):
        return {
            "target_rows_per_fragment": step["rows"],
            "materialize_deletions_threshold": step["threshold"],
            "defer_index_remap": step["defer"],
        }

    plan = _same

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"OPTIMIZE {table.name(step['branch'])}{_options(Compact._options(step))}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"]).optimize.compact_files(**Compact._options(step))


class Sort:
    """Sorts all rows."""

    weight = 2
    sides = ("spark",)

    @staticmethod
    def draw(random, state, version):
        columns = [n for n, c in version.columns.items() if str(c.type) in (*INTEGERS, "string")]
        chosen = random.sample(columns, min(len(columns), 1))
        return {
            "columns": {n: str(version.columns[n].type) for n in chosen},
            "rows": random.choice((5, 1000)),
            "where": conditions.draw(random, version) if random.random() < 0.3 else None,
        }

    @staticmethod
    def possible(step, state, version):
        types = {n: str(c.type) for n, c in version.columns.items()}
        where = step["where"]
        return all(types.get(n) == t for n, t in step["columns"].items()) and (
            where is None or conditions.is_possible(where, version)
        )

    plan = _same

    @staticmethod
    def spark(step, table, version, rows):
        where = step["where"]
        where = f" WHERE {conditions.text(where, 'spark', version)}" if where else ""
        by = ", ".join(map(quoted, [*step["columns"], "id"]))
        options = _options({"target_rows_per_fragment": step["rows"]})
        name = table.name(step["branch"])
        statement = f"OPTIMIZE {name}{where} ZORDER BY ({by}){options}"
        try:
            table.sql(statement)
        except Exception as e:
            if "run OPTIMIZE INDEX" not in str(e):
                raise
            for index in table.sql(f"SHOW INDEXES IN {name}"):
                table.sql(f"OPTIMIZE INDEX {index['name']} ON {name}")
            table.sql(statement)


class CreateIndex:
    """An index of any scalar kind."""

    weight = 8

    @staticmethod
    def draw(random, state, version):
        kind = random.choice(list(INDICES))
        columns = {n: str(t) for n, t in version.paths().items() if can_index(kind, t)}
        if kind not in ("NGRAM", "LABEL_LIST"):
            columns["id"] = "int64"
        if not columns:
            return None
        name = random.choice(sorted(columns))
        return {
            "kind": kind,
            "column": name,
            "type": columns[name],
            "name": f"{kind.lower()}_{random.randrange(100)}",
        }

    @staticmethod
    def possible(step, state, version):
        if step["name"] in state.indices.get(step["branch"], {}) or not version.rows:
            return False
        return step["column"] == "id" or str(version.kind(step["column"])) == step["type"]

    plan = _same

    @staticmethod
    def spark(step, table, version, rows):
        options = _options(INDICES[step["kind"]])
        name = table.name(step["branch"])
        table.sql(
            f"ALTER TABLE {name} CREATE INDEX {step['name']} USING {step['kind']}"
            f" ({quoted(step['column'])}){options}"
        )

    @staticmethod
    def pylance(step, table, version, rows):
        options = {"rows_per_zone": 4} if step["kind"] == "ZONEMAP" else {}
        table.open(step["branch"]).create_scalar_index(
            quoted(step["column"]), step["kind"], name=step["name"], **options
        )


class DropIndex:
    """Drops an index."""

    weight = 1
    may_drop_indices = True

    @staticmethod
    def draw(random, state, version):
        names = sorted({n for found in state.indices.values() for n in found})
        return {"name": random.choice(names)} if names else None

    @staticmethod
    def possible(step, state, version):
        return step["name"] in state.indices.get(step["branch"], {})

    plan = _same

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"DROP INDEX {step['name']} ON {table.name(step['branch'])}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"]).drop_index(step["name"])


class OptimizeIndex:
    """Extends an index to all rows; pylance extends all indices."""

    weight = 4
    draw = DropIndex.draw
    possible = DropIndex.possible
    plan = _same

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"OPTIMIZE INDEX {step['name']} ON {table.name(step['branch'])}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"]).optimize.optimize_indices()


class Restore:
    """Makes an earlier version the latest one."""

    weight = 2
    may_drop_indices = True
    new_row_ids = True

    @staticmethod
    def draw(random, state, version):
        return {"at": random.random()}

    @staticmethod
    def plan(step, state, version):
        number = version_at(step, state)
        step["number"] = number
        return state.branches[step["branch"]].versions[number], None

    @staticmethod
    def spark(step, table, version, rows):
        name = table.name(step["branch"])
        table.sql(f"RESTORE TABLE {name} TO VERSION AS OF {step['number']}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"], step["number"]).restore()


class Tag:
    """Creates or moves a tag."""

    weight = 2

    @staticmethod
    def draw(random, state, version):
        return {"name": random.choice(TAGS), "at": random.random()}

    @staticmethod
    def plan(step, state, version):
        step["number"], step["moved"] = version_at(step, state), step["name"] in state.tags
        return version, None

    @staticmethod
    def refs(step, state):
        state.tags[step["name"]] = (step["branch"], step["number"])

    @staticmethod
    def spark(step, table, version, rows):
        name = step["name"]
        table.sql(f"ALTER TABLE {table.name()} CREATE OR REPLACE TAG {name} {_as_of(step)}")

    @staticmethod
    def pylance(step, table, version, rows):
        tags = table.open().tags
        change = tags.update if step["moved"] else tags.create
        change(step["name"], _reference(step))


class DropTag:
    """Drops a tag."""

    weight = 1

    @staticmethod
    def draw(random, state, version):
        return {"name": random.choice(TAGS)}

    @staticmethod
    def possible(step, state, version):
        return step["name"] in state.tags

    plan = _same

    @staticmethod
    def refs(step, state):
        del state.tags[step["name"]]

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"ALTER TABLE {table.name()} DROP TAG {step['name']}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open().tags.delete(step["name"])


class CreateBranch:
    """Creates a branch, which starts at any version."""

    weight = 2

    @staticmethod
    def draw(random, state, version):
        return {"name": random.choice(BRANCHES), "at": random.random()}

    @staticmethod
    def possible(step, state, version):
        return step["name"] not in state.branches and step["name"] != step["branch"]

    @staticmethod
    def plan(step, state, version):
        step["number"] = version_at(step, state)
        return version, None

    @staticmethod
    def refs(step, state):
        first = state.branches[step["branch"]].versions[step["number"]]
        parent = (step["branch"], step["number"])
        state.branches[step["name"]] = Branch(first, step["number"], {}, parent)

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"ALTER TABLE {table.name()} CREATE BRANCH {step['name']} {_as_of(step)}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open().create_branch(step["name"], _reference(step))


class DropBranch:
    """Drops a branch from which no other one starts, and whose versions have no tags."""

    weight = 1

    @staticmethod
    def draw(random, state, version):
        return {"name": random.choice(BRANCHES)}

    @staticmethod
    def possible(step, state, version):
        name = step["name"]
        tagged = {branch for branch, _ in state.tags.values()}
        parents = {b.parent[0] for b in state.branches.values() if b.parent}
        known = name in state.branches and step["branch"] != name
        return known and name not in tagged and name not in parents

    plan = _same

    @staticmethod
    def refs(step, state):
        del state.branches[step["name"]]
        state.indices.pop(step["name"], None)
        state.row_ids.pop(step["name"], None)

    @staticmethod
    def spark(step, table, version, rows):
        table.sql(f"ALTER TABLE {table.name()} DROP BRANCH {step['name']}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open().branches.delete(step["name"])


class Vacuum:
    """Removes old versions, except those that tags and branches need."""

    weight = 2
    forgets = True

    @staticmethod
    def draw(random, state, version):
        return {"retain": random.choice((None, None, 2))}

    plan = _same

    @staticmethod
    def spark(step, table, version, rows):
        options = {"error_if_tagged_old_versions": False, "delete_unverified": True}
        if step["retain"]:
            options["retain_versions"] = step["retain"]
        name = table.name(step["branch"])
        table.sql(f"VACUUM {name} RETAIN 0 HOURS{_options(options)}")

    @staticmethod
    def pylance(step, table, version, rows):
        table.open(step["branch"]).cleanup_old_versions(
            older_than=datetime.timedelta(0),
            retain_versions=step["retain"],
            delete_unverified=True,
            error_if_tagged_old_versions=False,
        )
