#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ops_profile.sh NNCTL MODELS: "nnctl bench --ops" has every operation of the model, with sums that agree.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

export TMPDIR=$folder/tmp
mkdir "$TMPDIR"
for name in shapes_int8 shapes_fp32; do
	run 0 "$nnctl" bench "$models/$name/model.tflite" --device cpu --runs 3 --ops --json
	cp "$folder/out" "$folder/$name.json"
	python3 - "$folder/$name.json" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
p = j["profile"]
ops = p["operations"]
assert [o["number"] for o in ops] == list(range(len(ops))), ops
assert all(o["graph"] == 0 and o["times"] == 1 and o["bytes"] > 0 for o in ops), ops
for o in ops:
    assert (o["macs"] > 0) == (o["name"] in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")), o
for member in ("us", "macs", "elements", "bytes"):
    for sums in (ops, p["kinds"]):
        total = sum(o[member] for o in sums)
        assert abs(total - p["all"][member]) <= 1e-6 * total, (member, total, p["all"])
assert sum(k["count"] for k in p["kinds"]) == len(ops)
assert j["median_ms"] > 0
END
done
# A multiply-add does not depend on the type: both models have the same layers.
macs()
{
	sed -n '/"all"/,$s/.*"macs":\t\([0-9]*\).*/\1/p' "$folder/$1.json"
}
[ "$(macs shapes_int8)" -gt 0 ] || die "no multiply-adds"
[ "$(macs shapes_int8)" = "$(macs shapes_fp32)" ] || die "$(macs shapes_int8) and $(macs shapes_fp32) multiply-adds"

# As text.
run 0 "$nnctl" bench "$model" --device cpu --ops --runs 2
printed out '^peaks of a core, [a-z0-9]+: int8 [0-9]+ GOP/s'
printed out '^ +0  CONV_2D +int8 '
printed out '^ +[0-9]+  all '
# What the run in the background says goes to the user.
run 1 "$nnctl" bench "$model" --device cpu --ops --runs 2 --input /nonexistent
printed err '/nonexistent'
[ -z "$(ls -A "$TMPDIR")" ] || die "a trace was left in TMPDIR"

# As a page: complete in itself, with a row for each operation and a mark for each with multiply-adds.
run 0 "$nnctl" bench "$float_model" --device cpu --ops --runs 20 --report "$folder/page.html"
printed out '^peaks of a core'
python3 - "$folder/page.html" "$folder/shapes_fp32.json" <<'END'
import html.parser, json, re, sys

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows, self.marks, self.bars, self.inside = [], 0, 0, 0, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag not in ("script", "link", "img", "iframe") and not {"src", "href"} & attrs.keys(), (tag, attrs)
        self.inside = attrs.get("id", self.inside)
        self.rows += tag == "tr" and self.inside == "operations"
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        attrs = dict(attrs)
        self.bars += tag == "rect" and self.inside == "histogram"
        assert all(float(attrs[k]) >= 0 for k in ("x", "y", "width", "height", "x1", "y1", "x2", "y2") if k in attrs), attrs

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
        self.marks += tag == "circle"

text = open(sys.argv[1]).read()
page = Page()
page.feed(text)
page.close()
operations = json.load(open(sys.argv[2]))["profile"]["operations"]
assert not page.open and text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
assert "nan" not in text and "inf" not in re.sub(r"[a-z]*inf[a-z]+", "", text), "a number that is none"
assert page.rows == 1 + len(operations), page.rows
assert page.marks == sum(o["macs"] > 0 for o in operations), page.marks
assert 1 <= page.bars <= 20, page.bars
assert "<title>shapes_fp32 - nnctl bench</title>" in text
END
run 0 "$nnctl" bench "$model" --device cpu --runs 1 --report "$folder/page.html"
! grep -q 'id="operations"' "$folder/page.html" || die "operations that were not measured"
run 1 "$nnctl" bench "$model" --device cpu --runs 1 --report "$folder/no/page.html"
printed err 'page\.html: No such file or directory'
