#!/usr/bin/env python3
"""tools/plot-benchmarks draws what it is given, and refuses what it should not draw."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "plot-benchmarks"


def result(index, path, ns, exact=True):
    return {"workload": "A", "index": index, "path": path, "ns_per_entity": ns, "exact": exact,
            "entities": 10_000, "threads": 1}


def run_json(results):
    return json.dumps({"benchmark": "index", "commit": "abc<&", "simd": "AVX2",
                       "interrupted": False, "results": results})


class PlotBenchmarks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def plot(self, content, *options):
        source = self.folder / "run.json"
        source.write_text(content, encoding="utf-8")
        return subprocess.run([sys.executable, PROGRAM, "--out", self.folder / "out", *options, source],
                              capture_output=True, text=True, check=False)

    def test_a_table_says_which_target_is_met(self):
        of_a = dict(result("grid_cross_list", "tick", 89.0), k_mean=20.0, spread=0.05,
                    ms_per_tick=0.9, ratio_to_hash_grid=0.1, allocations_per_tick=0.0)
        of_c = dict(of_a, workload="C", ns_per_entity=220.0)
        ended = self.plot(run_json([of_a, of_c]), "--table")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("| 90: met |", ended.stdout)
        self.assertIn("| 110: missed 2.0 times |", ended.stdout)
        header, rule = ended.stdout.splitlines()[2:4]
        self.assertEqual(header.count("|"), rule.count("|"))

    def test_a_zone_is_drawn_by_its_shards(self):
        results = [{"case": "cpu", "shards": shards, "entities": 1000, "tick_ms_p50": 1.0,
                    "tick_ms_p99": 2.0, "exact": None if shards == 1 else True} for shards in (1, 16)]
        results.append({"case": "memory", "shards": 1, "entities": 7, "exact": True})
        ended = self.plot(json.dumps({"benchmark": "zone", "commit": "abc<&", "results": results}))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        svg = (self.folder / "out" / "zone_cpu.svg").read_text(encoding="utf-8")
        words = [e.text for e in xml.etree.ElementTree.fromstring(svg).iter() if e.text]
        self.assertLess({"p50", "p99", "16"}, set(words))
        results[1]["exact"] = False
        ended = self.plot(json.dumps({"benchmark": "zone", "commit": "abc<&", "results": results}))
        self.assertEqual(ended.returncode, 2)

    def test_a_wrong_count_is_not_drawn(self):
        ended = self.plot(run_json([result("hash_grid", "tick", 1.0, exact=False)]), "--table")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("not exact", ended.stderr)

    def test_what_is_no_such_run_is_refused(self):
        for content in ("", "{", "[]", '{"benchmark":"zone","results":[]}', run_json([])):
            self.assertEqual(self.plot(content).returncode, 2, content)
            self.assertEqual(self.plot(content, "--table").returncode, 2, content)


if __name__ == "__main__":
    unittest.main()
