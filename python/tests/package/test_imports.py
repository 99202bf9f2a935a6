# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The modules of the package import each other without cycles, also within functions."""

import ast
import pkgutil
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pyspark_lance

NAME = pyspark_lance.__name__


def imports(module: str, is_package: bool, source: str, modules: set[str]) -> Iterator[str]:
    """Yields the modules that a module imports anywhere: at its top, in functions, for types."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name in modules)
            case ast.ImportFrom(module=origin, names=names, level=level):
                if level:
                    package = module.split(".")[: None if is_package else -1]
                    base = package[: len(package) - level + 1]
                    origin = ".".join([*base, *([origin] if origin else [])])
                for name in names:
                    member = f"{origin}.{name.name}"
                    if member in modules:
                        yield member
                    elif origin in modules:
                        yield origin
            case _:
                pass


def cycle(sources: dict[str, tuple[bool, str]]) -> list[str] | None:
    """Returns the modules of a cycle of imports; `None` if there is none."""
    graph = {
        module: set(imports(module, is_package, source, set(sources)))
        for module, (is_package, source) in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_modules_import_each_other_without_cycles():
    found = pkgutil.walk_packages(pyspark_lance.__path__, f"{NAME}.")
    sources = {NAME: (True, Path(pyspark_lance.__file__).read_text())}
    for module in found:
        path = Path(module.module_finder.path, module.name.rpartition(".")[2])
        file = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
        sources[module.name] = (module.ispkg, file.read_text())
    assert len(sources) > 30
    assert cycle(sources) is None


@pytest.mark.parametrize(
    "back",
    [
        "import p.a",
        "from p import a",
        "from p.a import f",
        "from . import a",
        "from .a import f",
        "def g():\n    from p.a import f",
        "if TYPE_CHECKING:\n    from p.a import f",
    ],
)
def test_a_cycle_is_found_at_any_import(back):
    sources = {"p": (True, ""), "p.a": (False, "from p.b import g"), "p.b": (False, back)}
    assert set(cycle(sources)) == {"p.a", "p.b"}
    assert cycle({**sources, "p.b": (False, "import p")}) is None


UNSAFE_MODULES = {
    "cloudpickle",
    "ftplib",
    "http",
    "marshal",
    "pickle",
    "requests",
    "shelve",
    "socket",
    "urllib3",
}
UNSAFE_NAMES = {"__import__", "compile", "eval", "exec", "urlopen", "urlretrieve"}


def unsafe(source: str) -> set[str]:
    """Returns the modules and functions of a module that run, unpickle, or download text."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found |= {name.name.partition(".")[0] for name in names} & UNSAFE_MODULES
            case ast.ImportFrom(module=str(module), names=names, level=0):
                found |= {module.partition(".")[0]} & UNSAFE_MODULES
                found |= {name.name for name in names} & UNSAFE_NAMES
            case ast.Call(func=ast.Name(id=name)) if name in UNSAFE_NAMES:
                found.add(name)
            case _:
                pass
    return found


def test_no_module_unpickles_downloads_or_evaluates_text():
    assert unsafe("import os, pickle\nfrom http.client import x\neval('1')") == {
        "pickle",
        "http",
        "eval",
    }
    files = list(Path(pyspark_lance.__file__).parent.rglob("*.py"))
    assert len(files) > 30
    assert {file.name: found for file in files if (found := unsafe(file.read_text()))} == {}
