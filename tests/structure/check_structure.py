#!/usr/bin/env python3
"""Checks the shape of the source tree: who includes whom, third parties, folder names, headers.

usage: check_structure.py ROOT

Prints one line per finding, `file:line: what is wrong; what is allowed`. Exit 0 when there is none,
1 when there are some, 2 for bad arguments. Needs nothing beyond python3-minimal.
"""

import os
import re
import sys

# Each folder may include itself and those before it.
FOLDERS = ["engine", "shards", "net", "config", "tools"]

# Header generated into the build tree -> the folders that may include it.
GENERATED = {
    "marchland_generated.h": ["net", "tools"],
    "marchland_version.h": ["tools"],
}

# Third party: name, the includes that give it away, the folders that may use it. tests/ may use all.
THIRD_PARTY = [
    ("Highway", r"hwy/", ["engine"]),
    ("oneTBB", r"(tbb|oneapi)/", ["shards"]),
    ("SQLite", r"sqlite3\.h", ["shards"]),
    ("spdlog and fmt", r"(spdlog|fmt)/", ["shards", "net", "tools"]),
    ("Boost", r"boost/", ["net", "tools"]),
    ("FlatBuffers", r"flatbuffers/", ["net", "tools"]),
    ("OpenSSL", r"openssl/", ["net"]),
    ("liburing", r"liburing\.h", ["net", "tools"]),
    ("Rhonabwy and Jansson", r"(rhonabwy|jansson)\.h", ["net"]),
    ("the Prometheus client", r"prometheus/", ["net"]),
    ("toml++", r"toml\+\+/", ["config"]),
    ("CLI11", r"CLI/", ["tools"]),
    ("Google Benchmark", r"benchmark/", ["tools"]),
    ("GoogleTest", r"(gtest|gmock)/", []),
    ("RapidCheck", r"rapidcheck(\.h|/)", []),
]

# <name/...> that belongs to the system and not to a third party.
SYSTEM = r"(sys|netinet|arpa|linux|net|experimental|ext|asm|bits)/"

# engine/ is pure: no threads, clock, sockets, files or logs.
IMPURE = (
    r"(thread|stop_token|mutex|shared_mutex|condition_variable|future|barrier|latch|semaphore"
    r"|pthread\.h|chrono|ctime|time\.h|fstream|iostream|filesystem|syncstream"
    r"|unistd\.h|fcntl\.h|poll\.h|(sys|netinet|arpa|net)/.*)$"
)

FORBIDDEN_FOLDER_NAMES = ["utils", "util", "common"]
HEADERS = (".h", ".hpp", ".hh", ".hxx")
SOURCES = HEADERS + (".cpp", ".cc", ".cxx", ".ipp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PRAGMA_ONCE = re.compile(r"^\s*#\s*pragma\s+once\b")


def may_include(folder):
    return FOLDERS if folder == "tests" else FOLDERS[: FOLDERS.index(folder) + 1]


def listing(folders):
    return ", ".join(f"{name}/" for name in folders) if folders else "no folder but tests/"


def owner_of(target):
    return target.split("/", 1)[0] if "/" in target else None


def check_include(folder, bracket, target):
    """What is wrong with folder's include of target, or None."""
    if ".." in target.split("/"):
        return f"'{target}' climbs out of its folder; write it from the project root"

    if target in GENERATED:
        allowed = GENERATED[target]
        if folder not in allowed + ["tests"]:
            return f"{folder}/ may not include {target}; allowed in {listing(allowed)}"
        return None

    owner = owner_of(target)
    if owner in FOLDERS:
        if owner not in may_include(folder):
            return f"{folder}/ may not include {owner}/; allowed: {listing(may_include(folder))}"
        if bracket == "<":
            return f'<{target}> is ours; write "{target}"'
        return None
    if owner == "tests" and bracket == '"':
        return None if folder == "tests" else f"{folder}/ may not include tests/"

    for name, pattern, allowed in THIRD_PARTY:
        if re.match(pattern, target):
            if folder == "tests" or folder in allowed:
                return None
            return f"{folder}/ may not use {name}; allowed in {listing(allowed)}"

    if bracket == '"':
        return f'"{target}" is not written from the project root; like "engine/ids.h"'
    if folder == "engine" and re.match(IMPURE, target):
        return f"engine/ is pure and may not include <{target}>; no threads, clock, sockets, files, logs"
    if owner is not None and not re.match(SYSTEM, target):
        return (
            f"<{target}> is a third party without a rule; "
            "decide on it in docs/decisions and add it to tests/structure"
        )
    return None


def check_file(root, path):
    """Findings of one source file, path being relative to root."""
    folder = path.split("/", 1)[0]
    findings = []
    has_pragma_once = False
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            has_pragma_once = has_pragma_once or PRAGMA_ONCE.match(line) is not None
            include = INCLUDE.match(line)
            problem = check_include(folder, *include.groups()) if include else None
            if problem:
                findings.append(f"{path}:{number}: {problem}")
    if path.endswith(HEADERS) and not has_pragma_once:
        findings.append(f"{path}:1: a header without #pragma once; every header has it")
    return findings


def check_tree(root):
    """All findings in the tree, in the order of its paths."""
    findings = []
    for folder, folders, files in os.walk(root):
        at_root = os.path.samefile(folder, root)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name != "node_modules"
            and not (at_root and name.startswith("build"))
        )
        relative = "" if at_root else os.path.relpath(folder, root) + "/"
        for name in folders:
            if name.lower() in FORBIDDEN_FOLDER_NAMES:
                findings.append(
                    f"{relative}{name}:1: a folder called '{name}'; name it after what is in it"
                )
        if relative.split("/", 1)[0] in FOLDERS + ["tests"]:
            for name in sorted(files):
                if name.endswith(SOURCES):
                    findings += check_file(root, relative + name)
    return findings


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-") or not os.path.isdir(arguments[0]):
        print(__doc__, file=sys.stderr)
        return 2
    findings = check_tree(arguments[0])
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
