#!/usr/bin/env python3
"""Runs the service that docs/services.md shows, against a server.

usage: service_tour.py DOCUMENT PORT ROUNDS      with the library on PYTHONPATH
"""

import pathlib
import re
import sys

document, port, rounds = sys.argv[1:]
blocks = re.findall(r"^```python\n(.*?)^```$", pathlib.Path(document).read_text(), re.S | re.M)
whole = [block for block in blocks if "sys.argv" in block]  # the others are parts
if len(whole) != 1:
    sys.exit(f"{document} has {len(whole)} whole services; the test is for one")
sys.argv = ["service.py", "127.0.0.1", port, rounds]
exec(compile(whole[0], document, "exec"), {"__name__": "__main__"})
