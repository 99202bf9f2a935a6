# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Makes the matrix of conflicts that ConflictMatrixSuite compares with this connector's judgement.

    python -m tests.kit.conflict_matrix ../src/test/resources/conflicts/matrix.csv

Each line is a pair: an operation that is committed on top of another one, which was committed since
the version both are based on. Where the Python API of pylance has both, the pair is committed for
real and the line says "observed"; else it follows the rules of its resolver, as written down in
`judge`, and says "source". The rules are checked against every pair that is observed.
"""

import csv
import os
import shutil
import sys
import tempfile
import uuid
from pathlib import Path

import lance
import pyarrow as pa
from lance import LanceOperation as Op
from lance.dataset import Index
from lance.fragment import DataFile, FragmentMetadata, write_fragments

READ_VERSION = 2
FIELDS = {"a": 0, "b": 1}


def template(path):
    """Three fragments of four rows, columns a and b, an index z on a that covers all of them."""
    rows = pa.table({"a": range(12), "b": range(12)})
    ds = lance.write_dataset(rows, path, max_rows_per_file=4, data_storage_version="2.1")
    ds.create_scalar_index("a", "BTREE", name="z")
    return lance.dataset(path)


def variant(path, change):
    """The schema of the table after a change of columns, made in a copy."""
    copy = f"{path}-{uuid.uuid4()}"
    shutil.copytree(path, copy)
    ds = lance.dataset(copy)
    change(ds)
    schema = lance.dataset(copy).lance_schema
    shutil.rmtree(copy)
    return schema


def examples(path):
    """Name: (operation of pylance or None, the properties that the rules check)."""
    ds = template(path)
    fragments = ds.get_fragments()
    plain = [f.metadata for f in fragments]
    size = plain[0].files[0].file_size_bytes
    added = write_fragments(pa.table({"a": [90], "b": [91]}), ds)
    deleted = [f.delete(f"a = {4 * i}") for i, f in enumerate(fragments)]
    segment = ds.describe_indices()[0].segments[0] if hasattr(ds, "describe_indices") else None
    old = Index(
        uuid=str(segment.uuid), name="z", fields=[0], dataset_version=1, fragment_ids={0, 1, 2},
        index_version=0,
    )  # fmt: skip
    version = {"file_major_version": 2, "file_minor_version": 1, "file_size_bytes": size}

    def index(name, field, *ids):
        return Index(
            uuid=str(uuid.uuid4()), name=name, fields=[FIELDS[field]], dataset_version=READ_VERSION,
            fragment_ids=set(ids), index_version=0,
        )  # fmt: skip

    def file(*fields):
        return DataFile(f"{uuid.uuid4()}.lance", list(fields), list(range(len(fields))), **version)

    def columns(i, name):
        left = [-2 if f == FIELDS[name] else f for f in (0, 1)]
        before = DataFile(plain[i].files[0].path, left, [0, 1], **version)
        meta = FragmentMetadata(i, [before, file(FIELDS[name])], 4)
        return Op.Update(
            updated_fragments=[meta], fields_modified=[FIELDS[name]], update_mode="rewrite_columns"
        )

    def rewrite(i):
        new = FragmentMetadata(0, [file(0, 1)], 4)
        return Op.Rewrite([Op.RewriteGroup([plain[i]], [new])], [])

    def overlay(i, name):
        one = Op.DataOverlayFile(file(FIELDS[name]), [0])
        return Op.DataOverlay([Op.DataOverlayGroup(i, [one])])

    def replacement(i, name):
        return Op.DataReplacement([Op.DataReplacementGroup(i, file(FIELDS[name]))])

    def update(i):
        return Op.Update(
            updated_fragments=[deleted[i]], new_fragments=added, update_mode="rewrite_rows",
            fields_for_preserving_frag_bitmap=[0, 1],
        )  # fmt: skip

    same = ds.lance_schema
    more = variant(path, lambda d: d.add_columns(pa.field("c", pa.int64())))
    less = variant(path, lambda d: d.drop_columns(["b"]))
    found = {}

    def add(name, kind, operation=None, **facts):
        found[name] = (operation, {"kind": kind, **facts})

    add("Append", "A", Op.Append(added))
    for i in (0, 1):
        add(f"Delete({i})", "D", Op.Delete([deleted[i]], [], "true"), updated={i})
    add("DeleteFragment(0)", "D", Op.Delete([], [0], "true"), removed={0})
    add("Overwrite", "O", Op.Overwrite(same, added))
    add("Overwrite(k)", "O", upserts={"k"})
    for args in (("x", "a", 0), ("x", "b", 1), ("y", "b", 1)):
        new = index(*args)
        add(f"CreateIndex({','.join(map(str, args))})", "C", Op.CreateIndex([new], []),
            new=[(args[0], {FIELDS[args[1]]}, {args[2]})], old=[])  # fmt: skip
    covered = ("z", {0}, {0, 1, 2})
    add("AppendIndex(z)", "C", Op.CreateIndex([index("z", "a", 2)], []),
        new=[("z", {0}, {2})], old=[])  # fmt: skip
    add("ReplaceIndex(z)", "C", Op.CreateIndex([index("z", "a", 0, 1, 2)], [old]),
        new=[covered], old=["z"])  # fmt: skip
    add("DropIndex(z)", "C", Op.CreateIndex([], [old]), new=[], old=["z"])
    add("CreateIndex(memWal)", "C", new=[("__lance_mem_wal", set(), None)], old=[])
    add("CreateIndex(unknown)", "C", new=[("w", {1}, None)], old=[])
    for i in (0, 1):
        add(f"Rewrite({i})", "W", rewrite(i), touched={i})
    add("Merge", "M", Op.Merge(plain, more, False), keeps=False)
    add("Merge(keeps)", "M", Op.Merge(plain, more, True), keeps=True)
    add("Restore", "R", Op.Restore(1))
    add("ReserveFragments", "F")
    for i in (0, 1):
        add(f"Update({i})", "U", update(i), updated={i}, moves=True)
    add("UpdateFragment(0)", "U",
        Op.Update(removed_fragment_ids=[0], new_fragments=added, update_mode="rewrite_rows"),
        removed={0}, moves=True)  # fmt: skip
    for i, name in ((0, "a"), (0, "b"), (1, "b")):
        add(f"UpdateColumns({i},{name})", "U", columns(i, name), updated={i},
            fields={FIELDS[name]}, in_place=True)  # fmt: skip
    for keys in ("1", "2", "bloom"):
        add(f"Insert({keys})", "U", keys=keys, moves=True)
    for shard, generation in (("s", 1), ("s", 2), ("t", 1)):
        add(f"UpdateCompacted({shard},{generation})", "U", shards={shard: generation}, moves=True)
    add("Project", "P", Op.Project(same, False), keeps=False, left={0, 1})
    add("Project(keeps)", "P", Op.Project(same, True), keeps=True, left={0, 1})
    add("Project(keeps,-b)", "P", Op.Project(less, True), keeps=True, left={0})
    config = {"k": {"k": "1"}, "-k": {"k": None}, "l": {"l": "1"}}
    for name, change in config.items():
        upserts = {k for k, v in change.items() if v}
        add(f"UpdateConfig({name})", "G", Op.UpdateConfig(config_updates=Op.UpdateMap(change)),
            upserts=upserts, deletes=change.keys() - upserts)  # fmt: skip
    for name, change in (("t", Op.UpdateMap({"t": "1"})), ("u", Op.UpdateMap({"u": "1"})),
                         ("replace", Op.UpdateMap({"v": "1"}, True))):  # fmt: skip
        add(f"TableMetadata({name})", "G", Op.UpdateConfig(table_metadata_updates=change),
            table=(set(change.updates), change.replace))  # fmt: skip
    add("SchemaMetadata", "G", Op.UpdateConfig(schema_metadata_updates=Op.UpdateMap({"s": "1"})),
        schema=True)  # fmt: skip
    for name, field in FIELDS.items():
        change = {field: Op.UpdateMap({"n": "1"})}
        add(f"FieldMetadata({name})", "G", Op.UpdateConfig(field_metadata_updates=change),
            field={field})  # fmt: skip
    for i, name in ((0, "a"), (0, "b"), (1, "b")):
        add(f"DataReplacement({i},{name})", "T", replacement(i, name), touched={i},
            fields={FIELDS[name]})  # fmt: skip
    for shard, generation in (("s", 1), ("s", 2), ("t", 1)):
        add(f"UpdateMemWalState({shard},{generation})", "S", shards={shard: generation})
    add("Clone", "L")
    for name in ("p", "q"):
        add(f"UpdateBases({name})", "B", base=name)
    for i, name in ((0, "a"), (0, "b"), (1, "b")):
        add(f"DataOverlay({i},{name})", "V", overlay(i, name), touched={i}, fields={FIELDS[name]})
    add("Unknown", "?")
    return found


MATRIX = """
A + + X + + n X + + n + + X + + +
D + a X + f r X + a + + f X + + +
O + + o + + + + + + + k + X + + +
C + + X c w m X + p + + i s + + +
W + f X w f r X + f + + f + + + f
M r r X m r r X + r X g r X + + r
R + + + + + + + + + + g + X + + +
F + + X + + + X + + + + + + + + +
U e a X + f r X + a d + f t + + v
P n + X + + r X + n r + n X + + n
G + + k + + g g + + + k + + + + +
T + q X i f r X + q d + y X + + +
S X X X t + X X + t X + X t X + X
L + + + + + + + + + + + + + + + +
B + + + + + + + + + + + + + + b +
V + Q X + f r X + Q n + + X + + +
"""
COLUMNS = "ADOCWMRFUPGTSLBV"
CELLS = {
    (line[0], column): cell
    for line in MATRIX.strip().splitlines()
    for column, cell in zip(COLUMNS, line.split()[1:], strict=True)
}


def judge(ours, theirs):
    """The verdict of the resolver: +, r (again on the newer version) or X (never)."""
    o, t = ours["kind"], theirs["kind"]
    if o == "?":
        return None
    if t == "?":
        return "+" if o in "LB" else "X"
    for one, other in ((ours, theirs), (theirs, ours)):
        if one["kind"] in "MP" and not one["keeps"] and other["kind"] in "AUTV":
            return "r"
        if one["kind"] == "G" and changes_schema(one):
            if other["kind"] == "M":
                return "r"
            if other["kind"] == "R":
                return "X"
    cell = CELLS[o, t]
    return cell if cell in "+rX" else NOTES.get(cell, lambda *_: "+")(ours, theirs)


def changes_schema(op):
    return bool(op.get("schema") or op.get("field"))


def touched(op):
    """Fragments that an operation changes, removes or gives other files."""
    return op.get("touched", set()) | op.get("updated", set()) | op.get("removed", set())


def retry(condition):
    return "r" if condition else "+"


def never(condition):
    return "X" if condition else "+"


def worst(*verdicts):
    return next((v for v in verdicts if v != "+"), "+")


def same_fragments(ours, theirs):
    return retry(touched(ours) & touched(theirs))


def same_keys(ours, theirs):
    """e: rows with keys; 1 and 2 are exact sets of one key."""
    if "keys" not in ours:
        return "+"
    if theirs["kind"] == "A" or "keys" not in theirs:
        return "r"
    exact = {ours["keys"], theirs["keys"]} == {"1", "2"}
    return "+" if exact else "r"


def same_config_key(ours, theirs):
    """k: the same configuration key, or the same metadata if both are UpdateConfig."""
    mine, other = ours.get("upserts", set()), theirs.get("upserts", set())
    if mine & (other | theirs.get("deletes", set())) or other & ours.get("deletes", set()):
        return "X"
    if theirs["kind"] == "O" and changes_schema(ours):
        return "X"
    if ours["kind"] == theirs["kind"] == "G":
        if "table" in ours and "table" in theirs:
            (keys, all_mine), (their_keys, all_theirs) = ours["table"], theirs["table"]
            if all_mine or all_theirs or keys & their_keys:
                return "X"
        if ours.get("schema") and theirs.get("schema"):
            return "X"
        return never(ours.get("field", set()) & theirs.get("field", set()))
    return "+"


def both_overwrite(ours, theirs):
    return "X" if ours.get("upserts", set()) & theirs.get("upserts", set()) else "r"


def same_index(ours, theirs):
    names = [{n for n, _, _ in x["new"]} for x in (ours, theirs)]
    gone = [set(x["old"]) for x in (ours, theirs)]
    append = (names[0] - gone[0]) & gone[1] or (names[1] - gone[1]) & gone[0]
    replaced = gone[0] & gone[1] & (names[0] | names[1])
    return retry(names[0] & names[1] or append or replaced)


def rewritten_index(index, rewrite):
    return retry(any(c is None or c & rewrite["touched"] for _, _, c in index["new"]))


def mem_wal(op):
    return any(name == "__lance_mem_wal" for name, _, _ in op["new"])


def dropped(ours, theirs):
    return bool(ours.get("fields", set()) - theirs["left"])


def same_shard(ours, theirs):
    mine, other = ours.get("shards", {}), theirs.get("shards", {})
    for shard in mine.keys() & other.keys():
        return "X" if other[shard] >= mine[shard] else "r"
    return "+"


def replaced_rows(ours, theirs):
    """q: a replacement of columns over a deletion or an update."""
    stale = theirs.get("moves") or theirs.get("fields", set()) & ours["fields"]
    return worst(
        never(theirs.get("removed", set()) & ours["touched"]),
        retry(stale and theirs.get("updated", set()) & ours["touched"]),
    )


def overlaid_rows(ours, theirs):
    """Q: an overlay over a deletion or an update. Which rows moved is not known here."""
    return worst(
        retry(theirs.get("removed", set()) & ours["touched"]),
        retry(theirs.get("moves") and theirs.get("updated", set()) & ours["touched"]),
    )


def update_over_overlay(ours, theirs):
    hit = touched(ours) & theirs["touched"]
    if ours.get("in_place"):
        return retry(hit and ours["fields"] & theirs["fields"])
    return retry(ours.get("moves") and hit)


NOTES = {
    "a": lambda o, t: worst(same_keys(o, t) if o["kind"] == t["kind"] == "U" else "+",
                            same_fragments(o, t)),
    "b": lambda o, t: never(o["base"] == t["base"]),
    "c": same_index,
    "d": lambda o, t: ("r" if o["kind"] == "U" else "X") if dropped(o, t) else "+",
    "e": same_keys,
    "f": same_fragments,
    "i": lambda o, t: retry(any(fields & (o if o["kind"] == "T" else t)["fields"]
                                for _, fields, _ in (t if o["kind"] == "T" else o)["new"])),
    "k": same_config_key,
    "m": lambda o, t: retry(mem_wal(o if o["kind"] == "C" else t)),
    "o": both_overwrite,
    "q": replaced_rows,
    "Q": overlaid_rows,
    # merged by the reference once it is installed; retried here
    "s": lambda o, t: "r" if mem_wal(o) else "X",
    "t": lambda o, t: retry(mem_wal(t)) if t["kind"] == "C" else same_shard(o, t),
    "v": update_over_overlay,
    "w": lambda o, t: rewritten_index(o, t) if o["kind"] == "C" else rewritten_index(t, o),
    "y": lambda o, t: retry(o["touched"] & t["touched"] and o["fields"] & t["fields"]),
}  # fmt: skip


def observe(path, ours, theirs):
    """The result of pylance that commits both on top of the same version; None if it cannot."""
    copy = f"{path}-{uuid.uuid4()}"
    shutil.copytree(path, copy)
    try:
        try:
            lance.LanceDataset.commit(copy, theirs, read_version=READ_VERSION)
        except Exception as e:
            raise RuntimeError(f"{type(theirs).__name__} alone: {e}") from e
        try:
            lance.LanceDataset.commit(copy, ours, read_version=READ_VERSION)
            return "+", ""
        except Exception as e:
            text = str(e)
            if "Retryable commit conflict" in text or "retryable" in text.lower():
                return "r", text
            if "ncompatible" in text or "ommit conflict" in text:
                return "X", text
            return None, text
    finally:
        shutil.rmtree(copy)


def main(target):
    os.environ["LANCE_ENABLE_UNSTABLE_DATA_OVERLAY_FILES"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table")
        found = examples(path)
        lines, wrong, failed = [], [], {}
        for name, (operation, facts) in found.items():
            for other, (their_operation, their_facts) in found.items():
                expected = judge(facts, their_facts)
                if expected is None:
                    continue
                evidence = "source"
                if operation is not None and their_operation is not None:
                    seen, text = observe(path, operation, their_operation)
                    if seen is None:
                        failed[name, other] = text
                    else:
                        evidence = "observed"
                        if seen != expected:
                            wrong.append((name, other, expected, seen, text))
                        expected = seen
                lines.append((name, other, expected, evidence))
        for line in wrong:
            print("differs", *line, file=sys.stderr)
        for (name, other), text in failed.items():
            print("no answer", name, other, text[:200].replace("\n", " "), file=sys.stderr)
        with Path(target).open("w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(("ours", "theirs", "verdict", "evidence"))
            writer.writerows(lines)
        counts = {e: sum(1 for line in lines if line[3] == e) for e in ("observed", "source")}
        print(f"pylance {lance.__version__}: {counts}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
