# SPDX-License-Identifier: Apache-2.0
"""C of the servants of a description: what receives the calls of an interface and makes them on the vendor's object; imported,
never run."""
from idl import EXTERNS, HEAD, Invalid, empty_of, indent, struct_name


def vendor_struct(interface):
    return f'nnhal_{interface.name}'


def has_table(interface):
    """Whether it is of objects that the vendor's library makes."""
    return any(m.form == 'call' for m in interface.methods)


def complete_of(idl, interface):
    ops = interface.locals + [m.op for m in interface.methods if m.form != 'other' and 'optional' not in m.flags]
    ops.sort(key=lambda op: op != 'destroy') # first in each table
    struct, name = vendor_struct(interface), interface.name
    last = ops[-1]
    tests = ' && '.join(f'ops->{op}' for op in ops if op != last)
    return f'''bool {idl.prefix}_{name}_complete(const struct {struct} *object)
{{
	const struct {struct}_ops *ops = object ? object->ops : NULL;

	return ops && NNIPC_HAS({struct}_ops, ops, {last}) && {tests};
}}

'''


def adder_of(idl, name):
    p, upper = idl.prefix, idl.prefix.upper()
    return f'''static void {name}_destroy(void *object)
{{
	struct nnhal_{name} *vendor = object;

	vendor->ops->destroy(vendor);
}}

/* Give an object of the vendor's a number. On an error it is destroyed. */
static enum nnhal_status {name}_add(struct nnhal_{name} *vendor, uint64_t *oid)
{{
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;

	if ({p}_{name}_complete(vendor)) {{
		*oid = {p}_object_add({upper}_KIND_{name.upper()}, vendor, {name}_destroy);
		status = *oid ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}}
	if (status)
		NNIPC_DESTROY(nnhal_{name}_ops, vendor);
	return status;
}}

'''


def vendor_argument(m):
    if m.kind in EXTERNS:
        return [EXTERNS[m.kind][4].format(x='args.', n=m.name)]
    return [f'args.{m.name}', f'args.{m.count}'] if m.list else [f'args.{m.name}']


def direct_call(idl, m):
    """The lines that call the vendor, with what becomes of its objects."""
    status, *outs = m.results.members
    places, before, after = [], [], []
    for out in outs:
        if out.kind == 'object':
            made = m.flags.get('makes', out.word)
            before.append(f'struct nnhal_{made} *{out.name} = NULL;')
            places.append(f'&{out.name}')
            after += [f'if (!results.{status.name})',
                      f'\tresults.{status.name} = {made}_add({out.name}, &results.{out.name});', 'else',
                      f'\tNNIPC_DESTROY(nnhal_{made}_ops, {out.name});']
        else:
            places.append(('results.' if out.struct else '&results.') + out.name)
    args = ['vendor'] + [a for arg in m.args.members for a in vendor_argument(arg)] + places
    call = f'vendor->ops->{m.op}({", ".join(args)})'
    if 'optional' in m.flags:
        call = f'NNIPC_HAS({vendor_struct(m.interface)}_ops, vendor->ops, {m.op}) ? {call} : -EOPNOTSUPP'
    lines = [f'results.{status.name} = {call};'] + after
    if 'faults' in m.flags:
        lines = ['nnipc_fault_point("during-execution");'] + lines + ['nnipc_fault_point("before-sync-reply");']
    return before, lines


def reset(m):
    """What results are without success."""
    lines = []
    for out in m.results.members[1:]:
        if out.kind == 'given_fd':
            lines += [f'nnipc_fd_close(results.{out.name});', f'results.{out.name} = -1;']
        elif out.struct and out.kind != 'result':
            lines += [f'{out.name} = (struct {out.struct.c_name}){empty_of(out.struct)};']
    return lines


def servant_of(idl, m):
    """The servant's function of a method."""
    p, first, has_args = idl.prefix, m.results.members[0], bool(m.args.members)
    lacks_memory = idl.owns(m.args)
    if lacks_memory and first.kind != 'status':
        raise Invalid(f'{m.title()}: there may be no memory for its arguments, but its results have no status')
    lines, before = [], []
    if has_args:
        lines.append(f'struct {struct_name(idl, m.args)} args;')
    for out in m.results.members:
        if out.struct:
            empty = empty_of(out.struct)
            lines.append(f'struct {out.struct.c_name} {out.name} = {empty};')
    inits = [f'.{o.name} = &{o.name}' for o in m.results.members if o.struct]
    inits += [f'.{o.name} = -1' for o in m.results.members if o.kind == 'given_fd']
    lines.append(f'struct {struct_name(idl, m.results)} results = {{ {", ".join(inits) or "0"} }};')
    if 'direct' in m.flags:
        lines.append(f'struct {vendor_struct(m.interface)} *vendor = object;')
        before, call = direct_call(idl, m)
    else:
        call = [f'ret = {p}_serve_{m.id}(object{", &args" if has_args else ""}, &results);']
    lines += before
    lines.append('int ret;')
    body = [f'{p}_get_{m.args.name}(in, &args);'] if has_args else []
    body.append(f'ret = nnipc_arguments_end(in, &results.{first.name});' if lacks_memory else 'ret = nnipc_reader_end(in);')
    block = len(call) > 1
    test = f'!ret && !results.{first.name}' if lacks_memory and 'notifies' not in m.flags else '!ret'
    body += [f'if ({test}){" {" if block else ""}'] + ['\t' + line for line in call] + (['}'] if block else [])
    undo = reset(m) if 'direct' in m.flags else []
    if undo:
        many = len(undo) > 1
        body += [f'if (ret || results.{first.name}){" {" if many else ""}'] + ['\t' + u for u in undo] + (['}'] if many else [])
    body += ['if (!ret)', f'\t{p}_put_{m.results.name}(out, &results);']
    body += [f'{p}_{o.kind}_free(&{o.name});' for o in m.results.members if o.struct and idl.owns(o.struct)]
    if lacks_memory:
        body.append(f'{p}_{m.args.name}_free(&args);')
    body.append('return ret;')
    return (f'static int {m.id}(void *object, struct nnipc_reader *in, struct nnipc_writer *out)\n{{\n' + indent(lines) + '\n' +
            indent(body) + '}\n\n')


def served(idl, headers):
    """The methods whose handlers are written by hand, as prototypes."""
    p, text = idl.prefix, HEAD.format(idl.name) + '#ifndef NNIPC_SERVANTS_IDL_H\n#define NNIPC_SERVANTS_IDL_H\n\n'
    text += ''.join(f'#include "{h}"\n' for h in headers)
    text += '\n/* Whether the table of a vendor library\'s object is complete. NULL is not. */\n'
    for interface in idl.interfaces:
        if has_table(interface):
            text += f'bool {p}_{interface.name}_complete(const struct {vendor_struct(interface)} *object);\n'
    text += '''
/*
 * Methods that are written by hand. Arguments are complete, and given back afterwards. 0: the results are sent; else as
 * nnipc_handler().
 */
'''
    for m in idl.methods():
        if m.form != 'call' or 'direct' in m.flags:
            continue
        if 'whole' in m.flags:
            text += f'int {p}_serve_{m.id}(void *object, struct nnipc_reader *in, struct nnipc_writer *out);\n'
        else:
            args = f', struct {struct_name(idl, m.args)} *args' if m.args.members else ''
            text += f'int {p}_serve_{m.id}(void *object{args}, struct {struct_name(idl, m.results)} *results);\n'
    return text + '\n#endif\n'


def servants(idl, headers):
    p, text = idl.prefix, HEAD.format(idl.name) + ''.join(f'#include "{h}"\n' for h in headers)
    text += '\n#include <errno.h>\n\n'
    for interface in idl.interfaces:
        if has_table(interface):
            text += complete_of(idl, interface)
    direct = [m for m in idl.methods() if 'direct' in m.flags]
    made = {m.flags.get('makes', o.word) for m in direct for o in m.results.members if o.kind == 'object'}
    text += ''.join(adder_of(idl, name) for name in sorted(made))
    for interface in idl.interfaces:
        if not has_table(interface):
            continue
        calls = [m for m in interface.methods if m.form == 'call']
        text += ''.join(servant_of(idl, m) for m in calls if 'whole' not in m.flags)
        rows = ''.join(f'\t[{m.number - 1}] = {f"{p}_serve_" if "whole" in m.flags else ""}{m.id},\n' for m in calls)
        text += f'static const nnipc_servant_call {interface.name}_calls[] = {{\n{rows}}};\n\n'
        text += f'const struct nnipc_servant {p}_{interface.name}_servant = {{\n\t{interface.name}_calls,\n'
        text += f'\tsizeof({interface.name}_calls) / sizeof({interface.name}_calls[0]),\n}};\n\n'
    return text.rstrip('\n') + '\n'
