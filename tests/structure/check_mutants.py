#!/usr/bin/env python3
"""Proves that every mutant of tests/mutants/mutants.toml still applies: code moves on, and a mutant that
no longer finds its place would be noticed only in the long run that tries them all.

usage: check_mutants.py ROOT

Exit 0: each `from` occurs exactly once in its file. 1: some does not.
"""

import pathlib
import sys

try:
    import tomllib
except ModuleNotFoundError:
    sys.exit("check_mutants.py needs Python 3.11 or later")


def flaw_of(root, mutant):
    path = root / mutant["file"]
    if not path.is_file():
        return f"there is no {mutant['file']}"
    count = path.read_text().count(mutant["from"])
    if count != 1:
        return f"`from` occurs {count} times in {mutant['file']}"
    return "`to` is `from`" if mutant["to"] == mutant["from"] else None


def flaws_in(root):
    mutants = tomllib.loads((root / "tests/mutants/mutants.toml").read_text())["mutant"]
    return [f"'{mutant['name']}': {flaw}" for mutant in mutants if (flaw := flaw_of(root, mutant))]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    flaws = flaws_in(pathlib.Path(sys.argv[1]))
    print("\n".join(flaws) or "every mutant applies")
    sys.exit(1 if flaws else 0)
