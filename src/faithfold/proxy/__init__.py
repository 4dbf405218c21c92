"""The transparent proxy: an agent's base URL points at it, and its long sessions stay inside the budget.

What it stands on (`pip install 'faithfold[proxy]'`) is loaded when an app is made.

Source: spec 40-proxy; spec 05-api (`ff.proxy.create_app`, `ff.proxy.ProxySettings`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from faithfold.proxy.settings import ProxySettings

if TYPE_CHECKING:
    from faithfold.proxy.app import create_app

__all__ = ["ProxySettings", "create_app"]


def __getattr__(name: str) -> object:
    """`create_app`, when it is first asked for."""
    if name == "create_app":
        from faithfold.proxy.app import create_app

        return create_app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
