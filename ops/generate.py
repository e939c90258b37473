#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py KIND OUTPUT FILE.toml...: C tables of the operations, from their descriptions.

A file FAMILY.toml describes the NNAPI operations of a family, a table each. Documentation/howto-operation.rst explains it by an
example. Keys before the first table:

  device   the device operations of the family: device_ops.py has the notation; NAME has a struct nnfw_op nnfw_op_name in a
           kernel file
  group    of all operations that have no other
  tflite   operators of TensorFlow Lite that become no operation

Keys of an operation:

  types    combinations of operand types that are valid together, each with the feature level that brought it: "F32@1 Q8,I32@3".
           The columns of a combination are numbered from 0. The lowest level is the operation's
  inputs   the operands, in NNAPI's order: "x:0[<=4] beta:f axis:i@3=-1". A list has alternatives
  outputs  the same
  ranks    of inputs are in brackets: [4] is that rank exactly, [<=4] at most 4. Alternatives agree
  check    a function of lib/libnnmodel/op_checks.c, nnmodel_check_NAME(), for what types and ranks do not tell
  work     a function of lib/libnnmodel/work.c, nnmodel_work_NAME(), which counts multiply-adds
  of_rank  true: the result follows from the rank of input 0
  row      a struct nnmodel_op_row in C, nnmodel_row_NAME, in place of types, inputs and outputs: control flow
  group    its group in tables for people, FAMILY_GROUP of nnctl
  tflite   operators of TensorFlow Lite that become this operation
  probes   models of the operation, with values: "TYPES | INPUTS | OUTPUTS"; tools/nnctl/probes/spec.c reads them
  device   the device operations that a probe becomes, where that is not the one of the same name, nor the family's only one

An operand is NAME:KIND, and may have, in this order, '*' (it occurs once or more often), [RANK], @LEVEL (the operation may have it,
and those behind it, from this feature level on), and =DEFAULT (false, 1 or -1; without it the operation means the same). A word
with braces stands for several operands that come together: weights_{i,f,c,o}:0. '@LEVEL' alone begins an alternative: the level
that brought it. Kinds:

  0 1 2 3  the type in that column of the combination
  i b      scalar INT32, BOOL
  f        scalar FLOAT16 where column 0 is TENSOR_FLOAT16, else FLOAT32
  p        scalar pad value: FLOAT16, FLOAT32, or INT32 for quantized types
  I        TENSOR_INT32

An operator is "NAME CODE TRANSLATION WORD... | MEMBER STRUCT FIELD..."; parts at the end may be missing. A file with an operator
that has no TRANSLATION is refused. NAME, CODE and MEMBER, the number of its options in their union, are those of TensorFlow Lite's
schema; TRANSLATION is import_TRANSLATION() of lib/libnnimport. Words, for struct import_row:

  real, any, I32,B8  the types that it takes beside floating point, as those of an operation; without it those of column 0
  same, of_256, ...  of enum import_quant; as_data, broadcast: of enum import_shape
  data=N, unread=N   the input with the data; an input that the translation does not need
  by_place           it names dimensions by their place
  fuses, activates   it has an activation, which the operation takes, or another operation behind it
  folded, state      it becomes a constant, or a state of the model

STRUCT is struct tfl_STRUCT_params of lib/libnnaccel_tflite/tflite_abi.h. FIELD is NAME:KIND, perhaps N= in front, its number in the
schema where it is not that of the field before it and one, and @VERSION behind it, that of the operator that brought it. KIND
is of enum builtin_kind.

At the end of a file are cases for the tests, a table [case.NAME] for each operation, which no product sees (scripts/identity.sh).
Its keys are lists of models of one operation, "TYPES | INPUTS | OUTPUTS | EXPECTED", with operands as in probes. TYPES has
combinations, a case each, or is left out with the bar behind it where no operand is in a column. $NAME is a part of text from the
table [case.words].

  valid     nnmodel_validate() accepts it. TYPES has the feature level of each combination, "F32@1 F16@3", or that of no columns, "@3".
            EXPECTED: types=3:F16,I32 are other types of operand 3 (those of outputs behind inputs), drop=7,8 operands that may each be
            missing, "more" that a scalar INT32 may follow, ranks=01 the inputs whose rank is judged
  lowered   beside the probes: EXPECTED are the names of the device operations, or ERRNO: and a part of the message; ERRNO alone:
            the operation is named
  defaults  EXPECTED is N@LEVEL: so many inputs are left without those that have their default, at this level; and perhaps
            memory=N: the value of this input comes from a memory object

Another key, empty, is the end of a run with an input that has no elements: "fails", "bad_data", or "taken 0.0 1.0", INPUT.DIMENSION
of what is 0 at once, a text for each case; "batch 0.0": the other dimensions of an image fail.

KIND of output: signatures (libnnmodel), defaults (libneuralnetworks), probes, groups (nnctl), lowerings (libnnhal), descriptors,
described (libnnprog), kernels (firmware), import_rows, operator_names, option_members (libnnimport), option_fields (libnnaccel_tflite). Of the
cases: valid_cases, lowered_cases, default_cases, empty_cases.
"""
import os
import re
import sys
import tomllib

sys.dont_write_bytecode = True
from device_ops import Device, Invalid, NAME, described # noqa: E402

TYPES = {'F32', 'F16', 'I32', 'Q8', 'Q8S', 'Q8Y', 'QPC', 'Q16S', 'Q16A', 'B8', 'f32', 'f16', 'i32'}
SCALARS = {'f32': 'NNMODEL_FLOAT32', 'f16': 'NNMODEL_FLOAT16', 'i32': 'NNMODEL_INT32'}
# Types that have one scale; I32 has one as a bias, not in column 0.
SCALED = {'Q8', 'Q8S', 'Q8Y', 'Q16S', 'Q16A'}
COLUMNS = 4
LEVELS = range(1, 9)
KEYS = {'types', 'inputs', 'outputs', 'check', 'work', 'of_rank', 'row', 'group', 'tflite', 'probes', 'device'}
# name, name_{a,b}_more, {a,b}_more
EACH = r'[a-z0-9]+(?:,[a-z0-9]+)+'
OPERAND = re.compile(rf'(?P<name>[a-z][a-z0-9_]*(?:{{(?P<each>{EACH})}}[a-z0-9_]*)?|{{(?P<first>{EACH})}}[a-z0-9_]+)'
                     r':(?P<kind>[0-3ibfpI])(?P<many>\*?)'
                     r'(?:\[(?P<rank>(?:<=)?\d)\])?(?:@(?P<level>\d))?(?:=(?P<default>false|1|-1))?')
# Letters of default values in libneuralnetworks, and the kind of operand that has them.
DEFAULTS = {'false': ('F', 'b'), '1': ('1', 'i'), '-1': ('-', 'i')}
# Types of struct import_row, in the order in which their list has them.
IMPORTED = {'Q8': 'IMPORT_Q8', 'Q8S': 'IMPORT_Q8S', 'I32': 'IMPORT_I32', 'B8': 'IMPORT_B8'}
# Columns of struct import_row but the activation.
IMPORT_COLUMN = {
    'same': 'quant = IMPORT_SAME', 'same_real': 'quant = IMPORT_SAME_REAL', 'of_256': 'quant = IMPORT_OF_256',
    'of_128': 'quant = IMPORT_OF_128', 'as_data': 'shape = IMPORT_AS_DATA', 'broadcast': 'shape = IMPORT_BROADCAST',
    'data': 'data = {}', 'by_place': 'by_place = true', 'unread': 'unread = 1u << {}',
}
FIELD = re.compile(rf'(?:(?P<number>\d+)=)?(?P<name>[a-z_]+|[a-z_]*{{(?P<each>{EACH})}}[a-z_]+|[a-z_]+{{(?P<last>{EACH})}})'
                   r':(?P<kind>int|code|bool|float|from_1)(?:@(?P<version>\d+))?')


class Operation:
    def __init__(self, family, name, table, group, devices):
        self.family, self.name = family, name
        self.device = table.get('device', name if name in devices else devices[0] if len(devices) == 1 else None)
        unknown = sorted(set(table) - KEYS)
        if unknown:
            self.refuse(f'unknown key {unknown[0]}, must be one of {", ".join(sorted(KEYS))}')
        if not re.fullmatch(NAME, name):
            self.refuse('the name of an operation has capital letters, digits and _')
        self.group = table.get('group', group)
        if not self.group:
            self.refuse('has no group')
        self.row, self.check, self.work = table.get('row'), table.get('check'), table.get('work')
        self.of_rank = table.get('of_rank', False)
        self.probes = [self.read_probe(text) for text in table.get('probes', ())]
        if self.probes and not self.device:
            self.refuse('has no device')
        if self.row:
            return
        for key in ('types', 'inputs', 'outputs'):
            if key not in table:
                self.refuse(f'has no {key}')
        self.combos = [self.read_combo(word) for word in table['types'].split()]
        self.level = min(level for _, level in self.combos)
        self.inputs = [self.read_list(text) for text in as_list(table['inputs'])]
        self.outputs = [self.read_list(text) for text in as_list(table['outputs'])]
        self.forms = [(max(a, b), i, o) for level, operands in self.inputs for a, i in self.lists(level, operands)
                      for out_level, out in self.outputs for b, o in self.lists(out_level, out)]
        self.ranks = self.join_ranks()

    def refuse(self, message):
        raise Invalid(f'{self.family}.toml: {self.name}: {message}')

    def read_combo(self, word):
        match = re.fullmatch(r'([\w,]+)@(\d)', word)
        types = match.group(1).split(',') if match else []
        if not match or len(types) > COLUMNS or int(match.group(2)) not in LEVELS:
            self.refuse(f'{word}: must be 1 to {COLUMNS} types with a comma between them, then @ and a feature level')
        for name in types:
            if name not in TYPES:
                self.refuse(f'{word}: no type {name}')
        return types, int(match.group(2))

    def read_list(self, text):
        """(level, operands) of a list of operands."""
        words, level = text.split(), self.level
        if words and re.fullmatch(r'@\d', words[0]):
            level = int(words.pop(0)[1])
        operands = []
        for word in words:
            match = OPERAND.fullmatch(word)
            if not match:
                self.refuse(f'{word}: no operand; must be NAME:KIND, then perhaps *, [RANK], @LEVEL, =DEFAULT')
            o = match.groupdict()
            if o['kind'].isdigit() and any(int(o['kind']) >= len(types) for types, _ in self.combos):
                self.refuse(f'{word}: a combination of types has no column {o["kind"]}')
            if o['default'] and DEFAULTS[o['default']][1] != o['kind']:
                self.refuse(f'{word}: an operand of this kind cannot have the default {o["default"]}')
            if operands and operands[-1]['level'] and not o['level']:
                self.refuse(f'{word}: has no @LEVEL, but is behind an operand that has')
            several = (o.pop('each') or '') + (o.pop('first') or '')
            for i, part in enumerate(several.split(',')):
                operands.append(o | {'name': re.sub(r'\{.*\}', part, o['name']), 'tied': i > 0})
        if not operands:
            self.refuse('a list of operands is empty')
        if sum(bool(o['many']) for o in operands) > 1:
            self.refuse(f'"{text}": more than one operand repeats')
        return level, operands

    def lists(self, level, operands):
        """[(level, letters)]: the lengths that a list of operands may have."""
        found, letters = [], ''
        for o in operands:
            if o['level'] and not o['tied']:
                found.append((level, letters))
                level = max(level, int(o['level']))
            letters += o['kind'] + o['many']
        return found + [(level, letters)]

    def join_ranks(self):
        ranks = {}
        for _, operands in self.inputs:
            for i, o in enumerate(operands):
                rank = {None: '.', '<=4': '<'}.get(o['rank'], o['rank'])
                if ranks.setdefault(i, rank) != rank:
                    self.refuse(f'rank of input {i} is {o["rank"]}, and another in an alternative')
                if len(rank) > 1:
                    self.refuse(f'rank [{rank}]: at most 4 is the only limit that there is')
        return ''.join(ranks[i] for i in sorted(ranks)).rstrip('.')

    def read_probe(self, text):
        parts = [' '.join(part.split()) for part in text.split('|')]
        if len(parts) != 3 or not all(parts):
            self.refuse(f'probe "{text}": must be TYPES | INPUTS | OUTPUTS')
        return parts

    def tails(self):
        """[(number of the first input that may be left out, letters of the defaults, whether they come together)]"""
        for _, operands in self.inputs:
            first = next((i for i, o in enumerate(operands) if o['default']), None)
            if first is None:
                continue
            if not all(o['default'] for o in operands[first:]):
                self.refuse(f'{operands[first]["name"]} has a default, but not all inputs behind it')
            yield first, ''.join(DEFAULTS[o['default']][0] for o in operands[first:]), any(o['tied'] for o in operands[first:])


class TfliteOperator:
    """An operator of TensorFlow Lite that becomes @operation, or none: a row of import_rows, and its options."""

    def __init__(self, family, text, operation):
        self.family, self.operation = family, operation
        row, _, options = text.partition('|')
        head, options = row.split(), options.split()
        match = re.fullmatch(rf'({NAME}) (\d+)(?: ([a-z]\w*))?', ' '.join(head[:3]))
        if not match:
            raise Invalid(f'{family}.toml: operator "{text}": must be NAME CODE, then perhaps a translation')
        self.name, self.code, self.translation = match.group(1), int(match.group(2)), match.group(3)
        self.member = self.struct = self.left = None
        self.fields = [] # (number in the schema, name, kind, version)
        self.read_options(options)
        if self.translation:
            self.types, self.columns = None, []
            for word in head[3:]:
                self.read_word(word)
            if self.types is None:
                self.types = self.column_types()

    def refuse(self, message):
        raise Invalid(f'{self.family}.toml: operator {self.name}: {message}')

    def read_options(self, words):
        if not words:
            return
        if not words[0].isdecimal():
            self.refuse(f'{words[0]}: must be the number of its options in their union')
        self.member, self.struct, number = int(words[0]), words[1] if len(words) > 1 else None, 0
        for word in words[2:]:
            match = FIELD.fullmatch(word)
            if not match:
                self.refuse(f'{word}: no field; must be NAME:KIND, perhaps N= in front and @VERSION behind it')
            number = int(match['number'] or number)
            for part in (match['each'] or match['last'] or '').split(','):
                self.fields.append((number, re.sub(r'\{.*\}', part, match['name']), match['kind'], int(match['version'] or 1)))
                number += 1

    def read_word(self, word):
        name, _, number = word.partition('=')
        if all(t in IMPORTED for t in word.split(',')) or word in ('real', 'any'):
            self.types = [] if word == 'real' else ['IMPORT_ANY'] if word == 'any' else [IMPORTED[t] for t in word.split(',')]
        elif word in ('folded', 'state') and not self.operation:
            self.left = word
        elif word in ('fuses', 'activates'):
            self.columns.append(f'activation = 1 + {self.activation()}')
            self.columns += ['fuses = true'] if word == 'fuses' else []
        elif name in IMPORT_COLUMN and ('{}' in IMPORT_COLUMN[name]) == number.isdecimal():
            self.columns.append(IMPORT_COLUMN[name].format(number))
        else:
            self.refuse(f'{word}: no word of an operator')

    def activation(self):
        for number, name, _, _ in self.fields:
            if name == 'activation':
                return number
        return self.refuse('has no field activation')

    def column_types(self):
        if not self.operation or self.operation.row:
            self.refuse('has no types: real, any, or a list of them')
        return [value for name, value in IMPORTED.items() if any(types[0] == name for types, _ in self.operation.combos)]


class Case:
    """A model of one operation, and the result of a test of it."""

    def __init__(self, operation, key, types, parts):
        self.operation, self.key = operation, key
        self.types, self.inputs, self.outputs = types, *(in_columns(part, types) for part in parts[:2])
        self.level, self.expected = None, parts[2]


def in_columns(text, types):
    """Operands with the types of a combination in place of columns and of letters that depend on column 0."""
    first, found = types[0] if types else None, []
    for word in text.split():
        match = re.fullmatch(r'(~?)([0-3]|[fp](?==|$))(.*)', word)
        if match:
            mark, kind, rest = match.groups()
            name = types[int(kind)] if kind.isdigit() else {'F16': 'f16', 'F32': 'f'}.get(first, 'f' if kind == 'f' else 'i')
            if name not in SCALED and (kind == '0' or name != 'I32'):
                rest = re.sub(r'@[^/=]*', '', rest)
            word = mark + name + rest
        found.append(word)
    return ' '.join(found)


def read_case(family, words, operation, key, text):
    where = f'{family}.toml: {operation}: {key}: "{text}"'
    if key not in CASES:
        raise Invalid(f'{where}: must be one of {", ".join(CASES)}')
    try:
        for _ in range(3): # words of words
            text = re.sub(r'\$(\w+)', lambda match: words[match.group(1)], text)
        parts = [' '.join(part.split()) for part in text.split('|')]
        combinations = parts.pop(0).split() if len(parts) == 4 else ['']
        inputs, outputs, expected = parts
        cases = []
        for word in combinations:
            types, _, level = word.partition('@')
            case = Case(operation, key, types.split(',') if types else [], (inputs, outputs, expected))
            case.level = int(level) if key == 'valid' else None
            if not set(case.types) <= TYPES:
                raise ValueError
            cases.append(case)
        return cases
    except (KeyError, IndexError, ValueError) as error:
        raise Invalid(f'{where}: must be TYPES | INPUTS | OUTPUTS | EXPECTED, with words and types that there are') from error


def as_list(value):
    return [value] if isinstance(value, str) else value


class Descriptions:
    def __init__(self):
        self.families = []
        self.operations = [] # by family, in each in the file's order
        self.devices = [] # names of device operations, the same
        self.devices_of = {} # {family: those of it}
        self.operators = [] # of TensorFlow Lite, by code
        self.cases = [] # by file, in each in its order
        self.empty = [] # (operation, end), the same

    def add_cases(self, family, tables):
        words = tables.pop('words', {})
        for name, table in tables.items():
            if not any(o.name == name and o.family == family for o in self.operations):
                raise Invalid(f'{family}.toml: case.{name}: no operation of the family')
            for text in as_list(table.pop('empty', [])):
                if not re.fullmatch(r'fails|bad_data|(taken|batch)( \d+\.\d+)+', text):
                    raise Invalid(f'{family}.toml: {name}: empty: "{text}": must be fails, bad_data, or taken or batch, and inputs')
                self.empty.append((name, text))
            for key, texts in table.items():
                for text in texts:
                    self.cases += read_case(family, words, name, key, text)

    def add_operators(self, family, value, operation=None):
        for text in as_list(value):
            operator = TfliteOperator(family, text, operation)
            if any(operator.code == o.code or operator.name == o.name for o in self.operators):
                operator.refuse('its name or code is that of another operator')
            self.operators.append(operator)
        self.operators.sort(key=lambda o: o.code)

    def named(self, name):
        return any(o.name == name for o in self.operations)


def read_tables(path):
    """(name of the file without .toml, its tables)."""
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, 'rb') as file:
        try:
            return name, tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise Invalid(f'{name}.toml: {error}') from error


def load(paths):
    found = Descriptions()
    for path in sorted(paths, key=os.path.basename):
        family, tables = read_tables(path)
        if 'case' in list(tables)[:-1]:
            raise Invalid(f'{family}.toml: the cases must be at the end')
        cases, group, devices = tables.pop('case', {}), tables.pop('group', None), tables.pop('device', {})
        found.add_operators(family, tables.pop('tflite', []))
        if tables or devices:
            found.families.append(family)
        found.devices_of[family] = [Device(family, name, text) for name, text in devices.items()]
        for device in found.devices_of[family]:
            if device.name in found.devices:
                device.refuse('must be a name in capital letters that no other family has')
            found.devices.append(device.name)
        for name, table in tables.items():
            if not isinstance(table, dict):
                raise Invalid(f'{family}.toml: {name} is no operation: a table [NAME]')
            if found.named(name):
                raise Invalid(f'{family}.toml: {name} is described twice')
            found.operations.append(Operation(family, name, table, group, list(devices)))
            found.add_operators(family, table.get('tflite', []), found.operations[-1])
        found.add_cases(family, cases)
    return found


def c_string(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


class Arrays:
    """C arrays that operations share."""

    def __init__(self, kind, prefix):
        self.kind, self.prefix, self.names, self.text = kind, prefix, {}, ''

    def name(self, rows):
        rows = tuple(rows)
        if rows not in self.names:
            self.names[rows] = f'{self.prefix}{len(self.names)}'
            self.text += f'static const struct {self.kind} {self.names[rows]}[] = {{\n'
            self.text += ''.join(f'\t{{ {row} }},\n' for row in rows) + '};\n'
        return self.names[rows]


def signatures(found):
    operations = found.operations
    combos, forms = Arrays('nnmodel_sig_combo', 'combos'), Arrays('nnmodel_sig_form', 'forms')
    rows, index = '', ''
    described = [o for o in operations if not o.row]
    for number, o in enumerate(described):
        types = combos.name(f'{level}, {{ {", ".join(SCALARS.get(t, t) for t in names)} }}' for names, level in o.combos)
        lists = forms.name(f'{level}, {c_string(i)}, {c_string(out)}' for level, i, out in o.forms)
        columns = (f'.multiply_adds = nnmodel_work_{o.work}, ' if o.work else '') + ('.of_rank = true, ' if o.of_rank else '')
        check = f'nnmodel_check_{o.check}' if o.check else 'NULL'
        rows += f'\tNNMODEL_SIG({o.name}, {o.level}, {types}, {lists}, {c_string(o.ranks) if o.ranks else "NULL"}, {check}, {columns}),\n'
    numbers = {o.name: f'&sigs[{i}].row' for i, o in enumerate(described)}
    for o in operations:
        index += f'\tcase NNMODEL_{o.name}:\n\t\treturn {numbers.get(o.name, f"&nnmodel_row_{o.row}")};\n'
    return f"""
#include "nnmodel_rows.h"

{combos.text}
{forms.text}
static const struct nnmodel_sig sigs[] = {{
{rows}}};

const struct nnmodel_op_row *nnmodel_op_find(uint32_t opcode)
{{
	switch (opcode) {{
{index}	}}
	return NULL;
}}
"""


def defaults(found):
    rows = ''
    for o in found.operations:
        if o.row:
            continue
        for first, tail, together in sorted(set(o.tails()), reverse=True):
            rows += f'\t{{ NNMODEL_{o.name}, {first}, {c_string(tail)}, {"true" if together else "false"} }},\n'
    return f"""
static const struct rule rules[] = {{
{rows}}};
"""


def probes(found):
    rows = ''.join(f'\t{{ NNMODEL_{o.name}, {c_string(types)},\n\t  {c_string(inputs)},\n\t  {c_string(outputs)} }},\n'
                   for o in found.operations for types, inputs, outputs in o.probes)
    return f"""
#include "probes/nnctl_probes.h"

static const struct probe_row rows[] = {{
{rows}}};

const struct probe_table probe_rows = {{ rows, sizeof(rows) / sizeof(rows[0]) }};
"""


def groups(found):
    operations = found.operations
    rows = ''
    for group in dict.fromkeys(o.group for o in operations):
        rows += ''.join(f'\tcase NNMODEL_{o.name}:\n' for o in operations if o.group == group) + f'\t\treturn FAMILY_{group};\n'
    return f"""
#include "probes/nnctl_probes.h"

#include "nnmodel.h"

enum op_family op_family(uint32_t opcode)
{{
	switch (opcode) {{
{rows}	}}
	return FAMILY_NONE;
}}
"""


def lowerings(found):
    externs = ''.join(f'extern const struct lower_family lower_family_{family};\n' for family in found.families)
    rows = ''.join(f'\t&lower_family_{family},\n' for family in found.families)
    return f"""
#include "nnhal_lowering.h"

{externs}
const struct lower_family *const lower_families[] = {{
{rows}	NULL
}};
"""


def device_table(found, struct, prefix, name):
    externs = ''.join(f'extern const struct {struct} {prefix}{device.lower()};\n' for device in found.devices)
    rows = ''.join(f'\t[NNPROG_OP_{device}] = &{prefix}{device.lower()},\n' for device in found.devices)
    return f"""
{externs}
const struct {struct} *const {name}[NNPROG_OP_COUNT] = {{
{rows}}};
"""


def descriptors(found):
    return """
#include "nnprog_desc.h"
#include "nnprog_opcode.h"
#include "rules.h"
""" + device_table(found, 'nnprog_op_desc', 'nnprog_op_', 'nnprog_descriptors')


def kernels(found):
    return """
#include "nnfw_ops.h"
""" + device_table(found, 'nnfw_op', 'nnfw_op_', 'nnfw_op_table')


def import_rows(found):
    rows = ''
    for o in found.operators:
        if o.translation:
            opcode = o.operation.name if o.operation else 'OPCODE_COUNT'
            columns = ''.join(f', .{column}' for column in o.columns)
            rows += f'\t{{ .opcode = {o.code}, .nn_opcode = NNMODEL_{opcode}, .import = import_{o.translation}'
            rows += f', .types = {" | ".join(o.types) or 0}{columns} }},\n'
    return f"""
static const struct import_row rows[] = {{
{rows}}};
"""


def operator_names(found):
    return """
static const char *const names[] = {
""" + ''.join(f'\t[{o.code}] = "{o.name}",\n' for o in found.operators) + '};\n'


def option_members(found):
    return """
static const uint8_t types[] = {
""" + ''.join(f'\t[{o.code}] = {o.member},\n' for o in found.operators if o.member is not None) + '};\n'


def option_fields(found):
    rows = ''.join(f'\t{{ {o.code}, {number}, offsetof(struct tfl_{o.struct}_params, {name}), BUILTIN_{kind.upper()}, {version} }},\n'
                   for o in found.operators for number, name, kind, version in o.fields)
    return f"""
const struct builtin_option builtin_options[] = {{
{rows}}};
"""


def of_key(found, key):
    """The cases of a key, and a function that refuses one of them."""
    def refuse(case, word):
        raise Invalid(f'cases of {case.operation}: {key}: {word} is not expected')
    return [case for case in found.cases if case.key == key], refuse


def valid_cases(found):
    rows = ''
    cases, refuse = of_key(found, 'valid')
    for c in cases:
        lists, more = {'types': [], 'drop': [], 'ranks': []}, 'false'
        for word in c.expected.split():
            name, _, value = word.partition('=')
            if word == 'more':
                more = 'true'
            elif name in lists and value:
                lists[name].append(value.replace(',', ' ') if name == 'drop' else value)
            else:
                refuse(c, word)
        columns = [c_string(' '.join(lists[name])) for name in lists]
        rows += f'\t{{ NNMODEL_{c.operation}, {c_string(c.inputs)}, {c_string(c.outputs)},\n'
        rows += f'\t  {c.level}, {columns[0]}, {columns[1]}, {more}, {columns[2]} }},\n'
    return f"""
#include "model_op_cases.h"

static const struct op_case cases[] = {{
{rows}}};

const struct op_cases op_cases = {{ cases, sizeof(cases) / sizeof(cases[0]) }};
"""


def lowered_cases(found):
    rows = ''
    probed = [Case(o.name, 'lowered', types.split(','), (inputs, outputs, o.device))
              for o in found.operations for combinations, inputs, outputs in o.probes for types in combinations.split()]
    for c in probed + of_key(found, 'lowered')[0]:
        match = re.fullmatch(r'(EINVAL|EOPNOTSUPP)(?:: (.+))?', c.expected)
        message = match.group(2) or f'{c.operation}: ' if match else c.expected
        rows += f'\t{{ NNMODEL_{c.operation}, {c_string(c.inputs)}, {c_string(c.outputs)},\n'
        rows += f'\t  {c_string(message)}, {f"-{match.group(1)}" if match else 0} }},\n'
    return f"""
#include "lower_cases.h"

static const struct lower_case cases[] = {{
{rows}}};

const struct lower_cases lower_cases = {{ cases, sizeof(cases) / sizeof(cases[0]) }};
"""


def default_cases(found):
    rows = ''
    cases, refuse = of_key(found, 'defaults')
    for c in cases:
        match = re.fullmatch(r'(\d+)@(\d)(?: memory=(\d+))?', c.expected)
        if not match:
            refuse(c, c.expected)
        left, level, memory = match.groups()
        rows += f'\t{{ NNMODEL_{c.operation}, {c_string(c.inputs)}, {c_string(c.outputs)}, {left}, {level}, {memory or -1} }},\n'
    return f"""
static const struct default_case cases[] = {{
{rows}}};
"""


def empty_cases(found):
    rows = ''
    for name, text in found.empty:
        end, _, empty = text.partition(' ')
        rows += f'\t{{ NNMODEL_{name}, EMPTY_{end.upper()}, {c_string(empty)} }},\n'
    return f"""
static const struct empty_case empty_cases[] = {{
{rows}}};
"""


CASES = {'valid': valid_cases, 'lowered': lowered_cases, 'defaults': default_cases}
KINDS = {'signatures': signatures, 'defaults': defaults, 'probes': probes, 'groups': groups, 'lowerings': lowerings,
         'descriptors': descriptors, 'described': described, 'kernels': kernels, 'import_rows': import_rows, 'operator_names': operator_names,
         'option_members': option_members, 'option_fields': option_fields,
         'valid_cases': valid_cases, 'lowered_cases': lowered_cases, 'default_cases': default_cases,
         'empty_cases': empty_cases}


def read_text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    try:
        text = KINDS[sys.argv[1]](load(sys.argv[3:]))
    except Invalid as error:
        sys.exit(f'ops/generate.py: {error}')
    text = '// SPDX-License-Identifier: Apache-2.0\n/* Made by ops/generate.py from ops/. Change those. */\n' + text
    # A build compiles nothing again for a file that stays.
    if not os.path.exists(sys.argv[2]) or read_text(sys.argv[2]) != text:
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
