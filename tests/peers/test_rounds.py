#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_rounds.py ROUNDS: benchmarks/peers/rounds.py with processes that answer like peers."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROUNDS = sys.argv.pop()

# fake.py LOG NAME NS MODEL [CODE]: a peer whose runs take NS; it notes each round in LOG.
FAKE = r"""
import sys
log, name, ns, model, *code = sys.argv[1:]
if "refused" in model:
    print('{"error":"this model is refused"}')
    sys.exit(1)
if "needs" in model and code != ["22"]:
    print('{"error":"not without 22"}')
    sys.exit(1)
with open(log + "-starts", "a") as f:
    first = 1000 * f.tell() + 1000
    f.write(name[0])
print('{"prepare_ns":1,"first_ns":%d,"nodes":4,"taken":3,"pieces":1,"kinds":{"float32":0,"int8":4,"uint8":0}}' % first, flush=True)
for n, line in enumerate(sys.stdin):
    if line == "memory\n":
        print('{"peak_kib":1024}', flush=True)
        continue
    assert line.startswith("round "), line
    if "dies" in model and name == "xnnpack" and n == 2:
        sys.exit(3)
    with open(log, "a") as f:
        f.write(name[0])
    print('{"runs":1,"batch":1,"thread_ns":%s,"process_ns":%s,"wall_ns":%s}' % (ns, ns, ns), flush=True)
"""


class Rounds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "log")
        self.fake = os.path.join(self.folder.name, "fake.py")
        with open(self.fake, "w", encoding="utf-8") as f:
            f.write(FAKE)

    def tearDown(self):
        self.folder.cleanup()

    def run_on(self, *models, options=()):
        out = os.path.join(self.folder.name, "out.json")
        peers = []
        for name, ns in (("nnaccel", 1000000), ("builtin", 3000000), ("xnnpack", 2000000)):
            peers += ["--peer", "%s=%s %s %s %s %d" % (name, sys.executable, self.fake, self.log, name, ns)]
        done = subprocess.run([sys.executable, "-B", ROUNDS, "--rounds", "4", "--json", out, "--facts", "machine=a b"] + peers +
                              list(options) + list(models), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        with open(out, encoding="utf-8") as f:
            return done.stdout, json.load(f)

    def test_peers_take_turns(self):
        text, data = self.run_on("/x/some_net/model.tflite")
        with open(self.log, encoding="utf-8") as f:
            order = f.read()
        # Each round has each peer, and not always the same first.
        rounds = [order[i:i + 3] for i in range(0, len(order), 3)]
        self.assertEqual([sorted(r) for r in rounds], [["b", "n", "x"]] * 5)
        self.assertGreater(len({r[0] for r in rounds}), 1)
        model = data["models"][0]
        self.assertEqual(model["model"], "some_net")
        self.assertEqual(model["kinds"]["int8"], 4)
        # The first round does not count.
        self.assertEqual(model["peers"]["xnnpack"]["process_ns"], [2000000] * 4)
        self.assertEqual(model["peers"]["xnnpack"]["peak_kib"], 1024)
        self.assertEqual(data["table"][0]["ratio"], 2)
        self.assertEqual(data["facts"], {"machine": "a b"})
        self.assertIn("machine: a b\n", text)
        self.assertTrue(text.endswith("geometric mean of the ratios, float: - (0 models)\n"))

    def test_starts(self):
        text, data = self.run_on("/x/some_net/model.tflite", "refused.tflite", options=("--starts", "3", "--costs"))
        with open(self.log + "-starts", encoding="utf-8") as f:
            order = f.read()
        # After the processes of the rounds: one at a time, in turns, and the first of each does not count.
        starts = [order[i:i + 3] for i in range(0, len(order), 3)]
        self.assertEqual([sorted(s) for s in starts], [["b", "n", "x"]] * 5)
        peers = data["models"][0]["peers"]
        for name, entry in peers.items():
            expected = [1000 * (3 * i + starts[i].index(name[0])) + 1000 for i in range(2, 5)]
            self.assertEqual(entry["starts_ns"], expected)
            self.assertEqual(entry["first_ns"], expected[1])
        self.assertIn("nnaccel first ms", text)

    def test_processes(self):
        text, data = self.run_on("/x/some_net/model.tflite", "dies.tflite", "refused.tflite", options=("--processes", "3"))
        with open(self.log, encoding="utf-8") as f:
            order = f.read()
        # All processes of a peer, and then those of the next; the first round does not count.
        first = [order[i:i + 3] for i in range(0, 45, 3)]
        self.assertEqual({len(set(group)) for group in first}, {1})
        entries = [model["peers"] for model in data["models"]]
        for entry in entries[0].values():
            self.assertEqual(len(entry["per_s"]), 4)
            self.assertGreater(min(entry["per_s"]), 0)
        self.assertEqual(entries[1]["xnnpack"], {"error": "the process ended with 3"})
        self.assertEqual(entries[2]["builtin"], {"error": "this model is refused"})
        lines = text.split("\n")
        self.assertEqual(lines[2].split(), ["model", "ours", "1/s", "builtin", "1/s", "XNNPACK", "1/s", "ratio", "quartiles"])
        self.assertEqual(lines[4].split()[0], "some_net")
        self.assertEqual(lines[6].split(), ["refused.tflite"] + ["-"] * 5)

    def test_rates(self):
        products = os.path.join(self.folder.name, "products.json")
        with open(products, "w", encoding="utf-8") as f:
            json.dump({"layer": 5000000}, f)
        text, _ = self.run_on("/x/layer/model.tflite", options=("--products", products))
        self.assertIn("layer  MMAC", text)
        self.assertEqual(text.split("\n")[-3].split(), ["layer", "5.0", "1000.0", "5.0", "3000.0", "1.7", "2000.0", "2.5", "2.00"])

    def test_a_model_that_no_peer_takes(self):
        text, data = self.run_on("refused.tflite", "good.tflite")
        self.assertEqual(data["models"][0]["peers"]["builtin"], {"error": "this model is refused"})
        self.assertIsNone(data["table"][0]["ratio"])
        self.assertEqual(data["table"][1]["ratio"], 2)
        self.assertIn("this model is refused", text)

    def test_a_peer_that_dies(self):
        _, data = self.run_on("dies.tflite")
        self.assertEqual(data["models"][0]["peers"]["xnnpack"], {"error": "the process ended with 3"})
        self.assertEqual(data["table"][0]["best"], "builtin")
        self.assertEqual(data["table"][0]["ratio"], 3)

    def test_a_delegate_is_not_offered_what_it_cannot(self):
        _, data = self.run_on("needs.tflite")
        self.assertEqual(data["models"][0]["peers"]["xnnpack"]["without"], "RESHAPE")
        self.assertEqual(data["models"][0]["peers"]["nnaccel"], {"error": "not without 22"})


if __name__ == "__main__":
    unittest.main()
