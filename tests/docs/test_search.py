"""The built documentation in a real browser, from disk: search works, and no request leaves it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from report.test_browser import BROWSER, DRIVER, FLAGS, By, Keys, Options, Service, webdriver


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.mark.slow
def test_search_works_from_disk_without_a_request(site: Path, browser: webdriver.Chrome) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get("about:blank")
    browser.get_log("performance")  # what the browser's own first page asked for
    browser.get((site / "tutorials" / "engineer.html").as_uri())
    field = browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
    field.send_keys("hypergeometric")
    found = WebDriverWait(browser, 30).until(
        lambda b: [e.get_attribute("href") for e in b.find_elements(By.CSS_SELECTOR, ".md-search-result__link")]
    )
    assert any("methods/panels.html" in link for link in found)
    field.send_keys(Keys.ENTER)
    errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert errors == []
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    addresses = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    assert len(addresses) > 3
    assert [address for address in addresses if not address.startswith(("file:", "data:"))] == []
