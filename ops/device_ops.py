# SPDX-License-Identifier: Apache-2.0
"""The device operations of a description; imported by generate.py, never run.

Below [device] of FAMILY.toml a device operation (enum nnprog_opcode) is NAME = "INPUTS[ -> OUTPUTS] types=... [WORD]...", as struct
nnprog_op_desc has it. INPUTS and OUTPUTS (1) are a number, LEAST..GREATEST, or LEAST.. for any number. Words:

  types=A,B     data types of input 0: FLOAT, QUANT8, ALL, or names of enum nnprog_dtype
  rule=NAME     infer_NAME() and, with attributes, check_NAME() in FAMILY_rule.c, if that is not the name of the operation
  attrs=NAME    struct nnprog_attr_NAME; unchecked: every value of it is valid
  optional=, omits=, values=
                inputs that may be omitted; that a program may omit and a run may not; whose contents the rule reads: "1,3-5", "5.."
  bound=NAME    only run() knows the extents of the outputs; bound_NAME() has the largest
  hands_on      operands go to a subgraph, or come from it, as they are
  empty=        the end of a run with an input that has no elements: bad_data, runs, or rule: NAME_empty() of rule=NAME decides

A number may be a constant in capitals of FAMILY_rule.c, which ends with

  #define NNPROG_FAMILY_FAMILY
  #include "nnprog_described.h"
"""
import re

NAME = r'[A-Z][A-Z0-9_]*'
COUNT = re.compile(rf'(?P<least>\d+|{NAME})(?P<open>\.\.)?(?P<most>\d+|{NAME})?')
BITS = re.compile(rf'(\d+)-(\d+)|(\d+|{NAME})(\.\.)?')
SETS = {'FLOAT': 'TYPES_FLOAT', 'QUANT8': 'TYPES_QUANT8', 'ALL': 'TYPES_ALL'}
EMPTY = {'bad_data': 'NNPROG_EMPTY_BAD_DATA', 'runs': 'NNPROG_EMPTY_RUNS'}
VALUES = {'types', 'rule', 'attrs', 'optional', 'omits', 'values', 'bound', 'empty'}
FLAGS = {'unchecked', 'hands_on'}


class Invalid(Exception):
    """A description that cannot be used: the message has the file, the operation and what to change."""


class Device:
    """A device operation."""

    def __init__(self, family, name, text):
        self.family, self.name = family, name
        if not re.fullmatch(NAME, name):
            self.refuse('must be a name in capital letters that no other family has')
        counts, *words = re.fullmatch(r'(\S*(?: -> \S+)?) ?(.*)', str(text)).groups()
        inputs, _, outputs = counts.partition(' -> ')
        self.inputs, self.outputs = self.read_count(inputs), self.read_count(outputs or '1')
        self.words = {}
        for word in words[0].split():
            key, equals, value = word.partition('=')
            if key in self.words or key not in (VALUES if equals else FLAGS):
                self.refuse(f'{word}: no word, or a second one')
            self.words[key] = value
        if 'types' not in self.words:
            self.refuse('has no types')
        self.rule = self.words.get('rule', name.lower())

    def refuse(self, message):
        raise Invalid(f'{self.family}.toml: device: {self.name}: {message}')

    def read_count(self, text):
        match = COUNT.fullmatch(text)
        if not match or match['most'] and not match['open']:
            self.refuse(f'"{text}": must be a number, or LEAST..GREATEST')
        return match['least'], match['most'] or ('UINT32_MAX' if match['open'] else match['least'])

    def read_bits(self, key):
        """C of a mask of inputs."""
        masks = []
        for word in self.words[key].split(','):
            match = BITS.fullmatch(word)
            if not match:
                self.refuse(f'{key}={self.words[key]}: must be numbers of inputs')
            if match[1]:
                masks += [f'1u << {number}' for number in range(int(match[1]), int(match[2]) + 1)]
            else:
                masks.append(f'~0u << {match[3]}' if match[4] else f'1u << {match[3]}')
        return ' | '.join(masks)

    def read_types(self):
        names = self.words['types'].split(',')
        for name in names:
            if not re.fullmatch(NAME, name):
                self.refuse(f'types={self.words["types"]}: {name} is no type')
        return ' | '.join(SETS.get(name, f'TYPE({name})') for name in names)

    def descriptor(self):
        """struct nnprog_op_desc in C."""
        attrs = self.words.get('attrs')
        rows = [f'opcode = NNPROG_OP_{self.name}', f'name = "{self.name}"', f'min_inputs = {self.inputs[0]}',
                f'max_inputs = {self.inputs[1]}', f'min_outputs = {self.outputs[0]}', f'max_outputs = {self.outputs[1]}']
        rows += [f'attrs_size = sizeof(struct nnprog_attr_{attrs})'] if attrs else []
        rows += [f'{member} = {self.read_bits(key)}' for member, key in
                 (('optional_inputs', 'optional'), ('program_omits', 'omits'), ('value_inputs', 'values')) if key in self.words]
        rows += [f'types = {self.read_types()}'] + (['hands_on = true'] if 'hands_on' in self.words else [])
        checked = attrs and 'unchecked' not in self.words
        rows += [f'check_attrs = {f"check_{self.rule}" if checked else "nnprog_no_attrs"}', f'infer = infer_{self.rule}']
        if 'bound' in self.words:
            rows += [f'run_shapes = (1u << {self.outputs[1]}) - 1', f'bound = bound_{self.words["bound"]}']
        if self.words.get('empty') == 'rule':
            rows.append(f'empty_rule = {self.rule}_empty')
        elif 'empty' in self.words:
            if self.words['empty'] not in EMPTY:
                self.refuse(f'empty={self.words["empty"]}: must be one of {", ".join(EMPTY)}, rule')
            rows.append(f'empty = {EMPTY[self.words["empty"]]}')
        return f'const struct nnprog_op_desc nnprog_op_{self.name.lower()} = {{\n' + ''.join(f'\t.{row},\n' for row in rows) + '};\n'


def described(found):
    """Descriptors by family: each FAMILY_rule.c includes its own."""
    text = ''
    for family, devices in found.devices_of.items():
        if devices:
            text += f'#ifdef NNPROG_FAMILY_{family.upper()}\n' + ''.join(device.descriptor() for device in devices) + '#endif\n'
    return '\n' + text
