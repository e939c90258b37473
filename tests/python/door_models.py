#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""door_models.py DEVICE FOLDER...: the models of the folders (*/model.tflite) by the installed package nnaccel: the outputs of
each sample are within the bounds of bounds.tsv, or NNAPI cannot express the model. Prints a line per model, and last
"N passed, N failed"."""
import csv
import os
import sys

import numpy as np

import nnaccel
from door_report import report
from nnaccel.interpreter import Interpreter


def table(path):
    with open(path, encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t'))


def load(folder, row, tensor):
    return np.fromfile(os.path.join(folder, row['file']), row['file_dtype'].lower()).astype(tensor.dtype).reshape(tensor.shape)


def difference(row, got, expected):
    """Between an output and the stored one, as a share of the bound."""
    got, expected, bound = got.astype(np.float64), expected.astype(np.float64), float(row['max_bound'])
    if row['unit'] == 'fraction of pixels':
        wide = float((got != expected).mean())
    elif row['unit'].startswith('normalised coordinate'):
        # y, x and score of key points; those with a low score are anywhere
        seen = expected[..., 2] >= 0.5
        wide = float(np.abs(got - expected)[seen][..., :2].max(initial=0))
    elif row['unit'] in ('steps', 'absolute'):
        wide = float(np.abs(got - expected).max())
    else:
        raise ValueError(f'bounds.tsv has the unit {row["unit"]}')
    return wide / bound if bound else float('inf') if wide else 0.0


def by_model(model, inputs):
    model.reset()
    result = model(*inputs)
    return result if isinstance(result, tuple) else (result,)


def by_interpreter(interpreter, inputs):
    interpreter.reset_all_variables()
    for details, value in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(details['index'], value)
    interpreter.invoke()
    return [interpreter.get_tensor(details['index']) for details in interpreter.get_output_details()]


def try_model(folder, device):
    """The worst difference of all samples by both interfaces."""
    path = os.path.join(folder, 'model.tflite')
    model, interpreter = nnaccel.Model(path, devices=device), Interpreter(path, devices=device)
    interpreter.allocate_tensors()
    io, bounds = table(os.path.join(folder, 'io.tsv')), table(os.path.join(folder, 'bounds.tsv'))
    worst, outputs = 0.0, 0
    for sample in sorted({row['sample'] for row in io}, key=int):
        rows = {(row['direction'], int(row['index'])): row for row in io if row['sample'] == sample}
        inputs = [load(folder, rows['in', i], tensor) for i, tensor in enumerate(model.inputs)]
        for results in by_model(model, inputs), by_interpreter(interpreter, inputs):
            for i, tensor in enumerate(model.outputs):
                bound = next(b for b in bounds if (b['sample'], b['what'], b['index']) == (sample, 'out', str(i)))
                worst = max(worst, difference(bound, results[i], load(folder, rows['out', i], tensor)))
                outputs += 1
    if not outputs:
        raise ValueError('io.tsv has no sample')
    return worst, outputs


def line(folder, device):
    try:
        worst, outputs = try_model(folder, device)
        return worst <= 1, f'{outputs} outputs, at most {worst:.2f} of the bound'
    except nnaccel.ModelError as error:
        # as "nnctl models-check": an operation that NNAPI cannot express is refused with its name
        return 'NNAPI' in str(error), f'refused: {str(error).removeprefix(folder)[1:]}'


def main():
    folders = [os.path.join(parent, name) for parent in sys.argv[2:] for name in sorted(os.listdir(parent))]
    return report((os.path.basename(folder), lambda folder=folder: line(folder, sys.argv[1]))
                  for folder in folders if os.path.isfile(os.path.join(folder, 'model.tflite')))


sys.exit(main())
