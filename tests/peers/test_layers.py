#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_layers.py LAYERS NNCTL: the models of benchmarks/peers/layers.py are models, and have the multiply-adds that it reports."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
NNCTL = sys.argv.pop()
LAYERS = sys.argv.pop()


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, "-B", LAYERS, cls.folder.name], check=True)
        with open(os.path.join(cls.folder.name, "products.json"), encoding="utf-8") as f:
            cls.products = json.load(f)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_products(self):
        self.assertEqual(self.products["conv_3x3_512_512_7"], 7 * 7 * 512 * 9 * 512)
        self.assertEqual(self.products["feed_forward_128_768_3072_768"], 2 * 128 * 768 * 3072)
        self.assertEqual(self.products["batch_matmul_12_128_64_128"], 12 * 128 * 64 * 128)
        self.assertEqual(self.products["transpose_conv_4x4_256_128_16"], 16 * 16 * 256 * 16 * 128)

    def test_an_option_is_no_folder(self):
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([sys.executable, "-B", os.path.abspath(LAYERS), "--help"], cwd=place, capture_output=True,
                                  text=True, check=False)
            self.assertIn("usage", done.stdout + done.stderr)
            self.assertEqual(os.listdir(place), [])

    def test_the_device_takes_each(self):
        for name in self.products:
            path = os.path.join(self.folder.name, name, "model.tflite")
            done = subprocess.run([NNCTL, "explain", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, name + ": " + done.stdout)

    def test_the_same_each_time(self):
        name = "batch_matmul_12_128_64_128"
        with tempfile.TemporaryDirectory() as again:
            subprocess.run([sys.executable, "-B", LAYERS, again], check=True)
            files = []
            for folder in (self.folder.name, again):
                with open(os.path.join(folder, name, "model.tflite"), "rb") as f:
                    files.append(f.read())
        self.assertEqual(*files)


if __name__ == "__main__":
    unittest.main()
