# SPDX-License-Identifier: Apache-2.0
"""Writes a model folder: the model, sample inputs, expected outputs, bounds, labels."""

import numpy as np

import bounds
import dataset
import reader
import reference
import tflite

SAMPLE_SEED, SAMPLES = 200, 8
BOUND_COLUMNS = ("sample", "what", "index", "unit", "max_bound", "mean_bound", "top1",
                 "top1_required", "margin", "seen_ref_kernels_max", "seen_xnnpack_max",
                 "seen_onnxruntime_max", "seen_float64_max", "perturbed_max")


def choose_samples(graphs):
    """Pictures and labels of the samples: the first one of each of the first labels that all
    graphs get right. The pictures are of a seed that neither training nor testing uses."""
    pictures, labels = dataset.render(SAMPLE_SEED, dataset.CHUNK)
    right = np.ones(len(labels), bool)
    for graph in graphs:
        right &= reference.predict(graph, reference.to_input(graph, pictures)).argmax(1) == labels
    chosen = [np.flatnonzero(right & (labels == label))[0] for label in range(SAMPLES)]
    return pictures[chosen], labels[chosen]


def _write_tsv(path, header, rows):
    lines = ["\t".join(str(cell) for cell in row) for row in [header, *rows]]
    path.write_text("\n".join(lines) + "\n")


def _tensor_cells(tensor):
    scale = f"{tensor.scale[0]:.9g}" if tensor.scale else "0"
    shape = "x".join(str(size) for size in tensor.shape)
    return [tensor.name, tensor.dtype, shape, scale, tensor.zero_point]


def _bound_cells(sample, row, quantized):
    out = row.what == "out"
    digits = "{:.0f}" if quantized else "{:.4g}"
    seen = digits.format(row.seen) if quantized else f"{row.seen:.3g}"
    return [sample, row.what, 0, "steps" if quantized else "absolute", f"{row.max_bound:.6g}",
            f"{row.mean_bound:.3g}", row.top1 if out else "-",
            ("yes" if row.top1_required else "no") if out else "-",
            digits.format(row.margin) if out else "-",
            seen, "-", "-", "-", f"{row.perturbed:.0f}" if quantized else "-"]


def _expected_text(labels, names, scores, rows):
    lines = []
    for sample, name in enumerate(names):
        lines.append(f"sample {sample}: {name}")
        for place, best in enumerate(np.argsort(-scores[sample], kind="stable")[:5]):
            lines.append(f"  top{place + 1}  class {best}  {scores[sample][best]:.4f}  "
                         f"{labels[best]}")
        row = rows[sample][0]
        lines.append("  top-1 must match" if row.top1_required else
                     f"  top-1 need not match (margin to the runner-up {row.margin:.4g}, "
                     f"bound {row.max_bound:.4g})")
    return "\n".join(lines) + "\n"


def write_folder(folder, graph, inputs, labels, names):
    """Writes everything of one model; returns the rows of bounds.tsv, per sample.

    inputs: of the samples, as the graph takes them; names: what the samples are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model = tflite.serialize(graph)
    (folder / "model.tflite").write_bytes(model)
    (folder / "labels.txt").write_text("\n".join(labels) + "\n")

    source, output = graph.inputs[0], graph.outputs[0]
    probe = graph.ops[-1].inputs[0]
    values = reference.evaluate(graph, inputs)
    dtype = np.int8 if graph.tensors[output].dtype == "INT8" else np.float32
    expected = {"out": (output, values[output].astype(dtype)),
                "probe": (probe, values[probe].astype(dtype))}
    rows = bounds.derive(graph, inputs, expected)

    listing = []
    for sample in range(len(inputs)):
        for direction, index, data in (("in", source, inputs),
                                       *((what, *pair) for what, pair in expected.items())):
            name = f"{direction}{sample}_0.bin"
            (folder / name).write_bytes(data[sample].tobytes())
            tensor = graph.tensors[index]
            listing.append([sample, direction, 0, *_tensor_cells(tensor), name, tensor.dtype])
    _write_tsv(folder / "io.tsv", ("sample", "direction", "index", "tensor", "dtype", "shape",
                                   "scale", "zero_point", "file", "file_dtype"), listing)
    _write_tsv(folder / "bounds.tsv", BOUND_COLUMNS,
               [_bound_cells(sample, row, dtype is np.int8)
                for sample, sample_rows in enumerate(rows) for row in sample_rows])
    _write_tsv(folder / "probe.tsv", ("byte_offset", "old_int32", "new_int32", "tensor", "dtype",
                                      "shape", "scale", "zero_point", "meaning"),
               [[reader.read(model)["outputs_at"], output, probe,
                 *_tensor_cells(graph.tensors[probe]), "input of SOFTMAX (logits)"]])
    scores = values[output].astype(np.float64)
    if dtype is np.int8:
        tensor = graph.tensors[output]
        scores = (scores - tensor.zero_point) * tensor.scale[0]
    (folder / "expected.txt").write_text(_expected_text(labels, names, scores, rows))
    return rows
