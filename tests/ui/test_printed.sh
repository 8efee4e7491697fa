#!/usr/bin/env bash
# A report on paper: all of its views, in their colours, whatever is open on the screen.
. tests/ui/lib.sh
packages
browser
recording
report=$page/printed.html
"$MERIDIAN" report --quiet "$traces" -o "$report" || { echo "FAILED: no report"; exit 1; }
cd "$page" || exit 1
REPORT=$report timeout 240 node "$SRC/tests/ui/printed.mjs"
