# For scripts that ask a server: sourced after tests/cli/lib.sh.
serving=
trap '[ -z "$serving" ] || kill "$serving"; rm -rf "$dir"' EXIT
# serve ARGUMENT...: starts one; its address in $url, $port, $root
serve() {
	rm -f "$dir/serve" # not to be mistaken for that of the last one
	"$m" serve --listen 127.0.0.1:0 "$@" >"$dir/serve" 2>"$dir/serve.err" &
	serving=$!
	for _ in $(seq 100); do
		[ -s "$dir/serve" ] && break
		sleep 0.1
	done
	url=$(head -1 "$dir/serve")
	port=$(sed -E 's|http://[^:]*:([0-9]+)/.*|\1|' <<<"$url")
	root=/${url#http://*/}
}
stop() {
	kill "$serving"
	wait "$serving"
	equal "exit" $? 0
	serving=
}
# ask METHOD PATH BODY [HEADER...]: status to $status, headers to $dir/headers, body to $dir/body; a header Host
# replaces ours
ask() {
	local method=$1 path=$2 body=$3 host="Host: 127.0.0.1:$port" line
	shift 3
	for line in "$@"; do [[ $line != Host:* ]] || host=$line; done
	exec 3<>"/dev/tcp/127.0.0.1/$port" || { status=none; return; }
	printf '%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\nContent-Length: %d\r\n' "$method" "$path" "$host" \
		"$(LC_ALL=C; echo ${#body})" >&3
	for line in "$@"; do [[ $line = Host:* ]] || printf '%s\r\n' "$line" >&3; done
	printf '\r\n%s' "$body" >&3
	cat <&3 >"$dir/answer"
	exec 3<&- 3>&-
	status=$(head -1 "$dir/answer" | cut -d' ' -f2)
	awk '/^\r$/ { exit } { print }' "$dir/answer" | tr -d '\r' >"$dir/headers"
	tail -c +$(($(awk '{ n += length($0) + 1 } /^\r$/ { print n; exit }' "$dir/answer") + 1)) \
		"$dir/answer" >"$dir/body"
}
# ready: waits until all is read
ready() {
	for _ in $(seq 300); do
		ask GET "${root}api/status" ''
		grep -q '"stage":"ready"' "$dir/body" && return
		sleep 0.1
	done
	fail "it is never ready: $(cat "$dir/body")"
}
