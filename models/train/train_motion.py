# SPDX-License-Identifier: Apache-2.0
"""Makes models/motion from nothing but seeds: generated motion, training, the model's folder."""

import argparse
import os
import pathlib
import sys
import time

# One thread, as in train.py; before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import export
import load
import motion_data
import motion_network
import optimise
import reference

TRAIN_SEED, WEIGHTS_SEED, ORDER_SEED, SAMPLE_SEED = 11, 12, 13, 14
WINDOWS, EPOCHS, BATCH = 16000, 12, 64
PEAK_RATE, WARM_UP = 4e-3, 100
SAMPLES_PER_LABEL = 2
# As float32 these counters are NaNs: a computation with them would show in the outputs.
SAMPLE_COUNTER = 0x7fc00001
MODELS = pathlib.Path(__file__).resolve().parent.parent


def log(text):
    print(text, file=sys.stderr, flush=True)


def train():
    """Returns the trained parameters."""
    began = time.monotonic()
    windows, labels, _ = motion_data.render(TRAIN_SEED, WINDOWS)
    windows /= np.float32(motion_data.GRAVITY)
    log(f"generated {WINDOWS} windows in {time.monotonic() - began:.0f} s")
    parameters = motion_network.initial_parameters(
        np.random.Generator(np.random.PCG64(WEIGHTS_SEED)))
    adam = optimise.Adam(parameters)
    order_rng = np.random.Generator(np.random.PCG64(ORDER_SEED))
    steps, step = EPOCHS * (WINDOWS // BATCH), 0
    for epoch in range(EPOCHS):
        order = np.argsort(order_rng.random(WINDOWS), kind="stable")
        losses, right = [], 0
        for start in range(0, WINDOWS - BATCH + 1, BATCH):
            chosen = order[start:start + BATCH]
            logits, memory = motion_network.forward(parameters, windows[chosen])
            loss, gradient = optimise.loss_gradient(logits, labels[chosen])
            losses.append(loss)
            right += (logits.argmax(1) == labels[chosen]).sum()
            rate = (PEAK_RATE * min(1.0, (step + 1) / WARM_UP)
                    * (0.5 + 0.5 * np.cos(np.pi * step / steps)))
            adam.step(parameters, motion_network.backward(parameters, gradient, memory), rate)
            step += 1
        log(f"epoch {epoch + 1} of {EPOCHS}: loss {np.mean(losses):.4f}, accuracy while training "
            f"{right / len(losses) / BATCH:.4f}, {time.monotonic() - began:.0f} s")
    return parameters


def choose_samples(graph):
    """Records, labels: the first windows of each label that the model gets right."""
    windows, labels, oldest = motion_data.render(SAMPLE_SEED, motion_data.CHUNK)
    records = motion_data.to_records(windows, oldest, SAMPLE_COUNTER)
    right = reference.predict(graph, records).argmax(1) == labels
    chosen = np.concatenate([np.flatnonzero(right & (labels == label))[:SAMPLES_PER_LABEL]
                             for label in range(len(motion_data.LABELS))])
    return records[chosen], labels[chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, default=MODELS / "motion",
                        help="folder to write to")
    parser.add_argument("--reuse", action="store_true",
                        help="do not train: take the weights of the model in this repository")
    arguments = parser.parse_args()
    graph = (load.load(MODELS / "motion" / "model.tflite") if arguments.reuse
             else motion_network.to_graph(train()))
    records, labels = choose_samples(graph)
    names = [f"generated {motion_data.LABELS[label]}" for label in labels]
    rows = export.write_folder(arguments.output, graph, records, motion_data.LABELS, names)
    for what in range(2):
        worst = max(row[what].max_bound for row in rows)
        log(f"motion: {rows[0][what].what} bounds up to {worst:.3g}")


if __name__ == "__main__":
    main()
