#!/usr/bin/env bash
# meridian part: clocks of parts are those of the traces, digit for digit; with a rate both hosts keep the same
# messages, and the truth is within the bounds; damaged parts, and what no part can be, are refused with a sentence.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/cluster-10

# same_clocks WHAT TRACE...: from parts of all ends
same_clocks() {
	local what=$1
	shift
	rm -rf "$dir/parts"
	run 0 part --rate 0 -o "$dir/parts/" "$@"
	run 0 sync --save "$dir/traces.sync" "$@"
	run 0 sync --save "$dir/parts.sync" "$dir/parts"
	same "$what" "$dir/traces.sync" "$dir/parts.sync"
}

# From the traces, and from their parts.
same_clocks cluster-10 $t
for seed in 1 2 3; do
	every 2 || continue
	for world in "--hosts 2 --clock free --rate 20" "--hosts 4 --topology ring --clock ntp --rate 5 --loss 5%" \
		"--hosts 3 --topology full --bridge 30% --reorder 10% --rate 5" "--hosts 3 --topology chain --jump 1ms@30s --rate 9"; do
		rm -rf "$dir/world"
		"$CLOCKWORLD" -o "$dir/world" --duration 1m --seed $seed $world >/dev/null
		same_clocks "$world, seed $seed" "$dir/world"
	done
done
for recording in shop-a web-lossy router-3vm stock-ft rpc-relay page-cold; do
	! is_part && there "$lab/$recording" && same_clocks $recording "$lab/$recording"
done

# Of the recorder's rounds a part has its host's, and nothing else of the manifest.
if there "$lab/page-cold"; then
	run 0 part -o "$dir/rounds/" "$lab/page-cold"
	tar xzOf "$dir/rounds/client.part" manifest.json >"$dir/manifest.json"
	equal "hosts of an excerpt" "$(jq -c '.hosts | map(.hostname)' "$dir/manifest.json")" '["client"]'
	no_text "$dir/manifest.json" 'wget|"command"|"folder"|"address"' 'an excerpt'
fi

# Each host alone, on the common time line: the events of all hosts, with the same times.
run 0 sync --save "$dir/all.sync" "$dir/parts"
rm -rf "$dir/parts"
run 0 part -o "$dir/parts/" $t
run 0 sync --save "$dir/all.sync" "$dir/parts"
"$m" events -q --sync "$dir/all.sync" --format csv $t | sort >"$dir/together"
for host in $t/*/; do "$m" events -q --sync "$dir/all.sync" --format csv "$host" | sed 1d; done | cat - <("$m" events -q --sync "$dir/all.sync" --format csv $t | head -1) |
	sort >"$dir/apart"
same "events of hosts with the clocks of parts" "$dir/together" "$dir/apart"
[ "$(wc -l <"$dir/together")" -gt 1000 ] && ok || fail "few events were compared"

# With a rate: few ends, of which nearly all have their other end, and the truth within the bounds.
inside() { # WORLD SYNC: times of h0 when h1 and h2 were at theirs
	awk -F, 'NR > 1 { at[$3] = at[$3] " " $1 ":" $2 } END { for (t in at) print at[t] }' "$1/truth.csv" | awk 'NR % 150 == 1' |
		while read -r line; do
			for other in h1 h2; do
				own=$(grep -oE "h0:[0-9]+" <<<"$line") at=$(grep -oE "$other:[0-9]+" <<<"$line")
				"$m" sync -q --sync "$2" --json --at "$other:$(date -u -d "@${at:3:10}" '+%Y-%m-%d %H:%M:%S').${at:13}" "$1" |
					jq -r --arg own "${own#h0:}" 'table("at")[] | select(.host == "h0") | "\($own) \(.low) \(.high)"'
			done
		done
}
for seed in 7 8; do
	rm -rf "$dir/world" "$dir/parts"
	"$CLOCKWORLD" -o "$dir/world" --hosts 3 --topology full --clock free --rate 150 --duration 40s --seed $seed >/dev/null
	run 0 part -o "$dir/parts/" "$dir/world"
	run 0 sync --json --save "$dir/some.sync" "$dir/parts"
	equal "hosts of parts, seed $seed" "$(jq -r 'table("hosts") | map(.host) | join(" ")' "$dir/out")" "h0 h1 h2"
	[ "$(jq '[table("hosts")[].matched] | min' "$dir/out")" -gt 2000 ] && ok || fail "seed $seed: few messages"
	inside "$dir/world" "$dir/some.sync" >"$dir/inside"
	[ "$(wc -l <"$dir/inside")" -ge 8 ] && ok || fail "seed $seed: nothing was compared"
	equal "outside of the bounds, seed $seed" "$(awk '$1 < $2 || $1 > $3' "$dir/inside")" ""
done
# Of 24,000 ends; 40 s, 2 peers, 2 directions, at least 20 each.
run 0 part -o "$dir/h1.part" "$dir/world/h1"
text "$dir/out" 'h1 +.*h1\.part .* KiB +2[0-9],[0-9]{3} +[3-6],[0-9]{3}$' 'what was kept'
run 0 info "$dir/h1.part"
run 0 check -v "$dir/h1.part"
text "$dir/err" 'a part of a recording: [0-9]+% of the ends of messages, about 20 of each peer in a second' 'its note'

run 0 check "$dir/h1.part"
text "$dir/out" '^h1 +yes +meridian:end +meridian:end' 'it can be synchronized'

# Beside traces of other hosts it is read; beside its own, or given with it, it is not.
mkdir "$dir/mix" && cp -r "$dir/world/h0" "$dir/world/h2" "$dir/h1.part" "$dir/mix"
run 0 sync --json "$dir/mix"
equal "hosts of a mixed folder" "$(jq -r 'table("hosts") | map(.host) | join(" ")' "$dir/out")" "h0 h1 h2"
for traces in "$dir/world $dir/h1.part" "$dir/world/h0 $dir/world/h1 $dir/world/h2 $dir/parts"; do
	run 0 sync --strict --save "$dir/both.sync" $traces
	run 0 sync --save "$dir/traces.sync" "$dir/world"
	same "a trace and its part" "$dir/traces.sync" "$dir/both.sync"
done

# It is an archive that any tar reads, and the same for the same traces.
tar xzf "$dir/h1.part" -C "$dir" && ok || fail "tar does not read it"
equal "the form" "$(cat "$dir/meridian-part")" 1
run 0 part -o "$dir/again.part" "$dir/world/h1"
same "made again" "$dir/h1.part" "$dir/again.part"

# What is refused, and what is read nevertheless.
run 2 part "$dir/world/h1"
text "$dir/err" '-o is missing' 'no -o'
run 2 part -o "$dir/one.part" "$dir/world"
text "$dir/err" 'traces of 3 hosts: -o must be a folder' 'a file for three'
run "3|5" part -o /dev/full/h1.part "$dir/world/h1"
run 0 part -o "$dir/h0.part" "$dir/world/h0"
for cut in 1 1000 20000; do
	head -c -$cut "$dir/h1.part" >"$dir/cut.part"
	run "0|3" sync "$dir/cut.part" "$dir/h0.part"
	text "$dir/err" 'cut.part: .*(damaged, or was not copied completely)' "cut by $cut"
done
# Standard output; no name; a part of a part; a host without events beside others.
"$m" part -q -o - "$dir/world/h1" >"$dir/stream.part" && ok || fail "-o -"
same "standard output" "$dir/h1.part" "$dir/stream.part"
run 2 part -o "" "$dir/world/h1"
run 3 part -o "$dir/twice.part" "$dir/h1.part"
text "$dir/err" 'is a part already' 'a part of a part'
cp -r "$dir/world" "$dir/gaps" && rm "$dir"/gaps/h1/kernel/channel*
run 0 part -o "$dir/gaps.parts/" "$dir/gaps"
text "$dir/err" 'host h1 has|host h1 have' 'a host without events'
equal "parts of the others" "$(cd "$dir/gaps.parts" && echo *)" "h0.part h2.part"
# Nothing is left when it is ended in the middle.
timeout -s INT 0.01 "$m" part --rate 0 -o "$dir/ended/" "$dir/world" >/dev/null 2>&1
equal "temporary files" "$(find "$dir" -name '*.part.*')" ""

# A host that the file of clocks does not have is said.
run 0 sync --save "$dir/two.sync" "$dir/h0.part" "$dir/h1.part"
run 0 stats --sync "$dir/two.sync" "$dir/world/h2"
text "$dir/err" 'two.sync does not align the clock of h2' 'another host'
# Hosts whose clocks have no id: by their names.
for h in h0 h1 h2; do sed -i '/^clock {/,/^}/{/uuid = /d}' "$dir/world/$h/kernel/metadata"; done
rm -rf "$dir/parts"
for h in h0 h1 h2; do (cd "$dir/world/$h" && "$m" part -q --rate 0 . -o "$dir/$h.part" >/dev/null); done
run 0 sync --save "$dir/named.sync" "$dir/h0.part" "$dir/h1.part" "$dir/h2.part"
run 0 sync --save "$dir/paths.sync" "$dir/world"
"$m" events -q --sync "$dir/named.sync" "$dir/world" >"$dir/named"
"$m" events -q --sync "$dir/paths.sync" "$dir/world" >"$dir/paths"
same "clocks without ids" "$dir/paths" "$dir/named"

# An archive with another form, and one whose names lead elsewhere.
mkdir "$dir/made" "$dir/made/0"
(
	cd "$dir/made" || exit
	echo 2 >meridian-part
	tar czf ../other.part --format=ustar meridian-part
	echo 1 >meridian-part
	echo evil >evil
	tar czPf ../evil.part --format=ustar --transform 's,evil,../../../evil,' meridian-part evil
)
run 3 sync "$dir/other.part"
text "$dir/err" 'of another version of meridian \(form 2; this one reads form 1\)' 'another form'
run 3 sync "$dir/evil.part"
text "$dir/err" 'damaged' 'a name that leads elsewhere'
equal "written elsewhere" "$(find "$dir" -name evil -not -path "$dir/made/*")" ""
finish
