# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text queries of pylance's module `lance.query`.

Their objects do not expose their arguments, so constructors record them. Queries that exist before
this module is imported cannot be converted.
"""

import dataclasses
import functools
import importlib.abc
import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from pyspark_lance import query

_MODULE = "lance.query"
_CLASSES = (
    query.MatchQuery,
    query.PhraseQuery,
    query.BoostQuery,
    query.MultiMatchQuery,
    query.CombinedFieldsQuery,
    query.BooleanQuery,
)
_arguments: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def watch() -> None:
    """Records the arguments of queries from now on, also if pylance is imported later."""
    module = sys.modules.get(_MODULE)
    if module is None:
        sys.meta_path.insert(0, _Finder())
    else:
        _record(module)


def is_query(value: object) -> bool:
    """Whether a value is a query of pylance."""
    return type(value).__module__ == _MODULE


def converted(value: object) -> query.FullTextQuery:
    """Returns a query of pylance as one of `pyspark_lance.query`.

    Raises:
        TypeError: Its arguments are unknown, or not supported.
    """
    name = type(value).__name__
    own = next((c for c in _CLASSES if c.__name__ == name), None)
    if own is None:
        raise TypeError(f"lance.query.{name} is not a full-text query")
    arguments = _arguments.get(value)
    if arguments is None:
        raise TypeError(
            f"the arguments of this lance.query.{name} are unknown, because it is older than the "
            f"import of pyspark_lance: create it again, or use pyspark_lance.query.{name}"
        )
    known = {f.name for f in dataclasses.fields(own)}
    given = {k: _own(v) for k, v in arguments.items() if k in known or v is not None}
    unknown = sorted(given.keys() - known)
    if unknown:
        raise TypeError(f"the argument {unknown[0]} of lance.query.{name} is not supported")
    return own(**given)


def _own(value: Any) -> Any:  # noqa: ANN401
    if is_query(value):
        if isinstance(value, Enum):
            return getattr(query, type(value).__name__)(value.value)
        return converted(value)
    return [_own(v) for v in value] if isinstance(value, list) else value


def _record(module: ModuleType) -> None:
    for own in _CLASSES:
        theirs = getattr(module, own.__name__, None)
        if theirs is not None:
            theirs.__init__ = _recording(theirs.__init__)


def _recording(init: Callable[..., None]) -> Callable[..., None]:
    signature = inspect.signature(init)

    @functools.wraps(init)
    def recorded(self: object, *args: object, **kwargs: object) -> None:
        init(self, *args, **kwargs)
        _, *given = signature.bind(self, *args, **kwargs).arguments.items()
        _arguments[self] = {name: _copied(value) for name, value in given}

    return recorded


def _copied(value: object) -> object:
    """A list may change after the constructor has read it."""
    if isinstance(value, list | tuple):
        return [_copied(v) for v in value]
    return value


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the module of pylance once, to change it after its import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                _record(module)

            setattr(spec.loader, "exec_module", executed)  # noqa: B010
        return spec


watch()
