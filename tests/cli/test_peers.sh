#!/usr/bin/env bash
# meridian summary --peers: planted hosts (a slow disk, stolen CPU time, a bad clock) are named first, others are not;
# where nothing is planted nothing is said; groups, and the same in JSON.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC

world() { "$KERNELWORLD" -o "$dir/world" --statedump --no-truth "$@" >/dev/null; }

# Nothing is planted.
world --hosts 30 --tasks 2 --cpus 2 --duration 400ms --seed 21
run 0 summary --peers "$dir/world"
text "$dir/out" '^All 30 hosts are alike, compared within: h# \(30\)' 'alike'
equal "lines about hosts" "$(grep -c '^h[0-9]*:' "$dir/out")" 0

# Three hosts, and the guest that one of them slows down.
rm -rf "$dir/world"
world --hosts 12 --vms 12 --vcpus 1 --cpus 2 --tasks 1 --duration 3s --seed 5 --hogs 3 --hogs-on 7 --slow-disk 10:9 --fast-clock 3:800
run 0 summary --peers "$dir/world"
text "$dir/out" '^2[0-3] of 24 hosts are alike' 'some are not'
text "$dir/out" '^h10: disk latency (8|9|10) times as large' 'the slow disk'
text "$dir/out" '^h3: clock drift: -?[78][0-9][0-9] ppm' 'the bad clock'
text "$dir/out" '^g7: CPU time stolen: [2-9][0-9]' 'stolen time'
equal "hosts that are named" "$(grep -oE '^[gh][0-9]+:' "$dir/out" | sort | tr -d '\n')" g7:h10:h3:h7:
text "$dir/out" "^  meridian summary --host h10 $dir/world" 'how to go on'

# For programs: the same, and no other table of the summary has changed.
run 0 summary --peers --json "$dir/world"
equal "tables" "$(jq -c '[.tables[].id]' "$dir/out")" '["peers","groups"]'
equal "hosts" "$(jq -r 'table("peers") | map(.host) | unique | join(" ")' "$dir/out")" "g7 h10 h3 h7"
equal "sums of groups" "$(jq -c 'table("groups") | map([.group, .hosts, .is_compared])' "$dir/out")" '[["g#",12,1],["h#",12,1]]'
run 0 summary --json "$dir/world"
equal "tables of the summary" "$(jq -c '[.tables[].id] | contains(["peers"])' "$dir/out")" false

# Each host alone: what it has measured makes the same comparison, but for what messages
# between hosts show, and hypervisors of their guests.
run 0 sync --save "$dir/all.sync" "$dir/world"
run 0 summary --peers --json --sync "$dir/all.sync" "$dir/world"
but_messages='[table("peers")[] | select((.host | startswith("h")) and (.measure | IN("message_latency", "repeated", "not_received", "network_wait", "measures") | not)) | del(.distance)]'
jq -c "$but_messages" "$dir/out" >"$dir/together"
for host in "$dir"/world/[gh]*/; do
	run 0 summary --peers --json --sync "$dir/all.sync" --part -o "$dir/$(basename "$host").part" "$host"
done
run 0 merge "$dir"/*.part
jq -c "$but_messages" "$dir/out" >"$dir/apart"
same "peers of parts" "$dir/together" "$dir/apart"
equal "groups of parts" "$(jq -c 'table("groups") | map([.group, .hosts, .is_compared])' "$dir/out")" '[["g#",12,1],["h#",12,1]]'
run 0 merge --format table "$dir"/*.part
text "$dir/out" '^h10: disk latency (8|9|10) times as large' 'the slow disk, of parts'
text "$dir/out" '^  meridian summary --host h10' 'how to go on, of parts'
run 2 summary --part -o "$dir/no.part" "$dir/world/h1"
text "$dir/err" 'only --peers can be merged' 'another summary'

run 0 summary --peers --group-by all "$dir/world"
text "$dir/out" 'compared within: all \(24\)' 'all'
run 0 summary --peers --group-by program -n 1 "$dir/world"
run 2 summary --peers --group-by color "$dir/world"
text "$dir/err" "group_by of 'summary' is name, all or program" 'no such group'
run 2 summary --group-by all "$dir/world"
text "$dir/err" '--group-by is for --peers' 'without --peers'

# Few hosts are not compared.
run 0 summary --peers demo/cluster-10
text "$dir/out" '3 hosts are not compared, as fewer than 5 have such a name' 'few'
finish
