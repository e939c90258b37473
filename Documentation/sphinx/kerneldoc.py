# SPDX-License-Identifier: Apache-2.0
"""The directive ``kernel-doc``: documentation comments of a C header, by the kernel's scripts/kernel-doc.

    .. kernel-doc:: lib/libnnhal/nnhal.h
       :identifiers: nnhal_open nnhal_device_ops
       :no-identifiers: nnhal_status_name
       :doc: title of a DOC: section
       :noindex:

Without an option the directive takes all comments of the file. "noindex" is for a second copy of the same comments:
it declares nothing. Paths are relative to the root of the repository.
The script is not part of this repository: kerneldoc_bin names it (scripts/docs.sh sets it). What the script
warns about is a warning of the build.
"""
import os
import re
import subprocess

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import ViewList
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import switch_source_input
from sphinx.util.nodes import nested_parse_with_titles

logger = logging.getLogger(__name__)
LINE_NUMBER = re.compile(r"^\.\. LINENO ([0-9]+)$")
DECLARATION = re.compile(r"^\.\. c:(struct|enum|union|function|macro|type):: (.*)$")
KEYWORD = {"struct": "struct ", "enum": "enum ", "union": "union "}
# "NNACCEL_CAP_ bits": a prefix of names, not a reference to a target.
PREFIX = re.compile(r"(?<![\w`])(\w+)_(?![\w`])")


class KernelDoc(Directive):
    required_arguments = 1
    has_content = False
    option_spec = {
        "doc": directives.unchanged_required,
        "identifiers": directives.unchanged_required,
        "no-identifiers": directives.unchanged_required,
        "noindex": directives.flag,
    }

    def command(self, env, path):
        cmd = ["perl", env.config.kerneldoc_bin, "-rst", "-enable-lineno", "-sphinx-version", "5.3.0"]
        if "doc" in self.options:
            cmd += ["-function", self.options["doc"]]
        for name in self.options.get("identifiers", "").split():
            cmd += ["-function", name]
        for name in self.options.get("no-identifiers", "").split():
            cmd += ["-nosymbol", name]
        if "doc" not in self.options and "identifiers" not in self.options:
            cmd += ["-no-doc-sections"]
        return cmd + [path]

    def run(self):
        env = self.state.document.settings.env
        name = self.arguments[0]
        path = os.path.join(env.config.kerneldoc_root, name)
        here = (env.docname, self.lineno)
        if not os.path.isfile(path):
            raise self.error(f"kernel-doc: {name} does not exist")
        env.note_dependency(path)
        done = subprocess.run(self.command(env, path), capture_output=True, text=True, check=False)
        for line in done.stderr.splitlines():
            logger.warning("kernel-doc: %s", line, location=here)
        if done.returncode:
            raise self.error(f"kernel-doc failed on {name}: exit status {done.returncode}")

        content = ViewList()
        declared = set()
        number = 0
        for line in done.stdout.expandtabs(8).splitlines():
            match = LINE_NUMBER.match(line)
            if match:
                number = int(match.group(1)) - 1
                continue
            if "``" not in line:
                line = PREFIX.sub(r"\1\_", line)
            match = DECLARATION.match(line)
            if match:
                kind, what = match.groups()
                name = re.split(r"\W", re.sub(r"\s*\(.*", "", what))[-1]
                # Sphinx has one space of names; C has another one for tags.
                if "noindex" in self.options or name in declared:
                    line = ".. describe:: " + KEYWORD.get(kind, "") + what
                declared.add(name)
            content.append(line, path, number)
            number += 1
        if not done.stdout.strip():
            logger.warning("kernel-doc: %s has no such comment", name, location=here)
        node = nodes.section()
        with switch_source_input(self.state, content):
            nested_parse_with_titles(self.state, content, node)
        return node.children


def check(app, config):
    if not os.path.isfile(config.kerneldoc_bin):
        raise ExtensionError("kerneldoc_bin does not name the kernel's scripts/kernel-doc: build with scripts/docs.sh")


def setup(app):
    app.add_config_value("kerneldoc_bin", "", "env")
    app.add_config_value("kerneldoc_root", "", "env")
    app.add_directive("kernel-doc", KernelDoc)
    app.connect("config-inited", check)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
