#!/usr/bin/env bash
# Rows of views and ranks of MPI programs in a browser.
. tests/ui/lib.sh
packages
browser
copy=$(mktemp -d "$BUILD/tmp-page.XXXXXX") && cp -rL "$SRC/demo/mpi-imbalance" "$copy/" && chmod -R u+w "$copy"
traces=$copy/mpi-imbalance
printf 'begin\tend\ttext\n+0.5s\t\ta noted moment\n' >"$traces/marks.tsv"
export VIEW=$SRC/tests/ui/imbalance.view
options=(--view "$VIEW")
serve
trap 'kill $server 2>/dev/null; rm -rf "$copy"' EXIT
report=$copy/report.html
"$MERIDIAN" report --quiet --view "$VIEW" "$traces" -o "$report" || exit 1
cd "$page" || exit 1
REPORT=$report PAGE_URL=$url TRACES=$traces MERIDIAN=$MERIDIAN timeout 1100 node "$SRC/tests/ui/programs.mjs"
