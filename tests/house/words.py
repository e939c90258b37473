#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comments, messages, names and pages speak plainly of code: WORDS lists the words that they do not have, and a word to use
instead. A word counts in a name as well (settings_are_told), but not as a part of another word (masked). Prints TAP, a case
per rule:

  rule        this script finds the words in lines of its own, and nothing in others
  words       no file has one of the words. Lines of EXCEPTIONS may; folders of NOT_YET are not read
  exceptions  each exception still allows something, so that the table has no rest of what is gone
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# {word: what to write instead}
WORDS = {
    'said': 'reported, returned, printed, logged',
    'told': 'reported; a job is cancelled, a client is notified, two things are distinguished',
    'asked': 'requested, queried, called',
    'nobody': 'no thread, no process, no client; the passive',
    'somebody': 'another thread, another process, a client, a person',
    'whoever': 'the caller, the holder, the thread that',
    'nonsense': 'invalid, corrupt, unknown',
    'warden': 'monitor',
    'epitaph': 'exit reason',
}

# Folders and files that still have the words, and are not read. The aim: none.
NOT_YET = ()

# Not ours, or a record of what was: not read.
FOREIGN = {
    'CHANGELOG.md': 'history',
    'scripts/checkpatch/': "the kernel's",
    'tests/house/words.py': 'this list',
    'tests/kselftest/harness/': "the kernel's",
}

# [(folder or file, regular expression of what may have a word, reason)]
EXCEPTIONS = [
    ('firmware/board/', r'(?i)\w*nonsense\w*', 'fault specification of nnaccel-board: nonsense=KIND@N'),
    ('Documentation/glossary.rst', r'\*Not\*: (warden|epitaph)', 'the words that are not to be written'),
    ('Documentation/card.rst', r'``nonsense=KIND@N``', 'fault specification of nnaccel-board'),
    ('tests/', r'\bnonsense=', 'fault specification of nnaccel-board'),
    ('lib/libneuralnetworks/plan/report.c', r'"nobody"', 'value of decided_by in the JSON of explain'),
    ('python/nnaccel/_explain.py', r"'nobody'", 'value of decided_by in the JSON of explain'),
    ('Documentation/runtime.rst', r'``nobody``', 'value of decided_by in the JSON of explain'),
    ('tests/runtime/test_rt_partition_cost.c', r'"nobody"', 'value of decided_by in the JSON of explain'),
    ('tools/nnctl/commands/ops.c', r'"asked"', 'key in the JSON of nnctl ops'),
    ('tests/', r'\b(NN_)?NOBODY\b|as_nobody\b|user "nobody"', 'the user of this name, 65534'),
    ('benchmarks/', r'\bNN_NOBODY\b', 'the user of this name, 65534'),
    ('tests/vm/logscan.sh', r'\|nobody cared\|', "a message of the kernel's"),
]

# Lines for "rule".
BAD = ['/* what it said */', 'static int told(void);', 'settings_are_told', 'Nobody waits.', 'struct nnhal_asked *a;', '"\\nasked twice"',
       'wasTold()', 'somebodyWaits', "nobody's", '#define NN_NONSENSE 1', 'whoever-comes', 'x_said2']
GOOD = ['masked', 'begin_masked', 'unasked', 'MASKED_EQ', 'stolid', 'he says', 'tell', 'isaid', 'TOLDO', 'asks']


def words_pattern(words):
    """A word alone, in a_name, in aName, or IN_CAPITALS; not within another word."""
    small, title, capital = ('|'.join(map(case, words)) for case in (str.lower, str.title, str.upper))
    return re.compile(rf'(?<![A-Za-z])(?:{small})(?![a-z])|(?:(?<=[a-z])|(?<![A-Za-z]))(?:{title})(?![a-z])|'
                      rf'(?<![A-Za-z])(?:{capital})(?![A-Za-z])')


PATTERN = words_pattern(WORDS)


def findings(text):
    """[(line number, word, line)] of @text."""
    # an escape in a string is no letter of the word behind it
    text = re.sub(r'\\[abfnrtv]', '  ', text)
    found = []
    for match in PATTERN.finditer(text):
        begin, end = text.rfind('\n', 0, match.start()) + 1, text.find('\n', match.end())
        found.append((text.count('\n', 0, begin) + 1, match.group().lower(), text[begin:end if end >= 0 else None].strip()))
    return found


def is_in(path, places):
    return any(path == place or place.endswith('/') and path.startswith(place) for place in places)


def files():
    """{path: text} of the tree, but for FOREIGN and NOT_YET, what is no text, and links."""
    listed = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard'], text=True).split('\n')
    texts = {}
    for path in sorted(set(filter(None, listed))):
        full = os.path.join(ROOT, path)
        if is_in(path, FOREIGN) or is_in(path, NOT_YET) or os.path.islink(full) or not os.path.isfile(full):
            continue
        try:
            with open(full, encoding='utf-8') as file:
                texts[path] = file.read()
        except UnicodeDecodeError:
            pass
    return texts


def excepted(path, text, used):
    """@text without what the exceptions of @path allow; their numbers go to @used."""
    for number, (place, pattern, _) in enumerate(EXCEPTIONS):
        if is_in(path, (place,)):
            text, count = re.subn(pattern, lambda match: '-' * len(match.group()), text)
            if count:
                used.add(number)
    return text


def check_rule():
    bad = [f'not found: {text!r}' for text in BAD if not findings(text)]
    bad += [f'{findings(text)[0][1]}: {text!r}' for text in GOOD if findings(text)]
    if findings('one\ntwo told\n') != [(2, 'told', 'two told')]:
        bad.append('the line of a word is not its line')
    if findings(excepted('tests/vm/logscan.sh', "'|nobody cared|'", set())) or not findings(excepted('x', 'nobody cared', set())):
        bad.append('an exception is not that of its file')
    return bad


def main():
    texts, used, bad = files(), set(), []
    for path, text in texts.items():
        small = text.lower()
        if any(word in small for word in WORDS):
            bad += [f'{path}:{line}: "{word}", write {WORDS[word]}: {content}'
                    for line, word, content in findings(excepted(path, text, used))]
    rest = [f'{place}: {pattern} allows nothing: remove it from EXCEPTIONS'
            for number, (place, pattern, _) in enumerate(EXCEPTIONS) if number not in used]
    rest += [f'{place}: not in the tree: remove it' for place in (*FOREIGN, *NOT_YET) if not os.path.exists(os.path.join(ROOT, place))]
    tap.run([('rule', check_rule), ('words', lambda: bad), ('exceptions', lambda: rest)])


if __name__ == '__main__':
    main()
