#!/usr/bin/env python3
"""Plants violations in a tree of its own and proves that check_structure.py reports each of them.

usage: check_structure_test.py FOLDER    (FOLDER is made, and emptied first)
"""

import os
import sys

import check_structure

# path, content, and what the finding must say; None: nothing may be found.
PLANTED = [
    ("engine/up.h", '#pragma once\n#include "shards/zone.h"\n',
     "engine/up.h:2: engine/ may not include shards/; allowed: engine/"),
    ("net/up.cpp", '\n\n#include "config/load.h"\n',
     "net/up.cpp:3: net/ may not include config/; allowed: engine/, shards/, net/"),
    ("engine/asio.cpp", "#include <boost/asio.hpp>\n",
     "engine/asio.cpp:1: engine/ may not use Boost; allowed in net/, tools/"),
    ("config/pool.cpp", "#include <oneapi/tbb.h>\n",
     "config/pool.cpp:1: config/ may not use oneTBB; allowed in shards/"),
    ("net/toml.cpp", "#  include <toml++/toml.h>\n",
     "net/toml.cpp:1: net/ may not use toml++; allowed in config/"),
    ("config/cli.cpp", "#include <CLI/CLI.hpp>\n",
     "config/cli.cpp:1: config/ may not use CLI11; allowed in tools/"),
    ("engine/log.cpp", "#include <spdlog/spdlog.h>\n",
     "engine/log.cpp:1: engine/ may not use spdlog and fmt; allowed in shards/, net/, tools/"),
    ("shards/test.cpp", "#include <gtest/gtest.h>\n",
     "shards/test.cpp:1: shards/ may not use GoogleTest; allowed in no folder but tests/"),
    ("shards/wire.cpp", '#include "marchland_generated.h"\n',
     "shards/wire.cpp:1: shards/ may not include marchland_generated.h; allowed in net/, tools/"),
    ("engine/clock.cpp", "#include <chrono>\n",
     "engine/clock.cpp:1: engine/ is pure and may not include <chrono>; "),
    ("engine/new.cpp", "#include <zlib-ng/zlib.h>\n",
     "engine/new.cpp:1: <zlib-ng/zlib.h> is a third party without a rule; "),
    ("shards/near.cpp", '#include "gate.h"\n',
     'shards/near.cpp:1: "gate.h" is not written from the project root; '),
    ("shards/climb.cpp", '#include "../net/listener.h"\n',
     "shards/climb.cpp:1: '../net/listener.h' climbs out of its folder; "),
    ("shards/angle.cpp", "#include <engine/ids.h>\n",
     "shards/angle.cpp:1: <engine/ids.h> is ours; "),
    ("engine/twice.h", "struct Twice {};\n",
     "engine/twice.h:1: a header without #pragma once; "),
    ("net/utils/strings.h", "#pragma once\n", "net/utils:1: a folder called 'utils'; "),
    ("common/a.txt", "", "common:1: a folder called 'common'; "),

    ("tools/server.cpp",
     '#include <CLI/CLI.hpp>\n#include <spdlog/spdlog.h>\n#include <boost/asio.hpp>\n'
     '#include "config/load.h"\n#include "net/listener.h"\n#include "tools/report.h"\n'
     '#include "marchland_version.h"\n', None),
    ("engine/good.cpp", '// #include "net/x.h"\n#include "engine/good.h"\n#include <vector>\n', None),
    ("shards/good.h", '#pragma once\n#include <oneapi/tbb.h>\n#include "engine/ids.h"\n'
     "#include <thread>\n", None),
    ("net/good.cpp", "#include <sys/socket.h>\n#include <boost/asio.hpp>\n", None),
    ("tests/net/all.cpp", '#include <gtest/gtest.h>\n#include <boost/asio.hpp>\n'
     '#include "tools/report.h"\n#include "tests/net/fixture.h"\n', None),
    ("build/release/common/x.h", '#include "nowhere.h"\n', None),
]


def empty(folder):
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.remove(os.path.join(path, name))
        for name in folders:
            os.rmdir(os.path.join(path, name))


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = arguments[0]
    empty(root)
    for path, content, _ in PLANTED:
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(content)

    findings = check_structure.check_tree(root)
    unexplained = list(findings)
    missing = []
    for path, _, expected in PLANTED:
        if expected is None:
            continue
        hits = [finding for finding in unexplained if finding.startswith(expected)]
        if len(hits) == 1:
            unexplained.remove(hits[0])
        else:
            missing.append(expected)
    for text in missing:
        print(f"not reported, or not once: {text}")
    for text in unexplained:
        print(f"reported, but nothing is wrong: {text}")
    planted = sum(expected is not None for _, _, expected in PLANTED)
    print(f"{planted - len(missing)} of {planted} planted violations reported")
    empty(root)
    if check_structure.check_tree(root):
        print("an empty tree is not clean")
        return 1
    return 1 if missing or unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
