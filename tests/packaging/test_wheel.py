"""What `pip install` brings: a wheel made of the sdist, in an environment where nothing of the checkout is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from comch_next import __version__
from tests.faces.test_python_of_library import PROGRAM as PROGRAM_IN_C

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("comch_next", "comm_channel_compat", "migrate")
COMMANDS = {"comch": "comch", "comm-channel-run": "comm_channel_compat", "doca-migrate": "migrate"}
KINDS = ("include", "lib")
BUILT = shutil.ignore_patterns(".*", "build", "dist", "tmp", "*.egg-info", "*.so", "*.so.*", "__pycache__", "_ring_c.c")

PROGRAM = """\
import comch_next as comch
import comm_channel_compat as cc
from comch_next import aio
from comm_channel_compat.cc import Server
from migrate import rewrite_project

device: comch.Device = comch.open_device("b1:00.0")
version: str = comch.__version__ + cc.__version__
endpoint: cc.Endpoint = cc.Endpoint()
device.close()
print(version, aio.connect.__name__, Server.__name__, rewrite_project.__name__)
"""


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; it must succeed."""
    ended = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build(kind: str, source: Path, into: Path) -> Path:
    """Make the sdist or the wheel of a tree, with the tools that are here."""
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(into)!r}))"
    return into / run(sys.executable, "-c", code, cwd=source).splitlines()[-1]


def make_environment(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel, and beside it what this one has of others; returns its folder of commands."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    installed = sysconfig.get_path("purelib")
    own = run(folder / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    # what is installed here is seen there, but its .pth files, and so the checkout, are not read
    (Path(own.strip()) / "others.pth").write_text(f"{installed}\n")
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", wheel, cwd=folder.parent)
    return folder / "bin"


@pytest.mark.timeout(1800)
def test_a_wheel_of_the_sdist_serves_its_users(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "checkout", ignore=BUILT)
    sdist = build("sdist", tmp_path / "checkout", tmp_path)
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    wheel = build("wheel", tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path)
    check_contents(wheel)
    commands = make_environment(tmp_path / "environment", wheel)
    (tmp_path / "program.py").write_text(PROGRAM)
    said = run(commands / "python", "program.py", cwd=tmp_path)
    assert said.split() == [__version__ * 2, "connect", "Server", "rewrite_project"]
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache")
    assert run(*mypy, "--python-executable", commands / "python", "program.py", cwd=tmp_path).startswith("Success")
    for command, name in COMMANDS.items():
        assert run(commands / command, "--version", cwd=tmp_path) == f"{name} {__version__}\n"
    assert run(commands / "comm-channel-run", "-c", "import doca_comm_channel as c; print(c.__name__)", cwd=tmp_path)
    check_compiled_program(commands / "python", tmp_path)


def check_compiled_program(python: Path, folder: Path) -> None:
    """It starts the Python of the environment that the wheel was installed into, with the launcher and without."""
    (folder / "devices.c").write_text(PROGRAM_IN_C)
    paths = {kind: run(python, "-m", "comm_channel_compat", "paths", kind, cwd=folder).strip() for kind in KINDS}
    flags = [f"-I{path}" for path in paths["include"].split(":")] + [f"-L{path}" for path in paths["lib"].split(":")]
    flags += ["-ldoca_common", "-Wl,--no-undefined", f"-Wl,-rpath,{paths['lib']}"]
    run("cc", "devices.c", "-o", "devices", *flags, cwd=folder)
    for command in ([folder / "devices"], [python, "-m", "comm_channel_compat", "exec", "./devices"]):
        assert run(*command, cwd=folder).split() == ["DOCA_SUCCESS"] * 2


def check_contents(wheel: Path) -> None:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name == f"doca_channel_compat-{__version__}-cp310-abi3-{platform}.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    compiled = {name for name in names if name.endswith(".so") and "/lib/" not in name}
    assert compiled
    assert not [name for name in compiled if not name.endswith(".abi3.so")]
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert {"comch_next/capi/lib/libdoca_comch.so.2", "comm_channel_compat/capi/lib/libdoca_comm_channel.so.2"} <= names
    tops = {name.partition("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {*PACKAGES, "doca_migrate.py"}
    required = Parser().parsestr(metadata).get_all("Requires-Dist") or []
    assert {line.partition(">")[0] for line in required if "extra ==" not in line} == {"cffi", "packaging", "tomli"}
    assert {line.partition(">")[0] for line in required if 'extra == "migrate"' in line} == {"libcst", "rich"}
