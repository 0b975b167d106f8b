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


def result(index, path, at, ns, exact=True):
    return {"workload": "k", "at": at, "index": index, "path": path, "ns_per_entity": ns,
            "exact": exact, "entities": 10_000, "movers": 100, "threads": 1}


def run_json(results, curve="k"):
    return json.dumps({"benchmark": "index", "curve": curve, "commit": "abc<&", "simd": "AVX2",
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

    def test_each_path_is_a_picture_that_names_its_series(self):
        results = [result(index, path, at, at * 7.5) for index in ("hash_grid", "geohash")
                   for path in ("tick", "query") for at in (5, 1000)]
        ended = self.plot("a line before\n" + run_json(results))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, ["index_k_query.svg", "index_k_tick.svg"])
        for name in names:
            root = xml.etree.ElementTree.parse(self.folder / "out" / name).getroot()
            words = [element.text for element in root.iter() if element.text]
            self.assertIn("geohash", words)
            self.assertIn("hash_grid", words)

    def test_movers_are_compared_by_whole_ticks(self):
        results = [result("hash_grid", "tick", 1, 10.0), result("hash_grid", "move", 1, 1000.0)]
        self.assertEqual(self.plot(run_json(results, "movers")).returncode, 0)
        # 10 ns * 10,000 entities and 1,000 ns * 100 movers are the same 100 us: one height.
        svg = (self.folder / "out" / "index_movers.svg").read_text(encoding="utf-8")
        marks = [line for line in svg.splitlines() if line.startswith("<rect x=")]
        heights = [mark.split('"')[3] for mark in marks if 'x="73.5"' in mark]
        self.assertEqual(len(heights), 2, svg)
        self.assertEqual(heights[0], heights[1])

    def test_a_table_says_which_target_is_met(self):
        of_a = dict(result("grid_cross_list", "tick", 0, 89.0), workload="A", k_mean=20.0, spread=0.05,
                    ms_per_tick=0.9, ratio_to_hash_grid=0.1, allocations_per_tick=0.0)
        of_c = dict(of_a, workload="C", ns_per_entity=220.0)
        run = json.loads(run_json([of_a, of_c]))
        del run["curve"]
        ended = self.plot(json.dumps(run), "--table")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("| 90: met |", ended.stdout)
        self.assertIn("| 110: missed 2.0 times |", ended.stdout)
        header, rule = ended.stdout.splitlines()[2:4]
        self.assertEqual(header.count("|"), rule.count("|"))

    def test_a_zone_is_drawn_by_its_shards(self):
        results = [{"case": "cpu", "shards": shards, "entities": 1000, "tick_ms_p50": 1.0,
                    "tick_ms_p99": 2.0, "exact": None if shards == 1 else True} for shards in (1, 16)]
        results.append({"case": "memory", "shards": 1, "entities": 7, "exact": True})
        ended = self.plot(json.dumps({"benchmark": "zone", "commit": "abc", "results": results}))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        svg = (self.folder / "out" / "zone_cpu.svg").read_text(encoding="utf-8")
        words = [e.text for e in xml.etree.ElementTree.fromstring(svg).iter() if e.text]
        self.assertLess({"p50", "p99", "16"}, set(words))
        results[1]["exact"] = False
        ended = self.plot(json.dumps({"benchmark": "zone", "commit": "abc", "results": results}))
        self.assertEqual(ended.returncode, 2)

    def test_a_wrong_count_is_not_drawn(self):
        ended = self.plot(run_json([result("hash_grid", "tick", 5, 1.0, exact=False)]))
        self.assertEqual(ended.returncode, 2)
        self.assertIn("not exact", ended.stderr)

    def test_what_is_no_curve_is_refused(self):
        for content in ("", "{", "[]", '{"benchmark":"index","results":[]}', run_json([])):
            self.assertEqual(self.plot(content).returncode, 2, content)


if __name__ == "__main__":
    unittest.main()
