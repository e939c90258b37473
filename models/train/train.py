# SPDX-License-Identifier: Apache-2.0
"""Makes models/shapes_fp32, models/shapes_int8 and models/pictures from nothing but seeds."""

import argparse
import os
import pathlib
import sys
import time

# One thread: the matrices are small, and the order of additions must not depend on the machine.
# BLAS reads this when numpy is imported, so it comes first.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import dataset
import export
import load
import network
import optimise
import pictures
import quantize
import reference

CALIBRATION = 1000      # training pictures that set the ranges of the int8 model
MODELS = pathlib.Path(__file__).resolve().parent.parent


def log(text):
    print(text, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, default=MODELS,
                        help="folder to write to (default: the folder above this program)")
    parser.add_argument("--reuse", action="store_true",
                        help="do not train: take the weights of the float model in this repository")
    arguments = parser.parse_args()

    began = time.process_time()
    if arguments.reuse:
        plain = load.load(MODELS / "shapes_fp32" / "model.tflite")
    else:
        plain = network.to_graph(optimise.train(log))
    calibration, _ = dataset.render(optimise.TRAIN_SEED, CALIBRATION)
    quantized = quantize.quantize(plain, reference.to_input(plain, calibration))

    samples, labels = export.choose_samples([plain, quantized])
    folder = arguments.output / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for picture, label in zip(samples, labels):
        pictures.write_png(folder / f"{dataset.LABELS[label]}.png", picture)
    for name, graph in (("shapes_fp32", plain), ("shapes_int8", quantized)):
        names = [f"rendered {dataset.LABELS[label]}, pictures/{dataset.LABELS[label]}.png"
                 for label in labels]
        rows = export.write_folder(arguments.output / name, graph,
                                   reference.to_input(graph, samples), dataset.LABELS, names)
        for what in range(2):
            worst = max(row[what].max_bound for row in rows)
            log(f"{name}: {rows[0][what].what} bounds up to {worst:.3g}")
    log(f"done in {time.process_time() - began:.0f} s of CPU time")


if __name__ == "__main__":
    main()
