#!/usr/bin/env bash
# meridian serve among clients that stall, and killed at any moment: others are answered, nothing that was
# built before is lost, the next start answers as ever.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
. "$SRC/tests/server/lib.sh"
trace=demo/wget-cold-hot

# --- Clients that begin and do not go on ---
serve $trace
stalled=()
for begin in 'GET ' "GET ${root}api/status HTTP/1.1" $'POST '"${root}"$'tsp/api/experiments HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{' ''; do
	for _ in $(seq 10); do
		exec {fd}<>"/dev/tcp/127.0.0.1/$port"
		printf '%s' "$begin" >&"$fd"
		stalled+=("$fd")
	done
done
# One that asks for much and reads nothing of it.
exec {fd}<>"/dev/tcp/127.0.0.1/$port"
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "${root}api/run?w=events&w=--format&w=jsonl" "$port" >&"$fd"
stalled+=("$fd")
for _ in $(seq 5); do
	ask GET "${root}api/status" ''
	equal "beside ${#stalled[@]} that stall" "$status" 200
done
for fd in "${stalled[@]}"; do exec {fd}>&-; done
ask GET "${root}api/status" ''
equal "after they left" "$status" 200
stop

# --- Many that send a byte now and then: whoever asks a whole question is answered ---
serve $trace
slow=()
for _ in $(seq 160); do
	exec {fd}<>"/dev/tcp/127.0.0.1/$port" || break
	printf 'GET / HTTP/1.1\r\nHost: loc' >&"$fd"
	slow+=("$fd")
done
equal "slow clients" ${#slow[@]} 160
for _ in $(seq 3); do
	ask GET "${root}api/status" ''
	equal "beside ${#slow[@]} slow ones" "$status" 200
done
for fd in "${slow[@]}"; do exec {fd}>&-; done
# A client that does not ask for compression gets none.
ask GET "$root" ''
text "$dir/body" '^<!doctype html>' "the page as it is"
no_text "$dir/headers" '^Content-Encoding'
ask GET "$root" '' 'Accept-Encoding: gzip;q=0, identity'
no_text "$dir/headers" '^Content-Encoding'
ask GET "$root" '' 'Accept-Encoding: br, gzip'
text "$dir/headers" '^Content-Encoding: gzip'
# No option names a file, whatever its kind.
ask GET "${root}api/run?w=top&w=view&w=--view&w=$dir/any" ''
equal "a view file" "$status" 400
stop

# --- A trace that becomes shorter while it is served ---
cp -r $trace "$dir/cut" && chmod -R u+w "$dir/cut"
serve "$dir/cut"
ready
find "$dir/cut" -name 'ch*' -size +8k -exec truncate -s 4096 {} +
ask GET "${root}api/run?w=events&w=--limit&w=0" ''
equal "of a cut file" "$status" 500
text "$dir/body" 'became shorter'
ask GET "$root" ''
equal "the page is there" "$status" 200
stop

# --- Answers that were kept, and what they depend on ---
ask_kept() { # the time of day in a text
	serve $trace
	ready
	ask GET "${root}api/run?w=path&w=--comm&w=wget" ''
	stop
	head -1 "$dir/body"
}
utc=$(ask_kept)
equal "the same once more" "$(ask_kept)" "$utc"
[ "$(TZ=Asia/Tokyo ask_kept)" != "$utc" ] || [ "$(TZ=Asia/Tokyo date -d @0 +%H)" = 00 ] || fail "another time zone has the times of the first one"
ok

# --- Killed while the store is made ---
trace=demo/shop-a
"$m" top cpu --json -q $trace >"$dir/wanted"
half=0
for after in 0 .01 .02 .03 .05 .08 .1 .15; do
	"$m" serve --listen 127.0.0.1:0 --no-token $trace >"$dir/killed" 2>&1 &
	for _ in $(seq 500); do
		compgen -G "$XDG_CACHE_HOME/meridian/*.store*" >"$dir/files" && break
		sleep 0.01
	done
	sleep $after
	kill -9 $! && wait $! 2>/dev/null
	! compgen -G "$XDG_CACHE_HOME/meridian/*.store.*" >"$dir/files" || half=$((half + 1))
	check "the cache after a kill at $after s" "$m" cache check
	"$m" top cpu --json -q --store $trace >"$dir/got"
	same "after a kill at $after s" "$dir/got" "$dir/wanted"
	rm -f "$XDG_CACHE_HOME"/meridian/*.store*
done
[ $half -gt 0 ] || fail "no kill met a store that was being made"
serve --no-token $trace
ready
ask GET "${root}api/run?w=top&w=cpu&w=--json" ''
equal "at the end" "$status" 200
same "at the end" "$dir/body" "$dir/wanted"
stop
finish
