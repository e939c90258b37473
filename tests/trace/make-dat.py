#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-dat.py TEXT OUT: the marks of ftrace's text as a trace.dat of version 6, one processor.

What trace-cmd(1) would have recorded, as trace-cmd.dat.v6(5) describes it, for a test of what reads it."""
import re
import struct
import sys

PAGE = 4096
MARK = re.compile(r"^\s*(.+)-(\d+) .*?(\d+)\.(\d{6}): tracing_mark_write: (.*)$")
HEADER_PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
HEADER_EVENT = """# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
PRINT = """name: print
ID: 5
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;

print fmt: "%ps: %s", (void *)REC->ip, REC->buf
"""


def event(delta, pid, text):
    data = struct.pack("<HBBiQ", 5, 0, 0, pid, 0xffffffff81000000) + text.encode() + b"\n\0"
    data += b"\0" * (-len(data) % 4)
    words = len(data) // 4
    if words <= 28:
        return struct.pack("<I", delta << 5 | words) + data
    return struct.pack("<II", delta << 5, len(data) + 4) + data


def pages(marks):
    """One page for each few marks: the times between them have 27 bits."""
    out, page, start, last = [], b"", 0, 0
    for ns, pid, text in marks:
        if page and (ns - last >= 1 << 27 or len(page) + len(text) + 40 > PAGE - 16):
            out.append(struct.pack("<QQ", start, len(page)) + page.ljust(PAGE - 16, b"\0"))
            page = b""
        if not page:
            start = last = ns
        page += event(ns - last, pid, text)
        last = ns
    out.append(struct.pack("<QQ", start, len(page)) + page.ljust(PAGE - 16, b"\0"))
    return b"".join(out)


def main():
    marks, names = [], {}
    with open(sys.argv[1], encoding="utf-8") as f:
        for line in f:
            m = MARK.match(line)
            if m:
                names[int(m[2])] = m[1]
                marks.append((int(m[3]) * 10**9 + int(m[4]) * 1000, int(m[2]), m[5]))
    commands = "".join(f"{pid} {name}\n" for pid, name in names.items()).encode()
    head = b"\x17\x08\x44tracing6\0" + struct.pack("<BBI", 0, 8, PAGE)
    for name, text in (("header_page", HEADER_PAGE), ("header_event", HEADER_EVENT)):
        head += name.encode() + b"\0" + struct.pack("<Q", len(text)) + text.encode()
    head += struct.pack("<IQ", 1, len(PRINT)) + PRINT.encode()
    head += struct.pack("<I", 0)				# systems
    head += struct.pack("<I", 0) + struct.pack("<I", 0)		# kallsyms, printk formats
    head += struct.pack("<Q", len(commands)) + commands
    head += struct.pack("<I", 1)				# processors
    head += b"options  \0" + struct.pack("<H", 0)
    head += b"flyrecord\0"
    data = pages(marks)
    offset = (len(head) + 16 + PAGE - 1) // PAGE * PAGE
    head += struct.pack("<QQ", offset, len(data))
    with open(sys.argv[2], "wb") as f:
        f.write(head.ljust(offset, b"\0") + data)


if __name__ == "__main__":
    main()
