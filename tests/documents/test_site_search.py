"""The site asks nothing of the network, and searches in pages that are opened from the file system."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests import browser
from tests.processes import ROOT

PAGE = """\
<body><script src="iframe-worker.js"></script><script>
const worker = new Worker("answer.js");
worker.addEventListener("message", (event) => { document.title = event.data });
worker.postMessage("hello");
</script></body>
"""
ANSWER = 'addEventListener("message", (event) => postMessage(event.data.toUpperCase()));\n'
DEADLINE_S = 60


def test_the_configuration_names_no_other_place() -> None:
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "polyfills: [assets/iframe-worker.js]" in configuration  # or the plugin would load one from elsewhere
    assert not re.search(r"https?://", configuration)


@pytest.mark.skipif(browser.PROGRAM is None, reason="Debian's chromium is not installed")
def test_a_worker_answers_from_the_file_system(tmp_path: Path) -> None:
    assert browser.PROGRAM is not None
    (tmp_path / "iframe-worker.js").write_bytes((ROOT / "tools" / "iframe-worker.js").read_bytes())
    (tmp_path / "answer.js").write_text(ANSWER)
    (tmp_path / "page.html").write_text(PAGE)
    with browser.started(browser.PROGRAM, tmp_path) as shown:
        shown.open(tmp_path / "page.html")
        deadline = time.monotonic() + DEADLINE_S
        while shown.evaluate("document.title") != "HELLO":
            assert time.monotonic() < deadline
            time.sleep(0.05)
