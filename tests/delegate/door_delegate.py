# SPDX-License-Identifier: Apache-2.0
"""door_delegate.py TFLITE DELEGATE DEVICE FOLDER [FILE...]: small files of the wild in TensorFlow Lite, by its C API, without and
with the delegate: the cases of tests/import, and those of ../shared/cases where they are. With the delegate a file gives what the case
has, or what TensorFlow Lite's own kernels give; it is refused only if TensorFlow Lite alone refuses it. The FILEs are models that are
invoked many times without a reset, with inputs of our own; FOLDER/streams.json gets what TensorFlow Lite alone gives, for
tests/python/door_streams.py. FOLDER is for files. Prints a line per case, and last "N passed, N failed"."""
import ctypes
import importlib
import json
import math
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'import'))
import tflite_writer # noqa: E402
from run_cases import Case # noqa: E402

MODULES = ['constants', 'control', 'elements', 'files', 'functions', 'graphs', 'layers', 'maps', 'quantization', 'ranks', 'shapes',
           'states']
SHARED = os.path.join(ROOT, '..', 'shared', 'cases', 'tflite')
SHARED_TYPES = {'F32': 'FLOAT32', 'F16': 'FLOAT16', 'I32': 'INT32', 'U8': 'UINT8', 'I64': 'INT64', 'STR': 'STRING', 'BOOL': 'BOOL',
                'I16': 'INT16', 'I8': 'INT8', 'I4': 'INT4'}
# enum TfLiteType, whose numbers are not those of the file
KINDS = {'FLOAT32': 1, 'INT32': 2, 'UINT8': 3, 'INT64': 4, 'STRING': 5, 'BOOL': 6, 'INT16': 7, 'INT8': 9, 'FLOAT16': 10, 'RESOURCE': 14,
         'INT4': 18}
CODES = {KINDS[name]: code for name, (_, code) in tflite_writer.TYPES.items()}
FLOATS = 'fe'
STREAM_RUNS, STREAM_SEED, FLOAT_BOUND = 100, 7, 1e-5
# TensorFlow Lite computes with memory that nothing wrote, or makes gigabytes of a small file
UNFIT = ['files cycle', 'maps transpose_of_a_wrong_order', 'files one_operator_often', 'files one_tensor_often',
         'files one_int4_buffer_often', 'files one_float16_buffer_often']
# larger tensors are allocated, but not compared
MAX_BYTES = 1 << 22


class Refused(Exception):
    """A call of TensorFlow Lite reports an error."""


class Host:
    """TensorFlow Lite, and the delegate with options."""

    def __init__(self, tflite, delegate, **options):
        self.lite, self.library = ctypes.CDLL(tflite, ctypes.RTLD_GLOBAL), ctypes.CDLL(delegate)
        self.options = options
        pointers = ['TfLiteModelCreateFromFile', 'TfLiteInterpreterOptionsCreate', 'TfLiteInterpreterCreate',
                    'TfLiteInterpreterGetInputTensor', 'TfLiteInterpreterGetOutputTensor', 'TfLiteTensorData']
        for name in pointers:
            getattr(self.lite, name).restype = ctypes.c_void_p
        self.lite.TfLiteTensorByteSize.restype = ctypes.c_size_t
        self.library.tflite_plugin_create_delegate.restype = ctypes.c_void_p

    def call(self, name, *arguments):
        """Numbers beyond 31 bits are pointers; bytes are a text."""
        return getattr(self.lite, 'TfLite' + name)(*[ctypes.c_void_p(a) if isinstance(a, int) and a > 1 << 31 else a for a in arguments])

    def delegate(self):
        texts = [text.encode() for pair in self.options.items() for text in pair]
        count = len(self.options)
        keys, values = (ctypes.c_char_p * count)(*texts[::2]), (ctypes.c_char_p * count)(*texts[1::2])
        pointer = self.library.tflite_plugin_create_delegate(keys, values, ctypes.c_size_t(count), None)
        if not pointer:
            raise Refused('the delegate refuses an option')
        return pointer

    def interpreter(self, path, delegated):
        model = self.call('ModelCreateFromFile', path.encode())
        if not model:
            raise Refused('the file')
        options = self.call('InterpreterOptionsCreate')
        self.call('InterpreterOptionsSetNumThreads', options, 1)
        if delegated:
            self.call('InterpreterOptionsAddDelegate', options, self.delegate())
        interpreter = self.call('InterpreterCreate', model, options)
        if not interpreter or self.call('InterpreterAllocateTensors', interpreter):
            raise Refused('the model')
        return interpreter

    def tensors(self, interpreter, way):
        return [self.call(f'InterpreterGet{way}Tensor', interpreter, i)
                for i in range(self.call(f'InterpreterGet{way}TensorCount', interpreter))]

    def write(self, tensor, data):
        size = self.call('TensorByteSize', tensor)
        if len(data) != size:
            raise Refused(f'an input of {len(data)} bytes, the tensor has {size}')
        if size:
            ctypes.memmove(self.call('TensorData', tensor), data, size)

    def read(self, tensor):
        kind, size = self.call('TensorType', tensor), self.call('TensorByteSize', tensor)
        code = CODES.get(kind)
        data = ctypes.string_at(self.call('TensorData', tensor), size) if size else b''
        return kind, list(struct.unpack(f'<{size // struct.calcsize(code)}{code}', data))

    def run(self, path, delegated, inputs, repeat):
        """The outputs of the last invocation; None: it has a tensor of strings, or a large one, and is not invoked."""
        interpreter = self.interpreter(path, delegated)
        tensors = self.tensors(interpreter, 'Input') + self.tensors(interpreter, 'Output')
        if any(self.call('TensorType', t) == KINDS['STRING'] or self.call('TensorByteSize', t) > MAX_BYTES for t in tensors):
            return None
        for _ in range(repeat):
            for i, tensor in enumerate(self.tensors(interpreter, 'Input')):
                self.write(tensor, inputs[i] if i < len(inputs) else bytes(self.call('TensorByteSize', tensor)))
            if self.call('InterpreterInvoke', interpreter):
                raise Refused('an invocation')
        return [self.read(t) for t in self.tensors(interpreter, 'Output')]

    def stream(self, path, delegated):
        """The outputs of all invocations."""
        interpreter, rng, outputs = self.interpreter(path, delegated), random.Random(STREAM_SEED), []
        for _ in range(STREAM_RUNS):
            for tensor in self.tensors(interpreter, 'Input'):
                if self.call('TensorType', tensor) != KINDS['INT8']:
                    raise Refused('an input that is not int8')
                self.write(tensor, rng.randbytes(self.call('TensorByteSize', tensor)))
            if self.call('InterpreterInvoke', interpreter):
                raise Refused('an invocation')
            outputs += [self.read(t) for t in self.tensors(interpreter, 'Output')]
        return outputs


def apart(work):
    """What @work gives in a process of its own: ("gives", value), ("refuses", text), ("ends", text)."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        try:
            result = 'gives', work()
        except Refused as error:
            result = 'refuses', str(error)
        except BaseException as error:  # pylint: disable=broad-exception-caught # a fault of the test is a result
            result = 'ends', f'{type(error).__name__}: {error}'
        with os.fdopen(sink, 'w') as file:
            json.dump(result, file)
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as file:
        text = file.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return 'ends', f'signal {os.WTERMSIG(status)}'
    return tuple(json.loads(text))


def near(got, expected, tolerance):
    """Whether the outputs have the same types and sizes, and values within @tolerance."""
    if len(got) != len(expected):
        return False
    for (kind, values), (wanted, others) in zip(got, expected):
        if kind != wanted or len(values) != len(others):
            return False
        for a, b in zip(values, others):
            if not (a == b or math.isnan(a) and math.isnan(b) or abs(a - b) <= tolerance + 1e-9):
                return False
    return True


def own_tolerance(case, outputs):
    """From TensorFlow Lite's kernels: the case's, a step of integers, and float32 sums in another order."""
    floats = [abs(v) for kind, values in outputs if CODES[kind] in FLOATS for v in values if math.isfinite(v)]
    return max(case.tolerance, 1 if len(floats) == 0 else FLOAT_BOUND * max(1.0, *floats, 0))


def share(explain):
    """Delegated nodes and nodes, from the delegate's lines."""
    with open(explain, encoding='utf-8') as file:
        graphs = [line for line in map(json.loads, file) if 'nodes' in line]
    return f'{sum(g["delegated"] for g in graphs)} of {sum(g["nodes"] for g in graphs)} nodes' if graphs else 'no graph'


def judge(case, alone, with_delegate):
    """(passed, text); passed is None where there is nothing to compare with."""
    expected = [[KINDS[kind], list(values)] for kind, values in case.outputs]
    if with_delegate[0] == 'ends' or alone[0] == 'ends':
        if alone[0] == 'ends':
            return None, f'TensorFlow Lite alone: {alone[1]}'
        return False, f'alone {alone[0]}, with the delegate: {with_delegate[1]}'
    if with_delegate[0] == 'refuses':
        return alone[0] == 'refuses', f'refused: {with_delegate[1]}'
    got = with_delegate[1]
    if got is None:
        return alone[1] is None, 'strings or a large tensor: not invoked'
    if expected and near(got, expected, case.tolerance):
        return True, 'as the case has it'
    if alone[0] == 'gives' and near(got, alone[1], own_tolerance(case, alone[1])):
        return True, 'as TensorFlow Lite'
    return False, f'{str(got)[:120]}, TensorFlow Lite {alone[0]} {str(alone[1])[:120]}, the case {str(expected)[:120]}'


def shared_case(folder):
    with open(os.path.join(folder, 'expected.json'), encoding='utf-8') as file:
        facts = json.load(file)
    inputs = []
    for i in range(facts['num_inputs']):
        with open(os.path.join(folder, f'in{i}.raw'), 'rb') as file:
            inputs.append(file.read())
    case = Case(None, (), [(SHARED_TYPES[kind], values) for kind, values in facts['outputs'] if values], facts['tol'])
    return os.path.join(folder, 'model.tflite'), inputs, case


def own_cases(folder):
    """(name, path of the file, bytes of the inputs, case)"""
    for module in map(importlib.import_module, MODULES):
        for name in [n for n in dir(module) if n.startswith('case_')]:
            case = getattr(module, name)()
            path = os.path.join(folder, 'case.tflite')
            with open(path, 'wb') as file:
                file.write(case.model if isinstance(case.model, bytes) else case.model.bytes())
            yield f'{module.__name__} {name[5:]}', path, [tflite_writer.pack(kind, v) for kind, v in case.inputs], case


def cases(folder):
    yield from own_cases(folder)
    for name in sorted(os.listdir(SHARED)) if os.path.isdir(SHARED) else ():
        yield (f'shared {name}', *shared_case(os.path.join(SHARED, name)))


def results(tflite, delegate, device, folder, files):
    explain = os.path.join(folder, 'explain.json')
    host = Host(tflite, delegate, device=device, log='off', explain=explain)

    def both(work):
        open(explain, 'w', encoding='utf-8').close()
        return apart(lambda: work(False)), apart(lambda: work(True))

    for name, path, inputs, case in cases(folder):
        if name in UNFIT:
            continue
        alone, with_delegate = both(lambda delegated: host.run(path, delegated, inputs, case.repeat))
        passed, text = judge(case, alone, with_delegate)
        yield passed, name, f'{share(explain)}, {text}'
    streams = {}
    for path in files:
        alone, with_delegate = both(lambda delegated: host.stream(path, delegated))
        passed, text = judge(Case(None), alone, with_delegate)
        if passed:
            differ = sum(a != b for (_, got), (_, own) in zip(with_delegate[1], alone[1]) for a, b in zip(got, own))
            text = f'{STREAM_RUNS} runs, {differ} elements differ by a step'
        streams[path] = alone[1]
        yield passed, os.path.basename(path), f'{share(explain)}, {text}'
    with open(os.path.join(folder, 'streams.json'), 'w', encoding='utf-8') as file:
        json.dump(streams, file)


def main():
    counts = {True: 0, False: 0, None: 0}
    for passed, name, text in results(*sys.argv[1:5], sys.argv[5:]):
        counts[passed] += 1
        print(f'{name:<44} {text}{" FAILED" if passed is False else ""}', flush=True)
    print(f'{counts[True]} passed, {counts[False]} failed')
    return counts[False] > 0 or counts[True] == 0


if __name__ == '__main__':
    sys.exit(main())
