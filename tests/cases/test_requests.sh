#!/usr/bin/env bash
# meridian requests on recordings of services whose programs logged each request: all are found, one for one, and what
# their servers asked for is below the right one.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# truth_is RECORDING WANTED: of $dir/truth and the requests; all found and nested, and the latency off by less than 1 ms
truth_is() {
	run 0 requests --list -n 0 --sort begin --format csv "$1/client" "$1/web" "$1/db"
	as_logged "$(basename "$1")" "$2"
}
# as_logged NAME WANTED: what $dir/out has
as_logged() {
	set -- "$@" "$(awk -f "$SRC/tests/cases/requests_truth.awk" "$dir/truth" "$dir/out")"
	equal "$1: logged, found, nested" "${3% *}" "$2 $2 $2"
	if [ "${3##* }" -lt 1000 ]; then ok; else fail "$1: latency off by ${3##* } us"; fi
}
# csv_truth RECORDING
csv_truth() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ print $c["client_port"], $c["client_tid"], $c["begin"], $c["end"], $c["worker"], $c["backend"] + 0 }' \
		"$1/requests.csv" | sort -k3,3n >"$dir/truth"
}

# Each has a connection of its own through nginx to one of four forked workers, which have a connection to the database.
t=$lab/web-load
awk 'FNR == NR { for (i = 1; i <= NF; i++) { if ($i == "pid") pid = $(i + 1); if ($i == "backend") b = $(i + 1)
		if ($i ~ /^t=/) key = $i }; at[key] = pid " " b; next }
	$4 == "req" { key = "t=" $6 "&n=" $8; print $(NF), $2, $11, $13, at[key] }' \
	"$t/app.log" "$t/client.log" | sort -k3,3n >"$dir/truth"
truth_is "$t" 723
equal "python's queries" "$(awk -F, '$5 == "python3 -> db:5432 postgres"' "$dir/out" | wc -l)" 2169

run 0 requests --list -n 0 --json "$t/client" "$t/web" "$t/db"
cp "$dir/out" "$dir/json"
equal "parts of each sum to its latency" "$(jq '[requests[] | select((.parts | map(.ns) | add) != .latency_ns)] | length' "$dir/json")" 0
equal "a queued part names another request" "$(jq '[table("parts")[] | select(.cause == "queued" and .of == .id)] | length' "$dir/json")" 0
outside='[table("requests")[] | {key: .id, value: .}] | from_entries as $all
	| [$all[] | select(.parent) | select(.begin < $all[.parent].begin or .end > $all[.parent].end)] | length'
equal "children within their parents" "$(jq "$outside" "$dir/json")" 0
for threads in 1 2; do
	run 0 requests --list -n 0 --json -j $threads "$t/client" "$t/web" "$t/db"
	same "-j $threads" "$dir/out" "$dir/json"
done

# Kept connections, a queue, a pool of workers, and a pool of two connections to the database.
t=$lab/shop-a
if there "$t"; then
	csv_truth "$t"
	truth_is "$t" 784
	# One host alone: connections that are older than the recording count, too, with the same requests of each backend.
	run 0 requests --list -n 0 --json "$t/client" "$t/web" "$t/db"
	queries='[table("requests")[] | select(.server_port == 5432)]'
	jq -c "$queries | map([.server_tid, .client_port]) | sort" "$dir/out" >"$dir/all"
	run 0 requests --list -n 0 --json "$t/db"
	same "queries of the database alone" <(jq -c "$queries | map([.server_tid, .client_port]) | sort" "$dir/out") "$dir/all"
	run 0 requests --list -n 0 --json "$t/web"
	equal "queries of the application alone" "$(jq "$queries | length" "$dir/out")" "$(jq length "$dir/all")"
	equal "all are below a request" "$(jq "$queries | map(select(.parent == null)) | length" "$dir/out")" 0
	cpu='table("kinds")[] | select(.kind == "nginx -> web:8000 shopapp").self_cpu_ns / 1e7 | round'
	run 0 requests --cost --json "$t/client" "$t/web" "$t/db"
	computed=$(jq "$cpu" "$dir/out")
	run 0 requests --cost --json "$t/web"
	equal "what shopapp computed for requests, alone" "$(jq "$cpu" "$dir/out")" "$computed"
fi
# The same seconds by the tracers of a stock kernel, with probes for packets and names and /proc beside them, by LTTng, and
# some hosts by one and some by the other: the same requests.
t=$lab/stock-ft
if there "$lab/stock-ft" && ! "$m" info "$t/db/trace.dat" 2>&1 | grep -q 'built without libzstd'; then
	csv_truth "$t"
	for hosts in "client/trace.dat web/trace.dat db/trace.dat" "lttng/client lttng/web lttng/db" \
		"client/trace-v6.dat lttng/web db/trace.dat" "lttng/client web/trace.dat lttng/db"; do
		# shellcheck disable=SC2086 # three names
		run 0 requests --list -n 0 --sort begin --format csv $(printf "$t/%s " $hosts)
		as_logged "stock-ft, $hosts" 505
	done
fi
# One event loop for all.
t=$lab/shop-node
if there "$t"; then
	csv_truth "$t"
	truth_is "$t" 307
fi
# HTTP/2: what overlaps is one exchange with its number of messages.
t=$lab/h2-mux
if there "$t"; then
	run 0 requests --list -n 0 --json "$t/client" "$t/web" "$t/db"
	equal "windows" "$(jq 'table("requests") | map(select(.messages > 1)) | length' "$dir/out")" 56
	# Of 400 streams few are alone on their connection: a request that is no stream is a number that is wrong.
	equal "singly" "$(jq 'table("requests") | map(select(.messages == 1 and (.client_comm // "" | startswith("h2-")))) | length' "$dir/out")" 3
	equal "children within their parents" "$(jq "$outside" "$dir/out")" 0
	equal "no message is invented" "$(jq '[table("requests")[] | select(.client_comm // "" | startswith("h2-")) | .messages] | add <= 440' "$dir/out")" true
fi
# Packets without addresses: the ends of connections are found by who was woken by what another one sent.
t=$public/django-vote
if there "$t"; then
	run 0 requests --list -n 0 --format csv "$t"/*
	equal "requests of pages" "$(awk -F, '$5 == "python -> django-httpd apache2" && $16 == ""' "$dir/out" | wc -l)" 12
	equal "queries, all below one" "$(awk -F, '$5 == "apache2 -> django-db postgres" && $16 != ""' "$dir/out" | wc -l)" 108
	equal "others between hosts" "$(awk -F, 'NR > 1 && $6 != $10' "$dir/out" | wc -l)" 120
fi
# UDP: a server with one socket; of its requesters one keeps its socket, others make one for each question, and some use IPv6.
t=$lab/router-3vm
if there "$lab/router-3vm"; then
	run 0 requests --list -n 0 --sort begin --format csv "$t"
	equal "all over UDP" "$(grep -c ',dns-cli -> b.* dns-srv,' "$dir/out")" "$(grep -c ' dns-cli udp n ' "$t/a.log")"
	same "their ports, in the order of the log" \
		<(awk -F, '$5 ~ /^dns-cli/ && $9 != "" { print $9 }' "$dir/out") \
		<(awk '$1 == "#" { v4 = $2 == "udp4"; next } v4 && / dns-cli udp n / { print $8, $10 }' "$t/a.log" | sort -k2,2n | cut -d' ' -f1)
fi
# A monitor on a unix socket.
run 0 requests --format csv "$lab/kvm-nested"
equal "commands to qemu" "$(grep -c '^python3 -> l1 unix qemu-system-x86,,,40,' "$dir/out")" 1
# Unix sockets: each of the two processes of a host that are traced has two connections to the session daemon, and
# all do the same.
t=$lab/mpi-3vm
# Those of the tracer are left out unless they are wanted.
run 0 requests --list -n 0 --json "$t"
n=$(jq 'table("requests") | length' "$dir/out")
equal "none of the tracer's" "$(jq '[table("requests")[] | .client_comm, .server_comm | select(startswith("lttng"))?] | length' "$dir/out")" 0
text "$dir/err" 'note: left out: 243 requests of the tracer.s own tasks \(--all shows them\)' "what is left out"
run 0 requests --all --list -n 0 --json "$t"
equal "all of them" "$(jq 'table("requests") | length' "$dir/out")" $((n + 243))
equal "no note" "$(grep -c "left out" "$dir/err")" 0
jq -r '[table("requests")[] | select(.client_comm // "" | startswith("lttng"))][0].id' "$dir/out" >"$dir/id"
run 0 requests --list --request "$(cat "$dir/id")" "$t"
text "$dir/out" "^$(cat "$dir/id") " "one by its id"
run 0 requests --to lttng-sessiond --format csv "$t"
equal "those to one of them" "$(sed 1d "$dir/out" | wc -l)" 3
equal "nor in the summary" "$("$m" summary -q --json "$t" | jq -c '[.tables[] | select(.id == "requests").rows[][] | strings | select(test("lttng"))]')" "[]"
equal "nor in the graph" "$("$m" graph -q --requests --json "$t" | jq -c '[.tables[1].rows[] | .from, .to | select(startswith("lttng"))]')" "[]"
equal "but in all of it" "$("$m" graph -q -a --requests --json "$t" | jq '[.tables[1].rows[] | .from, .to | select(startswith("lttng"))] | length > 3')" true
run 0 requests --all --list -n 0 --format csv "$t"
equal "over unix sockets" "$(awk -F, '$5 ~ / unix / { split($1, id, "."); n[id[1] " " $6 " " $10]++ }
		END { for (x in n) { split(x, w, " "); print w[2], w[3], n[x] } }' "$dir/out" | sort -V | uniq -c | awk '{ $1 = $1 } 1')" \
	"$(printf '2 %s 13\n2 %s 21\n' "n1 n1" "n1 n1" "n2 n2" "n2 n2" "n3 n3" "n3 n3")"
finish
