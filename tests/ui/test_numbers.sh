#!/usr/bin/env bash
# Numbers of one thing are the same in all views, and those of the command beside them; what is not known is not drawn
# as nothing. Of some recordings that differ.
. tests/ui/lib.sh
packages
browser
failed=0 looked=0
cd "$SRC" || exit 1
for name in shop-a lost-packets cluster-10 cpu-mem-io login-tree; do
	traces=$RECORDINGS/$name
	[ -d "$traces" ] || continue
	serve
	report=$page/numbers.html
	"$MERIDIAN" report --quiet "$traces" -o "$report" || report=
	(cd "$page" && REPORT=$report PAGE_URL=$url TRACES=$traces NAME=$name MERIDIAN=$MERIDIAN timeout 600 node "$SRC/tests/ui/numbers.mjs") || failed=1
	kill $server
	looked=1
done
[ $looked = 1 ] || skip "there is no recording"
exit $failed
