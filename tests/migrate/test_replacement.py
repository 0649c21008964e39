"""Writing a file: what is kept, what is refused, and whose change is never lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from migrate import _replacement
from migrate._replacement import Replacement
from migrate.files import FileError

OLD, NEW = b"old\n", b"new\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.py"
    path.write_bytes(OLD)
    return path


def replace(path: Path) -> None:
    Replacement(path, OLD, NEW).commit()


def alone(path: Path) -> bool:
    return [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_new_text_takes_its_place_with_nothing_beside_it(file: Path) -> None:
    replace(file)
    assert file.read_bytes() == NEW
    assert alone(file)


def test_what_is_prepared_and_discarded_leaves_nothing(file: Path) -> None:
    Replacement(file, OLD, NEW).discard()
    assert file.read_bytes() == OLD
    assert alone(file)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4755, 0o2770])
def test_the_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    replace(file)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_owner_and_group_are_kept(file: Path) -> None:
    if os.getuid():
        pytest.skip("only root can give a file away")
    os.chown(file, 12345, 23456)
    file.chmod(0o4750)
    replace(file)
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o4750)


def test_a_file_whose_owner_cannot_be_kept_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    real = os.fstat

    def another(handle: int) -> os.stat_result:
        fields = list(real(handle))
        fields[4] += 1
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fchown", refused)
    monkeypatch.setattr(os, "fstat", another)
    with pytest.raises(FileError, match="owner"):
        replace(file)
    assert file.read_bytes() == OLD
    assert alone(file)


def set_attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"this file system has no {name}: {error}")


def test_attributes_are_kept(file: Path) -> None:
    set_attribute(file, "user.note", b"mine\0")
    replace(file)
    assert os.getxattr(file, "user.note") == b"mine\0"


def access_list(*users: tuple[int, int]) -> bytes:
    """A POSIX access list as the kernel stores it: version 2, then tag, permissions and id of each entry."""
    entries = [
        (1, 6, -1),
        *((2, permissions, user) for user, permissions in users),
        (4, 4, -1),
        (16, 6, -1),
        (32, 0, -1),
    ]
    return (2).to_bytes(4, "little") + b"".join(
        tag.to_bytes(2, "little") + permissions.to_bytes(2, "little") + number.to_bytes(4, "little", signed=True)
        for tag, permissions, number in entries
    )


def test_access_lists_are_kept(file: Path) -> None:
    wanted = access_list((12345, 4))
    set_attribute(file, "system.posix_acl_access", wanted)
    mode = file.stat().st_mode
    replace(file)
    assert os.getxattr(file, "system.posix_acl_access") == wanted
    assert file.stat().st_mode == mode


def test_a_folder_s_default_access_list_is_not_given_to_a_file_without_one(file: Path) -> None:
    set_attribute(file.parent, "system.posix_acl_default", access_list((12345, 6)))
    replace(file)
    assert "system.posix_acl_access" not in os.listxattr(file)


def test_an_attribute_that_cannot_be_kept_refuses_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_attribute(file, "user.note", b"mine")

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refused)
    with pytest.raises(FileError, match="attributes"):
        replace(file)
    assert file.read_bytes() == OLD
    assert alone(file)


def test_links_are_kept(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(file.name)
    replace(link)
    assert link.is_symlink()
    assert file.read_bytes() == NEW


def test_hard_links_and_read_only_files_are_refused(file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / "other")
    with pytest.raises(FileError, match="hard links"):
        replace(file)
    (tmp_path / "other").unlink()
    file.chmod(0o444)
    with pytest.raises(FileError, match="read-only"):
        replace(file)
    assert file.read_bytes() == OLD


def test_a_file_that_changes_before_it_is_prepared_is_refused(file: Path) -> None:
    file.write_bytes(b"edited\n")
    with pytest.raises(FileError, match="changed"):
        replace(file)
    assert file.read_bytes() == b"edited\n"


def test_a_file_that_changes_before_it_is_replaced_is_refused(file: Path) -> None:
    ready = Replacement(file, OLD, NEW)
    file.write_bytes(b"edited\n")
    with pytest.raises(FileError, match="changed"):
        ready.commit()
    assert file.read_bytes() == b"edited\n"
    assert alone(file)


@pytest.mark.parametrize("how", ["in place", "by a rename"])
def test_an_editor_that_saves_at_the_last_moment_wins(file: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the comparison and the exchange."""
    exchange = _replacement._exchanged
    calls: list[str] = []

    def save_first(first: str, second: Path) -> bool:
        if not calls:
            if how == "in place":
                file.write_bytes(b"edited\n")
            else:
                (file.parent / "swap").write_bytes(b"edited\n")
                os.replace(file.parent / "swap", file)
        calls.append(first)
        return exchange(first, second)

    monkeypatch.setattr(_replacement, "_exchanged", save_first)
    ready = Replacement(file, OLD, NEW)
    if not exchange(str(ready.ready), file):
        pytest.skip("this file system cannot exchange two names")
    exchange(str(ready.ready), file)
    with pytest.raises(FileError, match="changed"):
        ready.commit()
    assert file.read_bytes() == b"edited\n"
    assert alone(file)


def test_without_an_exchange_a_rename_does(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_replacement, "_exchanged", lambda *_: False)
    replace(file)
    assert file.read_bytes() == NEW
    assert alone(file)


def test_a_file_that_has_gone_is_an_error(file: Path) -> None:
    ready = Replacement(file, OLD, NEW)
    file.unlink()
    with pytest.raises(FileError, match="cannot be"):
        ready.commit()
    assert list(file.parent.iterdir()) == []


def test_long_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / f"{'ä' * 120}.py"
    path.write_bytes(OLD)
    replace(path)
    assert path.read_bytes() == NEW
