"""Codex: what it is told to go by way of the proxy, and where."""

from __future__ import annotations

import pytest

from tests.cli_runs import Home
from tests.launches import GATEWAY, PROXY, launched, stand_in

NEVER = f"model_auto_compact_token_limit={2**63 - 1}"


def codex(home: Home, says: str = "Not logged in") -> str:
    """A stand-in for Codex that is logged in, or not."""
    return stand_in(home, "codex", "login status", says, stream=2)


def test_codex_is_told_by_settings_behind_the_program(home: Home) -> None:
    program = codex(home)
    launch = launched([program, "resume", "--last"])
    told = ["-c", f'openai_base_url="{PROXY}/v1"', "-c", NEVER]
    assert launch.command == [program, *told, "resume", "--last"]
    assert launch.upstreams == {"openai": "https://api.openai.com"}
    assert "OPENAI_BASE_URL" not in launch.variables


def test_codex_of_somebody_who_logged_in_with_chatgpt_goes_there(home: Home) -> None:
    program = codex(home, "Logged in using ChatGPT")
    launch = launched([program])
    assert launch.command[1:3] == ["-c", f'openai_base_url="{PROXY}"']
    assert launch.upstreams == {"openai": "https://chatgpt.com/backend-api/codex"}
    with_key = launched([program, "exec", "hello"], {"CODEX_API_KEY": "k"})
    assert with_key.upstreams == {"openai": "https://api.openai.com"}


def test_settings_stand_where_the_users_own_stand(home: Home) -> None:
    """Codex heeds only those behind the subcommand where there are any."""
    told = ["-c", f'openai_base_url="{PROXY}/v1"', "-c", NEVER]
    program = codex(home)
    assert launched([program, "exec", "-c", "a=1", "hi"]).command == [program, "exec", *told, "-c", "a=1", "hi"]
    assert launched([program, "exec", "--", "-c", "a=1"]).command == [program, *told, "exec", "--", "-c", "a=1"]
    own = launched([program, "exec", "--config=model_auto_compact_token_limit=5"]).command
    assert own == [program, "exec", *told[:2], "--config=model_auto_compact_token_limit=5"]


@pytest.mark.parametrize(
    "arguments",
    [
        "-c model_provider=mine",
        "exec --config model_providers.mine.base_url=x",
        "-cmodel_provider=mine",
        "--config=openai_base_url=x",
        "--oss exec",
    ],
)
def test_a_provider_that_the_command_line_names_is_left_as_it_is(home: Home, arguments: str) -> None:
    launch = launched([codex(home), *arguments.split()])
    assert launch.command[1:] == arguments.split()
    assert launch.notes == ["the command line names a provider for Codex: its requests do not go through faithfold"]
    assert launch.targets == []


MINE = '[model_providers.mine]\nbase_url = "https://gateway.example/llm/v1"\n'


@pytest.mark.parametrize(
    ("config", "arguments", "key"),
    [
        ('openai_base_url = "https://gateway.example/llm/v1"\n', "", "openai_base_url"),
        (f'model_provider = "mine"\n{MINE}', "", "model_providers.mine.base_url"),
        (f'profile = "p"\n{MINE}[profiles.p]\nmodel_provider = "mine"\n', "", "model_providers.mine.base_url"),
        (f'{MINE}[profiles.p]\nmodel_provider = "mine"\n', "--profile p", "model_providers.mine.base_url"),
        (MINE, "-p new", "model_providers.mine.base_url"),
    ],
)
def test_codexs_own_provider_becomes_the_upstream(home: Home, config: str, arguments: str, key: str) -> None:
    home.write(".codex/config.toml", config)
    home.write(".codex/new.config.toml", 'model_provider = "mine"\n')
    launch = launched([codex(home), *arguments.split()])
    assert launch.command[1:3] == ["-c", f'{key}="{PROXY}/v1"']
    assert launch.upstreams == {"openai": GATEWAY}


def test_a_provider_of_codex_that_cannot_be_redirected_is_named(home: Home) -> None:
    home.write(".codex/config.toml", 'model_provider = "amazon-bedrock"\n')
    launch = launched([codex(home)])
    assert launch.notes == ["Codex's provider 'amazon-bedrock' does not go through faithfold"]
    assert launch.command[1:] == []


@pytest.mark.parametrize("content", [b"", b"= 3", b"model_provider = 3", b"model_providers = 3", b"\xff\xfe"])
def test_settings_that_cannot_be_read_change_nothing(home: Home, content: bytes) -> None:
    home.write(".codex/config.toml", content)
    assert launched([codex(home)]).command[1:3] == ["-c", f'openai_base_url="{PROXY}/v1"']


def test_a_codex_that_does_not_answer_is_taken_to_have_a_key(home: Home) -> None:
    assert launched([str(home.path / "missing" / "codex")]).upstreams == {"openai": "https://api.openai.com"}
