# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Docstrings of the public API describe each function and each argument."""

import inspect
import re

import pyspark_lance
from pyspark_lance import builder, convert, merge, optimize, refs

MADE_BY_CALLS = [
    builder.LanceTableBuilder,
    merge.LanceMergeBuilder,
    merge.MergeInsertBuilder,
    optimize.TableOptimizer,
    refs.Branches,
    refs.Tags,
]


def called():
    """Names and functions of the package, and methods of its classes."""
    named = {name: getattr(pyspark_lance, name) for name in pyspark_lance.__all__}
    functions = {name: f for name, f in named.items() if inspect.isfunction(f)}
    functions["convert.from_parquet"] = convert.from_parquet
    classes = [c for c in named.values() if inspect.isclass(c) and not issubclass(c, Exception)]
    for cls in [*classes, *MADE_BY_CALLS]:
        for name, member in inspect.getmembers(cls):
            function = getattr(member, "__func__", member)
            if inspect.isfunction(function) and not name.startswith("_"):
                functions[f"{cls.__name__}.{name}"] = function
    return functions


def unexplained(function):
    """Missing parts of a docstring: arguments, or the description."""
    text = inspect.getdoc(function) or ""
    if not re.match(r"[A-Z]\S* .*[.:]", text):
        return ["what it does"]
    parameters = inspect.signature(inspect.unwrap(function)).parameters
    names = parameters.keys() - {"self", "cls"}
    return [name for name in names if not re.search(rf"^ +\**{name}: \S", text, re.MULTILINE)]


def test_docstrings_explain_every_argument():
    functions = called()
    assert len(functions) > 100
    assert {name: found for name, f in functions.items() if (found := unexplained(f))} == {}
