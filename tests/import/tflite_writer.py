# SPDX-License-Identifier: Apache-2.0
"""A writer of .tflite files for tests: every field of the schema (version 3) that a test needs, valid or not.

A table is a dict of field number to value: I, B, F, Q (scalars: int32, byte, float32, uint64), a str, bytes, Vector, a dict
(a table), or a list of dicts. Tables stand before what they refer to, so that every offset is positive.
"""
import struct

TYPES = {'FLOAT32': (0, 'f'), 'FLOAT16': (1, 'e'), 'INT32': (2, 'i'), 'UINT8': (3, 'B'), 'INT64': (4, 'q'), 'STRING': (5, 'B'),
         'BOOL': (6, 'B'), 'RESOURCE': (13, 'B'), 'INT16': (7, 'h'), 'INT8': (9, 'b'), 'INT4': (17, 'B')}
OPERATORS = {
    'ADD': 0, 'AVERAGE_POOL_2D': 1, 'CONCATENATION': 2, 'CONV_2D': 3, 'DEPTHWISE_CONV_2D': 4, 'DEPTH_TO_SPACE': 5, 'DEQUANTIZE': 6,
    'EMBEDDING_LOOKUP': 7, 'FLOOR': 8, 'FULLY_CONNECTED': 9, 'HASHTABLE_LOOKUP': 10, 'L2_NORMALIZATION': 11, 'L2_POOL_2D': 12,
    'LOCAL_RESPONSE_NORMALIZATION': 13, 'LOGISTIC': 14, 'LSTM': 16, 'MAX_POOL_2D': 17, 'MUL': 18, 'RELU': 19, 'RELU_N1_TO_1': 20,
    'RELU6': 21, 'RESHAPE': 22, 'RESIZE_BILINEAR': 23, 'RNN': 24, 'SOFTMAX': 25, 'SPACE_TO_DEPTH': 26, 'SVDF': 27, 'TANH': 28,
    'CUSTOM': 32, 'PAD': 34, 'UNIDIRECTIONAL_SEQUENCE_RNN': 35, 'GATHER': 36, 'BATCH_TO_SPACE_ND': 37, 'SPACE_TO_BATCH_ND': 38,
    'TRANSPOSE': 39, 'MEAN': 40, 'SUB': 41, 'DIV': 42, 'SQUEEZE': 43, 'UNIDIRECTIONAL_SEQUENCE_LSTM': 44, 'STRIDED_SLICE': 45,
    'EXP': 47, 'TOPK_V2': 48, 'SPLIT': 49, 'LOG_SOFTMAX': 50, 'BIDIRECTIONAL_SEQUENCE_RNN': 46, 'BIDIRECTIONAL_SEQUENCE_LSTM': 52, 'CAST': 53, 'PRELU': 54, 'MAXIMUM': 55, 'ARG_MAX': 56, 'MINIMUM': 57,
    'LESS': 58, 'NEG': 59, 'PADV2': 60, 'GREATER': 61, 'SELECT': 64, 'SLICE': 65, 'SIN': 66, 'TRANSPOSE_CONV': 67, 'TILE': 69,
    'EXPAND_DIMS': 70, 'EQUAL': 71, 'NOT_EQUAL': 72, 'LOG': 73, 'SUM': 74, 'SQRT': 75, 'RSQRT': 76, 'SHAPE': 77, 'POW': 78,
    'REDUCE_PROD': 81, 'REDUCE_MAX': 82, 'PACK': 83, 'LOGICAL_OR': 84, 'ONE_HOT': 85, 'LOGICAL_AND': 86, 'LOGICAL_NOT': 87,
    'UNPACK': 88, 'REDUCE_MIN': 89, 'FLOOR_DIV': 90, 'REDUCE_ANY': 91, 'SQUARE': 92, 'ZEROS_LIKE': 93, 'FILL': 94, 'FLOOR_MOD': 95,
    'RANGE': 96, 'RESIZE_NEAREST_NEIGHBOR': 97, 'LEAKY_RELU': 98, 'SQUARED_DIFFERENCE': 99, 'MIRROR_PAD': 100, 'ABS': 101,
    'SPLIT_V': 102, 'UNIQUE': 103, 'CEIL': 104, 'REVERSE_V2': 105, 'ADD_N': 106, 'GATHER_ND': 107, 'COS': 108, 'RANK': 110, 'ELU': 111,
    'QUANTIZE': 114, 'HARD_SWISH': 117, 'IF': 118, 'WHILE': 119, 'SELECT_V2': 123, 'DENSIFY': 124, 'BATCH_MATMUL': 126,
    'BROADCAST_TO': 130, 'REDUCE_ALL': 140, 'GELU': 150, 'RELU_0_TO_1': 152, 'WHERE': 109, 'REVERSE_SEQUENCE': 112, 'MATRIX_DIAG': 113,
    'MATRIX_SET_DIAG': 115, 'ROUND': 116, 'SCATTER_ND': 122, 'CUMSUM': 128, 'BROADCAST_ARGS': 145, 'DYNAMIC_UPDATE_SLICE': 151, 'SIGN': 158,
    'CALL_ONCE': 129, 'VAR_HANDLE': 142, 'READ_VARIABLE': 143, 'ASSIGN_VARIABLE': 144}

# The number of an operator's table of options in the file, where a test writes one that is not empty.
OPTIONS = {'CONV_2D': 1, 'DEPTHWISE_CONV_2D': 2, 'AVERAGE_POOL_2D': 5, 'L2_POOL_2D': 5, 'MAX_POOL_2D': 5, 'SVDF': 6, 'RNN': 7,
           'FULLY_CONNECTED': 8, 'SOFTMAX': 9, 'CONCATENATION': 10, 'ADD': 11, 'L2_NORMALIZATION': 12,
           'LOCAL_RESPONSE_NORMALIZATION': 13, 'LSTM': 14, 'RESIZE_BILINEAR': 15, 'RESHAPE': 17, 'SPACE_TO_DEPTH': 19, 'MUL': 21,
           'GATHER': 23, 'MEAN': 27, 'SUM': 27, 'REDUCE_PROD': 27, 'REDUCE_MAX': 27, 'REDUCE_MIN': 27, 'REDUCE_ANY': 27,
           'REDUCE_ALL': 27, 'SUB': 28, 'DIV': 29, 'SQUEEZE': 30, 'UNIDIRECTIONAL_SEQUENCE_RNN': 31, 'STRIDED_SLICE': 32,
           'SPLIT': 35, 'CAST': 37, 'ARG_MAX': 40, 'ARG_MIN': 57, 'TRANSPOSE_CONV': 49, 'SHAPE': 55, 'PACK': 59, 'ONE_HOT': 61, 'UNPACK': 64,
           'BIDIRECTIONAL_SEQUENCE_LSTM': 69, 'BIDIRECTIONAL_SEQUENCE_RNN': 70, 'UNIDIRECTIONAL_SEQUENCE_LSTM': 71,
           'RESIZE_NEAREST_NEIGHBOR': 74, 'LEAKY_RELU': 75, 'MIRROR_PAD': 77, 'SPLIT_V': 79, 'UNIQUE': 80, 'REVERSE_SEQUENCE': 87,
           'IF': 92, 'WHILE': 93, 'DEPTH_TO_SPACE': 94, 'BATCH_MATMUL': 101, 'CUMSUM': 102, 'CALL_ONCE': 103, 'VAR_HANDLE': 111,
           'READ_VARIABLE': 112, 'ASSIGN_VARIABLE': 113, 'GELU': 116}


class Scalar:
    def __init__(self, code, value):
        self.body = struct.pack('<' + code, value)


class Vector:
    """Numbers of the struct code @code; the first is aligned to @align."""

    def __init__(self, code, values, align=4):
        self.body, self.count, self.align, self.code = struct.pack(f'<{len(values)}{code}', *values), len(values), align, code

    def values(self):
        return list(struct.unpack(f'<{self.count}{self.code}', self.body))


def I(value): # noqa: E743
    return Scalar('i', value)


def B(value):
    return Scalar('b', value)


def F(value):
    return Scalar('f', value)


def Q(value):
    return Scalar('Q', value)


class Writer:
    """@places: (what, position) of each 'offset', 'count' of a vector, 'vtable' and 'table' in @out. Entries of a list that are one
    object are written once."""

    def __init__(self, root):
        self.out, self.places = bytearray(8), []
        self.out[4:8] = b'TFL3'
        self.child(0, root)

    def pad(self, align, ahead=0):
        self.out += bytes(-(len(self.out) + ahead) % align)

    def child(self, place, value):
        """@value behind what is written so far, and its offset at @place."""
        if isinstance(value, dict):
            at = self.table(value)
        elif isinstance(value, list):
            self.pad(4)
            at = len(self.out)
            self.out += struct.pack('<I', len(value)) + bytes(4 * len(value))
            self.places.append(('count', at))
            entries = {}
            for i, entry in enumerate(value):
                if id(entry) in entries:
                    struct.pack_into('<I', self.out, at + 4 + 4 * i, entries[id(entry)] - at - 4 - 4 * i)
                else:
                    entries[id(entry)] = self.child(at + 4 + 4 * i, entry)
        else:
            if isinstance(value, (str, bytes)):
                text = value.encode() if isinstance(value, str) else value
                value = Vector('B', text, 16)
                value.body += b'\0'
                value.count = len(text)
            self.pad(4)
            self.pad(value.align, 4)
            at = len(self.out)
            self.out += struct.pack('<I', value.count) + value.body
            self.places.append(('count', at))
        struct.pack_into('<I', self.out, place, at - place)
        self.places.append(('offset', place))
        return at

    def table(self, fields):
        slots, size = [0] * (max(fields, default=-1) + 1), 4
        for number, value in fields.items():
            width = len(value.body) if isinstance(value, Scalar) else 4
            size += -size % width
            slots[number], size = size, size + width
        size += -size % 4
        self.pad(2)
        vtable = len(self.out)
        self.out += struct.pack(f'<{2 + len(slots)}H', 4 + 2 * len(slots), size, *slots)
        self.pad(8) # of the largest scalar
        at = len(self.out)
        self.places += [('vtable', vtable), ('table', at)]
        self.out += struct.pack('<i', at - vtable) + bytes(size - 4)
        for number, value in fields.items():
            if isinstance(value, Scalar):
                self.out[at + slots[number]:at + slots[number] + len(value.body)] = value.body
        for number, value in fields.items():
            if not isinstance(value, Scalar):
                self.child(at + slots[number], value)
        return at


def pack(kind, values):
    """@values as stored bytes of the type @kind."""
    return struct.pack(f'<{len(values)}{TYPES[kind][1]}', *values)


class Graph:
    """One subgraph: tensors and operations."""

    def __init__(self, model):
        self.model, self.tensors, self.ops, self.inputs, self.outputs = model, [], [], [], []

    def tensor(self, name, shape, kind='FLOAT32', scale=None, zero=0, axis=0, **fields):
        """A tensor that an operation writes; its number. @scale, @zero: a number or a list. @fields: f5=B(1) sets field 5."""
        table = {3: name, 1: B(TYPES[kind][0])}
        if shape is not None:
            table[0] = Vector('i', shape)
        if scale is not None:
            scales = scale if isinstance(scale, list) else [scale]
            zeros = zero if isinstance(zero, list) else [zero] * len(scales)
            table[4] = {2: Vector('f', scales), 3: Vector('q', zeros, 8), 6: I(axis)}
        table.update({int(key[1:]): value for key, value in fields.items()})
        self.tensors.append(table)
        return len(self.tensors) - 1

    def input(self, *args, **keys):
        self.inputs.append(self.tensor(*args, **keys))
        return self.inputs[-1]

    def variable(self, *args, **keys):
        return self.tensor(*args, f5=B(1), **keys)

    def const(self, name, shape, values, kind='FLOAT32', **keys):
        """@values: numbers, or the bytes themselves."""
        body = values if isinstance(values, bytes) else pack(kind, values)
        return self.tensor(name, shape, kind, f2=I(self.model.buffer({0: Vector('B', body, 16)})), **keys)

    def ints(self, values, shape=None):
        return self.const(f'ints{len(self.tensors)}', [len(values)] if shape is None else shape, values, 'INT32')

    def op(self, name, inputs, outputs, options=None, version=1, kind=None):
        """@kind: the operator whose table the options say that they are; None: @name."""
        self.ops.append({0: I(self.model.code(name, version)), 1: Vector('i', inputs), 2: Vector('i', outputs)})
        if options is not None:
            self.ops[-1].update({3: B(OPTIONS.get(name, 1) if kind is None else OPTIONS[kind]), 4: options})

    def table(self):
        return {0: self.tensors, 1: Vector('i', self.inputs), 2: Vector('i', self.outputs), 3: self.ops}


class Model(Graph):
    """A file; itself its first subgraph."""

    def __init__(self):
        super().__init__(self)
        self.buffers, self.codes, self.graphs, self.tail, self.version = [{}], [], [self], b'', 3

    def graph(self):
        self.graphs.append(Graph(self))
        return self.graphs[-1]

    def buffer(self, table):
        self.buffers.append(table)
        return len(self.buffers) - 1

    def code(self, name, version):
        number = OPERATORS[name] if isinstance(name, str) else name
        table = {0: B(min(number, 127)), 2: I(version), 3: I(number)}
        self.codes.append(table)
        return len(self.codes) - 1

    def written(self):
        return Writer({0: I(self.version), 1: self.codes, 2: [g.table() for g in self.graphs], 4: self.buffers})

    def bytes(self):
        return bytes(self.written().out) + self.tail
