# SPDX-License-Identifier: Apache-2.0
"""door_onnxruntime.py LIBRARY FOLDER DEVICE: the execution provider in ONNX Runtime, beside its CPU provider. Each model is within one
step where its outputs are quantized, and within 1e-4 of the greatest output where they are not: float32 sums of up to some
thousand products in another order. FOLDER is for files. DEVICE is one of the runtime's: on nnaccel-cpu all cases run, and the models as
an application without the option has them, too; on another device the models. Prints a line per case, and last "N passed, N failed"."""
import json
import os
import sys
import threading

import numpy as np
import onnxruntime as ort

from door_models import HOSTILE, MODELS, REFUSALS, cnn, mixed, open_cnn, open_transformer, open_view, tokens

FLOAT_BOUND = 1e-4
EXPLAIN = os.path.join(sys.argv[2], 'explain.json')
DEVICE = sys.argv[3]


def session(model, devices=(), optimization=ort.GraphOptimizationLevel.ORT_ENABLE_ALL, **options):
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    settings.graph_optimization_level = optimization
    if devices:
        settings.add_provider_for_devices(list(devices), {'log': 'off', 'explain': EXPLAIN, **options})
    # without a second attempt by the CPU's provider
    return ort.InferenceSession(model.bytes(), sess_options=settings, enable_fallback=0)


def reference(model):
    """The CPU provider, in float32 between the conversions: its int8 kernels saturate on processors without VNNI."""
    return session(model, optimization=ort.GraphOptimizationLevel.ORT_DISABLE_ALL)


def explained():
    """Of the last graph: nodes, delegated nodes, partitions, and the nodes that stay."""
    with open(EXPLAIN, encoding='utf-8') as file:
        graphs = [line for line in map(json.loads, file) if 'nodes' in line]
    return graphs[-1]


def difference(model, got, expected):
    """The worst one as a share of its bound."""
    worst = 0.0
    for name, a, b in zip(model.output_names, got, expected):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float('inf')
        bound = model.steps.get(name) or FLOAT_BOUND * max(1.0, float(np.abs(b).max(initial=0)))
        wide = np.abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0) / bound
        worst = max(worst, float(wide) if np.isfinite(wide) else float('inf'))
    return worst


def try_model(build, stay, devices, **options):
    model = build()
    expected = reference(model).run(None, model.feeds)
    got = session(model, devices, **options).run(None, model.feeds)
    facts, worst = explained(), difference(model, got, expected)
    stays = [node['operator'] for node in facts['stay']]
    text = f'{facts["delegated"]} of {facts["nodes"]} nodes, {worst:.3f} of the bound'
    # a step is a little more than itself in float32
    return worst <= 1.001 and stays == stay, text if stays == stay else f'{text}; stay: {facts["stay"]}'


def try_refusal(op, build, words, devices):
    model = build()
    session(model, devices, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    reasons = [node['reason'] for node in explained()['stay'] if node['operator'] == op]
    return any(words in reason for reason in reasons), '; '.join(reasons) or 'it does not stay'


def outcome(make, model, *arguments):
    try:
        return make(model, *arguments).run(None, model.feeds)
    except Exception as error:  # pylint: disable=broad-exception-caught # of pybind: classes of its own
        return str(error)


def try_hostile(build, devices):
    model = build()
    expected, got = outcome(reference, model), outcome(session, model, devices)
    if isinstance(expected, str) or isinstance(got, str):
        return isinstance(expected, str) and isinstance(got, str), f'{str(got)[:100]!r}'
    same = all(np.array_equal(np.isnan(a), np.isnan(b)) for a, b in zip(got, expected))
    clean = [[np.nan_to_num(a) for a in outputs] for outputs in (got, expected)]
    worst = difference(model, *clean)
    return same and worst <= 1.001, f'{worst:.3f} of the bound'


def try_error(words, model, devices, **options):
    try:
        session(model, devices, **options)
    except Exception as error:  # pylint: disable=broad-exception-caught # of pybind: classes of its own
        return words in str(error), str(error)
    return False, 'no error'


def try_options(devices):
    yield 'unknown option', try_error('unknown option "speed"', cnn(), devices, speed='1')
    yield 'shapes', try_error('option "shapes" is "65", must be a number up to 64', cnn(), devices, shapes='65')
    session(open_cnn(), devices, shapes='0')
    yield 'shapes=0', (len(explained()['stay']) == explained()['nodes'], '')
    yield 'wrong value', try_error('option "fp16" is "yes", must be 0 or 1', cnn(), devices, fp16='yes')
    yield 'unknown device', try_error('the runtime has no device none', cnn(), devices, device='none')
    yield 'require_all', try_error('require_all is 1, and node 2 n_Cos', mixed(), devices, require_all='1')
    session(cnn(), devices, require_all='1', device=DEVICE)
    yield 'require_all of a whole model', (not explained()['stay'], '')
    session(mixed(), devices, min_nodes='4')
    reasons = [node['reason'] for node in explained()['stay']]
    yield 'min_nodes', (any('min_nodes is 4' in reason for reason in reasons), str(reasons))
    model = cnn()
    cache = os.path.join(sys.argv[2], 'cache')
    os.makedirs(cache, exist_ok=True)
    first = session(model, devices, cache_dir=cache, device=DEVICE).run(None, model.feeds)
    second = session(model, devices, cache_dir=cache, device=DEVICE).run(None, model.feeds)
    yield 'cache_dir', (np.array_equal(first[0], second[0]) and any(os.scandir(cache)), '')


def try_threads(devices):
    """One session, runs from several threads: the same bytes as one run alone."""
    model = cnn()
    shared = session(model, devices)
    expected = shared.run(None, model.feeds)[0]
    wrong = []

    def runs():
        for _ in range(20):
            if not np.array_equal(shared.run(None, model.feeds)[0], expected):
                wrong.append(1)

    threads = [threading.Thread(target=runs) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return not wrong, f'{len(wrong)} runs of 80 differ'


def sized(model, sizes):
    """Inputs of a model with open dimensions, which have these sizes."""
    random = np.random.default_rng(sum(sizes))
    return {name: (random.uniform(-1, 1, list(sizes) + list(array.shape[len(sizes):])).astype(array.dtype)
                   if array.dtype == np.float32 else random.integers(0, 2, sizes))
            for name, array in model.feeds.items()}


def try_open(model, all_sizes, devices, **options):
    """Runs of each of these sizes, in turn and from several threads."""
    shared, own = session(model, devices, **options), reference(model)
    if explained()['stay']:
        return False, f'stay: {explained()["stay"]}'
    feeds = [sized(model, sizes) for sizes in all_sizes]
    expected = [own.run(None, feed) for feed in feeds]
    worst = [difference(model, shared.run(None, feed), result) for feed, result in zip(feeds, expected)]

    def runs(first):
        for turn in range(4 * len(feeds)):
            at = (first + turn) % len(feeds)
            worst.append(difference(model, shared.run(None, feeds[at]), expected[at]))

    threads = [threading.Thread(target=runs, args=(first,)) for first in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(worst) <= 1.001 and len(worst) == 13 * len(feeds), f'{len(worst)} runs, {max(worst):.3f} of the bound'


def try_wide(devices):
    """A number beyond 32 bits is an error of the run, and the next one has its result."""
    model = tokens()
    shared = session(model, devices)
    expected = shared.run(None, model.feeds)
    name = next(name for name, array in model.feeds.items() if array.dtype == np.int64)
    wide = {**model.feeds, name: model.feeds[name] + 2 ** 32}
    try:
        shared.run(None, wide)
    except Exception as error:  # pylint: disable=broad-exception-caught # of pybind: classes of its own
        same = all(np.array_equal(a, b) for a, b in zip(shared.run(None, model.feeds), expected))
        return same and 'NNAPI has 32 bits' in str(error), str(error)
    return False, 'no error'


def cases(devices):
    for name, build, stay in MODELS:
        yield f'{name} on {DEVICE}', lambda build=build, stay=stay: try_model(build, stay, devices, device=DEVICE)
    if DEVICE != 'nnaccel-cpu':
        return
    for name, build, stay in MODELS:
        yield name, lambda build=build, stay=stay: try_model(build, stay, devices)
    for op, build, words in REFUSALS:
        yield f'stays: {op}', lambda op=op, build=build, words=words: try_refusal(op, build, words, devices)
    for number, build in enumerate(HOSTILE):
        yield f'hostile {number}', lambda build=build: try_hostile(build, devices)
    for name, result in try_options(devices):
        yield f'option: {name}', lambda result=result: result
    yield 'threads', lambda: try_threads(devices)
    yield 'int64 beyond 32 bits', lambda: try_wide(devices)
    yield 'open view', lambda: try_open(open_view(), [(2, 3), (1, 1), (3, 2)], devices)
    for kept in ('1', '2', '8'):
        yield f'open batch, {kept} kept', lambda kept=kept: try_open(open_cnn(), [(2,), (1,), (5,), (3,)], devices, shapes=kept)
        yield f'open batch and length, {kept} kept', \
            lambda kept=kept: try_open(open_transformer(), [(1, 7), (2, 7), (1, 1), (3, 12)], devices, shapes=kept)


def main():
    ort.set_default_logger_severity(4)
    ort.register_execution_provider_library('nnaccel', sys.argv[1])
    devices = [device for device in ort.get_ep_devices() if device.ep_name == 'NnaccelExecutionProvider']
    counts = [0, 0]
    for name, case in cases(devices):
        try:
            passed, text = case()
        except Exception as error:  # pylint: disable=broad-exception-caught # a case that fails is a result
            passed, text = False, f'{type(error).__name__}: {error}'
        counts[not passed] += 1
        print(f'{name:<40} {text}{"" if passed else " FAILED"}', flush=True)
    print(f'{counts[0]} passed, {counts[1]} failed')
    return counts[1] > 0 or not devices


if __name__ == '__main__':
    sys.exit(main())
