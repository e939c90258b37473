# SPDX-License-Identifier: Apache-2.0
"""A description of the values and methods of an interface between processes (*.idl), read; imported, never run.

A line is indented with tabs; a comment before a method goes into the header.

  library PREFIX              the functions are PREFIX_put_NAME(), PREFIX_get_NAME(), PREFIX_NAME_free()
  scalar NAME = C TYPE: N     a value of N bytes (4) in a message; PREFIX_put_NAME(w, value) and PREFIX_get_NAME(r) are written by
                              hand
  extern NAME                 a value that is written by hand: see EXTERNS
  struct NAME = C STRUCT[, sized][, empty VALUE]
                              sized: it has a member "size", which does not travel; VALUE: left by a getter on an error
  message NAME                members of several methods' arguments or results
  interface NAME = KIND, PREFIX[, CLASS]
    local NAME                a function of struct nnhal_NAME_ops that does not travel
    call NAME = NUMBER[, FLAG]...
                              a call on a lane; members are its arguments, or "<- MESSAGE"; behind "->" are its results:
                              a message's name, or members
    packet, other             not a call on a lane

Flags:

  as TEXT     its name for people
  op NAME     its function in the table, if that is not NAME
  direct      the servant's function is made as well
  makes CLASS of what class the object in its results is
  optional    the table may end before it, or lack it
  faults      it has the fault points of executions
  whole       its servant is written by hand
  notifies    its handler runs also with a status in its results: there was no memory for the arguments

Members, TYPE NAME:

  bool u16 u32 u64 i32 i64 f32, or a scalar's name; then ">= NUMBER", ">= MEMBER", "finite": other values are malformed
  chars NAME                  text in an array; it is cut
  text NAME max N [required]  a string, NULL: absent; [required] also of each text of a list
  fd, given_fd, lent_fd       a descriptor: given_fd is closed when it has been sent, lent_fd is memory of "prot"
  blob NAME[SIZE]             bytes with a length that may be absent
  bytes NAME[N]               N bytes that may be absent; raw NAME[N]: N bytes
  STRUCT NAME                 STRUCT? NAME: it may be absent, in a message
  object CLASS NAME           number of an object
  TYPE NAME[COUNT]            a list that may be absent: its length, whether elements follow, and these
  TYPE NAME[COUNT max N]      a list that is there; COUNT given N: may not be absent unless it is empty
  TYPE NAME[N]                an array
  local NAME                  a member that does not travel

"""
import re

SCALARS = {'bool': ('bool', 1), 'u16': ('uint16_t', 4), 'u32': ('uint32_t', 4), 'u64': ('uint64_t', 8), 'i32': ('int32_t', 4),
           'i64': ('int64_t', 8), 'f32': ('float', 4)}
DESCRIPTORS = ('fd', 'given_fd', 'lent_fd')
HEAD = '/* Made by lib/idl of {}. */\n'
# Values that are written by hand: C declarations in a message, put, get, free, as an argument of the vendor's.
EXTERNS = {
    'model': (['const struct nnmodel *{n}'], '{p}_put_model(w, {x}{n})', '{x}{n} = {p}_get_model(r)',
              'nnmodel_free((struct nnmodel *){x}{n})', '{x}{n}'),
    'request': (['const struct nnhal_request *{n}', 'struct nnipc_request own_{n}'], '{p}_put_request(w, {x}{n}, NULL)',
                '{x}{n} = {p}_get_request(r, &{x}own_{n})', '{p}_request_free(&{x}own_{n})', '{x}{n}'),
    'slot_request': (['const struct nnhal_request *{n}', '/* one per pool; see struct nnipc_request */\n\tconst uint32_t *slots',
                      'struct nnipc_request own_{n}'], '{p}_put_request(w, {x}{n}, {x}slots)',
                     '{x}{n} = {p}_get_request(r, &{x}own_{n});\n\t{x}slots = {x}own_{n}.slots', '{p}_request_free(&{x}own_{n})',
                     '{x}{n}'),
}
# Kinds of members beside scalars, structs and externs.
OTHERS = DESCRIPTORS + ('chars', 'text', 'blob', 'bytes', 'raw', 'object')


class Invalid(Exception):
    """A description that cannot be used: file, line, what to change."""


class Member:
    """One member of a struct or message."""

    def __init__(self, idl, text):
        match = re.fullmatch(r'(\w+)(\?)?(?:(?<=object) (\w+))? (\w+)(?:\[(\w+)(?: (max|given) (\w+))?\])?((?: .*)?)', text)
        if not match:
            raise Invalid(f'"{text}" is no member')
        self.kind, self.optional, self.word, self.name, self.count, self.how, self.limit, rest = match.groups()
        self.rules = rest.strip()
        self.most = re.search(r'\bmax (\w+)', self.rules)
        self.most = self.most.group(1) if self.most else None
        self.required = 'required' in self.rules.split()
        self.array = bool(self.count) and not self.how and (self.count[0].isdigit() or self.count.isupper())
        self.list = bool(self.count) and not self.array and self.kind != 'blob'
        self.struct = idl.structs.get(self.kind)
        if not self.struct and not self.scalar(idl) and self.kind not in OTHERS + idl.externs:
            raise Invalid(f'"{text}": {self.kind} is no type')

    def least(self, x):
        """C of the least value of a number that has a rule, or None."""
        rule = re.search(r'>= (-?\w+)', self.rules)
        return rule and (x if rule.group(1)[0].islower() else '') + rule.group(1)

    def scalar(self, idl):
        return SCALARS.get(self.kind) or idl.scalars.get(self.kind)


class Struct:
    def __init__(self, name, c_name=None, sized=False, empty=''):
        self.name, self.c_name, self.sized, self.empty, self.members, self.locals = name, c_name, sized, empty, [], []


class Method:
    def __init__(self, interface, form, name, number, flags):
        self.interface, self.form, self.name, self.number = interface, form, name, number
        self.flags = {f.split(' ')[0]: f.partition(' ')[2] for f in flags}
        self.comment = []
        self.id = f'{interface.prefix.lower()}_{name}'
        self.constant = f'{interface.prefix}_{name}'.upper()
        self.args = Struct(self.id)
        self.results = None
        self.op = self.flags.get('op', name)

    def title(self):
        words = self.name.split('_')
        name = self.flags.get('as', words[0] + ''.join(w.capitalize() for w in words[1:]))
        return name if '::' in name else f'{self.interface.title or self.interface.name}::{name}'


class Interface:
    def __init__(self, name, kind, prefix, title):
        self.name, self.kind, self.prefix, self.title, self.methods, self.locals = name, kind, prefix, title, [], []
        self.comment = []


class Idl:
    """A description, read."""

    def __init__(self, path):
        self.path, self.prefix = path, None
        self.scalars, self.externs, self.structs, self.messages, self.interfaces = {}, (), {}, {}, []
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        self.comment, self.place, self.method, self.behind = [], None, None, False
        for number, line in enumerate(lines, 1):
            try:
                self.read(line)
            except Invalid as error:
                raise Invalid(f'{path}:{number}: {error}') from error

    def read(self, line):
        depth, text = len(line) - len(line.lstrip('\t')), line.strip()
        if not text or text.startswith('#'):
            self.comment = self.comment + [text[1:].strip()] if text else []
        else:
            [self.read_head, self.read_first, self.read_second][min(depth, 2)](text)
            self.comment = []

    def read_head(self, text):
        word, _, rest = text.partition(' ')
        name, _, value = rest.partition(' = ')
        options = value.split(', ')
        self.method = None
        if word == 'library':
            self.prefix = rest
        elif word == 'scalar':
            c_type, _, size = value.partition(': ')
            self.scalars[name] = (c_type, int(size or 4))
        elif word == 'extern':
            if name not in EXTERNS:
                raise Invalid(f'{name} is no value that is written by hand')
            self.externs += (name,)
        elif word == 'struct':
            value, _, empty = value.partition(', empty ')
            self.place = self.structs[name] = Struct(name, value.split(', ')[0], value.endswith(', sized'), empty)
        elif word == 'message':
            self.place = self.messages[name] = Struct(name)
        elif word == 'interface':
            self.place = Interface(name, int(options[0]), options[1], options[2] if len(options) > 2 else None)
            self.place.comment = self.comment
            self.interfaces.append(self.place)
        else:
            raise Invalid(f'{word} begins nothing')

    def read_first(self, text):
        if isinstance(self.place, Struct):
            self.member(self.place, text)
            return
        form, _, rest = text.partition(' ')
        if form == 'local':
            self.place.locals.append(rest)
            return
        name, _, value = rest.partition(' = ')
        options = value.split(', ')
        if form not in ('call', 'packet', 'other') or not re.fullmatch(r'\d+|0x[0-9a-f]+', options[0]):
            raise Invalid(f'"{text}" is no method')
        self.method = Method(self.place, form, name, int(options[0], 0), options[1:])
        self.method.comment, self.behind = self.comment, False
        self.place.methods.append(self.method)

    def read_second(self, text):
        method = self.method
        if not method:
            raise Invalid(f'"{text}" belongs to no method')
        if text.startswith('<- '):
            method.args = self.messages[text[3:]]
        elif text.startswith('->'):
            name = text[2:].strip()
            method.results = self.messages[name] if name else Struct(method.id + '_results')
            self.behind = not name
        else:
            self.member(method.results if self.behind else method.args, text)

    def member(self, struct, text):
        if text.startswith('local '):
            struct.locals.append(text[6:])
        else:
            struct.members.append(Member(self, text))

    def methods(self):
        return [m for i in self.interfaces for m in i.methods]

    def all_messages(self):
        """Messages with members, each once."""
        found = list(self.messages.values())
        for method in self.methods():
            found += [method.args] + ([method.results] if method.results else [])
        return [s for i, s in enumerate(found) if s.members and s not in found[:i]]

    # ---- sizes ----

    def least(self, member):
        """Bytes that it takes in a message at least."""
        if member.list:
            return 4 if member.how == 'max' else 5
        if member.array and member.kind not in ('bytes', 'raw', 'chars'):
            return 4
        if member.kind == 'blob':
            return 9
        if member.kind == 'object':
            return 8
        scalar = member.scalar(self)
        if scalar:
            return scalar[1]
        return self.least_of(member.struct) if member.struct and not member.optional else 1

    def least_of(self, struct):
        return sum(self.least(m) for m in struct.members)

    def element_least(self, member):
        scalar = member.scalar(self)
        return scalar[1] if scalar else self.least_of(member.struct) if member.struct else 1

    # ---- C of one value ----

    def put_value(self, kind, value):
        p = self.prefix
        if kind in self.structs:
            return f'{p}_put_{kind}(w, &{value})'
        if kind in self.scalars:
            return f'{p}_put_{kind}(w, {value})'
        if kind in ('u16', 'u32', 'i32'):
            return f'nnipc_put_u32(w, (uint32_t){value})'
        return f'nnipc_put_{"fd_owned" if kind == "given_fd" else kind}(w, {value})'

    def get_value(self, kind, place, most=None):
        p = self.prefix
        if kind in self.structs:
            return f'{p}_get_{kind}(r, &{place})'
        if kind in self.scalars:
            return f'{place} = {p}_get_{kind}(r)'
        if kind == 'i32':
            return f'{place} = (int32_t)nnipc_get_u32(r)'
        if kind == 'text':
            return f'{place} = nnipc_get_text(r, {most})'
        return f'{place} = nnipc_get_{"fd" if kind in DESCRIPTORS else kind}(r)'

    def c_type(self, kind):
        if kind in self.structs:
            return f'struct {self.structs[kind].c_name} '
        scalar = SCALARS.get(kind) or self.scalars.get(kind)
        return scalar[0] + ' ' if scalar else {'text': 'char *', 'object': 'uint64_t '}.get(kind, 'int ')

    def owns(self, struct):
        """Whether a getter leaves memory or descriptors in it that are to be given back."""
        message = self.is_message(struct)
        return any(m.list or m.kind in DESCRIPTORS + ('text', 'blob', 'bytes') or m.kind in EXTERNS or
                   m.struct and (m.optional or not message) and self.owns(m.struct) for m in struct.members)

    @staticmethod
    def is_message(struct):
        return struct.c_name is None


def empty_of(struct):
    if struct.empty:
        return struct.empty
    return f'{{ .size = sizeof(struct {struct.c_name}) }}' if struct.sized else '{ 0 }'


def struct_name(idl, struct):
    return struct.c_name or f'{idl.prefix}_{struct.name}'


def indent(lines):
    return ''.join('\t' + line + '\n' if line else '\n' for line in lines)
