#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""op_files.py: ops/generate.py reads descriptions of operations as its docstring has it, and refuses others. Prints TAP:

  refusals   what a description may not have, each with a message that names the operation and the word
  forms      the lists of operands that a description allows, with their feature levels
  defaults   the inputs that may be left out
  operators  the words of an operator of TensorFlow Lite
  cases      the combinations, columns and words of a case, and what is refused: operations of other families, too
  tables     the descriptions of the tree make the same tables in any order of the files
"""
import glob
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, 'ops'))
import generate # noqa: E402
import tap # noqa: E402

OP = 'group = "UNARY"\n[ELU]\ntypes = "F32@4 F16@4"\ninputs = "x:0 alpha:f"\noutputs = "out:0"\n'
# (what to replace in OP, by what, words of the message)
REFUSED = [
    ('group = "UNARY"\n', '', 'has no group'),
    ('[ELU]', '[elu]', 'capital letters'),
    ('[ELU]', '[ELU', 'x.toml'),
    ('outputs = "out:0"\n', '', 'has no outputs'),
    ('outputs', 'output', 'unknown key output'),
    ('F16@4', 'F16', 'F16: must be'),
    ('F16@4', 'F16@9', 'F16@9: must be'),
    ('F16@4', 'F17@4', 'no type F17'),
    ('F16@4', 'F16,F16,F16,F16,F16@4', 'must be 1 to 4 types'),
    ('alpha:f', 'alpha', 'alpha: no operand'),
    ('alpha:f', 'alpha:x', 'alpha:x: no operand'),
    ('alpha:f', 'Alpha:f', 'Alpha:f: no operand'),
    ('alpha:f', 'alpha:1', 'has no column 1'),
    ('alpha:f', 'alpha:f=1', 'cannot have the default 1'),
    ('alpha:f', 'alpha:f[7]x', 'no operand'),
    ('alpha:f', 'alpha_{a}:f', 'no operand'),
    ('x:0 alpha:f', 'x:0@5 alpha:f', 'alpha:f: has no @LEVEL'),
    ('x:0 alpha:f', 'x:0* alpha:0*', 'more than one operand repeats'),
    ('x:0 alpha:f', '', 'a list of operands is empty'),
    ('x:0 alpha:f', '@4', 'a list of operands is empty'),
    ('"x:0 alpha:f"', '["x:0[4]", "x:0 alpha:f"]', 'rank of input 0'),
    ('alpha:f', 'a:b@5=false b:i@5', 'a has a default, but not all inputs behind it'),
    ('outputs', 'probes = ["F32 | 0:2x3"]\noutputs', 'must be TYPES | INPUTS | OUTPUTS'),
    ('outputs', 'probes = ["F32 | 0:2x3 f=1 | 0:2x3"]\noutputs', 'has no device'),
    ('outputs = "out:0"\n', 'outputs = "out:0"\n[ELU.x]\n', 'unknown key x'),
    ('group', 'note = "text"\ngroup', 'note is no operation'),
    ('[ELU]', '[device]\nUnary = "1 types=ALL"\n[ELU]', 'device: Unary: must be'),
    ('[ELU]', '[device]\nUNARY = "1 types=ALL"\nUNARY = "1 types=ALL"\n[ELU]', 'x.toml'),
    ('[ELU]', '[device]\nUNARY = ""\n[ELU]', 'UNARY: "": must be a number'),
    ('[ELU]', '[device]\nUNARY = "1-2 types=ALL"\n[ELU]', '"1-2": must be a number'),
    ('[ELU]', '[device]\nUNARY = "1 -> x types=ALL"\n[ELU]', '"x": must be a number'),
    ('[ELU]', '[device]\nUNARY = "1"\n[ELU]', 'UNARY: has no types'),
    ('[ELU]', '[device]\nUNARY = "1 types=all"\n[ELU]', 'all is no type'),
    ('[ELU]', '[device]\nUNARY = "1 types=ALL types=ALL"\n[ELU]', 'types=ALL: no word, or a second one'),
    ('[ELU]', '[device]\nUNARY = "1 types=ALL near"\n[ELU]', 'near: no word'),
    ('[ELU]', '[device]\nUNARY = "1 types=ALL optional=x"\n[ELU]', 'optional=x: must be numbers'),
    ('[ELU]', '[device]\nUNARY = "1 types=ALL empty=fails"\n[ELU]', 'empty=fails: must be one of'),
    ('outputs', 'tflite = "ELU"\noutputs', 'operator "ELU": must be NAME CODE'),
    ('outputs', 'tflite = "ELU 111 plain near"\noutputs', 'near: no word'),
    ('outputs', 'tflite = "ELU 111 plain data"\noutputs', 'data: no word'),
    ('outputs', 'tflite = "ELU 111 plain folded"\noutputs', 'folded: no word'),
    ('outputs', 'tflite = "ELU 111 plain fuses"\noutputs', 'no field activation'),
    ('outputs', 'tflite = "ELU 111 plain | elu"\noutputs', 'elu: must be the number'),
    ('outputs', 'tflite = "ELU 111 plain | 9 elu alpha:double"\noutputs', 'alpha:double: no field'),
    ('outputs', 'tflite = ["ELU 111", "SELU 111"]\noutputs', 'SELU: its name or code'),
    ('outputs', 'tflite = ["ELU 111", "ELU 112"]\noutputs', 'ELU: its name or code'),
    ('group', 'tflite = "SHAPE 77 shape_of folded"\ngroup', 'SHAPE: has no types'),
]


CASES = OP + '[case.words]\nPAIR = "$ONE 1:3@0.5"\nONE = "0:2x3"\n[case.ELU]\n'
REFUSED_CASES = [
    ('right = ["F32:2 | F32:2 | ELU"]', 'right: "F32:2 | F32:2 | ELU": must be one of valid'),
    ('valid = ["F32:2 | F32:2"]', 'must be TYPES | INPUTS'),
    ('valid = ["F32 | 0:2 | 0:2 |"]', 'must be TYPES | INPUTS'),
    ('valid = ["F33@1 | 0:2 | 0:2 |"]', 'must be TYPES | INPUTS'),
    ('valid = ["F32@1 | 1:2 | 0:2 |"]', 'must be TYPES | INPUTS'),
    ('valid = ["F32@1 | $TWO | 0:2 |"]', 'must be TYPES | INPUTS'),
    ('valid = ["F32@1 | 0:2 | 0:2 | rank=0"]', 'ELU: valid: rank=0 is not expected'),
    ('empty = ["fails", "taken"]', 'empty: "taken": must be'),
    ('defaults = ["F32:2 | F32:2 | 1"]', 'ELU: defaults: 1 is not expected'),
    ('[case.SELU]', 'case.SELU: no operation of the family'),
    ('[SELU]', 'the cases must be at the end'),
]


def load_all(*texts):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name + '.toml') for name in 'xy'[:len(texts)]]
        for path, text in zip(paths, texts):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        found = generate.load(paths)
        for kind in generate.KINDS.values():
            kind(found)
        return found


def load(*texts):
    return load_all(*texts).operations


def refusal(*texts):
    try:
        load_all(*texts)
    except generate.Invalid as error:
        return str(error)
    return None


def check_refusals():
    bad = []
    for old, new, words in REFUSED:
        text = OP.replace(old, new)
        message = refusal(text)
        if text == OP or not message or words not in message or 'x.toml' not in message:
            bad.append(f'{old!r} -> {new!r}: {message}')
    message = refusal(OP, OP)
    return bad + ([] if message and 'described twice' in message else [f'two files with one operation: {message}'])


def check_forms():
    cases = [
        ('x:0 alpha:f', [(4, '0f', '0')]),
        ('x:0 a:b@5=false b:i@6=1', [(4, '0', '0'), (5, '0b', '0'), (6, '0bi', '0')]),
        ('x:0 a:b@5 b_{left,right}:i@5', [(4, '0', '0'), (5, '0b', '0'), (5, '0bii', '0')]),
        ('{a,b}_mask:i t:0*', [(4, 'ii0*', '0')]),
    ]
    bad = [f'{text}: {got}' for text, forms in cases if (got := load(OP.replace('x:0 alpha:f', text))[0].forms) != forms]
    two = OP.replace('"x:0 alpha:f"', '["x:0[4]", "@6 x:0[4] a:I[1]"]').replace('"out:0"', '["out:0", "@7 out:0 state:0"]')
    operation = load(two)[0]
    if operation.forms != [(4, '0', '0'), (7, '0', '00'), (6, '0I', '0'), (7, '0I', '00')] or operation.ranks != '41':
        bad.append(f'alternatives: {operation.forms} {operation.ranks}')
    return bad


def check_defaults():
    cases = [
        ('x:0 alpha:f', []),
        ('x:0 axis:i@5=-1', [(1, '-', False)]),
        ('x:0 nchw:b@5=false dilation_{width,height}:i@5=1', [(1, 'F11', True)]),
        ('x:0 layer_norm_{i,f}:0@5', []),
    ]
    return [f'{text}: {got}' for text, tails in cases if (got := list(load(OP.replace('x:0 alpha:f', text))[0].tails())) != tails]


def check_operators():
    cases = [
        ('ELU 111', (None, [])),
        ('ELU 111 elu as_data', ('0, .shape = IMPORT_AS_DATA', [])),
        ('ELU 111 elu Q8,I32 same_real unread=1', ('IMPORT_Q8 | IMPORT_I32, .quant = IMPORT_SAME_REAL, .unread = 1u << 1', [])),
        ('ELU 111 elu any fuses | 9 elu 2=a_{b,c}:int activation:code@3',
         ('IMPORT_ANY, .activation = 1 + 4, .fuses = true', ['2, a_b, INT, 1', '3, a_c, INT, 1', '4, activation, CODE, 3'])),
    ]
    bad = []
    for text, (row, fields) in cases:
        found = load_all(OP.replace('outputs', f'tflite = "{text}"\noutputs'))
        rows, options = generate.import_rows(found), generate.option_fields(found)
        wanted = f'{{ .opcode = 111, .nn_opcode = NNMODEL_ELU, .import = import_elu, .types = {row} }}'
        if (wanted in rows) != bool(row) or rows.count('import_elu') != bool(row):
            bad.append(f'{text}: {rows}')
        found = re.findall(r'(\d+), offsetof\(struct tfl_elu_params, (\w+)\), BUILTIN_(\w+), (\d+)', options)
        if found != [tuple(f.split(', ')) for f in fields]:
            bad.append(f'{text}: {options}')
    return bad


def check_cases():
    bad = [f'{text}: {message}' for text, words in REFUSED_CASES
           if words not in (message := refusal(CASES + text) or 'taken')]
    texts = ['valid = ["F32,Q8@1 F16,F16@3 | $PAIR ~0 f=1 p | 1 | more ranks=01 drop=2,3"]',
             'lowered = ["F32:2 f | F32:2 | UNARY", "F32:2 f | F32:3 | EINVAL", "F32:2 f16 | F16:2 | EOPNOTSUPP: a \\\"b"]',
             'defaults = ["F32:2 | F32:2 | 1@3 memory=0"]']
    found = load_all('\n'.join([CASES] + texts))
    tables = generate.valid_cases(found) + generate.lowered_cases(found) + generate.default_cases(found)
    for row in ('"F32:2x3 Q8:3@0.5 ~F32 f=1 f", "Q8",\n\t  1, "", "2 3", true, "01"', '"F16:2x3 F16:3 ~F16 f16=1 f16", "F16",\n\t  3,',
                '"F32:2 f", "F32:2",\n\t  "UNARY", 0', '"F32:3",\n\t  "ELU: ", -EINVAL', '"a \\"b", -EOPNOTSUPP', '"F32:2", 1, 3, 0'):
        if tables.count(row) != 1:
            bad.append(f'no row {row}')
    return bad


def check_tables():
    paths = sorted(glob.glob(os.path.join(ROOT, 'ops', '**', '*.toml'), recursive=True))
    return [name for name, kind in generate.KINDS.items()
            if kind(generate.load(paths)) != kind(generate.load(paths[::-1]))] + ([] if len(paths) > 20 else [f'only {len(paths)} files'])


tap.run([('refusals', check_refusals), ('forms', check_forms), ('defaults', check_defaults), ('operators', check_operators),
         ('cases', check_cases), ('tables', check_tables)])
