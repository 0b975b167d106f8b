#!/usr/bin/env python3
"""The client library as others get it: installed, then built into a program in LANGUAGE that walks in a zone.

usage: client_library_test.py LANGUAGE BUILD SOURCE FOLDER -- CMAKE_ARGUMENT...     cpp, c, rust, csharp or python

FOLDER is emptied first. Exit 77: skipped, and why.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LANGUAGE, BUILD, SOURCE, FOLDER = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
HERE, PREFIX = SOURCE / "tests/library", FOLDER / "installed"
LIBRARIES = PREFIX / "lib"


def run(*command, **more):
    done = subprocess.run([str(it) for it in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def found(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            sys.exit(77)
    return programs[0]


def block(language, with_text):
    page = (SOURCE / "docs/clients.md").read_text()
    return next(it for it in re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S) if with_text in it)


def program():
    """The command that walks."""
    name = FOLDER / "walk"
    if LANGUAGE == "cpp":
        (FOLDER / "CMakeLists.txt").write_text(block("cmake", "walk"))
        (FOLDER / "main.cpp").write_text(block("cpp", "walk_east"))
        run("cmake", "-S", FOLDER, "-B", FOLDER / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}", *sys.argv[6:])
        run("cmake", "--build", FOLDER / "build")
        return [FOLDER / "build/walk"]
    if LANGUAGE == "c":
        (FOLDER / "walk.c").write_text(block("c", "marchland_join_player"))
        run(found("cc"), "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", PREFIX / "include", FOLDER / "walk.c",
            "-L", LIBRARIES, "-lmarchland_client", "-o", name)
        return [name]
    if LANGUAGE == "rust":
        run(found("rustc"), "--edition", "2021", "-D", "warnings", HERE / "walk.rs", "-L", LIBRARIES, "-l", "marchland_client",
            "-o", name)
        return [name]
    if LANGUAGE == "csharp":
        found("mcs", "mono")
        run("mcs", f"-out:{name}.exe", HERE / "Walk.cs")
        return ["mono", f"{name}.exe"]
    (FOLDER / "walk.py").write_text(block("python", "from marchland import Client"))
    return [sys.executable, "-B", FOLDER / "walk.py"]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    run("cmake", "--install", BUILD, "--prefix", PREFIX)
    command = program()
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES), "PYTHONPATH": str(LIBRARIES / "python3/dist-packages")}
    sys.path.insert(0, environment["PYTHONPATH"])
    from marchland import Client, Position
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "zone.toml"
        config.write_text("[server]\nport = 0\n[world]\nbounds_m = { min_x = -9, min_y = -9, max_x = 9, max_y = 9 }\n")
        server = subprocess.Popen([PREFIX / "bin/marchland-server", "--config", config], stderr=subprocess.PIPE, text=True)
        port = next(it[1] for line in server.stderr if (it := re.search(r"listening on .*:(\d+)$", line)))
        other = Client(("127.0.0.1", int(port)), kind=9, spawn=Position(0, 0))
        try:
            other.connect()
            printed = run(*command, port, env=environment)
        finally:
            other.leave()
            server.terminate()
            server.communicate()
    if not re.search(rf"^{other.entity}, of kind 9, is at ", printed, re.M):
        sys.exit(f"the program does not see {other.entity}; it printed:\n{printed}")


main()
