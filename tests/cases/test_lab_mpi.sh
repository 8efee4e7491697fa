#!/usr/bin/env bash
# MPI on recordings of programs that logged each of their calls, or whose plan is known (their TRUTH.md). What is
# compared with is counted by awk from the log, or from another reader's events, not by meridian.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# table ID TRACE OPTION... -- COLUMN...
table() {
	local id=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$m" top mpi --table "$id" -n 0 --json "${options[@]}" 2>"$dir/err" </dev/null |
		jq -r --args '.tables[0].rows[] as $r | [$ARGS.positional[] | $r[.] // "-" | tostring] | join(" ")' "$@"
}
# The calls of a program, one a line: rank state begin end peer-or-number tag, from lines "NS rank R tid T STATE ...".
calls() {
	awk '{ split($6, s, /_(begin|end)$/); state = s[1] }
		$6 ~ /_begin$/ { at[$3, state] = $1 }
		$6 ~ /_end$/ && ($3, state) in at { print $3, state, at[$3, state], $1, $7, $8 }' "$@"
}
# The same from babeltrace2's text; times without their first digits, which awk's numbers have no room for.
told() {
	babeltrace2 --clock-seconds "$1" 2>/dev/null | awk '{ ns = $1; gsub(/[^0-9]/, "", ns); ns = substr(ns, 5) }
		match($0, / mpi:[a-z_]+: /) { state = substr($0, RSTART + 5, RLENGTH - 7)
			sub(/.*\{ rank = /, ""); gsub(/[^-0-9 ]/, ""); print ns, "rank", $1, "tid", 0, state, $2, $3 }'
}
# Late senders and receivers: the k-th send of a channel meets the k-th receive. Prints messages, those received before
# they were sent, late senders and their time, late receivers (at least MIN ns) and their time.
messages='$2 == "send" { k = $1 " " $5 " " $6; i = ++ns[k]; sb[k, i] = $3; se[k, i] = $4 }
	$2 == "recv" { k = $5 " " $1 " " $6; i = ++nr[k]; rb[k, i] = $3; re[k, i] = $4 }
	END {
		for (k in ns) for (i = 1; i <= ns[k] && i <= nr[k]; i++) {
			n++
			if (re[k, i] < sb[k, i]) early++
			if (sb[k, i] > rb[k, i]) { ls++; lst += sb[k, i] - rb[k, i] }
			if (rb[k, i] > sb[k, i] && se[k, i] > rb[k, i]) { lr++; lrt += rb[k, i] - sb[k, i] }
		}
		printf "%d %d %d %.0f %d %.0f\n", n, early, ls, lst, lr, lrt
	}'
# Barriers and the like: each waits from its begin to the begin of the last one.
barriers='$2 == "barrier" || $2 == "allreduce" { if ($3 > last[$2, $5]) last[$2, $5] = $3; b[$1, $2, $5] = $3 }
	END { for (x in b) { split(x, p, SUBSEP); w[p[1] " " p[2]] += last[p[2], p[3]] - b[x] }
		for (x in w) printf "%s %.0f\n", x, w[x] }'

if there "$lab/mpi-imbalance" && command -v babeltrace2 >/dev/null; then
	t=$lab/mpi-imbalance
	told "$t" | calls | sort -k3,3n >"$dir/calls"
	equal "imbalance: calls told" "$(grep -cE 'send|recv' "$dir/calls")" 154
	read -r n early ls lst lr lrt <<<"$(awk "$messages" "$dir/calls")"
	equal "imbalance: messages, by awk" "$n $early" "77 0"
	equal "imbalance: messages" "$(table messages "$t" -- reversed | sort | uniq -c | tr -s ' ')" " 77 0"
	for w in "late sender $ls $lst" "late receiver $lr $lrt"; do
		read -r a b c d <<<"$w"
		equal "imbalance: $a $b" "$(table waits "$t" -- wait count total_ns | awk -v w="$a $b" '$1 " " $2 == w { n += $3; t += $4 } END { print n, t }')" "$c $d"
	done
	equal "imbalance: late senders" "$ls $(((lst + 500000) / 1000000))" "55 849"
	awk "$barriers" "$dir/calls" | sort >"$dir/expected"
	table waits "$t" -- wait rank total_ns | awk '/^wait at/ { w[$(NF - 1) " " ($3 == "barrier" ? "barrier" : "allreduce")] += $NF }
		END { for (x in w) print x, w[x] }' | sort >"$dir/got"
	grep -v ' 0$' "$dir/expected" >"$dir/expected2"
	same "imbalance: waits at barriers and n x n, to the ns" "$dir/got" "$dir/expected2"
	equal "imbalance: together, in ms" "$(awk '{ w[$1] += $3 } END { for (r = 0; r < 4; r++) printf "%.1f ", w[r] / 1e6 }' "$dir/got")" "337.5 241.0 76.0 243.5 "
	equal "imbalance: planned late receivers" "$(table messages "$t" -- tag from_rank to_rank wait | grep -c '^60[0-4] 0 1 late receiver')" 5
	equal "imbalance: planned late senders" "$(table messages "$t" -- tag from_rank to_rank wait | grep -c '^70[0-4] 3 2 late sender')" 5
	table ranks "$t" -- elapsed_ns compute_ns point_ns collective_ns other_ns |
		awk '{ all += $1; parts += $2 + $3 + $4 + $5 } END { print all - parts }' >"$dir/got"
	equal "imbalance: states add up to elapsed times ranks" "$(cat "$dir/got")" 0
	equal "imbalance: calls add up, too" "$(table states "$t" -- total_ns | awk '{ s += $1 } END { print s }')" \
		"$(table ranks "$t" -- elapsed_ns | awk '{ s += $1 } END { print s }')"
	awk '{ t[$1 " " $2] += $4 - $3 } END { for (x in t) printf "%s %.0f\n", x, t[x] }' "$dir/calls" | sort >"$dir/expected"
	table states "$t" -- rank call total_ns | sed 's/MPI_//; s/ \(Send\|Recv\|Barrier\|Allreduce\)/ \L\1/' |
		grep -v outside | sort >"$dir/got"
	same "imbalance: time in each call, to the ns" "$dir/got" "$dir/expected"
	text <(table pattern "$t" -- pattern) "ring 52 %, master-worker \(0\)" "imbalance: pattern"
	equal "imbalance: matrix" "$(table matrix "$t" -- from_rank to_rank messages)" \
		"$(awk '$2 == "send" { n[$1 " " $5]++ } END { for (x in n) print x, n[x] }' "$dir/calls" | sort)"
fi

if there "$lab/mpi-3vm"; then
	t=$lab/mpi-3vm
	equal "3vm: messages" "$(table messages "$t" -- reversed | sort | uniq -c | tr -s ' ')" " 150 0"
	equal "3vm: matrix" "$(table matrix "$t" -- from_rank to_rank messages)" \
		"$(calls "$t/mpi.log" | awk '$2 == "send" { n[$1 " " $5]++ } END { for (x in n) print x, n[x] }' | sort)"
	text <(table pattern "$t" -- pattern) "periodic halo 1-D 96 %" "3vm: pattern"
	equal "3vm: who finished computing last" "$(table collectives "$t" -- call seq last_rank | awk '$1 == "compute" && $2 < 12 && $3 == $2 % 6' | wc -l)" 12
	equal "3vm: planned late receivers" "$(table messages "$t" -- tag from_rank to_rank wait | grep -c '^60[0-2] 0 5 late receiver')" 3
	equal "3vm: planned late senders" "$(table messages "$t" -- tag from_rank to_rank wait | grep -c '^70[0-2] 2 1 late sender')" 3
	# Clocks by messages of MPI alone, as far from those by packets as their bounds say at most.
	mkdir "$dir/alone"
	for h in n1 n2 n3; do
		mkdir "$dir/alone/$h"
		cp -r "$t/$h/ust" "$dir/alone/$h/ust"
	done
	run 0 sync "$dir/alone"/n?
	text "$dir/out" "3 of 3 clocks aligned" "3vm: clocks by MPI"
	t="$dir/alone/n1 $dir/alone/n2 $dir/alone/n3"
	# shellcheck disable=SC2086
	equal "3vm: by these clocks nothing is received before it was sent" "$(table messages $t -- reversed | sort | uniq -c | tr -s ' ')" " 150 0"
	run 0 top mpi --table waits --sync none "$dir/alone"/n?
	text "$dir/err" "clocks are not aligned" "3vm: clocks as recorded"
	equal "3vm: no waits between hosts then" "$(table messages $t --sync none -- from_host to_host wait | awk '$1 != $2 && $3 != "-"' | wc -l)" 0
fi

if there "$lab/mpi-shm-openmpi"; then
	t=$lab/mpi-shm-openmpi
	# Its log is written after each event: off by less than 1 ms in most cases, and late ones of more than 1 ms count.
	awk -F, 'NR > 1 && $11 != "" { print $1, $2, $3, $4, $11 }' "$t/messages.csv" | sort >"$dir/expected"
	table messages "$t" -- from_rank to_rank tag sent wait_ns wait | sort -s -k1,3 -k4,4 |
		awk '{ k = $1 " " $2 " " $3; n = ++i[k]; if ($5 > 1e6) print k, n, $6, $7 }' | sort >"$dir/got"
	awk '{ k = $1 " " $2 " " $3; m = ++j[k "," NR]; print }' "$dir/expected" >/dev/null
	equal "shm: who waited for messages" "$(awk '{ print $5, $6 }' "$dir/got" | sort | uniq -c | tr -s ' ')" " 52 late receiver
 37 late sender"
	equal "shm: messages" "$(table messages "$t" -- tag | wc -l)" 111
	equal "shm: no dependency where there was none" "$(table data "$t" -- call dependency | grep -c 'none: shared memory')" 3
	equal "shm: large ones were copied" "$(table calls "$t" -- call syscall count moves_data | grep -v ' no$')" "MPI_Recv process_vm_readv 66 yes"
	table polls "$t" -- wait total_ns | awk '{ all += $NF; if ($1 == "-") out += $NF } END { exit out > all * 0.03 }' ||
		fail "shm: polled outside of waiting"
	# On the path of a rank that spins it runs as long as it computes, and others have the rest.
	for tid in 305 306 307 308; do
		run 0 path --tid $tid --json "$t"
		cp "$dir/out" "$dir/path"
		read -r begin end compute <<<"$(table states "$t" --tid $tid -- call total_ns | awk '$1 == "compute" { print 0, 0, $2 }')"
		run 0 log mpi --tid $tid -n 0 --json "$t"
		read -r begin end <<<"$(jq -r '[.tables[0].rows[] | select(.end)] | [(map(.begin) | min), (map(.end) | max)] | join(" ")' "$dir/out")"
		got=$(jq -r --argjson b "$begin" --argjson e "$end" --argjson tid $tid --argjson c "$compute" \
			'[table("segments")[] | select(.tid == $tid and .cause == "running") | [([.begin, $b] | max), ([.end, $e] | min)] | .[1] - .[0] | select(. > 0)] | add
				| (. - $c) / ($e - $b) * 100 | fabs < 3' "$dir/path")
		equal "shm: path of $tid" "$got" true
	done
	equal "shm: the path names MPI" "$(jq -r '[table("segments")[] | select(.cause == "mpi") | .tid] | unique | length' "$dir/path")" 4
fi

# Archives of OTF2 that were converted: other people's.
if there "$public/mpi_ssend_irecv"; then
	equal "OTF2: a message" "$(table messages "$public/mpi_ssend_irecv" -- from_rank to_rank tag bytes)" "0 1 0 4"
	equal "OTF2: a gather" "$(table collectives "$public/mpi_gather" -- call ranks last_rank)" "MPI_Gather 4 0"
	equal "OTF2: communicators" "$(table collectives "$public/mpi_allreduce" -- call ranks | sort)" "MPI_Allreduce 4
MPI_Allreduce 4
MPI_Barrier 8"
fi
finish
