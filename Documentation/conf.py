# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration. scripts/docs.sh builds: it finds kernel-doc and makes warnings errors."""
import os
import re
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "Documentation", "sphinx"))


def project_version():
    path = os.path.join(root, "VERSION")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    with open(os.path.join(root, "meson.build"), encoding="utf-8") as file:
        return re.search(r"\bversion: '([^']+)'", file.read()).group(1)


project = "nnaccel"
author = "the nnaccel authors"
copyright = "the nnaccel authors"  # pylint: disable=redefined-builtin
version = release = project_version()
language = "en"

extensions = ["kerneldoc", "sphinx.ext.graphviz"]
graphviz_output_format = "svg"
kerneldoc_root = root
kerneldoc_bin = os.environ.get("NNACCEL_KERNEL_DOC", "")

master_doc = "index"
primary_domain = "c"
highlight_language = "none"
smartquotes = False
today_fmt = "%Y-%m-%d"

# Attributes of functions and types that are no part of C, as the headers use them.
c_id_attributes = ["__user", "__packed"]
# Types that other projects document.
nitpick_ignore_regex = [
    ("c:identifier", r"(u?int(8|16|32|64|ptr)_t|s?size_t|bool|__[us](8|16|32|64)|off_t|pid_t|FILE|timespec|native_handle)"),
    ("c:identifier", r"(ANeuralNetworks|AHardwareBuffer)\w+"),
    # opaque
    ("c:identifier", r"nnmodel_maps|nnfw|nnaccel_model"),
]

html_theme = "alabaster"
html_theme_options = {"page_width": "70em", "sidebar_width": "16em", "description": "NNAPI for Linux"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_sphinx = False
html_copy_source = False

man_show_urls = False
man_make_section_directory = True
# (page, name, what it is, authors, section); scripts/docs.sh adds a page for each function that they describe.
man_pages = [
    ("api/nnhal", "nnhal", "the vendor HAL of NNAPI as a C interface", "", "3"),
    ("api/nnmodel", "nnmodel", "NNAPI models as data", "", "3"),
    ("api/runtime", "nnaccel_runtime", "functions of libneuralnetworks beyond the NDK", "", "3"),
    ("api/nnaccel_model", "nnaccel_model", "files of TensorFlow Lite as models of NNAPI", "", "3"),
    ("api/nnsensors", "nnsensors", "sensors as objects, and the records of direct channels", "", "3"),
    ("man/nnaccel-lab", "nnaccel-lab", "a PCI NPU for one command", "", "1"),
    ("man/nnaccel.4", "nnaccel", "the node and the ioctls of an accelerator", "", "4"),
    ("man/nnapi.conf", "nnapi.conf", "configuration of the NNAPI runtime", "", "5"),
    ("man/nnaccel.7", "nnaccel", "NNAPI for Linux: overview", "", "7"),
    ("man/nnaccel-slot", "nnaccel-slot", "PCI slot of the emulated card", "", "8"),
    ("man/nnaccel-emud", "nnaccel-emud", "a process as accelerator of this machine", "", "8"),
    ("man/nnaccel-card", "nnaccel-card", "firmware process of the emulated card", "", "8"),
    ("man/nnaccel-worker", "nnaccel-worker", "process that holds a vendor library for a client", "", "8"),
    ("man/nnaccel-hald", "nnaccel-hald", "service that offers NNAPI devices on a socket", "", "8"),
    ("man/nnaccel-sensord", "nnaccel-sensord", "service that offers the machine's sensors on a socket", "", "8"),
    ("man/sensord.conf", "sensord.conf", "configuration of nnaccel-sensord", "", "5"),
]
