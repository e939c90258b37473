# SPDX-License-Identifier: Apache-2.0
"""C of samples of the values and messages of a description, for tests: 0 has something everywhere, 1 nothing, 2 what a careless
client gives; imported, never run."""
from idl import DESCRIPTORS, EXTERNS, HEAD, empty_of, indent, struct_name

SAMPLE = {'bool': ('sample_number() % 2', 'true'), 'u16': ('(uint16_t)sample_number()', 'UINT16_MAX'),
          'u32': ('sample_number()', 'UINT32_MAX'), 'u64': ('(uint64_t)sample_number() << 33', 'UINT64_MAX'),
          'i32': ('(int32_t)sample_number()', '-1'), 'i64': ('(int64_t)sample_number() << 33', 'INT64_MIN'),
          'f32': ('0.5f + (float)sample_number()', 'NAN')}
BY_HAND = {'model': ['{x}{n} = sample_model_of(sample);'],
           'request': ['{x}{n} = sample == 1 ? NULL : sample_request_of(sample);'],
           'slot_request': ['{x}{n} = sample == 1 ? NULL : sample_request_of(sample);',
                            '{x}slots = {x}{n} ? sample_slots : NULL;']}


def filled(idl, m, v, x):
    """Lines for samples 0 and 2, for sample 2 instead, and for all, of one value."""
    if m.kind in SAMPLE:
        full, careless = SAMPLE[m.kind]
        least = m.least(x)
        return [f'{v} = {full};'], [f'{v} = {least or careless};'], [f'{v} = {least};'] if least else []
    if m.kind in idl.scalars:
        return [], [], [f'{v} = sample_{m.kind}(sample);']
    if m.kind == 'text':
        text = 'sample_required_text()' if m.required else 'sample_text()'
        return [f'{v} = {text};'], [f'{v} = (char *)"";'], [f'{v} = (char *)"";'] if m.required else []
    if m.kind == 'given_fd':
        return [f'{v} = fcntl(sample_fd(), F_DUPFD_CLOEXEC, 0);'], [], [f'{v} = -1;']
    if m.kind in DESCRIPTORS:
        return [f'{v} = sample_fd();'], [f'{v} = -5;'], [f'{v} = -1;']
    if m.kind == 'object':
        return [f'{v} = sample_number();'], [f'{v} = UINT64_MAX;'], []
    return [], [], [f'fill_{m.kind}(&{v}, sample);']


def fill_member(idl, m, x, message):
    """Lines for sample 0, for sample 2, and for all samples, which come first."""
    v = x + m.name
    if m.kind in EXTERNS:
        return [], [], [line.format(x=x, n=m.name) for line in BY_HAND[m.kind]]
    if m.list or m.array and m.kind not in ('bytes', 'raw'):
        full, careless, always = filled(idl, m, f'{"list" if m.list else v}[i]', x)
        each = [line.replace('sample)', '0)') if m.list else line for line in always] + full
        if m.array:
            return [], [], [f'for (uint32_t i = 0; i < {m.count}; i++)', '\t' + each[0]]
        lines = ['{', f'\tstatic {idl.c_type(m.kind)}list[3];', '', '\tfor (uint32_t i = 0; i < 3; i++) {']
        lines += ['\t\t' + line for line in each] + ['\t}', f'\t{v} = list;', f'\t{x}{m.count} = 3;', '}']
        return lines, [] if m.how else [f'{x}{m.count} = 3;'], []
    if m.kind == 'chars':
        return [f'snprintf({v}, sizeof({v}), "text %u", sample_number());'], [f"memset({v}, 't', sizeof({v}));"], []
    if m.kind == 'blob':
        return [f'{v} = "value";', f'{x}{m.count} = 6;'], [f'{x}{m.count} = 4;'], []
    if m.kind in ('bytes', 'raw'):
        lines = ['{', f'\tstatic const uint8_t bytes[{m.count}] = {{ 1, 2, 3, [{m.count} - 1] = 255 }};', '',
                 f'\t{v} = bytes;', '}']
        return (lines, [], []) if m.kind == 'bytes' else ([], [], lines)
    if m.struct and message:
        lines = ['{', f'\tstatic struct {m.struct.c_name} own;', '', f'\tfill_{m.kind}(&own, sample);', f'\t{v} = &own;', '}']
        return (lines, lines, []) if m.optional else ([], [], lines)
    return filled(idl, m, v, x)


def differs(idl, m, message):
    """C expression: whether a member of *a and *b differs."""
    a, b = f'a->{m.name}', f'b->{m.name}'
    if m.kind in EXTERNS:
        return f'!sample_same_{m.kind.replace("slot_", "")}({a}, {b})'
    if m.list or m.array and m.kind not in ('bytes', 'raw'):
        count = f'a->{m.count}' if m.list else m.count
        each = element_differs(idl, m)
        loop = f'list_differs({a}, {b}, {count}, sizeof(*{a}), {each})'
        return f'{count} != b->{m.count} || {loop}' if m.list else loop
    if m.kind == 'chars':
        return f'strncmp({a}, {b}, sizeof({a}) - 1)'
    if m.kind == 'text':
        return f'text_differs(&{a}, &{b})'
    if m.kind == 'blob':
        return f'a->{m.count} != b->{m.count} || bytes_differ({a}, {b}, a->{m.count})'
    if m.kind in ('bytes', 'raw'):
        return f'bytes_differ({a}, {b}, {m.count})'
    if m.kind in DESCRIPTORS:
        return f'fd_differs(&{a}, &{b})'
    if m.struct and (message or m.optional):
        return f'!{a} != !{b} || ({a} && differs_{m.kind}({a}, {b}))'
    if m.struct:
        return f'differs_{m.kind}(&{a}, &{b})'
    return f'memcmp(&{a}, &{b}, sizeof({a}))'


def element_differs(idl, m):
    if m.struct:
        return f'differs_{m.kind}'
    return {'text': 'text_differs', 'fd': 'fd_differs'}.get(m.kind, 'NULL')


def function(head, lines):
    return head + '\n{\n' + indent(lines) + '}\n\n'


def fill_of(idl, struct):
    """The function that fills a value with a sample."""
    message, c_name = idl.is_message(struct), struct_name(idl, struct)
    full, careless, always = [], [], []
    for m in struct.members:
        for lines, more in zip((full, careless, always), fill_member(idl, m, 'x->', message)):
            lines += more
    lines = [f'*x = (struct {c_name}){"{ 0 }" if message else empty_of(struct)};'] + always + ['if (sample == 0) {']
    lines += ['\t' + line if line else '' for line in full] + ['} else if (sample == 2) {']
    lines += ['\t' + line if line else '' for line in careless] + ['}']
    return function(f'static void fill_{struct.name}(struct {c_name} *x, uint32_t sample)', lines)


def differs_of(idl, struct):
    """The function that names the first member in which two values differ."""
    lines = [f'const struct {struct_name(idl, struct)} *a = one, *b = other;', '']
    for m in struct.members:
        lines += [f'if ({differs(idl, m, idl.is_message(struct))})', f'\treturn "{m.name}";']
    return function(f'static const char *differs_{struct.name}(const void *one, const void *other)', lines + ['return NULL;'])


def sample_of(idl, struct, rows):
    """All functions of a value, and its rows."""
    p, name, c_name = idl.prefix, struct.name, struct_name(idl, struct)
    pointed = [m for m in struct.members if idl.is_message(struct) and m.struct and not m.optional and not m.list]
    own = [f'struct {m.struct.c_name} own_{m.name};' for m in pointed]
    point = [f'x.{m.name} = &own_{m.name};' for m in pointed]
    free = [f'{p}_{m.kind}_free(&own_{m.name});' for m in pointed if idl.owns(m.struct)]
    free += [f'{p}_{name}_free(&x);'] if idl.owns(struct) else []
    given = [m.name for m in struct.members if m.kind == 'given_fd']
    text = fill_of(idl, struct) + differs_of(idl, struct)
    text += function(f'static void put_{name}(struct nnipc_writer *w, uint32_t sample)',
                     [f'struct {c_name} x;', '', f'fill_{name}(&x, sample);', f'{p}_put_{name}(w, &x);'])
    put = ['if (w && !r->error) {', f'\t{p}_put_{name}(w, &x);'] + [f'\tx.{n} = -1;' for n in given] + ['}']
    text += function(f'static void copy_{name}(struct nnipc_reader *r, struct nnipc_writer *w)',
                     [f'struct {c_name} x;'] + own + [''] + point + [f'{p}_get_{name}(r, &x);'] + put + free)
    compare = [f'fill_{name}(&a, sample);', f'{p}_get_{name}(r, &x);', f'difference = differs_{name}(&a, &x);']
    text += function(f'static const char *compare_{name}(struct nnipc_reader *r, uint32_t sample)',
                     [f'struct {c_name} a, x;'] + own + ['const char *difference;', ''] + point + compare +
                     [f'nnipc_fd_close(a.{n});' for n in given] + free + ['return difference;'])
    uses = [(m, 'false') for m in idl.methods() if m.args is struct] + [(m, 'true') for m in idl.methods() if m.results is struct]
    for m, results in uses or [(None, 'false')]:
        method = f'{p.upper()}_{m.constant}' if m else '0'
        rows.append(f'\t{{ "{name}", {method}, {results}, put_{name}, copy_{name}, compare_{name} }},\n')
    return text


def samples(idl, headers):
    rows, text = [], HEAD.format(idl.name) + ''.join(f'#include "{h}"\n' for h in headers)
    text += '\n#include <fcntl.h>\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\n'
    text += ''.join(sample_of(idl, s, rows) for s in list(idl.structs.values()) + idl.all_messages())
    return text + f'const struct sample_row {idl.prefix}_sample_rows[] = {{\n' + ''.join(rows) + '};\n' + \
        f'const size_t {idl.prefix}_num_sample_rows = sizeof({idl.prefix}_sample_rows) / sizeof({idl.prefix}_sample_rows[0]);\n'
