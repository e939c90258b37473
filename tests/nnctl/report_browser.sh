#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# report_browser.sh NNCTL MODELS: Chromium shows the page of "nnctl bench --report" as a reader needs it, in a wide and in a narrow window.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
command -v chromium >/dev/null || {
	echo "no chromium (scripts/bootstrap.sh full)"
	exit 77
}

run 0 "$nnctl" bench "$model" --device cpu --ops --runs 200 --report "$folder/page.html"
cp "$folder/page.html" "$folder/probed.html"
{
	echo "<script>"
	cat "$here/report_browser.js"
	echo "</script>"
} >>"$folder/probed.html"

# Without a network, where a user may leave it: the page is complete in itself. The probe writes its findings over the page.
offline=(unshare --net --map-root-user)
"${offline[@]}" true 2>/dev/null || offline=()
for width in 1200 500; do
	HOME=$folder timeout 100 "${offline[@]}" chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		"--user-data-dir=$folder/profile" "--window-size=$width,2000" --enable-logging=stderr --dump-dom "file://$folder/probed.html" \
		>"$folder/dom" 2>"$folder/console" || die "chromium failed: $(tail -n 3 "$folder/console")"
	! grep 'CONSOLE' "$folder/console" || die "the page printed messages"
	sed -n 's/.*<pre id="probe">\([^<]*\).*/\1/p' "$folder/dom" >"$folder/findings.json"
	[ -s "$folder/findings.json" ] || die "the probe did not run"
	python3 - "$folder/findings.json" "$width" <<'PY'
import html, json, sys

f = json.loads(html.unescape(open(sys.argv[1]).read()))
assert f["width"] == int(sys.argv[2]), f["width"]
assert f["problems"] == [], f["problems"]
assert f["rows"] > 3 and f["bars"] == f["rows"] and f["marks"] > 0, f
# The longest bar takes the whole column; every drawing has names at both of its axes.
assert f["longest"] > 0.99, f["longest"]
assert f["roofline_y"] >= 2 and f["histogram_y"] >= 1, f
PY
done
