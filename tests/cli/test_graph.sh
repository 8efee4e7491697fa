#!/usr/bin/env bash
# meridian graph: who talks to whom; the same edges in every format; what is chosen; drawings.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/clihog-srvhog-2vm

# Columns: from_host,from_tid,from_comm,to_host,to_tid,to_comm,kind,object,count,bytes,wait_ns,first,last,idle_ns,
# from_pid,from_program,to_pid,to_program,is_started
# edges FROM TO KIND FILE: number of such edges, their count, bytes, and wait in ms
edges() {
	awk -F, -v from="$1" -v to="$2" -v kind="$3" \
		'$3 == from && $6 == to && $7 == kind { e++; n += $9; b += $10; w += $11 }
		END { print e + 0, n + 0, b + 0, int(w / 1e6) }' "$4"
}
# between WHAT VALUE LEAST MOST
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then ok; else fail "$1: $2, not $3 to $4"; fi
}

run 0 graph --format csv $t
cp "$dir/out" "$dir/all"
equal "columns" "$(head -1 "$dir/all")" \
	"from_host,from_tid,from_comm,to_host,to_tid,to_comm,kind,object,count,bytes,wait_ns,first,last,idle_ns,from_pid,from_program,to_pid,to_program,is_started"
# Two clients ask for 8 things each, and one says goodbye; requests have 40 bytes, answers 1.
# shellcheck disable=SC2046
set -- $(edges rpc-cli rpc-srv tcp "$dir/all")
equal "requests: edges, count, bytes" "$1 $2 $3" "3 17 680"
# shellcheck disable=SC2046
set -- $(edges rpc-srv rpc-cli tcp "$dir/all")
equal "answers: edges, count, bytes" "$1 $2 $3" "3 17 17"
between "the clients' waits, ms" "$4" 920 1200
equal "across hosts" "$(awk -F, '$7 == "tcp" && $1 == $4' "$dir/all" | wc -l)" 0
equal "as the client calls it" "$(awk -F, '$7 == "tcp" { print $8 }' "$dir/all" | sort -u)" 10.0.0.2:5000
# Twice the server forks a child that computes 80 ms, and waits for it.
equal "forks" "$(edges rpc-srv rpc-child fork "$dir/all")" "2 2 0 0"
# shellcheck disable=SC2046
set -- $(edges rpc-child rpc-srv wait "$dir/all")
equal "exits" "$1 $2" "2 2"
between "the server's waits for them, ms" "$4" 160 200
no_text "$dir/all" ',kernel,' "without --all"
# ... of what tasks tell each other; then of those that a task started itself.
for started in 0 1; do
	equal "longest first" "$(awk -F, -v s=$started 'NR > 1 && $19 == s { print $11 }' "$dir/all" | sort -c -rn 2>&1)" ""
done
equal "exits last" "$(sed 1d "$dir/all" | cut -d, -f19 | sort -c -n 2>&1)" ""
equal "forks and exits" "$(awk -F, '($7 == "fork" || $7 == "wait") && $19 != 1' "$dir/all" | wc -l)" 0
equal "requests" "$(awk -F, '$7 == "tcp" && $19 != 0' "$dir/all" | wc -l)" 0
equal "first before last" "$(awk -F, 'NR > 1 && $12 > $13' "$dir/all" | wc -l)" 0
equal "nobody with itself" "$(awk -F, '$1 == $4 && $2 == $5' "$dir/all" | wc -l)" 0
equal "each once" "$(cut -d, -f1-8 "$dir/all" | sort | uniq -d | wc -l)" 0

run 0 graph --all --format csv $t
text "$dir/out" ',kernel,' "--all"
# Without the tracer and idle waits the rest is the same, and nothing is lost of the waits.
whole() { awk -F, 'NR > 1 { print $1 "," $2 "," $4 "," $5 "," $7 "," $8 "," $9 "," $10 "," $11 + $14 }' "$1" | sort; }
no_text "$dir/all" 'lttng|Client manageme' "the tracer"
grep -vE ',kernel,|lttng|Client manageme|Consumer manage|Notification' "$dir/out" >"$dir/without"
whole "$dir/all" >"$dir/wanted"
whole "$dir/without" >"$dir/got"
same "--all adds only these" "$dir/wanted" "$dir/got"
equal "idle with --all" "$(sed 1d "$dir/out" | cut -d, -f14 | sort -u)" 0

# Chosen: one end must fit.
run 0 graph --comm rpc-child --format csv $t
equal "--comm" "$(sed 1d "$dir/out" | awk -F, '$3 != "rpc-child" && $6 != "rpc-child"' | wc -l)" 0
grep 'rpc-child' "$dir/all" >"$dir/of_child"
sed 1d "$dir/out" >"$dir/got"
same "--comm" "$dir/of_child" "$dir/got"
run 0 graph --host client --format csv $t
equal "--host" "$(sed 1d "$dir/out" | awk -F, '$1 != "client" && $4 != "client"' | wc -l)" 0
equal "--host: to others too" "$(edges rpc-cli rpc-srv tcp "$dir/out" | cut -d' ' -f1-3)" "3 17 680"
run 0 graph --tid 237 --host server --format csv $t
equal "--tid" "$(sed 1d "$dir/out" | awk -F, '!($1 == "server" && $2 == 237) && !($4 == "server" && $5 == 237)' | wc -l)" 0
equal "--tid: something" "$(edges rpc-srv rpc-child fork "$dir/out")" "2 2 0 0"
run 2 graph --comm nobody $t
text "$dir/err" 'no task named .nobody.' 'an error'
run 2 graph
run 3 graph "$dir/nowhere"

# A window: what is given in each of two halves is given in all.
middle=$(awk -F, '$3 == "rpc-srv" && $6 == "rpc-cli" { print $12 }' "$dir/all" | sort -n | sed -n 2p)
for half in --end --begin; do
	run 0 graph --format csv $half "$middle" $t
	cp "$dir/out" "$dir/half$half"
done
cat "$dir/half--begin" "$dir/half--end" >"$dir/halves"
equal "halves: count and bytes" "$(edges rpc-cli rpc-srv tcp "$dir/halves" | cut -d' ' -f2-3)" "17 680"

# For people: no line too wide, and it fits a screen.
for options in "" "--all" "--comm rpc-cli"; do
	# shellcheck disable=SC2086
	run 0 graph $options $t
	equal "width of '$options'" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$dir/out" | wc -l)" 0
	between "lines of '$options'" "$(wc -l <"$dir/out")" 5 30
	text "$dir/out" 'Not visible in a kernel trace' 'what it cannot show'
done
run 0 graph -n 3 $t
text "$dir/out" '^\.\.\. and [0-9]+ more' 'the rest'
run 0 graph -n 3 --format csv $t
equal "--limit" "$(wc -l <"$dir/out")" 4
run 0 graph --help
between "lines of --help" "$(wc -l <"$dir/out")" 10 45

# The same for any number of threads.
run 0 graph -j 1 --json $t
cp "$dir/out" "$dir/one"
run 0 graph -j 3 --json $t
same "threads" "$dir/one" "$dir/out"
run 0 graph --format jsonl $t
equal "jsonl" "$(wc -l <"$dir/out")" "$(($(wc -l <"$dir/all") - 1))"
if command -v jq >/dev/null; then
	equal "version" "$(jq .schema_version "$dir/one")" 3
	equal "table" "$(jq -r '.tables[0].id' "$dir/one")" graph
	equal "keys" "$(jq -r '.tables[0].rows[0] | keys_unsorted | join(",")' "$dir/one")" "$(head -1 "$dir/all")"
	equal "columns" "$(jq -r '[.tables[0].columns[].key] | join(",")' "$dir/one")" "$(head -1 "$dir/all")"
	equal "rows" "$(jq '.tables[0].rows | length' "$dir/one")" "$(($(wc -l <"$dir/all") - 1))"
	equal "diagnostics" "$(jq -r '.diagnostics | type' "$dir/one")" array
	equal "within the time" "$(jq '[.begin as $b | .end as $e | .tables[0].rows[] |
		select(.first < $b or .last > $e or .last < .first)] | length' "$dir/one")" 0
	equal "jsonl" "$(jq -c .count "$dir/out" | sum)" "$(cut -d, -f9 "$dir/all" | sed 1d | sum)"
fi

# What was open before the recording is called by the addresses in its packets: the end with the lower port.
"$ctfgen" -o "$dir/before" tests/cli/open_before.scn >/dev/null || fail "ctfgen open_before.scn"
run 0 graph --all --format csv "$dir/before"
equal "open before" "$(sed 1d "$dir/out" | cut -d, -f3,6-10 | tr '\n' ' ')" \
	"app,db,tcp,10.0.0.9:5432,3,30 db,app,tcp,10.0.0.9:5432,3,60 "
if [ -d "$lab/web-load" ]; then
	run 0 graph --all --format csv "$lab/web-load"
	equal "connections of web-load" "$(awk -F, '$7 == "tcp" { print $8 }' "$dir/out" | sort -u | tr '\n' ' ')" \
		"10.0.0.2:80 10.0.0.3:5432 127.0.0.1:8000 "
else
	echo "skipped: $lab/web-load is not there"
fi

# Requests: the numbers of the verb requests, as each program has one port there. The rest stays the same.
if command -v jq >/dev/null; then
	w=($lab/web-load/{client,web,db})
	run 0 requests --json "${w[@]}"
	jq -c 'table("kinds")[] | [.count, (.rate * 1e6 | round), .p50_ns, .p99_ns]' "$dir/out" >"$dir/wanted"
	run 0 graph --json "${w[@]}"
	jq -c '.tables[0]' "$dir/out" >"$dir/without"
	run 0 graph --requests --json "${w[@]}"
	jq -c '.tables[0]' "$dir/out" >"$dir/with"
	same "--requests: the same relations" "$dir/without" "$dir/with"
	jq -c '.tables[1].rows[] | [.count, (.rate * 1e6 | round), .p50_ns, .p99_ns]' "$dir/out" >"$dir/got"
	same "--requests: the same numbers" "$dir/wanted" "$dir/got"
	equal "--requests: who" "$(jq -r '.tables[1].rows[] | "\(.from_host) \(.from) \(.to_host) \(.to) \(.kind) \(.from_tid)"' "$dir/out" | tr '\n' ';')" \
		"client load web nginx tcp null;web nginx web python3 tcp null;web python3 db postgres tcp null;"
	run 0 graph --requests --by task --json -j 1 "${w[@]}"
	equal "--by task: all of them" "$(jq -c '[.tables[1].rows[] | {from, count}] | group_by(.from) | map([.[0].from[:5], (map(.count) | add)]) |
		group_by(.[0]) | map([.[0][0], (map(.[1]) | add)])' "$dir/out")" '[["load-",723],["nginx",723],["pytho",2169]]'
	equal "--by task: tasks" "$(jq '[.tables[1].rows[] | select(.from_tid and .to_tid | not)] | length' "$dir/out")" 0
	run 0 graph --requests --comm postgres --format csv "${w[@]}"
	equal "--comm" "$(grep -c '^requests,' "$dir/out") $(grep -c '^requests,web,,python3,db,,postgres,tcp,2169,' "$dir/out")" "1 1"
	run 0 graph --requests --format dot "${w[@]}"
	equal "lines" "$(grep -oE '[0-9.]+ requests/s, p50 [0-9.]+ ms, p99 [0-9.]+ ms' "$dir/out" | tr '\n' ';')" \
		"89.9 requests/s, p50 68.0 ms, p99 122 ms;270 requests/s, p50 8.14 ms, p99 27.2 ms;89.9 requests/s, p50 54.0 ms, p99 104 ms;"
	run 0 graph --requests -n 2 "${w[@]}"
	text "$dir/out" '^client:load +web:nginx +723 +89.94 +68.0 ms +122 ms$' 'for people'
	text "$dir/out" '^\.\.\. and 1 more' 'the rest'
	equal "width" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$dir/out" | wc -l)" 0
	run 2 graph --requests --period 'sched_switch : sched_switch' "${w[@]}"
	run 0 graph --requests "$lab/wget-cold-hot/client"
fi

# A drawing: hosts are boxes, every task (program) of a row is a node, all between two of them that goes by like
# means is one arrow, with all that was given and all waits; every arrow has both ends.
families() { # rows: adds the family of the kind as a last column
	awk -F, -v OFS=, '
		BEGIN {
			split("tcp udp network socket", n, " "); for (i in n) f[n[i]] = "network"
			split("unix pipe fifo inotify tty", p, " "); for (i in p) f[p[i]] = "pipes"
			split("futex eventfd semaphore queue lock", l, " "); for (i in l) f[l[i]] = "locks"
			split("signal fork wait ptrace", s, " "); for (i in s) f[s[i]] = "processes"
		}
		{ print $0, ($7 in f) ? f[$7] : $7 }'
}
pairs() { # FIRST SECOND: columns of both ends, each as an awk expression; prints the different arrows
	sed 1d "$dir/all" | families | awk -F, -v loops="${3:-}" "{
		a = $1; b = $2
		if (a == b && (\$NF == \"processes\" || seen[a]++) && !loops) next
		print (a < b ? a \" \" b : b \" \" a), \$NF }" | sort -u
}
run 0 graph --by task --limit 0 --format dot $t
cp "$dir/out" "$dir/dot"
text "$dir/dot" '^digraph relations \{' 'dot'
equal "braces" "$(tr -cd '{' <"$dir/dot" | wc -c)" "$(tr -cd '}' <"$dir/dot" | wc -c)"
equal "hosts" "$(grep -c 'subgraph cluster_' "$dir/dot")" 2
equal "tasks" "$(grep -cE '^		t[0-9]+ \[label="[^"]+/[0-9]+"\];$' "$dir/dot")" \
	"$({ sed 1d "$dir/all" | cut -d, -f1-3 && sed 1d "$dir/all" | cut -d, -f4-6; } | sort -u | wc -l)"
# shellcheck disable=SC2016
equal "arrows" "$(grep -c ' -> ' "$dir/dot")" "$(pairs '$1 "/" $2 "/" $3' '$4 "/" $5 "/" $6' 1 | wc -l)"
equal "ends" "$(comm -13 <(grep -oE '^		t[0-9]+' "$dir/dot" | tr -d '\t' | sort -u) \
	<(grep ' -> ' "$dir/dot" | grep -oE 't[0-9]+ -> t[0-9]+' | grep -oE 't[0-9]+' | sort -u))" ""
counts() { grep ' -> ' "$1" | sed -E 's/^[^"]*"[^"]*\\n([0-9,]+)x[^"]*".*/\1/; s/,//g' | sum; }
equal "all that was given" "$(counts "$dir/dot")" "$(cut -d, -f9 "$dir/all" | sed 1d | sum)"
# By program: one node for all tasks of one name on a host; what a program does with itself once.
run 0 graph --limit 0 --format dot $t
equal "programs" "$(grep -cE '^		t[0-9]+ \[label=' "$dir/out")" \
	"$({ sed 1d "$dir/all" | cut -d, -f1,16 && sed 1d "$dir/all" | cut -d, -f4,18; } | sort -u | wc -l)"
# shellcheck disable=SC2016
equal "arrows of programs" "$(grep -c ' -> ' "$dir/out")" "$(pairs '$1 "/" $16' '$4 "/" $18' | wc -l)"
text "$dir/out" 'label="rpc-cli\\n3 tasks"' 'the clients are one box'
# For looking at: no more boxes than can be told apart, and it says so.
{
	echo 'host h'
	echo 'trace h/kernel'
	for i in $(seq 60); do
		echo "${i}ms h 0 sched_process_fork parent_comm=\"main\" parent_tid=7 parent_pid=7 child_comm=\"c$i\" child_tid=$((100 + i)) child_pid=$((100 + i))"
	done
} >"$dir/many.scn"
"$ctfgen" -o "$dir/many" "$dir/many.scn" >/dev/null || fail "ctfgen many.scn"
run 0 graph --format dot "$dir/many"
equal "boxes" "$(grep -cE '^		t[0-9]+ \[label=' "$dir/out")" 30
text "$dir/out" '31 smaller relations are not drawn \(--limit 0 draws all\)' 'what is left out'
run 0 graph --limit 0 --format dot "$dir/many"
equal "all boxes" "$(grep -cE '^		t[0-9]+ \[label=' "$dir/out")" 61
no_text "$dir/out" 'not drawn' 'all'
# The program that draws: one that is there, one that fails, none.
mkdir "$dir/bin" "$dir/none"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "<svg>$1"\ncat\n' >"$dir/bin/dot"
chmod +x "$dir/bin/dot"
PATH="$dir/bin:$PATH" run 0 graph --format svg $t
equal "drawn to stdout" "$(head -1 "$dir/out")" "<svg>-Tsvg"
text "$dir/out" '^digraph relations' 'what was drawn'
cp "$dir/out" "$dir/svg"
PATH="$dir/bin:$PATH" run 0 graph --format svg --output "$dir/svg2" $t
same "to a file" "$dir/svg" "$dir/svg2"
PATH="$dir/bin:$PATH" run 0 graph --plot "$dir/plot.svg" $t
text "$dir/out" '^Relations between tasks' 'the table as well'
equal "drawn" "$(head -1 "$dir/plot.svg")" "<svg>-Tsvg"
sed 1d "$dir/plot.svg" >"$dir/drawn"
run 0 graph --format dot $t # there are less than are drawn
same "what is drawn" "$dir/out" "$dir/drawn"
printf '#!/bin/sh\ncat >/dev/null\nexit 3\n' >"$dir/bin/dot"
PATH="$dir/bin:$PATH" run 3 graph --plot "$dir/plot2.svg" $t
text "$dir/err" 'failed' 'a failure'
if [ -e "$dir/plot2.svg" ]; then fail "a file without a drawing"; else ok; fi
# One that does not end: it is ended.
printf '#!/bin/sh\nexec sleep 300\n' >"$dir/bin/dot"
PATH="$dir/bin:$PATH" run 3 graph --plot "$dir/plot2.svg" $t
text "$dir/err" "'dot' did not finish within [0-9]+ s; draw fewer" 'a limit of time'
PATH="$dir/none" run 2 graph --plot "$dir/plot2.svg" $t
text "$dir/err" '--plot: Graphviz is needed' 'what is missing'
PATH="$dir/none" run 2 graph --format svg $t
text "$dir/err" '--format svg: Graphviz is needed' 'what is missing'
equal "nothing drawn" "$(wc -c <"$dir/out")" 0
# Graphviz itself, where it is: a box a host, and all of the arrows.
if command -v dot >/dev/null; then
	run 0 graph --format svg $t
	text "$dir/out" '</svg>' 'a drawing'
	text "$dir/out" 'prefers-color-scheme:dark' 'colors for dark pages'
	run 0 graph --format dot $t
	cp "$dir/out" "$dir/dot"
	run 0 graph --format svg $t
	equal "arrows" "$(grep -c 'class="edge"' "$dir/out")" "$(grep -c ' -> ' "$dir/dot")"
	equal "hosts" "$(grep -c 'class="cluster"' "$dir/out")" 2
fi

# Simulated machines, of which it is known who woke whom, after how long: the same between each two, to the
# nanosecond. With --all every wait that a task ended has its edge; and so has each that a packet did of
# which a task is known to have sent it.
if [ -x "${KERNELWORLD:-}" ]; then
	"$KERNELWORLD" -o "$dir/world" --cpus 3 --seed 5 >/dev/null
	# Times without their first digits, which are all the same: awk counts with doubles.
	awk -F, '
		function ns() { return substr($4, 5) - substr($3, 5) }
		FILENAME ~ /packets/ { from[$1] = $3; answers[$1] = $4; next }
		$5 != "blocked" { next }
		$7 != "" && $6 ~ /^(futex|pipe|task)$/ { wait["task," $7 "," $2] += ns() }
		$6 == "network" && $8 != "" {
			for (p = $8; p != "" && (from[p] == "" || from[p] == $2); p = answers[p])
				;
			if (p != "")
				wait["net," from[p] "," $2] += ns()
		}
		END { for (k in wait) printf "%s,%d\n", k, wait[k] }' \
		"$dir/world/truth/packets.csv" "$dir/world/truth/states.csv" | sort >"$dir/truth"
	run 0 graph --all --format csv "$dir/world/h0"
	awk -F, 'NR > 1 && $11 > 0 { wait[($7 == "tcp" ? "net," : "task,") $2 "," $5] += $11 }
		END { for (k in wait) printf "%s,%d\n", k, wait[k] }' "$dir/out" | sort >"$dir/found"
	between "edges of the simulation" "$(wc -l <"$dir/truth")" 50 1000000
	same "the simulation's waits" "$dir/truth" "$dir/found"

	# Over TCP, on one machine and across: who wrote has as many bytes as its calls returned.
	"$KERNELWORLD" -o "$dir/world2" --hosts 2 --cpus 2 --seed 5 --statedump >/dev/null
	run 0 graph --format csv "$dir/world2"
	awk -F, '$7 == "tcp" { n[$1 "," $2] += $10 } END { for (k in n) print k "," n[k] }' \
		"$dir/out" | sort >"$dir/found"
	run 0 log syscall --limit 0 --format csv "$dir/world2"
	awk -F, '$4 ~ /^(write|sendto|sendmsg)$/ && $5 ~ /^socket/ && $11 > 0 { n[$6 "," $7] += $11 }
		END { for (k in n) print k "," n[k] }' "$dir/out" | sort >"$dir/truth"
	between "writers of the simulation" "$(wc -l <"$dir/truth")" 10 1000
	same "the simulation's bytes" "$dir/truth" "$dir/found"
else
	echo "no kernelworld: not compared with a simulation"
fi

if there "$lab/ipc-zoo"; then
	run 0 graph --format csv --comm 'zoo-*' "$lab/ipc-zoo"
	cp "$dir/out" "$dir/zoo"
	while read -r from kind object least most; do
		# shellcheck disable=SC2046
		set -- $(grep ",$object" "$dir/zoo" >"$dir/part" && edges "$from" zoo-main "$kind" "$dir/part")
		between "$from, $kind" "${4:-0}" "$least" "$most"
	done <<-END
		zoo-pipew pipe pipe# 50 56
		zoo-piperd pipe pipe# 70 78
		zoo-fifow fifo /data/fifo 80 96
		zoo-ussrv unix socketpair# 80 86
		zoo-killer signal SIGUSR1 55 60
		zoo-futexw futex 0x 45 50
		zoo-holder futex 0x 88 93
		zoo-flock lock /data/lock 79 83
		zoo-evw eventfd eventfd 140 152
		zoo-lsrv tcp 127.0.0.1:7070 37 41
		sleep wait exit 100 137
	END
	text "$dir/zoo" ',zoo-futexw,zoo,267,zoo-main,futex,0x[0-9a-f]+ shared,' 'shared memory'
fi
# A server that waits for its next request: somebody gave it one, but nobody waited meanwhile.
run 0 graph --format csv demo/wget-cold-hot
equal "idle nginx" "$(awk -F, '$3 == "wget" && $6 == "nginx" && $7 == "tcp" { n++; bad += $11 > 0 || $14 <= 0 } END { print n, bad }' "$dir/out")" "2 0"
run 0 graph demo/wget-cold-hot
text "$dir/out" 'tracer\. Wait' 'what is left out'

# Joins, and the agent that waits for the load to end, are as long as all: they come after who answers whom.
if there "$lab/web-load"; then
	run 0 graph --format csv "$lab/web-load"
	cp "$dir/out" "$dir/web"
	equal "first row" "$(sed -n 2p "$dir/web" | cut -d, -f1,3,4,7 | tr -d 0-9)" "web,nginx,client,tcp"
	equal "joins, shells' output" "$(awk -F, 'NR > 1 && $11 > 8e9 { print $3 ">" $6, $7, $19 }' "$dir/web" | sort | tr "\n" " ")" \
		"load-0>load wait 1 load>sh wait 1 sh>labagent pipe 1 "
	run 0 graph --format dot "$lab/web-load"
	equal "widest line" "$(grep -E 'penwidth=6\.00' "$dir/out" | grep -c "tcp 10.0.0.2:80")" 1
	equal "children are thin" "$(grep -E 'label="(pipe#1|fork, wait|wait)' "$dir/out" | grep -cv 'penwidth=1.00')" 0
fi

# Nothing to draw: it is said, and why.
if there "$lab/long-ntp"; then
	printf '#!/bin/sh\ncat\n' >"$dir/bin/dot"
	PATH="$dir/bin:$PATH" run 3 graph --plot "$dir/empty.svg" "$lab/long-ntp"
	text "$dir/err" 'nothing to draw: No relations.*enable-event --kernel sched_switch,sched_waking' 'stderr'
	text "$dir/empty.svg" 'label="No relations: .*lttng enable-event --kernel sched_switch,sched_waking' 'the picture'
fi
finish
