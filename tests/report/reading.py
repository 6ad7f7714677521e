"""A page as a reader without a browser sees it."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "hr", "img"}


@dataclass
class Page(HTMLParser):
    """Tags must close in order; ids, links, headings, tables (rows of text) and figures are kept."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    text: str = ""
    _open: list[str] = field(default_factory=list)
    _table: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    @classmethod
    def of(cls, document: str) -> Page:
        page = cls()
        page.feed(document)
        page.close()
        assert not page._open
        return page

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.ids.append(values["id"])
        for name in ("href", "xlink:href"):
            if name in values:
                self._link(values[name], values.get("download"))
        self.loads += [values[name] for name in ("src", "srcset", "action", "data") if name in values]
        if values.get("role") == "img":
            self.labels.append(values["aria-label"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)
        if tag == "table":
            self._table = values["id"]
            self.tables[self._table] = []
        if tag == "tr" and self._table:
            self.tables[self._table].append([])
        if tag in ("td", "th"):
            self.tables[self._table][-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def _link(self, target: str, name: str | None) -> None:
        if name is None:
            self.links.append(target)
        else:
            head, _, data = target.partition(",")
            assert head.startswith("data:")
            assert head.endswith(";base64")
            self.files[name] = base64.b64decode(data)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes nothing"
        if tag == "table":
            self._table = ""

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data
        if self._table and {"td", "th"} & set(self._open):
            self.tables[self._table][-1][-1] += data
