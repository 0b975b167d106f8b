#!/usr/bin/env python3
"""Installs the built engine, and builds and runs the program of docs/library.md against it.

usage: installed_library_test.py BUILD SOURCE FOLDER -- CMAKE_ARGUMENT...

FOLDER is emptied first. The arguments (compiler, flags) are handed to the consumer's cmake. Exit 0 when
the program printed what the page says, 1 otherwise. Needs nothing beyond python3-minimal.
"""

import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(cmake|cpp|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# A game's own headers of the same names: none of ours may take them for its own.
IN_THE_WAY = "#error a header of the consumer's own engine folder was included\n"


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def empty(folder):
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.remove(os.path.join(path, name))
        for name in folders:
            os.rmdir(os.path.join(path, name))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def blocks_of(page):
    """The page's one block of each language."""
    with open(page, encoding="utf-8") as file:
        found = BLOCK.findall(file.read())
    blocks = dict(found)
    if len(found) != 3 or len(blocks) != 3:
        sys.exit(f"{page}: one block each of cmake, cpp and text is wanted; found {[b[0] for b in found]}")
    return blocks


def main(arguments):
    if len(arguments) < 4 or arguments[3] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    build, source, folder = arguments[:3]
    blocks = blocks_of(os.path.join(source, "docs", "library.md"))
    empty(folder)
    prefix = os.path.join(folder, "installed")
    consumer = os.path.join(folder, "consumer")

    run("cmake", "--install", build, "--prefix", prefix)
    write(os.path.join(consumer, "CMakeLists.txt"), blocks["cmake"])
    write(os.path.join(consumer, "main.cpp"), blocks["cpp"])
    headers = os.listdir(os.path.join(prefix, "include", "marchland", "engine"))
    for header in headers:
        if header.endswith(".h"):
            write(os.path.join(consumer, "engine", header), IN_THE_WAY)

    consumer_build = os.path.join(consumer, "build")
    run("cmake", "-S", consumer, "-B", consumer_build, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}", *arguments[4:])
    run("cmake", "--build", consumer_build)
    printed = run(os.path.join(consumer_build, "tavern"))
    if printed != blocks["text"]:
        print(f"docs/library.md says:\n{blocks['text']}\nthe program printed:\n{printed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
