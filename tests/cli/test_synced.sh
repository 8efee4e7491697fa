#!/usr/bin/env bash
# Verbs that synchronize by themselves: their times are those of `meridian sync`; --sync none and
# --sync FILE; the line that says how exact they are; the cache, which changes nothing but the time
# it takes, whatever happens to it.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/wget-cold-hot
cache=$dir/cache/meridian

entries() { find "$cache" -type f 2>/dev/null | wc -l; }

# The request is received after it was sent, not before.
order() { "$m" events -q "$@" --fields len -f 'name == "net*" && (len == 193 || len == 179)' -n 2 $t |
	grep -oE 'client|server' | tr '\n' ' '; }
equal "as recorded" "$(order --sync none)" "server client "
equal "nothing cached" "$(entries)" 0
equal "synchronized" "$(order)" "client server "
equal "asked for" "$(order --sync auto)" "client server "

# One line on stderr, none with -q, none for one host.
run 0 events -n 1 $t
equal "lines" "$(grep -c "^meridian: " "$dir/err")" 1
text "$dir/err" 'note: clocks of 2 hosts aligned to that of client: accurate to .* \(worst case .*, at one time .*\); see'
run 0 events -q -n 1 $t
equal "quiet" "$(wc -c <"$dir/err")" 0
run 0 events -n 1 --sync none $t
equal "--sync none" "$(wc -c <"$dir/err")" 0
run 0 events -n 1 demo/wget-cold-hot/client
equal "one host" "$(wc -c <"$dir/err")" 0

# No time of the reference moves; the other's all do; every event is there once.
at() { "$m" events -q "$@" --format csv --fields len $t | cut -d, -f1-4; }
at | grep ,client, >"$dir/a"
at --sync none | grep ,client, >"$dir/b"
same "the reference's times" "$dir/a" "$dir/b"
equal "events" "$(lines events $t)" "$(lines events --sync none $t)"
at | grep ,server, | cut -d, -f2- >"$dir/a"
at --sync none | grep ,server, | cut -d, -f2- >"$dir/b"
same "the other's events" "$dir/a" "$dir/b"

# stats counts over the same times as events shows, in any part.
for range in "" "--begin +1s --end +2s" "--end +1.5s"; do
	# shellcheck disable=SC2086
	equal "stats $range" "$("$m" stats -q --json $range $t | jq 'table("total")[].count')" \
		"$(lines events $range $t)"
done

# JSON says so where times are synchronized; info only when asked.
for verb in stats events; do
	run 0 $verb --format json $t
	text "$dir/out" '"sync": ?\{"method":"auto","reference":"client","hosts":2,"hosts_unsynchronized":0,' $verb
	run 0 $verb --format json --sync none $t
	text "$dir/out" '"sync": ?null' "$verb --sync none"
done
run 0 info --json $t
text "$dir/out" '"sync": ?null' info
cp "$dir/out" "$dir/plain"
run 0 info --json --sync none $t
same "info --sync none" "$dir/out" "$dir/plain"
run 0 info --json --sync auto $t
text "$dir/out" '"reference": ?"client"' 'info --sync auto'
equal "span, as that of events" "$(numbers end "$dir/out" | head -1)" \
	"$("$m" info -q --json --sync auto $t | numbers end /dev/stdin | sort -n | tail -1)"
run 0 check $t
no_text "$dir/err" 'aligned to that of' check
run 0 layout $t sched_switch
no_text "$dir/err" 'aligned to that of' layout

# The cache: the same with it, without it, and with one that is broken or cannot be.
"$m" events -q $t >"$dir/want"
[ "$(entries)" -ge 1 ] && ok || fail "nothing was cached"
"$m" events -q $t >"$dir/out"
same "from the cache" "$dir/out" "$dir/want"
for f in "$cache"/*; do echo '{"broken": ' >"$f"; done
"$m" events -q $t >"$dir/out"
same "a broken cache" "$dir/out" "$dir/want"
for f in "$cache"/*; do head -c 1000 /dev/urandom >"$f"; done
run 0 events -q $t
same "a cache of noise" "$dir/out" "$dir/want"
equal "not a word" "$(wc -c <"$dir/err")" 0
for home in /dev/null/x "$dir/want" "" relative; do
	XDG_CACHE_HOME=$home HOME=/dev/null run 0 events -q $t
	same "no cache ($home)" "$dir/out" "$dir/want"
	equal "not a word ($home)" "$(wc -c <"$dir/err")" 0
done
[ ! -e relative ] && ok || fail "a relative XDG_CACHE_HOME was used"

# A trace that changed is synchronized anew; old results go away, other files stay.
cp -r $t "$dir/copy"
"$m" events -q "$dir/copy" >/dev/null
n=$(entries)
touch "$dir/copy/server/kernel/metadata"
"$m" events -q "$dir/copy" >/dev/null
equal "a changed file" "$(entries)" $((n + 1))
"$m" events -q "$dir/copy" >/dev/null
equal "the same file" "$(entries)" $((n + 1))
for i in $(seq 100); do : >"$cache/sync-old$i.json"; done
touch -d '2 months ago' "$cache/sync-old1.json" "$cache/mine"
touch "$dir/copy/client/kernel/metadata"
"$m" events -q "$dir/copy" >/dev/null
equal "old results are removed" "$(find "$cache" -name 'sync-*' | wc -l)" 64
[ -e "$cache/mine" ] && ok || fail "another file was removed"
[ ! -e "$cache/sync-old1.json" ] && ok || fail "a very old result stayed"

# Two at a time.
rm -rf "$dir/cache"
for i in 1 2 3 4; do "$m" events -q $t >"$dir/at$i" & done
wait
for i in 1 2 3 4; do same "at the same time" "$dir/at$i" "$dir/want"; done

# --sync FILE: a saved result; one of other hosts; none.
run 0 sync --save "$dir/saved" $t
run 0 events -q --sync "$dir/saved" $t
same "--sync FILE" "$dir/out" "$dir/want"
run 3 events --sync "$dir/nothing" $t
text "$dir/err" 'nothing'
echo '{}' >"$dir/empty"
run 3 events --sync "$dir/empty" $t
text "$dir/err" 'empty'

# Hosts without a message between them: said, and as recorded.
mkdir "$dir/apart"
cp -r demo/wget-cold-hot/client demo/mpi-imbalance "$dir/apart"
hosts=$("$m" info --json "$dir/apart" | jq 'table("hosts") | length')
[ "$hosts" -ge 2 ] && ok || fail "the folder has $hosts hosts"
run 0 events "$dir/apart"
text "$dir/err" 'warning: no messages between the [0-9]+ hosts were found: their clocks stay as recorded'
cp "$dir/out" "$dir/want"
run 0 events --sync none "$dir/apart"
equal "as many" "$(wc -l <"$dir/out")" "$(wc -l <"$dir/want")"
run 4 events --strict -n 1 "$dir/apart"
finish
