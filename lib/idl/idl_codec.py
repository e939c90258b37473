# SPDX-License-Identifier: Apache-2.0
"""C of the values and messages of a description: how they are written, read and given back, and a header; imported, never run."""
from idl import DESCRIPTORS, EXTERNS, HEAD, empty_of, indent, struct_name


def put_member(idl, m, x, message):
    v = x + m.name
    if m.kind in EXTERNS:
        return [EXTERNS[m.kind][1].format(p=idl.prefix, x=x, n=m.name) + ';']
    if m.list:
        lines = [f'nnipc_put_u32(w, {v} ? {x}{m.count} : 0);' if m.how == 'max' else f'nnipc_put_list(w, {v}, {x}{m.count});']
        return lines + [f'for (uint32_t i = 0; i < {x}{m.count} && {v}; i++)', '\t' + idl.put_value(m.kind, v + '[i]') + ';']
    if m.kind in ('bytes', 'raw'):
        raw = f'nnipc_put_raw(w, {v}, {m.count});'
        return [raw] if m.kind == 'raw' else [f'nnipc_put_bool(w, {v} != NULL);', f'if ({v})', '\t' + raw]
    if m.kind == 'blob':
        return [f'nnipc_put_bool(w, {v} != NULL);', f'nnipc_put_u64(w, {x}{m.count});', f'if ({v})',
                f'\tnnipc_put_raw(w, {v}, {x}{m.count});']
    if m.array:
        return [f'nnipc_put_u32(w, {m.count});', f'for (uint32_t i = 0; i < {m.count}; i++)',
                '\t' + idl.put_value(m.kind, v + '[i]') + ';']
    if m.kind == 'chars':
        return [f'nnipc_put_chars(w, {v}, sizeof({v}));']
    if m.kind == 'lent_fd':
        return [f'nnipc_put_lent_fd(w, {v}, {x}prot & PROT_WRITE);']
    if m.kind == 'object':
        return [f'nnipc_put_u64(w, {v});']
    if m.optional:
        return [f'nnipc_put_bool(w, {v} != NULL);', f'if ({v})', f'\t{idl.prefix}_put_{m.kind}(w, {v});']
    if m.struct and message:
        return [f'{idl.prefix}_put_{m.kind}(w, {v});']
    return [idl.put_value(m.kind, v) + ';']


def get_list(idl, m, x):
    v, count = x + m.name, x + m.count
    element = idl.c_type(m.kind)
    if m.how == 'max':
        head, body = [f'{count} = nnipc_get_count(r, {idl.element_least(m)}, {m.limit});', f'{v} = NULL;', f'if ({count}) {{'], []
    else:
        head, body = [f'{v} = NULL;', f'if (nnipc_get_list(r, {idl.element_least(m)}, &{count})) {{'], []
    body = [f'\t{element}*list = nnipc_list_alloc(r, &{count}, sizeof(*list));', '', f'\t{v} = list;',
            f'\tfor (uint32_t i = 0; i < {count}; i++)', '\t\t' + idl.get_value(m.kind, 'list[i]', m.most) + ';']
    if m.required:
        body += [f'\tfor (uint32_t i = 0; i < {count}; i++)', '\t\tif (!list[i])', '\t\t\tnnipc_reader_refuse(r);']
    body += ['}']
    if m.how == 'given':
        body += [f'if ({count} > {m.limit} || ({count} && !{v}))', '\tnnipc_reader_refuse(r);']
    return head + body


def get_member(idl, m, x, message):
    v = x + m.name
    if m.kind in EXTERNS:
        return [EXTERNS[m.kind][2].format(p=idl.prefix, x=x, n=m.name) + ';']
    if m.list:
        return get_list(idl, m, x)
    if m.kind == 'raw':
        return [f'{v} = nnipc_get_raw(r, {m.count});']
    if m.kind == 'bytes':
        return [f'{v} = nnipc_get_bool(r) ? nnipc_get_copy(r, {m.count}) : NULL;']
    if m.kind == 'blob':
        return [f'{v} = nnipc_get_blob(r, &{x}{m.count});']
    if m.array:
        return [f'if (nnipc_get_count(r, {idl.element_least(m)}, {m.count}) != {m.count})', '\tnnipc_reader_refuse(r);',
                f'for (uint32_t i = 0; i < {m.count}; i++)', '\t' + idl.get_value(m.kind, v + '[i]') + ';']
    if m.kind == 'chars':
        return [f'nnipc_get_text_into(r, {v}, sizeof({v}));']
    if m.kind == 'object':
        return [f'{v} = nnipc_get_u64(r);']
    if m.optional:
        own = f'{x}own_{m.name}'
        return [f'{v} = NULL;', f'{own} = (struct {m.struct.c_name}){empty_of(m.struct)};', 'if (nnipc_get_bool(r)) {',
                f'\t{idl.prefix}_get_{m.kind}(r, &{own});', f'\t{v} = &{own};', '}']
    if m.struct and message:
        return [f'{idl.prefix}_get_{m.kind}(r, {v});']
    lines = [idl.get_value(m.kind, v, m.most) + ';']
    if m.least(x):
        lines += [f'if (!({v} >= {m.least(x)}))', '\tnnipc_reader_refuse(r);']
    if 'finite' in m.rules.split():
        lines += [f'if (!isfinite({v}))', '\tnnipc_reader_refuse(r);']
    if m.required:
        lines += [f'if (!{v})', '\tnnipc_reader_refuse(r);']
    return lines


def free_member(idl, m, x):
    v = x + m.name
    if m.kind in EXTERNS:
        return [EXTERNS[m.kind][3].format(p=idl.prefix, x=x, n=m.name) + ';']
    if m.list:
        lines = []
        each = {'text': f'free({v}[i]);', 'fd': f'nnipc_fd_close({v}[i]);'}.get(m.kind)
        if m.struct and idl.owns(m.struct):
            each = f'{idl.prefix}_{m.kind}_free((struct {m.struct.c_name} *)&{v}[i]);'
        if each:
            lines = [f'for (uint32_t i = 0; i < {x}{m.count} && {v}; i++)', '\t' + each]
        return lines + [f'free((void *){v});']
    if m.kind in ('text', 'blob', 'bytes'):
        return [f'free((void *){v});']
    if m.kind in DESCRIPTORS:
        return [f'nnipc_fd_close({v});']
    if m.struct and idl.owns(m.struct) and m.optional:
        return [f'{idl.prefix}_{m.kind}_free(&{x}own_{m.name});']
    if m.struct and idl.owns(m.struct):
        return [f'{idl.prefix}_{m.kind}_free(&{v});']
    return []


def prototypes(idl, struct):
    p, name, c_name = idl.prefix, struct.name, struct_name(idl, struct)
    found = [f'void {p}_put_{name}(struct nnipc_writer *w, const struct {c_name} *x)',
             f'void {p}_get_{name}(struct nnipc_reader *r, struct {c_name} *x)']
    return found + ([f'void {p}_{name}_free(struct {c_name} *x)'] if idl.owns(struct) else [])


def codec_of(idl, struct):
    message = idl.is_message(struct)
    put, get, *free = prototypes(idl, struct)
    empty = f'*x = (struct {struct.c_name}){empty_of(struct)};' if not message else None
    text = f'{put}\n{{\n' + indent(line for m in struct.members for line in put_member(idl, m, 'x->', message)) + '}\n\n'
    lines = [empty] if empty else []
    lines += [line for m in struct.members for line in get_member(idl, m, 'x->', message)]
    if not message:
        lines += ['if (r->error)', f'\t{idl.prefix}_{struct.name}_free(x);' if free else '\t' + empty]
    frees = ''
    if free:
        members = [m for m in struct.members if not (message and m.struct and not m.optional and not m.list)]
        body = [line for m in members for line in free_member(idl, m, 'x->')] + ([empty] if empty else [])
        frees = f'{free[0]}\n{{\n' + indent(body) + '}\n\n'
    return text + f'{get}\n{{\n' + indent(lines) + '}\n\n' + frees


def codec(idl, headers):
    rows = ''.join(f'\tcase {idl.prefix.upper()}_{m.constant}:\n\t\treturn "{m.title()}";\n' for m in idl.methods())
    text = HEAD.format(idl.name) + ''.join(f'#include "{h}"\n' for h in headers)
    text += '\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n\n'
    text += f'''const char *{idl.prefix}_method_name(uint32_t method)
{{
	static _Thread_local char unknown[24];

	switch (method) {{
{rows}	}}
	snprintf(unknown, sizeof(unknown), "method 0x%03x", method);
	return unknown;
}}

'''
    return text + ''.join(codec_of(idl, s) for s in list(idl.structs.values()) + idl.all_messages()).rstrip('\n') + '\n'


def comment(lines, tab):
    return ''.join(f'{tab}/* {lines[0]} */\n' if len(lines) == 1 else
                   f'{tab}/*\n' + ''.join(f'{tab} * {line}\n' for line in lines) + f'{tab} */\n' for _ in [0] if lines)


def declare(idl, m):
    if m.kind in EXTERNS:
        return ''.join('\t' + line.format(n=m.name) + ';\n' for line in EXTERNS[m.kind][0])
    if m.list:
        pointer = f'char **{m.name}' if m.kind == 'text' else f'const {idl.c_type(m.kind)}*{m.name}'
        return f'\t{pointer};\n\tuint32_t {m.count};\n'
    if m.kind in ('bytes', 'raw'):
        return f'\tconst uint8_t *{m.name};\n'
    if m.kind == 'text':
        return f'\tconst char *{m.name};\n'
    if m.optional:
        return f'\tconst struct {m.struct.c_name} *{m.name};\n\tstruct {m.struct.c_name} own_{m.name};\n'
    if m.struct:
        return f'\tstruct {m.struct.c_name} *{m.name};\n'
    return f'\t{idl.c_type(m.kind)}{m.name};\n'


def header(idl, headers):
    upper = idl.prefix.upper()
    text = HEAD.format(idl.name) + f'#ifndef {upper}_IDL_H\n#define {upper}_IDL_H\n\n'
    text += ''.join(f'#include "{h}"\n' for h in headers)
    text += f'\nenum {idl.prefix}_method {{\n'
    for interface in idl.interfaces:
        text += comment(interface.comment, '\t')
        for m in interface.methods:
            text += comment(m.comment, '\t') + f'\t{upper}_{m.constant} = 0x{interface.kind << 8 | m.number:03x},\n'
    text += '};\n\n'
    text += f'''/** "INTERFACE::method"; another number gives "method 0x999", valid until this thread's next call. */
const char *{idl.prefix}_method_name(uint32_t method);

'''
    for struct in idl.structs.values():
        text += ''.join(p + ';\n' for p in prototypes(idl, struct)) + '\n'
    for struct in idl.all_messages():
        text += f'struct {struct_name(idl, struct)} {{\n' + ''.join(declare(idl, m) for m in struct.members) + '};\n'
        text += ''.join(p + ';\n' for p in prototypes(idl, struct)) + '\n'
    return text + '#endif\n'
