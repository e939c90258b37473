# SPDX-License-Identifier: Apache-2.0
"""Checks the model folders from the files alone: the contents agree with each other, the expected
outputs with a second evaluation in plain Python, the bounds refuse wrong arithmetic, the accuracy
is what models/README.md says. Exit code 1 if anything is wrong."""

import argparse
import copy
import pathlib
import struct
import sys
import zlib

import numpy as np

import bounds
import dataset
import load
import reader
import reference
import scalar

TEST_SEED = 100         # neither of the training pictures nor of the samples
# Noise that the bounds were not made with; a float32 evaluation moves no value by more.
NOISE_SEEDS, FLOAT32_NOISE = range(10, 42), 1 / 32768
LEAST_ACCURACY, LARGEST_LOSS = 0.95, 0.01
CODES = {"FLOAT32": "f", "INT8": "b"}
ALIGNMENT = 16
VERSIONS = {            # of the operators, float32 and int8
    "ADD": (1, 2), "AVERAGE_POOL_2D": (1, 2), "CONV_2D": (1, 3), "DEPTHWISE_CONV_2D": (1, 3),
    "FULLY_CONNECTED": (1, 4), "RESHAPE": (1, 1), "SLICE": (1, 2), "SOFTMAX": (1, 2),
}


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, right, text):
        if right:
            self.passed += 1
        else:
            self.failed += 1
        print(("ok      " if right else "FAILED  ") + text, flush=True)


def read_table(path):
    lines = path.read_text().splitlines()
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"))) for line in lines[1:]]


def read_png(path):
    """Pixels of an 8-bit RGB file without row filters: (width, height, bytes)."""
    data, place, body = path.read_bytes(), 8, b""
    while place < len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        chunk = data[place + 8:place + 8 + size]
        if struct.unpack_from(">I", data, place + 8 + size)[0] != zlib.crc32(kind + chunk):
            raise ValueError(f"{path}: checksum of {kind}")
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"IDAT":
            body += chunk
        place += 12 + size
    rows, stride = zlib.decompress(body), 1 + 3 * width
    if form != [8, 2, 0, 0, 0] or any(rows[row * stride] for row in range(height)):
        raise ValueError(f"{path}: not plain 8-bit RGB")
    return width, height, b"".join(rows[row * stride + 1:(row + 1) * stride]
                                   for row in range(height))


def read_values(path, dtype):
    data = path.read_bytes()
    return struct.unpack(f"<{len(data) // struct.calcsize(CODES[dtype])}{CODES[dtype]}", data)


def same_values(got, want, dtype):
    """Equal; for floats after rounding to float32, where the last bit may differ."""
    if len(got) != len(want):
        return False
    if dtype == "INT8":
        return list(got) == list(want)
    return all(abs(np.float32(a) - b) <= np.spacing(np.float32(abs(b))) for a, b in zip(got, want))


class Folder:
    """The files of one model, read."""

    def __init__(self, path):
        self.path, self.name = path, path.name
        self.data = (path / "model.tflite").read_bytes()
        self.model = reader.read(self.data)
        self.probe = read_table(path / "probe.tsv")[0]
        self.indices = {"in": self.model["inputs"][0], "out": self.model["outputs"][0],
                        "probe": int(self.probe["new_int32"])}
        self.files = {}                     # (direction, sample) -> values
        self.listing = read_table(path / "io.tsv")
        for row in self.listing:
            self.files[row["direction"], int(row["sample"])] = read_values(path / row["file"],
                                                                           row["file_dtype"])
        self.samples = 1 + max(sample for _, sample in self.files)

    def stacked(self, direction):
        tensor = self.model["tensors"][self.indices[direction]]
        values = [self.files[direction, sample] for sample in range(self.samples)]
        dtype = np.float32 if tensor["dtype"] == "FLOAT32" else np.int8
        leading = tensor["shape"][0]            # 1 is the batch: the samples take its place
        return np.array(values, dtype).reshape(self.samples, *((leading,) if leading > 1 else ()),
                                               *tensor["shape"][1:])


def check_structure(check, folder):
    model = folder.model
    quantized = model["tensors"][folder.indices["in"]]["dtype"] == "INT8"
    check(all(tensor["data_at"] % ALIGNMENT == 0 for tensor in model["tensors"] if tensor["data"]),
          f"{folder.name}: constants are aligned to {ALIGNMENT} bytes")
    check(all(op["version"] == VERSIONS[op["kind"]][quantized] for op in model["ops"]),
          f"{folder.name}: operator versions fit the types")
    agree = True
    for row in folder.listing:
        tensor = model["tensors"][folder.indices[row["direction"]]]
        scale = tensor["scale"][0] if tensor["scale"] else 0
        zero = tensor["zero_point"][0] if tensor["zero_point"] else 0
        agree &= (row["tensor"] == tensor["name"] and row["dtype"] == tensor["dtype"]
                  and row["shape"] == "x".join(map(str, tensor["shape"]))
                  and np.float32(row["scale"]) == np.float32(scale)
                  and int(row["zero_point"]) == zero)
    check(agree, f"{folder.name}: io.tsv describes the model's tensors")

    place, old, new = (int(folder.probe[name]) for name in ("byte_offset", "old_int32",
                                                            "new_int32"))
    found = struct.unpack_from("<i", folder.data, place)[0]
    patched = reader.read(folder.data[:place] + struct.pack("<i", new) + folder.data[place + 4:])
    before = {key: value for key, value in model.items() if key != "outputs"}
    after = {key: value for key, value in patched.items() if key != "outputs"}
    check(found == old and patched["outputs"] == (new,) and before == after,
          f"{folder.name}: probe.tsv makes the logits the only output and changes nothing else")
    labels = (folder.path / "labels.txt").read_text().split()
    shape = model["tensors"][folder.indices["out"]]["shape"]
    check(len(labels) == shape[-1], f"{folder.name}: one label for each score")


def check_outputs(check, folder):
    for sample in range(folder.samples):
        values = scalar.evaluate(folder.model, folder.files["in", sample])
        for direction in ("out", "probe"):
            index = folder.indices[direction]
            check(same_values(values[index], folder.files[direction, sample],
                              folder.model["tensors"][index]["dtype"]),
                  f"{folder.name}: {direction}{sample}_0.bin is what the model gives")


def check_pictures(check, folder, pictures):
    labels = (folder.path / "labels.txt").read_text().split()
    for sample in range(folder.samples):
        data = folder.files["in", sample]
        scores = folder.files["out", sample]
        name = labels[scores.index(max(scores))]
        width, height, pixels = read_png(pictures / f"{name}.png")
        if folder.model["tensors"][folder.indices["in"]]["dtype"] == "INT8":
            want = [pixel - 128 for pixel in pixels]
        else:
            want = [float(np.float32(pixel) / np.float32(255)) for pixel in pixels]
        shape = folder.model["tensors"][folder.indices["in"]]["shape"]
        check(shape == (1, height, width, 3) and list(data) == want,
              f"{folder.name}: in{sample}_0.bin is pictures/{name}.png")


def read_bounds(folder):
    rows = [[] for _ in range(folder.samples)]
    for row in read_table(folder.path / "bounds.tsv"):
        out = row["what"] == "out"
        rows[int(row["sample"])].append(bounds.Row(
            row["what"], float(row["max_bound"]), float(row["mean_bound"]),
            int(row["top1"]) if out else 0, row["top1_required"] == "yes",
            float(row["margin"]) if out else 0.0, 0.0, 0.0))
    return rows


def _one_scale(graph):
    """Per-channel filters read as if all channels had the first one's scale."""
    result = copy.copy(graph)
    result.tensors = [copy.copy(tensor) for tensor in graph.tensors]
    for op in result.ops:
        if op.kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            weights = result.tensors[op.inputs[1]]
            weights.scale = weights.scale[:1] * len(weights.scale)
    return result


def without(graph, activation):
    result = copy.copy(graph)
    result.ops = [copy.copy(op) for op in graph.ops]
    for op in result.ops:
        if op.options.get("activation") == activation:
            op.options = {**op.options, "activation": "RELU" if activation == "RELU6" else "NONE"}
    return result


def judge_of(folder):
    """judge(inputs, graph, ...): what the bounds say to such an evaluation of the samples."""
    graph, rows = load.load(folder.path / "model.tflite"), read_bounds(folder)
    expected = {what: folder.stacked(what) for what in ("out", "probe")}

    def judge(inputs=folder.stacked("in"), graph=graph, **options):
        values = reference.evaluate(graph, inputs, **options)
        return bounds.accepts(rows, {what: values[folder.indices[what]] for what in expected},
                              expected)
    return judge


def check_verdicts(check, folder, right, wrong):
    for name, (accepted, outside) in right.items():
        check(accepted, f"{folder.name}: bounds accept {name} ({outside} rows outside)")
    for name, (accepted, outside) in wrong.items():
        check(not accepted, f"{folder.name}: bounds refuse {name} "
                            f"({outside} of {2 * folder.samples} rows outside)")


def check_bounds(check, folder):
    graph, judge = load.load(folder.path / "model.tflite"), judge_of(folder)
    inputs = folder.stacked("in")
    names = [tensor.name for tensor in graph.tensors]
    middle = names.index("block2/pointwise")

    def one_more(index, value):
        return np.minimum(value + 1, 127) if index == middle else value

    right, wrong = {}, {"red and blue exchanged": judge(inputs[..., ::-1])}
    if graph.tensors[graph.inputs[0]].dtype == "INT8":
        right["float32 multiplier, fixed-point ADD"] = judge(rule=reference.single_precision)
        noisy = [judge(rule=bounds.noisy(np.random.Generator(np.random.PCG64(seed)),
                                         FLOAT32_NOISE)) for seed in NOISE_SEEDS]
        right[f"{len(noisy)} evaluations with noise of float32's size"] = (
            all(accepted for accepted, _ in noisy), sum(outside for _, outside in noisy))
        print(f"        {folder.name}: with noise of float32's size "
              f"{sum(accepted for accepted, _ in noisy)} of {len(noisy)} are accepted")
        wrong["rounding down"] = judge(rule=reference.round_down)
        wrong["one step more in one layer"] = judge(disturb=one_more)
        wrong["one filter scale for all channels"] = judge(graph=_one_scale(graph))
        accepted, outside = judge(rule=reference.fixed_point)
        print(f"        {folder.name}: fixed-point recipe in every layer: "
              f"{'accepted' if accepted else 'refused'}, {outside} of {2 * folder.samples} rows "
              f"outside (for information)")
    else:
        right["float32"] = judge(dtype=np.float32)
        wrong["float16"] = judge(graph=half(graph))
        wrong["RELU left out"] = judge(graph=without(graph, "RELU"))
        wrong["RELU6 taken for RELU"] = judge(graph=without(graph, "RELU6"))
    check_verdicts(check, folder, right, wrong)


def half(graph):
    result = copy.copy(graph)
    result.tensors = [copy.copy(tensor) for tensor in graph.tensors]
    for tensor in result.tensors:
        if tensor.data is not None and tensor.dtype == "FLOAT32":
            tensor.data = tensor.data.astype(np.float16).astype(np.float32)
    return result


def check_constants(check, folder):
    """Every constant matters: a change of any one changes the outputs of the samples."""
    graph = load.load(folder.path / "model.tflite")
    inputs, probe = folder.stacked("in"), folder.indices["probe"]
    expected = reference.evaluate(graph, inputs)[probe]
    idle = []
    for op in graph.ops:
        for index in op.inputs[1:] if op.kind not in ("ADD", "RESHAPE", "SLICE") else ():
            changed = copy.copy(graph)
            changed.tensors = list(graph.tensors)
            tensor = changed.tensors[index] = copy.copy(graph.tensors[index])
            tensor.data = tensor.data.copy()
            largest = np.unravel_index(abs(tensor.data.astype(float)).argmax(), tensor.shape)
            tensor.data[largest] *= -1
            if np.array_equal(reference.evaluate(changed, inputs)[probe], expected):
                idle.append(tensor.name)
    check(not idle, f"{folder.name}: the logits of the samples depend on every weight tensor "
                    f"and bias; not on: {' '.join(idle) or '-'}")


def check_accuracy(check, folders, count):
    pictures, labels = dataset.render(TEST_SEED, count)
    accuracy, predictions = [], []
    for folder in folders:
        graph = load.load(folder.path / "model.tflite")
        best = reference.predict(graph, reference.to_input(graph, pictures)).argmax(1)
        predictions.append(best)
        accuracy.append((best == labels).mean())
        print(f"        {folder.name}: accuracy {accuracy[-1]:.4f} on {count} test pictures")
    same = (predictions[0] == predictions[1]).mean()
    print(f"        both agree on {same:.4f} of them")
    check(accuracy[0] > LEAST_ACCURACY, f"float accuracy is above {LEAST_ACCURACY}")
    check(accuracy[1] > accuracy[0] - LARGEST_LOSS,
          f"int8 accuracy is less than {LARGEST_LOSS} below it")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="folder with shapes_fp32, shapes_int8 and pictures")
    parser.add_argument("--pictures", type=int, default=4000,
                        help="test pictures for the accuracy (default 4000)")
    arguments = parser.parse_args()
    check = Checks()
    try:
        folders = [Folder(arguments.models / name) for name in ("shapes_fp32", "shapes_int8")]
        for folder in folders:
            check_structure(check, folder)
            check_outputs(check, folder)
            check_pictures(check, folder, arguments.models / "pictures")
            check_bounds(check, folder)
            check_constants(check, folder)
        check_accuracy(check, folders, arguments.pictures)
    except (reader.FormatError, OSError, ValueError) as error:
        check(False, f"unreadable: {error}")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
