#!/usr/bin/env python3
"""Runs the service that docs/services.md shows, against a server.

usage: service_tour.py FLATC SCHEMA DOCUMENT WORK PORT ROUNDS
"""

import pathlib
import re
import runpy
import subprocess
import sys

flatc, schema, document, work, port, rounds = sys.argv[1:]
subprocess.run([flatc, "--python", "--gen-object-api", "-o", work, schema], check=True)
blocks = re.findall(r"^```python\n(.*?)^```$", pathlib.Path(document).read_text(), re.S | re.M)
if len(blocks) != 1:
    sys.exit(f"{document} has {len(blocks)} services; the test is for one")
program = pathlib.Path(work) / "service.py"
program.write_text(blocks[0])
sys.path.insert(0, work)
sys.argv = [str(program), "127.0.0.1", port, rounds]
runpy.run_path(str(program), run_name="__main__")
