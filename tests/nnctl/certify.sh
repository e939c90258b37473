#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# certify.sh NNCTL MODELS: "nnctl examples" and "nnctl certify", on devices of a vendor's library and with programs that end badly.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

# ---- examples: each operation in each type, under the operation and type that they are made for ----

run 0 "$nnctl" examples "$folder/examples"
printed out '^6[0-9]{2} examples in '
run 0 "$nnctl" verify "$folder/examples" --device cpu --by-op --json
python3 - "$folder/out" <<'PY'
import json, sys

names = {"F32": "TENSOR_FLOAT32", "F16": "TENSOR_FLOAT16", "I32": "TENSOR_INT32", "Q8": "TENSOR_QUANT8_ASYMM",
         "Q8S": "TENSOR_QUANT8_ASYMM_SIGNED", "Q8Y": "TENSOR_QUANT8_SYMM", "QPC": "TENSOR_QUANT8_SYMM_PER_CHANNEL",
         "Q16S": "TENSOR_QUANT16_SYMM", "Q16A": "TENSOR_QUANT16_ASYMM", "B8": "TENSOR_BOOL8"}
found, _ = json.JSONDecoder().raw_decode(open(sys.argv[1]).read())
for example in found["examples"]:
    operation, *types = example["example"].split("-")
    expected = operation, names[types[0]]
    assert (example["operation"], example["type"]) == expected, (example, expected)
counted = sum(t["examples"] for o in found["operations"] for t in o.get("types", []))
assert counted == len(found["examples"]) >= 630, counted
PY
run 0 "$nnctl" examples "$folder/one" --op conv_2d
[ "$(ls "$folder/one")" = "$(cd "$folder/examples" && ls CONV_2D-*)" ] || die "--op: $(ls "$folder/one")"
run 1 "$nnctl" examples "$folder/none" --op CONV_9D
printed err 'NNAPI has no operation CONV_9D'

# ---- examples of operations that a device does not support are no failures, if it reports so ----

export NNHAL_TEST_DEVICES="name=few,ops=ADD+MUL name=wrong,wrong=ADD name=claims,ops=ADD+MUL,claims=1,fail=prepare:GENERAL_FAILURE"
run 0 "$nnctl" verify "$folder/examples" --devices few --supported-only
printed out '^6[0-9]{2} not supported by the device, 2[0-9] passed, 0 failed$'
run 1 "$nnctl" verify "$folder/examples" --devices few
printed out '^FAIL .*Compilation_finish: '
# neither those that it reports and then refuses
run 1 "$nnctl" verify "$folder/examples" --devices claims --supported-only --filter MUL
printed out '^8 not supported by the device, 0 passed, 10 failed$'
run 0 "$nnctl" verify "$folder/examples" --device cpu --supported-only
printed out '^6[0-9]{2} passed, 0 failed$'
run 1 "$nnctl" verify "$folder/examples" --device cpu --filter CONV_9D
printed err 'examples: no example below it matches --filter CONV_9D'
mkdir "$folder/empty"
run 1 "$nnctl" verify "$folder/empty" --device cpu
printed err 'empty: no example .* below it'
run 2 "$nnctl" verify "$folder/examples" --runtime --supported-only
printed err 'needs --device'
run 0 "$nnctl" info --devices few --json
python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["name"] == "few" and d["type"] == "accelerator", d' <"$folder/out"
run 1 "$nnctl" info --devices few,wrong
printed err 'few,wrong: 2 devices; name one'

# The devices of libnnhal are those that the runtime has, too.
vendor=$NNAPI_HAL_DIR
unset NNAPI_HAL_DIR

# ---- the programs of a certificate, each of which ends in its own way ----

tests=$folder/tests
mkdir -p "$tests/hal"
program()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$tests/hal/$1"
	chmod +x "$tests/hal/$1"
}
certificate=$folder/certificate.json
page=$folder/page.html

# field EXPRESSION: of the certificate c, with step(NAME) for a step of the group hal
field()
{
	python3 - "$certificate" "$1" <<'PY'
import json, sys

c = json.load(open(sys.argv[1]))
def step(name):
    return next(s for s in c["steps"] if s["name"] == name)
print(eval(sys.argv[2]))
PY
}

# field_is EXPRESSION VALUE
field_is()
{
	local value

	value=$(field "$1")
	[ "$value" = "$2" ] || die "$1 is $value, not $2"
}

program a_passes 'echo 1..3; echo "# RUN  x"; echo "ok 1 first"; echo "ok 2 - second"; echo "ok 3 third # SKIP not on this device: no fan"'
run 0 "$nnctl" certify cpu --tests "$tests" --models "$models" --output "$certificate" --report "$page" --signed-off-by 'A. Tester <a@example.org>'
printed out '^cpu: passed; '
field_is 'c["verdict"], c["reasons"]' "('passed', [])"
field_is 'step("a_passes")["passed"], step("a_passes")["skipped"]' '(2, 1)'
field_is 'step("a_passes")["skips"][0]["why"]' 'not on this device: no fan'
field_is 'c["device"]["name"], c["spec"], c["signed_off_by"]' "('nnaccel-cpu', 'cpu', 'A. Tester <a@example.org>')"
field_is 'step("models-check")["passed"] > 1' True
field_is 'sorted(s["route"] for s in c["steps"] if s["name"] == "examples")' \
	"['device', 'runtime', 'runtime, scalar inputs', 'service', 'worker']"
field_is 'c["totals"]["combinations_supported"] == c["totals"]["combinations"] > 390' True
printed out '^ADD +8 +8 +8 +8 +8 +- '
# the page belongs to that file, and has no tag of another's text
grep -q "$(sha256sum "$certificate" | cut -d ' ' -f 1)" "$page" || die "the page has another digest"
grep -q 'A. Tester &lt;a@example.org&gt;' "$page" || die "the page has no name"
python3 - "$page" <<'PY'
import html.parser, sys

class Check(html.parser.HTMLParser):
    void = {"meta"}
    def __init__(self):
        super().__init__()
        self.open, self.cells = [], 0
    def handle_starttag(self, tag, attrs):
        self.cells += tag == "td"
        if tag not in self.void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())

check = Check()
check.feed(open(sys.argv[1]).read())
assert not check.open and check.cells > 1000, (check.open, check.cells)
PY

program b_fails 'echo "ok 1 first"; echo "# the sum is 3"; echo "# expected 4"; echo "not ok 2 second"; exit 1'
program c_is_silent 'echo nothing to see'
program d_dies 'echo "ok 1 first"; kill -SEGV $$'
program e_stops_early 'echo 1..3; echo "ok 1 first"'
program f_ends_badly 'echo "ok 1 first"; echo "this went wrong"; exit 3'
program g_hangs 'echo "ok 1 first"; sleep 1000 & wait'
program h_talks 'yes "# a line of some length, so that the output gets long" | head -c 100000000; echo "ok 1 first"'
run 1 "$nnctl" certify cpu --tests "$tests" --output "$certificate" --report "$page" --limit 10
printed out '^cpu: failed; '
field_is '[(s["name"], s["passed"], s["failed"]) for s in c["steps"] if s["group"] == "hal"]' \
	"[('a_passes', 2, 0), ('b_fails', 1, 1), ('c_is_silent', 0, 1), ('d_dies', 1, 1), ('e_stops_early', 1, 1), ('f_ends_badly', 1, 1), \
('g_hangs', 1, 1), ('h_talks', 0, 1)]"
field_is 'step("b_fails")["failures"][0]' "{'case': 'second', 'why': 'the sum is 3; expected 4'}"
for why in 'c_is_silent no result' 'd_dies signal 11' 'e_stops_early 2 of 3 planned' 'f_ends_badly exit status 3: this went wrong' \
	'g_hangs killed after 1' 'h_talks more output'; do
	field "step('${why%% *}')['failures'][0]['why']" >"$folder/why"
	grep -qF "${why#* }" "$folder/why" || die "$why: $(cat "$folder/why")"
done
grep -q '<table id="failures">' "$page" || die "the page has no failures"
! pgrep -f "$tests/hal/g_hangs" || die "the program that hung goes on"

# ---- a verdict for each reason ----

rm "$tests"/hal/*
run 1 "$nnctl" certify cpu --tests "$tests" --output "$certificate"
printed out '^cpu: incomplete; '
printed out 'hal, hal tests, device: no programs: '
program a_passes 'echo "ok 1 first"'
run 1 "$nnctl" certify cpu --tests "$tests" --skip other,a_passes
printed out '^cpu: incomplete; '
printed out 'a_passes, device: --skip names it'
run 1 "$nnctl" certify nothere --tests "$tests"
printed err 'nothere: neither libnnhal nor the runtime opens it'
run 2 "$nnctl" certify
printed err 'device is missing'
run 1 "$nnctl" certify cpu --tests "$tests" --output /nowhere/certificate.json
printed err '/nowhere/certificate.json: No such file'

# ---- devices of a vendor's library: in this process, in a worker, by the runtime ----

export NNAPI_HAL_DIR=$vendor
run 0 "$nnctl" certify few --tests "$tests" --output "$certificate"
printed out '^few: passed; '
# the runtime computes the others on the CPU: they do not count as supported
printed out '^SUB +no +no +no +no +no +- '
printed out '^ADD +8 +8 +8 +8 +8 +- '
field_is 'c["totals"]["combinations_supported"], c["totals"]["combinations_failed"]' '(10, 0)'
field_is '[(s["route"], s["passed"]) for s in c["steps"] if s["group"] == "conformance"][:2]' "[('device', 20), ('worker', 20)]"
run 1 "$nnctl" certify wrong --tests "$tests" --output "$certificate"
printed out '^wrong: failed; '
printed out '^ADD +FAIL '
field_is '[s["failed"] > 0 for s in c["steps"] if s["name"] == "examples" and s["route"] in ("device", "worker")]' '[True, True]'
export NNHAL_TEST_DEVICES="name=none,ops=FLOOR,fail=supported:GENERAL_FAILURE"
run 1 "$nnctl" certify none --tests "$tests"
printed out '^none: incomplete; '
printed out 'supports none of the examples: name a folder'

# ---- nothing is left behind ----

unset NNAPI_HAL_DIR
export TMPDIR=$folder/tmp
mkdir "$TMPDIR"
run 0 "$nnctl" certify cpu --tests "$tests" --json
python3 -c 'import json, sys; json.load(sys.stdin)' <"$folder/out" || die "--json is no JSON"
[ -z "$(ls "$TMPDIR")" ] || die "left in TMPDIR: $(ls "$TMPDIR")"
