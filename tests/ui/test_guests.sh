#!/usr/bin/env bash
# Time of a guest's CPU that others had: a colour of its own in the timeline, who had it, and the way there.
. tests/ui/lib.sh
packages
browser
traces=$RECORDINGS/kvm-nested
[ -d "$traces" ] || skip "there is no recording"
serve
cd "$page" || exit 1
PAGE_URL=$url TRACES=$traces MERIDIAN=$MERIDIAN timeout 240 node "$SRC/tests/ui/guests.mjs"
