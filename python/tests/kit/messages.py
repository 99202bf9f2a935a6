# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Parses the messages in the files of a table field by field, without generated classes.

A message becomes a dict from the name of a field (its number where it is not known) to the list of
its values, so that an absent value differs from a default value.
"""

import struct
from pathlib import Path

INTS, TEXT = "packed integers", "text"

ENTRY = {1: ("key", TEXT), 2: ("value", TEXT)}
FIELD = {
    1: ("type", None),
    2: ("name", TEXT),
    3: ("id", None),
    4: ("parent_id", None),
    5: ("logical_type", TEXT),
    6: ("nullable", None),
    7: ("encoding", None),
    10: ("metadata", ENTRY),
}
DATA_FILE = {
    1: ("path", TEXT),
    2: ("fields", INTS),
    3: ("column_indices", INTS),
    4: ("file_major_version", None),
    5: ("file_minor_version", None),
    6: ("file_size_bytes", None),
}
FRAGMENT = {1: ("id", None), 2: ("files", DATA_FILE), 4: ("physical_rows", None)}
MANIFEST = {
    1: ("fields", FIELD),
    2: ("fragments", FRAGMENT),
    3: ("version", None),
    4: ("version_aux_data", None),
    7: ("timestamp", {1: ("seconds", None), 2: ("nanos", None)}),
    9: ("reader_feature_flags", None),
    10: ("writer_feature_flags", None),
    11: ("max_fragment_id", None),
    12: ("transaction_file", TEXT),
    13: ("writer_version", {1: ("library", TEXT), 2: ("version", TEXT), 4: ("build", TEXT)}),
    15: ("data_format", {1: ("file_format", TEXT), 2: ("version", TEXT)}),
    16: ("config", ENTRY),
    19: ("table_metadata", ENTRY),
    23: ("transaction_section", None),
    24: ("max_allocated_field_id", None),
}
TRANSACTION = {
    1: ("read_version", None),
    2: ("uuid", TEXT),
    100: ("append", {1: ("fragments", FRAGMENT)}),
    102: (
        "overwrite",
        {
            1: ("fragments", FRAGMENT),
            2: ("schema", FIELD),
            3: ("schema_metadata", ENTRY),
            4: ("config_upserts", ENTRY),
        },
    ),
}
DESCRIPTOR = {1: ("schema", {1: ("fields", FIELD)}), 2: ("length", None)}


def manifest(table, version):
    """The manifest of a version."""
    data = _manifest_file(table, version)
    return _section(data, struct.unpack_from("<Q", data, len(data) - 16)[0], MANIFEST)


def transaction(table, version):
    """The transaction that made a version, from the manifest's file."""
    data = _manifest_file(table, version)
    position = manifest(table, version)["transaction_section"][0]
    return _section(data, position, TRANSACTION)


def _manifest_file(table, version):
    return Path(table, "_versions", f"{2**64 - 1 - version}.manifest").read_bytes()


def _section(data, position, fields):
    (length,) = struct.unpack_from("<I", data, position)
    return decode(data[position + 4 : position + 4 + length], fields)


def footer(data_file):
    """The last 40 bytes of a data file of version 2: positions, counts, version and magic."""
    return struct.unpack("<QQQIIHH4s", Path(data_file).read_bytes()[-40:])


def descriptor(data_file):
    """The schema and the length that a data file of version 2 has in its first global buffer."""
    data = Path(data_file).read_bytes()
    position, length = struct.unpack_from("<QQ", data, footer(data_file)[2])
    return decode(data[position : position + length], DESCRIPTOR)


def decode(data, fields):
    """The fields of a message.

    Args:
        data: Its bytes.
        fields: Names and kinds by number: the fields of a message, `INTS`, `TEXT` or `None`.
    """
    found, at = {}, 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            value, at = _varint(data, at)
        elif tag & 7 == 2:
            length, at = _varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            size = {1: 8, 5: 4}[tag & 7]
            value, at = data[at : at + size], at + size
        name, kind = fields.get(tag >> 3, (tag >> 3, None))
        found.setdefault(name, []).append(_value(value, kind))
    return found


def _value(value, kind):
    if isinstance(kind, dict):
        return decode(value, kind)
    if kind is TEXT:
        return value.decode()
    if kind is INTS:
        values, at = [], 0
        while at < len(value):
            one, at = _varint(value, at)
            values.append(one)
        return values
    return value


def _varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
