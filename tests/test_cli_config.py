"""`faithfold config`, `--version`, `--help`: what is in force, and the help pages in the documents."""

from __future__ import annotations

import subprocess
import sys

import pytest

from faithfold import __version__
from faithfold.cli.group import commands
from faithfold.core.values import as_object
from faithfold.proxy.settings import ProxySettings
from faithfold.strategies.options import CompactSettings
from tests.cli_runs import Home, parsed, task
from tests.help_pages import DOCUMENT, with_pages


def test_each_setting_is_shown_with_value_and_source(home: Home) -> None:
    path = home.write("my.toml", "policy = ['none', 'cliff']\nkeep_thinking = false\n")
    run = home.run("config", env={"FAITHFOLD_CONFIG": str(path), "FAITHFOLD_KEEP_RECENT": "5"})
    rows = {line.split()[0]: line.split(maxsplit=1)[1] for line in run.stdout.splitlines() if line}
    assert rows["policy"].split("  ")[0] == "none, cliff"
    assert rows["policy"].endswith(f"policy in {path}")
    assert rows["keep_recent"].split() == ["5", "FAITHFOLD_KEEP_RECENT"]
    assert rows["keep_thinking"].startswith("false ")
    assert rows["target_tokens"].split() == ["none", "default"]
    assert rows["file:"] == str(path)


def test_the_same_as_json(home: Home) -> None:
    told = parsed(home.run("config", "--json", env={"FAITHFOLD_TARGET_TOKENS": "900"}).stdout)
    settings = as_object(told["settings"])
    assert list(settings) == list(ProxySettings.__dataclass_fields__)
    assert settings["target_tokens"] == {"value": 900, "source": "FAITHFOLD_TARGET_TOKENS"}
    assert settings["results"] == {"value": "drop", "source": "default"}
    assert (str(told["file"]).endswith("faithfold.toml"), told["exists"]) == (True, False)


def test_a_token_is_not_shown(home: Home) -> None:
    for arguments in (["config"], ["config", "--json"]):
        run = home.run(*arguments, env={"FAITHFOLD_TOKEN": "open sesame"})
        assert ("sesame" in run.output, "(set)" in run.output) == (False, True)


def test_a_file_that_is_not_there_is_said_to_be_missing(home: Home) -> None:
    assert home.run("config").stdout.endswith("faithfold.toml (there is none)\n")


@pytest.mark.skipif(sys.platform != "linux", reason="where the folder is differs by system")
def test_the_file_is_looked_for_in_the_config_folder(home: Home) -> None:
    home.write("config/faithfold/faithfold.toml", "keep_recent = 7\n")
    told = parsed(home.run("config", "--json").stdout)
    assert as_object(as_object(told["settings"])["keep_recent"])["value"] == 7
    assert told["exists"] is True


def test_a_file_that_is_named_must_be_there(home: Home) -> None:
    missing = home.path / "missing.toml"
    for arguments in (["config"], ["compact", home.write("in.json", task())]):
        run = home.run(*arguments, env={"FAITHFOLD_CONFIG": str(missing)})
        assert (run.exit_code, run.stdout) == (1, "")
        assert run.stderr == (
            f"faithfold: FAITHFOLD_CONFIG names {missing}, and there is no such file; "
            "expected a settings file, or the variable unset\n"
        )


def test_a_broken_file_is_one_line(home: Home) -> None:
    path = home.write("my.toml", "keep_recent = = 5\n")
    run = home.run("config", env={"FAITHFOLD_CONFIG": str(path)})
    assert (run.exit_code, run.stdout, run.stderr.count("\n")) == (1, "", 1)
    assert run.stderr.startswith(f"faithfold: {path} is no TOML: ")


def test_the_version(home: Home) -> None:
    assert home.run("--version").stdout == f"faithfold {__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in commands.commands)])
def test_every_help_page_has_an_example(home: Home, arguments: list[str]) -> None:
    run = home.run(*arguments)
    assert (run.exit_code, "Example: " in run.stdout) == (0, True)


def test_the_document_has_the_help_pages_as_they_are() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert document == with_pages(document), "write them anew: python -m tests.help_pages"
    assert [name for name in commands.commands if f"<!-- help: {name} -->" not in document] == []


def test_the_document_has_every_setting() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert [name for name in CompactSettings.__dataclass_fields__ if f"| `{name}` |" not in document] == []


def test_help_brings_in_nothing_heavy(home: Home) -> None:
    heavy = {"asyncio", "platformdirs", "pydantic", "tiktoken"}
    code = f"import sys, faithfold.cli; print(*sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=home.variables())
    assert run.stdout == "\n"
