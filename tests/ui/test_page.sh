#!/usr/bin/env bash
# The page in a browser, on a real recording: its numbers are the program's, and hands do what they should.
. tests/ui/lib.sh
packages
browser
recording
# A copy, so that marks can be kept beside it.
copy=$(mktemp -d "$BUILD/tmp-page.XXXXXX") && cp -rL "$traces" "$copy/" && chmod -R u+w "$copy" && traces=$copy/$(basename "$traces")
serve
trap 'kill $server 2>/dev/null; rm -rf "$copy"' EXIT
export CAN_MARK=1
report=$page/report.html
"$MERIDIAN" report --quiet "$traces" -o "$report" || report=
cd "$page" || exit 1
REPORT=$report PAGE_URL=$url TRACES=$traces MERIDIAN=$MERIDIAN timeout 1100 node "$SRC/tests/ui/page.mjs"
