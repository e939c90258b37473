# SPDX-License-Identifier: Apache-2.0
"""How far another correct implementation may be from the expected outputs, and the rule by which a
set of outputs is accepted. models/README.md says why the bounds are made like this."""

from dataclasses import dataclass

import numpy as np

import reference

SEED = 5
COPIES = 16
NOISE = 1 / 4096        # of a step
FLOAT_BOUND = 1e-5


@dataclass
class Row:
    """Bounds of one tensor (what: out or probe) of one sample."""
    what: str
    max_bound: float
    mean_bound: float
    top1: int
    top1_required: bool
    margin: float
    seen: float             # largest difference of the other correct evaluation
    perturbed: float        # the same of the noisy evaluations; None for float models


def noisy(rng, size):
    """The rule with every value moved a little before it is rounded: another order of additions,
    another precision of the multiplier."""
    def rule(value, multiplier):
        product = value * multiplier
        return np.rint(product + size * (2 * rng.random(product.shape) - 1)).astype(np.int64)
    return rule


def _peers(graph, inputs, indices):
    """Values of the tensors `indices` from (the other correct evaluation, noisy ones)."""
    def run(model, **options):
        values = reference.evaluate(model, inputs, **options)
        return {index: values[index].astype(np.float64) for index in indices}
    if graph.tensors[graph.inputs[0]].dtype != "INT8":
        return run(graph, dtype=np.float32), []
    rng = np.random.Generator(np.random.PCG64(SEED))
    return (run(graph, rule=reference.single_precision),
            [run(graph, rule=noisy(rng, NOISE)) for _ in range(COPIES)])


def derive(graph, inputs, expected):
    """expected: {"out": (tensor index, values), "probe": ...}; returns rows per sample."""
    other, copies = _peers(graph, inputs, [index for index, _ in expected.values()])
    rows = []
    for sample in range(len(inputs)):
        rows.append([])
        for what, (index, values) in expected.items():
            want = values[sample].astype(np.float64)
            seen = abs(other[index][sample] - want)
            moved = np.array([abs(peer[index][sample] - want) for peer in copies])
            if copies:
                high = max(1, 2 * seen.max(), moved.max())
                mean = max(0.25, 2 * seen.mean(), moved.mean(-1).max())
                high = float(np.ceil(high))
            else:
                high = max(4 * seen.max(), FLOAT_BOUND * max(1.0, abs(want).max()))
                mean = max(4 * seen.mean(), high / 4)
            order = np.argsort(-want, kind="stable")
            margin = want[order[0]] - want[order[1]]
            agree = all(peer[index][sample].argmax() == order[0] for peer in [other, *copies])
            rows[-1].append(Row(what, high, float(mean), int(order[0]),
                                bool(agree and margin > high), float(margin), float(seen.max()),
                                float(moved.max()) if copies else None))
    return rows


def accepts(rows, got, expected):
    """The acceptance rule. rows: per sample, per tensor; got, expected: {what: [samples, ...]}.

    Returns (accepted, rows outside their bounds).
    """
    outside = {"out": 0, "probe": 0}
    beyond = False
    for sample, sample_rows in enumerate(rows):
        for row in sample_rows:
            have = got[row.what][sample].astype(np.float64)
            difference = abs(have - expected[row.what][sample].astype(np.float64))
            wrong = row.top1_required and have.argmax() != row.top1
            if wrong or difference.max() > row.max_bound or difference.mean() > row.mean_bound:
                outside[row.what] += 1
            if (wrong or difference.max() > 2 * row.max_bound
                    or difference.mean() > 2 * row.mean_bound):
                beyond = True
    return not beyond and max(outside.values()) <= 1, sum(outside.values())
