#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A browser without a screen, for tests and pictures of pages: Debian's
chromium, led by its chromedriver over selenium. It reaches this machine alone.

    browser.py PAGE.html PICTURE.png WIDTH HEIGHT

draws the upper left of a page, WIDTH x HEIGHT pixels of it."""
import contextlib
import json
import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import mesh
from guard import GUARD_S

# Pairs of text boxes that lie on each other, as "text | text": of all elements
# that are seen and have text of their own.
OVERLAPS = """
const boxes = [...document.querySelectorAll('body *')].filter(e =>
    [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim() !== '')
    && e.checkVisibility()
    && !['SCRIPT', 'STYLE', 'OPTION', 'NOSCRIPT'].includes(e.tagName))
  .map(e => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return [e, range.getBoundingClientRect()];
  }).filter(([, box]) => box.width > 0 && box.height > 0);
const found = [];
boxes.sort((a, b) => a[1].top - b[1].top);
for (let i = 0; i < boxes.length; ++i) {
  for (let j = i + 1; j < boxes.length; ++j) {
    const [one, a] = boxes[i], [other, b] = boxes[j];
    if (b.top >= a.bottom - 2) break;
    if (one.contains(other) || other.contains(one)) continue;
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4) {
      found.push(`${one.textContent.slice(0, 40)} | `
        + other.textContent.slice(0, 40));
    }
  }
}
return found;
"""


class Window:
    """One window; a page at a time."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path):
        self.open_at(path.resolve().as_uri())

    def open_at(self, address):
        self.driver.get_log("performance")  # those of the page before
        self.driver.get(address)
        self.settle()

    def settle(self):
        """Until what was asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() =>"
            "requestAnimationFrame(() => done()));")

    def messages(self):
        """What the console had to say since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """The addresses that were asked for since open(), but for those that
        are data themselves."""
        events = [json.loads(entry["message"])["message"]
                  for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"
                and not event["params"]["request"]["url"].startswith("data:")]

    def run(self, script):
        return self.driver.execute_script(script)

    def text(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def press(self, key):
        self.driver.switch_to.active_element.send_keys(getattr(Keys, key))

    def set_value(self, selector, value):
        """As a hand on a slider does."""
        self.driver.execute_script(
            "const e = document.querySelector(arguments[0]);"
            "e.value = arguments[1]; e.dispatchEvent(new Event('input'));",
            selector, str(value))

    def picture(self, selector):
        return self.run(
            f"return document.querySelector('{selector}').toDataURL()")

    def facts(self, selector):
        """{name: value} of a table of two columns."""
        return dict(self.run(
            f"return [...document.querySelectorAll('{selector} tr')].map("
            "row => [row.cells[0].textContent, row.cells[1].textContent])"))

    def wait(self, condition):
        """Until a condition of the page's script holds."""
        mesh.until(lambda: self.run(f"return {condition}"))

    def resize(self, width, height):
        """The page's own width, whatever a window's least one is."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": False})

    def misfits(self):
        """{width of the window: (overlapping texts, pixels beyond it)} of what
        does not fit, on a phone, a tablet and a screen."""
        found = {}
        for width in (360, 800, 1400):
            self.resize(width, 900)
            self.settle()
            overlaps = self.run(OVERLAPS)
            beyond = self.run("return document.documentElement.scrollWidth"
                              " - document.documentElement.clientWidth")
            if overlaps != [] or beyond > 0:
                found[width] = (overlaps, beyond)
        return found


@contextlib.contextmanager
def window():
    """A Window; the browser is gone afterwards."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                     "--window-size=1200,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs",
                           {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"),
                              options=options)
    try:
        driver.set_page_load_timeout(GUARD_S)
        driver.set_script_timeout(GUARD_S)
        yield Window(driver)
    finally:
        driver.quit()


def main(page, picture, width, height):
    with window() as shown:
        shown.resize(int(width), int(height))
        shown.open(pathlib.Path(page))
        shown.driver.save_screenshot(picture)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
