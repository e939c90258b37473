# SPDX-License-Identifier: Apache-2.0
"""Checks models/motion from its files alone, as verify.py does for the others; and that the integers
of the records play no part. Exit code 1 if anything is wrong."""

import argparse
import pathlib
import sys

import numpy as np

import load
import motion_data
import reader
import reference
import verify

TEST_SEED = 101         # of neither the training windows nor the samples
LEAST_ACCURACY = 0.95
AXES = slice(motion_data.FIRST_AXIS, motion_data.FIRST_AXIS + motion_data.AXES)


def check_records(check, folder):
    """The samples are a channel's memory: 128 records of which one is the oldest."""
    for sample in range(folder.samples):
        data = (folder.path / f"in{sample}_0.bin").read_bytes()
        records = np.frombuffer(data, np.uint32).reshape(motion_data.WINDOW, -1)
        oldest = int(records[:, 3].argmin())
        in_order = np.roll(records, -oldest, 0)
        stamps = in_order[:, 4:6].copy().view(np.uint64)[:, 0].astype(np.int64)
        check(len(data) == 104 * motion_data.WINDOW and (records[:, 0] == 104).all()
              and (np.diff(in_order[:, 3].astype(np.int64)) == 1).all() and (np.diff(stamps) > 0).all()
              and np.isnan(records[:, 3].view(np.float32)).all(),
              f"{folder.name}: in{sample}_0.bin is a ring of records whose counters are NaNs")


def check_bounds(check, folder):
    graph, judge = load.load(folder.path / "model.tflite"), verify.judge_of(folder)
    inputs = folder.stacked("in")
    others = np.full_like(inputs, np.nan)
    others[..., AXES] = inputs[..., AXES]
    turned = inputs.copy()
    turned[..., AXES] = inputs[..., AXES][..., ::-1]
    shifted = np.nan_to_num(np.roll(inputs, 1, -1))
    verify.check_verdicts(
        check, folder,
        {"float32": judge(dtype=np.float32),
         "NaN in every other column": judge(inputs=others)},
        {"x and z exchanged": judge(inputs=turned),
         "the slice one column off": judge(inputs=shifted),
         "float16": judge(graph=verify.half(graph)),
         "RELU left out": judge(graph=verify.without(graph, "RELU"))})


def check_accuracy(check, folder, count):
    windows, labels, oldest = motion_data.render(TEST_SEED, count)
    graph = load.load(folder.path / "model.tflite")
    best = reference.predict(graph, motion_data.to_records(windows, oldest)).argmax(1)
    for label, name in enumerate(motion_data.LABELS):
        of = labels == label
        print(f"        {folder.name}: {name}: {(best[of] == label).mean():.4f} of {of.sum()}")
    accuracy = (best == labels).mean()
    print(f"        {folder.name}: accuracy {accuracy:.4f} on {count} test windows")
    check(accuracy > LEAST_ACCURACY, f"accuracy is above {LEAST_ACCURACY}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="folder with motion")
    parser.add_argument("--windows", type=int, default=4000,
                        help="test windows for the accuracy (default 4000)")
    arguments = parser.parse_args()
    check = verify.Checks()
    try:
        folder = verify.Folder(arguments.models / "motion")
        verify.check_structure(check, folder)
        verify.check_outputs(check, folder)
        check_records(check, folder)
        check_bounds(check, folder)
        verify.check_constants(check, folder)
        check_accuracy(check, folder, arguments.windows)
    except (reader.FormatError, OSError, ValueError) as error:
        check(False, f"unreadable: {error}")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
