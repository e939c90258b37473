#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_table.py TABLE: the table of benchmarks/peers/table.py from canned figures."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(sys.argv.pop()))
import table # noqa: E402


def entry(*ms, nodes=10, taken=10, **more):
    return {"process_ns": [int(m * 1e6) for m in ms], "nodes": nodes, "taken": taken, **more}


def result(model="m", kinds=None, **peers):
    return {"model": model, "kinds": kinds or {"int8": 3, "float32": 1},
            "peers": {name.replace("_", "-"): e for name, e in peers.items()}}


class Table(unittest.TestCase):
    def test_best_peer_and_ratio(self):
        row = table.row(result(nnaccel=entry(1, 2, 4), builtin=entry(9, 9, 9), xnnpack=entry(2, 4, 8)))
        self.assertEqual((row["best"], row["best_ms"], row["ours_ms"]), ("xnnpack", 4, 2))
        self.assertEqual(row["ratio"], 2)
        self.assertEqual((row["low"], row["high"]), (2, 2))

    def test_ratio_is_of_rounds(self):
        # A slow round slows both: the ratio stays, the quartiles are narrow.
        row = table.row(result(nnaccel=entry(1, 10, 1, 1, 1), xnnpack=entry(3, 30, 3, 3, 3)))
        self.assertEqual((row["ratio"], row["low"], row["high"]), (3, 3, 3))

    def test_quartiles(self):
        row = table.row(result(nnaccel=entry(1, 1, 1, 1, 1), builtin=entry(1, 2, 3, 4, 5)))
        self.assertEqual((row["low"], row["ratio"], row["high"]), (2, 3, 4))

    def test_below_tensorflow_lite_where_we_cannot(self):
        row = table.row(result(nnaccel={"error": "no FLOOR_DIV"}, tflite_nnaccel=entry(5, 5, taken=8), xnnpack=entry(1, 1)))
        self.assertEqual((row["ours"], row["ratio"]), ("tflite-nnaccel", 0.2))
        self.assertIn("tflite-nnaccel runs 8 of 10", row["notes"])
        self.assertIn("nnaccel: no FLOOR_DIV", row["notes"])

    def test_no_device_of_ours(self):
        row = table.row(result(nnaccel={"error": "a"}, tflite_nnaccel={"error": "b"}, builtin=entry(1)))
        self.assertEqual((row["ours"], row["ours_ms"], row["ratio"], row["best"]), (None, None, None, "builtin"))

    def test_no_peer(self):
        row = table.row(result(nnaccel=entry(1)))
        self.assertEqual((row["best"], row["ratio"], row["ours_ms"]), (None, None, 1))

    def test_notes(self):
        row = table.row(result(nnaccel=entry(1, thread_ns=[100]), xnnpack=entry(1, taken=9, without="MEAN")))
        self.assertEqual(row["notes"], "nnaccel in other threads; xnnpack runs 9 of 10; xnnpack without MEAN")
        self.assertEqual(table.row(result(nnaccel=entry(1, thread_ns=[990000]), xnnpack=entry(1)))["notes"], "")

    def test_rates(self):
        lines = table.rates([result("big", nnaccel_avx2=entry(2, 2, 2), xnnpack=entry(0.5)),
                             result("odd", nnaccel_avx2={"error": "no such row"})], {"big": 10 ** 9}).split("\n")
        self.assertEqual(lines[0].split(), ["layer", "MMAC", "nnaccel-avx2", "us", "GMAC/s", "xnnpack", "us", "GMAC/s", "ratio"])
        self.assertEqual(lines[1].split(), ["big", "1000.0", "2000.0", "500.0", "500.0", "2000.0", "0.25"])
        self.assertEqual(lines[2].split(), ["odd", "-", "-", "-", "-", "-", "-"])
        self.assertEqual(lines[3], "geometric mean of the ratios: 0.25 (1 layers)")
        self.assertEqual(lines[4], "odd, nnaccel-avx2: no such row")

    def test_means(self):
        rows = [table.row(result(nnaccel=entry(1), xnnpack=entry(ms), kinds=kinds))
                for ms, kinds in ((2, {"int8": 1}), (8, {"uint8": 2, "float32": 1}), (3, {"float32": 1}))]
        rows.append(table.row(result(nnaccel=entry(1)))) # without a ratio
        (integers, n), (floats, m) = table.means(rows)
        self.assertAlmostEqual(integers, 4)
        self.assertAlmostEqual(floats, 3)
        self.assertEqual((n, m), (2, 1))
        self.assertEqual(table.means([]), ((None, 0), (None, 0)))

    def test_text(self):
        text = table.text([result("mobilenet_v2_x", nnaccel=entry(1, peak_kib=2048), xnnpack=entry(2, peak_kib=1024)),
                           result("other", {"float32": 1}, nnaccel=entry(1), builtin=entry(3))])
        lines = text.splitlines()
        self.assertRegex(lines[1], r"^mobilenet_v2_x +int8 +1\.0000 +2\.0000 xnnpack +2\.00 +2\.00 \.\. 2\.00$")
        self.assertRegex(lines[2], r"^other +float32 +1\.0000 +3\.0000 builtin +3\.00")
        self.assertEqual(lines[3], "peak resident MiB, mobilenet_v2_x: nnaccel 2.0, xnnpack 1.0")
        self.assertEqual(lines[-2], "geometric mean of the ratios, int8 and uint8: 2.00 (1 models)")
        self.assertEqual(lines[-1], "geometric mean of the ratios, float: 3.00 (1 models)")

    def test_costs(self):
        text = table.costs([result("net", nnaccel=entry(1, peak_kib=20480, first_ns=5500000), onnxruntime=entry(2, peak_kib=1024)),
                            result("failed", nnaccel={"error": "x"})])
        lines = [line.split() for line in text.splitlines()]
        self.assertEqual(lines[1], "model nnaccel first ms onnxruntime first ms nnaccel MiB onnxruntime MiB".split())
        self.assertEqual(lines[3], ["net", "5.5", "-", "20", "1"])
        self.assertEqual(lines[4], ["failed", "-", "-", "-", "-"])

    def test_rst(self):
        text = table.rst([result("mobilenet_v2_x", nnaccel=entry(1, peak_kib=2048), xnnpack=entry(2, without="MEAN", peak_kib=1024)),
                          result("other", {"float32": 1}, tflite_nnaccel=entry(1), builtin=entry(3)),
                          result("failed", nnaccel={"error": "x"})])
        lines = text.splitlines()
        self.assertEqual(lines[0], lines[2])
        self.assertRegex(lines[3], r"^mobilenet_v2_x \[#m\]_ +int8 +1\.0000 +- +2\.0000 +2\.00 +2\.00 to 2\.00$")
        self.assertRegex(lines[4], r"^other \[#p\]_ +float32 +1\.0000 +3\.0000 +- +3\.00")
        self.assertRegex(lines[5], r"^failed +int8 +- +- +- +- +-$")
        self.assertRegex(lines[6], r"^geometric mean, 1 models +int8 and uint8 +2\.00$")
        self.assertRegex(text, r"\nmobilenet_v2_x +2\.0 +- +1\.0\n")


if __name__ == "__main__":
    unittest.main()
