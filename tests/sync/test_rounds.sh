#!/usr/bin/env bash
# What the recorder measured of clocks (manifest.json) as an input of synchronization: a host whose traces have no
# packets is on the time line by it; where it contradicts packets, or is of something else, that is said.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
cp -r "$SRC/demo/page-cold" "$dir/all" && chmod -R u+w "$dir/all"
cp -r "$dir/all" "$dir/hidden"
# The names of events are what packets are known by; of the same length, so that the file stays whole.
sed -i 's/net_dev_queue/xxx_dev_queue/g; s/net_if_receive_skb/xxx_if_receive_skb/g; s/netif_receive_skb/xxxif_receive_skb/g' \
	"$dir/hidden/client/kernel/metadata"
of() { # of FOLDER FILTER: of the result
	"$m" sync --json "$dir/$1" 2>"$dir/err" | jq -r "$2"
}
client='table("hosts")[] | select(.host == "client")'

equal "both" "$(of all "$client | .source")" "messages, rounds"
equal "hidden: source" "$(of hidden "$client | .source")" "rounds"
equal "hidden: messages" "$(of hidden "$client | .matched")" 0
equal "hidden: others" "$(of hidden 'table("hosts")[] | select(.host == "store") | .source')" "messages, rounds"
equal "hidden: bounded" "$(of hidden '[table("hosts")[] | .bound_max_ns < 20000000] | all')" true
equal "hidden: said" "$(of hidden '[.diagnostics[] | select(.host == "client") | .code | select(startswith("sync-rounds"))] | unique | join(" ")')" sync-rounds-alone
# The clocks are where the packets have them, within both bounds.
offset() { of "$1" '(table("hosts")[] | select(.host == "store") | .offset_ns) - ('"$client"' | .offset_ns)'; }
apart=$(($(offset all) - $(offset hidden)))
((${apart#-} < 20000000)) && ok || fail "hidden: $apart ns from where packets have it"
run 0 sync "$dir/hidden"
text "$dir/out" 'Rounds'
text "$dir/out" 'known from the measurements'

# Without the manifest it is alone, as it was.
mv "$dir/hidden/manifest.json" "$dir/kept.json"
equal "without" "$(of hidden "$client | .quality")" absent
edit() { # edit FOLDER FILTER
	jq "$2" "$dir/kept.json" >"$dir/$1/manifest.json"
}
# From the twelfth of 29 rounds on the clock of client is said to be a second ahead.
ahead='(.hosts[] | select(.name == "client") | .rounds) |= [to_entries[] | if .key > 10 then .value | .[1] += 1000000000 | .[2] += 1000000000 else .value end]'
edit all "$ahead"
equal "contradicts packets" "$(of all '[.diagnostics[].code | select(. == "sync-rounds-rejected")] | length > 0')" true
edit hidden "$ahead"
equal "contradicts itself" "$(of hidden '[.diagnostics[] | select(.code == "sync-step" or .code == "sync-inconsistent" or .code == "sync-rounds-rejected")] | length > 0')" true
# The time of day was set, which no trace counts from.
edit all '(.hosts[] | select(.name == "web") | .rounds) |= [to_entries[] | if .key > 10 then .value | .[4] += 3000000000 else .value end]'
equal "set" "$(of all '.diagnostics[] | select(.code == "sync-clock-set") | .host')" web
text <(of all '.diagnostics[] | select(.code == "sync-clock-set") | .message') 'set by [+]3[.]'
# However far: a difference that no number has any more is the farthest one.
edit all '(.hosts[] | select(.name == "web") | .rounds) |= [to_entries[] | if .key > 10 then .value | .[4] = -9223372036854774784 else .value end]'
equal "set by centuries" "$(of all '.diagnostics[] | select(.code == "sync-clock-set") | .host')" web
# Of another boot, or of something else: no word about it, and nothing is taken from it.
edit all '.hosts[].boot_id = "00000000-0000-0000-0000-000000000000"'
equal "another boot" "$(of all "$client | .source")" messages
echo '{"name": "a web page", "icons": []}' >"$dir/all/manifest.json"
equal "another manifest" "$(of all "$client | .source")" messages
equal "no word" "$(of all '[.diagnostics[].code | select(startswith("sync-rounds"))] | length')" 0
# Broken ones are told, whatever is wrong, and the packets count.
for bad in '.hosts[0].rounds[3] = [1, 2, 3]' '.hosts[1].rounds = 7' '.hosts[0].rounds[0][2] = "x"' 'del(.recorder)' '.hosts = {}'; do
	edit all "$bad"
	equal "broken, $bad" "$(of all '[.diagnostics[].code | select(. == "sync-rounds")] | length')" 1
	equal "broken, $bad" "$(of all "$client | .matched > 100")" true
done
head -c 900 "$dir/kept.json" >"$dir/all/manifest.json"
equal "cut" "$(of all '[.diagnostics[].code | select(. == "sync-rounds")] | length')" 1
# Nothing of it is taken for a part of the next recording's.
edit all '.hosts[-1].rounds[3] = [1]'
equal "behind a broken one" "$("$m" sync --json "$dir/all" "$SRC/demo/rpc-relay" 2>/dev/null |
	jq -r '[table("hosts")[] | select(.source == "messages, rounds")] | length')" 3
edit all '(.hosts[] | select(.name == "client") | .rounds[2]) = [5, 9, 7, 3, 1]'
equal "impossible" "$(of all '.diagnostics[] | select(.code == "sync-rounds") | .host')" client
# A result is kept for what it was made of: another manifest is another result.
edit hidden .
XDG_CACHE_HOME=$dir/cache run 0 events --limit 1 "$dir/hidden"
rm "$dir/hidden/manifest.json"
XDG_CACHE_HOME=$dir/cache run 0 events --limit 1 "$dir/hidden"
text "$dir/err" 'client'
finish
