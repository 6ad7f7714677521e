"""The built documentation: strict, whole, and asking no network for anything."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest

import typeone
from documents import ROOT
from typeone.cli.root import tree

# What a browser fetches by itself; an anchor's href is fetched only by a reader who clicks on it.
FETCHED = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "audio": "src", "video": "src", "embed": "src",
    "object": "data", "use": "href", "image": "href",
}  # fmt: skip
FETCHED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest", "preconnect", "dns-prefetch"}
STYLE_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""")


class Page(HTMLParser):
    """The addresses that a page fetches, the ids it has, and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)
        self.fetched += STYLE_ADDRESS.findall(" ".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found.get("id", ""), found.get("name", "")}
        if tag in FETCHED and FETCHED[tag] in found:
            self.fetched.append(found[FETCHED[tag]])
        if tag == "link" and FETCHED_LINKS & set(found.get("rel", "").split()):
            self.fetched.append(found["href"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        self.fetched += [part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()]
        self.fetched += STYLE_ADDRESS.findall(found.get("style", ""))


def is_outside(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="preconnect" href="//fonts.example">', True),
        ('<p style="background: url(http://x.example/a.png)">', True),
        ('<img srcset="a.png 1x, https://x.example/b.png 2x">', True),
        ("<style>@import 'https://x.example/a.css';</style>", True),
        ('<a href="https://x.example">a link</a><img src="a.png"><img src="data:,">', False),
    ],
)
def test_what_is_fetched_from_outside_is_seen(text: str, outside: bool) -> None:
    assert any(map(is_outside, Page(text).fetched)) == outside


@pytest.mark.slow
def test_no_page_fetches_anything_from_outside(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= 14
    for file in pages:
        fetched = Page(file.read_text(encoding="utf-8")).fetched
        assert len(fetched) >= 3, file
        for address in fetched:
            assert not is_outside(address), f"{file.name}: {address}"
            if file.name != "404.html" and not address.startswith(("data:", "#")):
                assert (file.parent / urlsplit(address).path).is_file(), f"{file.name}: {address}"
    for sheet in site.rglob("*.css"):
        assert not [a for a in STYLE_ADDRESS.findall(sheet.read_text(encoding="utf-8")) if is_outside(a)], sheet


def test_links_lead_somewhere(site: Path) -> None:
    pages = {file.resolve(): Page(file.read_text(encoding="utf-8")) for file in site.rglob("*.html")}
    for file, page in pages.items():
        for link in page.links if file.name != "404.html" else []:
            parts = urlsplit(link)
            if parts.netloc or not (parts.path or parts.fragment) or link == ".":
                continue
            target = (file.parent / parts.path).resolve() if parts.path else file
            assert target.is_file(), f"{file.name}: {link}"
            if parts.fragment and target in pages:
                assert parts.fragment in pages[target].ids, f"{file.name}: {link}"


def test_only_pages_are_in_the_site(site: Path) -> None:
    assert not [file for file in site.rglob("*") if file.suffix in (".py", ".toml", ".md")]


def leaves(branches: dict[str, Any]) -> int:
    return sum(1 if isinstance(branch, Path) else leaves(branch) for branch in branches.values())


@pytest.mark.parametrize("generator", ["commands_page"], indirect=True)
def test_every_command_is_in_the_reference(generator: ModuleType, site: Path) -> None:
    text = generator.page()
    assert len(re.findall(r"^###? typeone [\w -]+$", text, re.MULTILINE)) == leaves(tree()) + sum(
        not isinstance(branch, Path) for branch in tree().values()
    )
    for known in ("--at-most", "--max-failures", "--theta", "Further arguments"):
        assert known in text
    built = (site / "commands.html").read_text(encoding="utf-8")
    for heading in re.findall(r"^###? (typeone [\w -]+)$", text, re.MULTILINE):
        assert f">{heading}<" in built


@pytest.mark.parametrize("generator", ["api_pages"], indirect=True)
@pytest.mark.parametrize("name", ["scf", "jecs", "panels", "pooling"])
def test_every_public_name_is_in_the_reference(generator: ModuleType, site: Path, name: str) -> None:
    built = (site / "methods" / f"{name}.html").read_text(encoding="utf-8")
    for public in getattr(typeone, name).__all__:
        assert f"typeone.{name}.{public}<" in built


@pytest.mark.parametrize("generator", ["results_page"], indirect=True)
class TestResults:
    def test_every_part_is_there(self, generator: ModuleType) -> None:
        text = generator.page(ROOT)
        for folder in ("scf", "jecs", "panels", "pooling"):
            first = (ROOT / "results" / folder / "README.md").read_text(encoding="utf-8").splitlines()[0]
            assert f"#{first}" in text.splitlines()

    def test_speed_is_picked_up_when_it_is_there(self, generator: ModuleType, tmp_path: Path) -> None:
        shutil.copytree(ROOT / "results" / "pooling", tmp_path / "results" / "pooling")
        assert "does not exist in this copy" in generator.page(tmp_path)
        speed = tmp_path / "results" / "benchmarks"
        speed.mkdir()
        speed.joinpath("README.md").write_text("# Ratios\n\n![a](a.svg)\n\n| a |\n| --- |\n" + "| 4.25 |\n" * 20)
        text = generator.page(tmp_path)
        assert "does not exist" not in text
        assert "## Ratios" in text
        assert text.count("| 4.25 |") == generator.MOST_ROWS
        assert f"*{20 - generator.MOST_ROWS} more rows in `results/benchmarks/README.md`.*" in text
        assert generator.pictures(tmp_path)["results/benchmarks/a.svg"] == speed / "a.svg"
