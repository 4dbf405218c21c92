"""`python -m faithfold` is the command line."""

from __future__ import annotations

from faithfold.cli import main

if __name__ == "__main__":
    main()
