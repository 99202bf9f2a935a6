# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The site of docs/ builds without warnings, is self-contained, and documents the package."""

import ast
import importlib.util
import inspect
import os
import pydoc
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import yaml

import pyspark_lance

pytestmark = pytest.mark.every_case

ROOT = Path(__file__).parents[2]
IMAGES = sorted((ROOT / "docs").rglob("*.svg"))
# Attributes that a browser loads without a click.
LOADED = {
    "script": ["src"],
    "link": ["href"],
    "img": ["src", "srcset"],
    "iframe": ["src"],
    "source": ["src", "srcset"],
    "object": ["data"],
    "use": ["href", "xlink:href"],
}
LINKS_ONLY = {"canonical", "prev", "next"}
PACKAGE = ROOT / "python" / "pyspark_lance"
MODULES = sorted(PACKAGE.rglob("*.py"))
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
SECTIONS = {"Args", "Attributes", "Examples", "Raises", "Returns", "Yields"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make docs` builds it.

    Not with `--quiet`, by which mkdocs drops warnings before `--strict` counts them.
    """
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Loaded(HTMLParser):
    """Collects the resources that a page loads, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if found.get("id"):
            self.ids.add(found["id"])
        if tag == "link" and set((found.get("rel") or "").split()) <= LINKS_ONLY:
            return
        self.sources += [found[name] for name in LOADED.get(tag, []) if found.get(name)]


def test_make_docs_builds_the_site_that_is_tested():
    recipe = re.search(r"^docs:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe
    assert "mkdocs build --strict" in recipe[1]


def test_pages_load_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        foreign = [s for s in Loaded(page).sources if re.match(r"(\w+:)?//", s.strip())]
        assert not foreign, f"{page.relative_to(site)} loads {foreign}"


def test_style_sheets_load_nothing_from_elsewhere(site):
    for sheet in site.rglob("*.css"):
        text = sheet.read_text()
        assert not re.findall(r"""(?:url\(|@import)\s*["']?\s*(?:https?:)?//""", text), sheet.name


def test_scripts_load_nothing(site):
    """The theme's script fetches mermaid for its diagrams, and facts of a named repository."""
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert 'class="mermaid"' not in text, page
        assert 'data-md-component="source"' not in text, page
        assert 'data-md-component="consent"' not in text, page


def test_text_is_rendered_as_intended(site):
    """Text that other dialects of Markdown would render differently."""
    for page in site.rglob("*.html"):
        for code in re.findall(r"<code>(.*?)</code>", page.read_text()):
            assert "\\|" not in code, f"{page.parent.name}: {code}"


def test_examples_of_docstrings_are_shown_as_code(site):
    """Markdown renders `>>>` outside of a code block as nested quotations."""
    shown = 0
    for page in (site / "api").rglob("*.html"):
        text = page.read_text()
        assert "<blockquote" not in text, page.relative_to(site)
        assert "&gt;&gt;&gt;" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL), page
        shown += len(re.findall(r'<pre>(?:<span></span>)?<code><span class="gp">', text))
    assert shown > 30


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_docstrings_use_known_sections(module):
    """`Example:` is not a section of Google's style for the site, but an admonition."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, DOCUMENTED):
            text = ast.get_docstring(node) or ""
            named = set(re.findall(r"^(\w[\w ]*):\n +\S", text, re.MULTILINE))
            assert named <= SECTIONS, f"line {getattr(node, 'lineno', 1)}: {named - SECTIONS}"


def documented_functions():
    """The functions and public methods on the pages of docs/api, by name."""
    pages = "\n".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    found = {}
    for name in re.findall(r"^::: (\S+)", pages, re.MULTILINE):
        item = pydoc.locate(name)
        assert item is not None, name
        if inspect.isclass(item):
            methods = inspect.getmembers(item, lambda m: inspect.isroutine(m))
            found |= {
                f"{name}.{key}": method
                for key, method in methods
                if not key.startswith("_")
                and key != "run"  # mkdocs.yml excludes it
                and getattr(method, "__module__", "").startswith("pyspark_lance")
            }
        elif inspect.isfunction(item):
            found[name] = item
    return found


def test_pages_of_the_python_api_describe_parameters_and_results():
    functions = documented_functions()
    assert len(functions) > 100
    missing = []
    for name, function in functions.items():
        text = inspect.getdoc(function) or ""
        signature = inspect.signature(function)
        for parameter in signature.parameters.values():
            if not re.search(rf"^ *\*{{0,2}}{parameter.name}:", text, re.MULTILINE):
                missing.append(f"{name}: {parameter.name}")
        has_result = signature.return_annotation not in (None, "None")
        if has_result and not re.search(r"\b[Rr]eturns?\b|^Yields", text):
            missing.append(f"{name}: the result")
    missing = [entry for entry in missing if not entry.endswith((": self", ": cls"))]
    assert not missing, "\n".join(missing)


# Names of classes and attributes of the implementation.
INTERNAL_CLASSES = r"TableHandle|TableBase|TableReference|TableParts|py4j|JavaObject"
INTERNAL_ATTRIBUTES = {"handle", "target", "source", "pin", "reference", "writable", "jvm"}


def test_pages_of_the_python_api_show_no_internals(site):
    names = {name for page in (site / "api").rglob("*.html") for name in Loaded(page).ids}
    objects = {name for name in names if name.startswith("pyspark_lance.")}
    assert len(objects) > 150
    for name in objects:
        last = name.rpartition(".")[2]
        assert not last.startswith("_"), name
        # `source` and `target` are parameters of functions, whose ids have parentheses.
        assert last not in INTERNAL_ATTRIBUTES, name
    for page in (site / "api").rglob("*.html"):
        text = re.sub(r"<[^>]+>", " ", page.read_text())
        assert not re.findall(INTERNAL_CLASSES, text), page.relative_to(site)


def test_public_classes_have_no_undocumented_attributes():
    pages = "\n".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    classes = [
        item
        for item in map(pydoc.locate, re.findall(r"^::: (\S+)", pages, re.MULTILINE))
        if inspect.isclass(item)
    ]
    assert len(classes) > 15
    for item in classes:
        tree = ast.parse(inspect.getsource(item))
        sources = "".join(
            inspect.getsource(base)
            for base in item.__mro__
            if base.__module__.startswith("pyspark_lance")
        )
        fields = {
            node.target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        assigned = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        for name in fields | assigned:
            documented = re.search(rf"^ +{name}: ", sources, re.MULTILINE)
            assert name.startswith("_") or name.isupper() or documented, f"{item.__name__}.{name}"


def pages_of(section):
    """The pages of a section of mkdocs.yml. A subsection is a list of its entries."""
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    (pages,) = (entry[section] for entry in nav if section in entry)
    return [file for page in pages for file in page.values()]


# Each of their sections has its own examples.
GUIDES_IN_PARTS = {"cookbook.md", "streaming.md"}


@pytest.mark.parametrize("page", sorted(set(pages_of("Guides")) - GUIDES_IN_PARTS))
def test_guides_begin_with_an_example(page):
    beginning = (ROOT / "docs" / page).read_text().partition("\n## ")[0]
    assert "\n```" in beginning


def test_the_site_has_all_sections():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    sections = [name for entry in nav for name, pages in entry.items() if isinstance(pages, list)]
    assert sections == ["Guides", "Migration", "Reference", "Operations", "Internals"]
    assert {"options.md", "sql.md", "metadata-tables.md", "api/errors.md"} <= {
        page for page in pages_of("Reference") if isinstance(page, str)
    }
    assert pages_of("Operations") == [
        "tuning.md",
        "troubleshooting.md",
        "threat-model.md",
        "benchmarks.md",
    ]


def test_every_public_name_is_documented(site):
    ids = {name for page in site.rglob("*.html") for name in Loaded(page).ids}
    absent = [
        name
        for name in pyspark_lance.__all__
        if name != "__version__" and f"pyspark_lance.{name}" not in ids
    ]
    assert not absent, f"add `::: pyspark_lance.<name>` to a page of docs/api for {absent}"


def test_the_internals_have_the_format_map_and_all_decisions():
    decisions = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    assert len(decisions) > 20
    nav = pages_of("Internals")
    assert nav[:3] == ["how-it-works.md", "format-support.md", "format-map.md"]
    listed = [page for entry in nav[3][1:] for page in entry.values()]
    assert nav[3][0] == "decisions/index.md"
    assert listed == [f"decisions/{d.name}" for d in decisions]
    index = (ROOT / "docs" / "decisions" / "index.md").read_text()
    rows = re.findall(r"^\| \[(\d{4}) [^\]]+\]\(([^)]+)\) \| .{20,} \|$", index, re.MULTILINE)
    assert sorted(rows) == [(d.name[:4], d.name) for d in decisions]


def test_links_to_sources_lead_to_the_repository(site):
    project = (ROOT / "python" / "pyproject.toml").read_text()
    repository = re.search(r'^Source = "(.*)"$', project, re.MULTILINE)
    assert repository
    address = f'href="{repository[1]}/blob/main/'
    links = re.findall(f'{address}([^"]+)', (site / "format-map" / "index.html").read_text())
    assert len(links) > 600
    for link in links:
        assert (ROOT / link).is_file(), link


@pytest.mark.parametrize("target", ["../src/main/Absent.scala", "../../elsewhere/README.md"])
def test_links_to_absent_sources_are_warnings(target, caplog):
    specification = importlib.util.spec_from_file_location(
        "mkdocs_hooks", ROOT / "python" / "mkdocs_hooks.py"
    )
    hooks = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(hooks)
    page = SimpleNamespace(file=SimpleNamespace(src_uri="read.md"))
    config = SimpleNamespace(
        docs_dir=str(ROOT / "docs"), extra={"repository": "https://example.org/"}
    )
    text = f"See [the code]({target}), [write](write.md#modes), and [version](../version.txt#a)."
    shown = hooks.on_page_markdown(text, page, config)
    assert f"[the code]({target}), [write](write.md#modes)" in shown
    assert "[version](https://example.org/version.txt#a)" in shown
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_every_page_has_links(site):
    """Every page of the site is linked."""
    home = (site / "index.html").read_text()
    for page in site.rglob("index.html"):
        address = f"{page.parent.relative_to(site)}/"
        assert address == "./" or f'href="{address}"' in home, address


@pytest.mark.parametrize("image", IMAGES, ids=lambda p: p.name)
def test_diagrams_are_self_contained(image):
    root = ElementTree.parse(image).getroot()
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg"
    assert root.get("viewBox")
    assert root.findtext(f"{svg}title")
    for element in root.iter():
        assert element.tag not in (f"{svg}script", f"{svg}image", f"{svg}foreignObject")
        for name, value in element.attrib.items():
            assert "//" not in value, f"{image.name}: {name}={value}"


def test_diagrams_are_readable_in_light_and_dark():
    """Text in a box stands out from the box, text outside from both backgrounds of the site."""
    assert IMAGES
    for image in IMAGES:
        classes = dict(re.findall(r"\.([\w-]+) *\{[^}]*fill: *(#[0-9a-f]{6})", image.read_text()))
        for name, fill in classes.items():
            if name.startswith("on-"):
                assert contrast(fill, classes[name.removeprefix("on-")]) >= 4.5, (image.name, name)
            elif name.startswith("free"):
                for background in ("#ffffff", "#1e2129"):
                    assert contrast(fill, background) >= 3.8, (image.name, name, background)


def contrast(one, other):
    """Returns the contrast ratio of WCAG 2."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
