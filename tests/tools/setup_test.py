"""tools/setup --release-checks knows each program that a test is skipped without: setup_test.py ROOT"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])


class Setup(unittest.TestCase):
    def test_it_names_all_that_tests_are_skipped_without(self):
        libraries = (ROOT / "tests/library/client_library_test.py").read_text()
        needed = {name for names in re.findall(r"found\(((?:\"\w+\"(?:, )?)+)\)", libraries) for name in re.findall(r"\w+", names)} - {"cc"}
        self.assertEqual(needed, {"rustc", "mcs", "mono"})
        with tempfile.TemporaryDirectory() as folder:  # a system without apt, and without all else
            for name in ("bash", "cat"):
                (pathlib.Path(folder) / name).symlink_to(shutil.which(name))
            ran = subprocess.run(["bash", ROOT / "tools/setup", "--release-checks"], env={"PATH": folder}, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        named = set(re.findall(r"\((?:command|program) (\S+)\)", ran.stderr))
        self.assertLessEqual(needed | {"npm", "chromium", "tsc", "node", "mmdebstrap", "promtool"}, named)


unittest.main(argv=sys.argv[:1])
