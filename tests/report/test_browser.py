"""The page in a real browser: what scripts add works, and nothing leaves the page."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
missing = [file for file in (BROWSER, DRIVER) if not os.access(file, os.X_OK)]
if missing:
    pytest.skip(f"no headless browser: {', '.join(missing)} not installed", allow_module_level=True)
pytest.importorskip("selenium", reason="no headless browser: selenium is not installed")

# ruff: noqa: E402  # what follows is there only when the browser is
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = BROWSER
    profile = tmp_path_factory.mktemp("profile")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture(scope="module")
def files(page: str, result: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of a run's page and of a result's page on the disk, in a folder with a space."""
    folder = tmp_path_factory.mktemp("a page")
    for name, document in (("run", page), ("result", result)):
        (folder / f"{name}.html").write_text(document, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in ("run", "result")}


@pytest.fixture
def opened(browser: webdriver.Chrome, files: dict[str, str]) -> webdriver.Chrome:
    """The run's page, freshly loaded."""
    browser.get("about:blank")
    browser.get(files["run"])
    return browser


def column(browser: webdriver.Chrome, table: str, name: str) -> list[str]:
    """The visible texts of a column."""
    script = """
      const table = document.getElementById(arguments[0]);
      const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
      const place = heads.indexOf(arguments[1]);
      return [...table.tBodies[0].rows].filter((row) => row.offsetParent).map((row) => row.cells[place].textContent);
    """
    found: list[str] = browser.execute_script(script, table, name)
    return found


def head(browser: webdriver.Chrome, table: str, name: str) -> WebElement:
    heads = browser.find_elements(By.CSS_SELECTOR, f"#{table} th")
    return next(element for element in heads if element.text.split("\n")[0].strip(" ↕↑↓") == name)


def tools(browser: webdriver.Chrome, table: str) -> WebElement:
    found: WebElement = browser.execute_script(
        "return document.getElementById(arguments[0]).parentElement.previousElementSibling", table
    )
    return found


def until(condition: Any) -> None:
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end, "nothing happened in 5 s"
        time.sleep(0.02)


def test_everything_is_there_without_errors_or_requests(browser: webdriver.Chrome, files: dict[str, str]) -> None:
    for name, address in files.items():
        browser.get("about:blank")
        browser.get_log("performance")
        browser.get(address)
        for figure in browser.find_elements(By.CSS_SELECTOR, "figure svg"):
            assert figure.size["width"] > 200
            assert figure.size["height"] > 100
        tables = browser.find_elements(By.TAG_NAME, "table")
        assert len(tables) >= {"run": 8, "result": 2}[name]
        assert all(table.is_displayed() for table in tables)
        assert browser.get_log("browser") == []
        events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
        assert {url for url in asked if not url.startswith("data:")} == {address}


def test_nothing_can_be_loaded_even_by_a_script(opened: webdriver.Chrome) -> None:
    refused = opened.execute_async_script(
        "const done = arguments[0]; fetch('http://127.0.0.1:9/x').then(() => done(false), () => done(true));"
    )
    assert refused
    assert any("Content Security Policy" in entry["message"] for entry in opened.get_log("browser"))


def test_sorting_is_by_number_both_ways_and_by_text(opened: webdriver.Chrome) -> None:
    before = column(opened, "estimates", "estimate")
    button = head(opened, "estimates", "estimate").find_element(By.TAG_NAME, "button")
    button.send_keys(Keys.ENTER)
    assert head(opened, "estimates", "estimate").get_attribute("aria-sort") == "ascending"
    rising = column(opened, "estimates", "estimate")
    assert rising == sorted(before, key=float)
    assert rising != before
    button.click()
    assert column(opened, "estimates", "estimate") == sorted(before, key=float, reverse=True)
    head(opened, "estimates", "method").find_element(By.TAG_NAME, "button").click()
    methods = column(opened, "estimates", "method")
    assert methods == sorted(methods)
    assert head(opened, "estimates", "estimate").get_attribute("aria-sort") is None


def test_filters_by_words_and_by_choice(opened: webdriver.Chrome) -> None:
    total = len(column(opened, "estimates", "method"))
    bar = tools(opened, "estimates")
    bar.find_element(By.TAG_NAME, "input").send_keys("bold error")
    assert set(column(opened, "estimates", "method")) == {"bold"}
    assert set(column(opened, "estimates", "measure")) == {"error"}
    choice = next(label for label in bar.find_elements(By.TAG_NAME, "label") if label.text.startswith("level"))
    Select(choice.find_element(By.TAG_NAME, "select")).select_by_visible_text("0.1")
    assert column(opened, "estimates", "level") == ["0.1", "0.1"]
    assert bar.find_element(By.TAG_NAME, "output").text == f"2 of {total} rows"
    bar.find_element(By.TAG_NAME, "button").click()
    assert len(column(opened, "estimates", "method")) == total


def test_a_mark_shows_its_values_lights_its_row_and_leads_there(opened: webdriver.Chrome) -> None:
    marks = opened.find_elements(By.CSS_SELECTOR, "#figure-1 svg a[href^='#row-']")
    assert len(marks) == 8
    row = opened.find_element(By.ID, str(marks[0].get_dom_attribute("href")).partition("#")[2])
    tools(opened, "estimates").find_element(By.TAG_NAME, "input").send_keys("no such words")
    assert not row.is_displayed()
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", marks[0])
    webdriver.ActionChains(opened).move_to_element(marks[0]).perform()
    tip = opened.find_element(By.ID, "tip")
    until(tip.is_displayed)
    estimate = row.find_elements(By.CSS_SELECTOR, "td.n")[0].get_attribute("textContent")
    assert f", error at 0.05, cell 0: {estimate} ±" in tip.text
    assert "hot" in str(row.get_attribute("class"))
    opened.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", marks[0])
    until(row.is_displayed)
    assert row.is_displayed()


def test_a_row_lights_its_marks(opened: webdriver.Chrome) -> None:
    mark = opened.find_element(By.CSS_SELECTOR, "#figure-1 svg a[href^='#row-']")
    row = opened.find_element(By.ID, str(mark.get_dom_attribute("href")).partition("#")[2])
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", row)
    webdriver.ActionChains(opened).move_to_element(row).perform()
    until(lambda: "hot" in str(mark.get_attribute("class")))


def test_the_theme_follows_the_system_and_a_button(opened: webdriver.Chrome) -> None:
    def paper() -> str:
        found: str = opened.execute_script("return getComputedStyle(document.body).backgroundColor")
        return found

    def prefer(theme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": theme}]
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    prefer("light")
    light = paper()
    prefer("dark")
    dark = paper()
    assert (light, dark) == ("rgb(254, 254, 254)", "rgb(22, 24, 28)")
    opened.find_element(By.ID, "theme").click()
    assert paper() == light
    prefer("light")
    opened.find_element(By.ID, "theme").click()
    assert paper() == dark
    words = "return getComputedStyle(document.querySelector('figure svg text')).fill"
    assert opened.execute_script(words) == "rgb(231, 233, 237)"
    prefer("")


def test_a_phone_scrolls_down_only(opened: webdriver.Chrome) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert opened.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_scripts_everything_is_readable(browser: webdriver.Chrome, files: dict[str, str]) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get("about:blank")
        browser.get(files["run"])
        assert browser.find_elements(By.CLASS_NAME, "tools") == []
        assert browser.find_elements(By.ID, "theme") == []
        rows = browser.find_elements(By.CSS_SELECTOR, "#estimates tbody tr")
        assert len(rows) == 28
        assert all(row.is_displayed() for row in rows)
        marks = browser.find_elements(By.CSS_SELECTOR, "#figure-1 svg a title")
        assert len(marks) == 8
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_it_prints_all_rows_on_light_paper(opened: webdriver.Chrome, tmp_path: Path) -> None:
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not opened.find_element(By.ID, "theme").is_displayed()
        assert not tools(opened, "estimates").is_displayed()
        assert len(column(opened, "estimates", "method")) == 28
        assert opened.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        printed = opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
        assert len(printed["data"]) > 40_000
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_the_keyboard_reaches_the_answer_first(opened: webdriver.Chrome) -> None:
    webdriver.ActionChains(opened).send_keys(Keys.TAB).perform()
    first = opened.switch_to.active_element
    assert first.text == "Skip to the answer"
    assert first.is_displayed()
    assert opened.execute_script("return [...document.querySelectorAll('svg a')].every((a) => a.tabIndex < 0)")
