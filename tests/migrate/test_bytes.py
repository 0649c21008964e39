"""Bytes in, bytes out: encodings, line ends and odd layout survive, and only the edits differ."""

from __future__ import annotations

import pytest

from migrate import rewrite

OLD = "import doca_comm_channel as cc\nfor info in cc.devices():\n    print(info.get_pci_addr_str())\n"
NEW = "import comch_next as comch\nfor info in comch.devices():\n    print(info.pci_addr_str)\n"
KEPT = "import doca_comm_channel as cc\n\ndef f(x):\n\tif x:\n\t\treturn vars(cc)\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_are_kept(newline: str) -> None:
    assert rewrite(OLD.replace("\n", newline).encode()).new == NEW.replace("\n", newline).encode()


def test_mixed_line_ends_are_kept() -> None:
    old = b"import doca_comm_channel as cc\r\nx = 1\nfor info in cc.devices():\r\n    print(info)\n"
    new = rewrite(old).new
    assert b"\r\n" in new
    assert b"x = 1\n" in new
    assert rewrite(new).new == new


@pytest.mark.parametrize("text", [OLD, KEPT])
def test_a_missing_last_line_end_stays_missing(text: str) -> None:
    new = rewrite(text.rstrip("\n").encode()).new
    assert not new.endswith(b"\n")
    assert new + b"\n" == rewrite(text.encode()).new


def test_a_byte_order_mark_is_kept() -> None:
    assert rewrite(b"\xef\xbb\xbf" + OLD.encode()).new == b"\xef\xbb\xbf" + NEW.encode()


@pytest.mark.parametrize("cookie", ["latin-1", "utf-8", "cp1252"])
def test_the_cookie_decides_the_encoding(cookie: str) -> None:
    head = f"#!/usr/bin/env python3\n# -*- coding: {cookie} -*-\ngrüße = 'ä'; "
    old = head + "import doca_comm_channel as cc\nprint('ö', cc.Again, 'ü')\n"
    new = head + "import comch_next as comch\nprint('ö', comch.Again, 'ü')\n"
    assert rewrite(old.encode(cookie)).new == new.encode(cookie)


def test_columns_are_characters_not_bytes() -> None:
    old = "import doca_comm_channel as cc\nprint('äöü', cc.Again)  # ß\n"
    assert rewrite(old.encode()).new.decode() == "import comch_next as comch\nprint('äöü', comch.Again)  # ß\n"


def test_form_feeds_and_tabs_are_kept() -> None:
    old = "import doca_comm_channel as cc\n\f\ndef f():\n\treturn cc.Again  \n\n\n\f# end\n"
    new = old.replace("doca_comm_channel as cc", "comch_next as comch").replace("cc.", "comch.")
    assert rewrite(old.encode()).new.decode() == new


def test_statements_take_the_indentation_of_their_block() -> None:
    old = (
        "import doca_comm_channel as cc\ndef f():\n\tdev = cc.open_device('b1:00.0')\n\tep = cc.Endpoint()\n"
        "\tep.set_device(dev)\n\ttry:\n\t\tpeer = ep.connect('svc')\n\tfinally:\n\t\tep.destroy()\nf()\n"
    )
    new = rewrite(old.encode()).new.decode()
    assert "\tep.device = dev\n\ttry:\n\t\tpeer = ep.connect('svc', timeout=0)\n\tfinally:\n\t\tep.close()\n" in new


def test_coded_comments_keep_the_layout() -> None:
    new = rewrite(KEPT.replace("\n", "\r\n").encode()).new.decode()
    assert "\r\n\t\t# CCM009: " in new
    assert new.count("\n") == new.count("\r\n")


@pytest.mark.parametrize(
    "text",
    [
        'import doca_comm_channel as cc\nprint "old", cc\n',
        "import doca_comm_channel as {{ name }}\n",
        "import doca_comm_channel as cc\nx = 'unfinished\n",
        "# coding: no-such-encoding\nimport doca_comm_channel\n",
    ],
)
def test_what_is_not_python_is_skipped_with_a_code(text: str) -> None:
    outcome = rewrite(text.encode())
    assert (outcome.skipped, outcome.new) == ("CCM001", text.encode())
    assert outcome.reason


def test_a_stale_comment_goes_with_its_cause() -> None:
    once = rewrite(b"import doca_comm_channel as cc\nprint(vars(cc))\n").new
    solved = once.replace(b"vars(cc)", b"cc.Again")
    assert rewrite(solved).new == b"import comch_next as comch\nprint(comch.Again)\n"
