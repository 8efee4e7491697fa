#!/usr/bin/env bash
# Hosts that sent each other nothing: the page shows no figure for their clocks, and no word that they are aligned.
. tests/ui/lib.sh
packages
browser
traces=("$SRC/demo/cold-disk/client" "$SRC/demo/lost-events/lossy")
[ -d "${traces[0]}" ] && [ -d "${traces[1]}" ] || skip "there is no recording"
serve
cd "$page" || exit 1
PAGE_URL=$url timeout 120 node "$SRC/tests/ui/apart.mjs"
