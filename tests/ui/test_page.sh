#!/usr/bin/env bash
# The page in a browser, on a real recording: its numbers are the program's, and hands do what they should.
. tests/ui/lib.sh
packages
browser
recording
serve
report=$page/report.html
"$MERIDIAN" report --quiet "$traces" -o "$report" || report=
cd "$page" || exit 1
REPORT=$report PAGE_URL=$url TRACES=$traces MERIDIAN=$MERIDIAN timeout 600 node "$SRC/tests/ui/page.mjs"
