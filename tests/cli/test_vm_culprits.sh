#!/usr/bin/env bash
# Who is named for stolen time, against the truth of simulated hosts: of each theft the thread that had the CPU for most
# of it, and a task of that one's guest only where it had most of that.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# Rows of "top vm --table stolen" on stdin, that many at least. Times are less 1.7e18 ns, for awk's numbers; 4 us apart
# nobody has more.
culprits_are_right() { # TRUTH LEAST
	awk -F, -v least="$2" 'function rest(t) { return substr(t, 8) + 0 }
	function wrong_one(what) { if (wrong++ < 3) print what, $0 }
	FILENAME != "-" {
		if (FNR == 1) next
		k = $1 " " $2
		n[k]++
		begin[k, n[k]] = rest($4); end[k, n[k]] = rest($5)
		thread[k, n[k]] = $7; guest[k, n[k]] = $9; task[k, n[k]] = $10
		next
	}
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		k = $at["host"] " " $at["cpu"]
		from = rest($at["begin"]); until = rest($at["end"])
		split("", of_thread); split("", of_task); split("", of_guest)
		for (i = 1; i <= n[k]; i++) {
			b = begin[k, i] > from ? begin[k, i] : from
			e = end[k, i] < until ? end[k, i] : until
			if (e <= b) continue
			of_thread[thread[k, i]] += e - b
			of_task[thread[k, i], task[k, i]] += e - b
			of_guest[thread[k, i]] = guest[k, i]
		}
		rows++
		if (until - from != $at["duration_ns"]) wrong_one("length")
		by = $at["by_tid"] == "" ? 0 : $at["by_tid"]
		for (t in of_thread) if (of_thread[t] > of_thread[by] + 4000) wrong_one("thread " t)
		if ($at["guest"] != of_guest[by]) wrong_one("guest " of_guest[by])
		if (of_guest[by] == "") next
		vcpus++
		had = $at["guest_tid"] == "" ? 0 : of_task[by, $at["guest_tid"]]
		if ($at["guest_tid"] != "" && 2 * had < of_thread[by] - 4000) wrong_one("task")
		if ($at["guest_tid"] != "") next
		alone++
		for (t in of_task) {
			split(t, part, SUBSEP)
			if (part[1] == by && part[2] > 0 && 2 * of_task[t] > of_thread[by] + 4000) wrong_one("no task")
		}
	}
	END {
		printf "%d rows, %d by vCPUs, %d of them by no one task; %d wrong\n", rows, vcpus, alone, wrong
		exit !(rows >= least && vcpus && !wrong)
	}' "$1" -
}

# Who is the noisy neighbour: what each VM, or else each task of the host, took from tasks of each guest. The truth is known
# a little longer, at both ends: a percent of all, and nobody has more than the truth says.
neighbours_are_right() { # TRUTH LEAST, rows "guest TAB neighbour TAB ns" on stdin
	awk -v least="$2" 'FILENAME != "-" {
		split($0, cell, ",")
		if (FNR == 1 || cell[3] == "" || cell[3] == 0) next
		k = cell[1] " " (cell[9] != "" ? cell[9] " on " cell[6] : cell[7])
		truth[k] += cell[5] - cell[4]
		all += cell[5] - cell[4]
		next
	}
	{
		split($0, cell, "\t")
		by = cell[2]
		if (match(by, /\/[0-9]+ on [^ ]+$/)) by = substr(by, RSTART + 1, RLENGTH - 1)
		if (by ~ /^[0-9]+ on /) sub(/ on .*/, "", by)
		if (by ~ /^no task on /) by = 0
		if ((cell[1] " " by) in ours) twice++
		ours[cell[1] " " by] = cell[3]
		rows++
	}
	END {
		for (k in truth) if (truth[k] > ours[k]) lacking += truth[k] - ours[k]
		for (k in ours) if (ours[k] > truth[k]) over += ours[k] - truth[k]
		printf "%d rows, %d twice, of %.0f ns %.0f are lacking, %.0f too many\n", rows, twice, all, lacking, over
		exit !(rows >= least && !twice && lacking < all / 100 && over < all / 10000)
	}' "$1" -
}

# Rows of "stolen" are what "tasks" counts of each task and name.
agree() { # STOLEN TASKS
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
	{ k = $at[FILENAME, "host"] " " $at[FILENAME, "tid"] " " $at[FILENAME, "comm"] }
	FILENAME == ARGV[1] {
		ns = $at[FILENAME, "duration_ns"]
		n[k]++
		if (ns > most[k]) most[k] = ns
		sum[k] += ns
		next
	}
	{
		rows++
		if ($at[FILENAME, "stolen_count"] != n[k] + 0 || $at[FILENAME, "stolen_max_ns"] + 0 != most[k] + 0 ||
			$at[FILENAME, "stolen_ns"] != sum[k] + 0) wrong++
	}
	END { exit !(rows > 2 && !wrong) }' "$1" "$2"
}

column_sum() { # COLUMN, of a CSV on stdin
	awk -F, -v column="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
		{ s += $at } END { printf "%.0f\n", s }'
}

for options in "--vms 2 --vcpus 3 --hogs 1 --seed 41" "--vms 3 --vcpus 2 --hogs 2 --layout old --svm --seed 42"; do
	world=$dir/world
	rm -rf "$world"
	# shellcheck disable=SC2086 # words
	check "world $options" "$KERNELWORLD" -o "$world" --cpus 2 --statedump --duration 800ms $options
	run 0 top vm --table stolen -n 0 --all --format csv -q "$world"
	check "culprits of thefts, $options" culprits_are_right "$world/truth/stolen.csv" 300 <"$dir/out"
	cp "$dir/out" "$dir/kept"
	run 0 top vm --table stolen -n 0 --all --format csv -q --store "$world"
	check "the same from saved results, $options" cmp "$dir/kept" "$dir/out"

	run 0 top vm --table neighbours -n 0 --all --json -q "$world"
	jq -r '.tables[0].rows[] | [.host, .neighbour, .stolen_ns] | @tsv' "$dir/out" >"$dir/rows"
	check "neighbours, $options" neighbours_are_right "$world/truth/stolen.csv" 20 <"$dir/rows"
	check "shares of each guest are all of it, $options" jq -e '.tables[0].rows | group_by(.host) | length > 1 and
		all(map(.percent) | add | . > 99.999 and . < 100.001)' "$dir/out"
	grep -P "^g0\t" "$dir/rows" | sort >"$dir/of_g0"
	run 0 top vm --table neighbours --host g0 -n 0 --all --json -q "$world"
	equal "neighbours of g0 alone, $options" "$(jq -r '.tables[0].rows[] | [.host, .neighbour, .stolen_ns] | @tsv' "$dir/out" | sort)" \
		"$(cat "$dir/of_g0")"
	run 0 top vm --table neighbours --host g0 --group-by guest --all -n 0 --json -q "$world"
	equal "by VM, those that are none together, $options" "$(jq -r '.tables[0].rows[] | [.guest // "-", .stolen_ns] | @tsv' "$dir/out" | sort)" \
		"$(awk -F'\t' '{ k = $2 ~ /^g[0-9] on / ? substr($2, 1, 2) : "-"; s[k] += $3 }
			END { for (k in s) printf "%s\t%.0f\n", k, s[k] }' "$dir/of_g0" | sort)"
	run 0 top vm --table tasks --host g0 --all -n 0 --json -q "$world"
	equal "as much as was stolen from tasks, $options" "$(jq '[.tables[0].rows[].stolen_ns] | add' "$dir/out")" \
		"$(awk -F'\t' '{ s += $3 } END { printf "%.0f", s }' "$dir/of_g0")"

	# In a window each theft has what lies in it, and the culprit of that; so do counts and the longest ones.
	for window in "0.2 0.21" "0.21 0.3" "0.2 0.3"; do
		read -r begin end <<<"$window"
		for table in stolen tasks vcpus; do
			run 0 top vm --table $table -n 0 --all --format csv -q --begin "+${begin}s" --end "+${end}s" "$world"
			cp "$dir/out" "$dir/$table $window"
		done
		check "culprits from $begin to $end s, $options" culprits_are_right "$world/truth/stolen.csv" 5 <"$dir/stolen $window"
		check "counts and longest thefts from $begin to $end s, $options" agree "$dir/stolen $window" "$dir/tasks $window"
		run 0 top vm --table outliers --format csv -n 0 -q --begin "+${begin}s" --end "+${end}s" "$world"
		cp "$dir/out" "$dir/outliers $window"
	done
	for of in "stolen duration_ns" "tasks stolen_ns" "vcpus preempted_ns"; do
		read -r table column <<<"$of"
		equal "$column of $table of two windows is that of both, $options" \
			"$(for w in "0.2 0.21" "0.21 0.3"; do column_sum "$column" <"$dir/$table $w"; done | awk '{ s += $1 } END { printf "%.0f", s }')" \
			"$(column_sum "$column" <"$dir/$table 0.2 0.3")"
	done
	check "what takes long and began before is there, $options" awk -F, \
		'NR == 1 { next } { n++; whole += substr($2, 8) - substr($1, 8) == $3; if ($3 > 1e7) long++ }
		END { exit !(n && n == whole && long) }' "$dir/outliers 0.2 0.21"
	check "no preemption is longer than a window of 10 ms, $options" awk -F, \
		'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ if ($at["preemption_max_ns"] > 1e7) wrong++; if ($at["long_preemptions"] * 2e6 > $at["preempted_ns"]) wrong++ }
		END { exit !(NR > 2 && !wrong) }' "$dir/vcpus 0.2 0.21"
done

# Groups have names; what a table cannot be grouped by is told, with the table that can; nothing twice.
for by in comm program process thread; do
	run 0 top vm --table tasks --group-by $by --json -q "$world"
	check "names of tasks by $by" jq -e '.tables[0].rows | length > 5 and all(.comm | length > 0)' "$dir/out"
done
for by in by_host by_tid guest guest_comm neighbour culprit; do
	run 2 top vm --table tasks --group-by "$by" -q "$world"
	text "$dir/err" "table .neighbours. has" "tasks by $by: which table can"
	run 0 top vm --table neighbours --group-by "$by" -q "$world"
done
run 2 top vm --table neighbours --group-by nothing -q "$world"
equal "no key twice" "$(tr -d '\n' <"$dir/err" | sed 's/.*there are: //; s/Try.*//' | tr ',' '\n' | sort | uniq -d)" ""
# What is not known is told where it is read, in 80 columns: a column, a line for all, and no figures of what nothing is
# known of. Percentages are of what is known.
unknown_is_right() {
	jq -e '.tables[0].rows | (map(select(.unknown_ns > 0)) | length > 0) and all(if .unknown_ns == .seen_ns
		then .guest_ns == null and .stolen_ns == null and .stolen_percent == null and .stolen_count == null
		else .seen_ns == .guest_ns + .hypervisor_ns + .user_ns + .stolen_ns + .unknown_ns and
			(.stolen_percent - .stolen_ns * 100 / (.seen_ns - .unknown_ns) | fabs < 1e-6) end)' "$1"
}
for options in "--cpus 2 --vcpus 2 --lost 10% --duration 500ms --hogs 1 --seed 43" "--cpus 1 --vcpus 1 --duration 5ms --seed 15"; do
	rm -rf "$world"
	vm=()
	# shellcheck disable=SC2086 # words
	check "world $options" "$KERNELWORLD" -o "$world" --vms 2 --statedump $options
	[[ $options == *lost* ]] || vm=(--vm "g0=h0:$(awk -F, '$1 == "g0" { print $4; exit }' "$world/truth/vms.csv")")
	run 0 top vm "${vm[@]}" --table tasks --all -n 0 --json -q "$world"
	check "unknown of tasks, $options" unknown_is_right "$dir/out"
	COLUMNS=80 run 0 top vm "${vm[@]}" --table tasks --all -q "$world"
	text "$dir/out" '^host .* stolen +unknown' "the column, $options"
	text "$dir/out" '^Unknown: .* of .* \(' "how much of all, $options"
	if [[ $options == *lost* ]]; then
		run 0 top vm --table vcpus --json -q "$world"
		check "percentages of vCPUs, $options" jq -e '.tables[0].rows | length > 2 and
			all((.guest_percent - .guest_ns * 100 / (.total_ns - .unknown_ns) | fabs) < 1e-6)' "$dir/out"
	else
		text "$dir/out" '^g0 .* - +[0-9.]+ [um]s *(-|$)' "nothing known, nothing said"
	fi
done
rm -rf "$world"
check "world without losses" "$KERNELWORLD" -o "$world" --cpus 2 --vms 2 --vcpus 1 --statedump --seed 44 --duration 300ms --hogs 1
COLUMNS=80 run 0 top vm --table tasks -q "$world"
no_text "$dir/out" "unknown +|^Unknown" "nothing is unknown that is not"
run 0 top vm --table vcpus --cpu 1 --json -q "$world"
check "what runs on other CPUs, too, is not pinned to the one that is looked at" jq -e \
	'.tables[0].rows | length > 0 and all(.pinned == null)' "$dir/out"
run 0 top vm --table tasks,bins --bins 2 --json -q "$world"
equal "tables that were named, and no others" "$(jq -r '[.tables[].id] | join(" ")' "$dir/out")" "tasks bins"
run 2 top vm --table tasks --bins 2 -q "$world"
text "$dir/err" "bins does not apply to the table .tasks" "of a table that is not over time"

# Of a path: who had the CPU while it was stolen from whoever had it or waited for it. The truth of its stolen pieces.
world=$dir/thieves
check "a world of thieves" "$KERNELWORLD" -o "$world" --cpus 2 --vms 2 --vcpus 2 --hogs 1 --layout old --duration 800ms --seed 8
n=0
for tid in 306 313; do
	run 0 path -q --host g0 --tid $tid --json "$world"
	jq -r '(table("segment_cpus") | map({key: "\(.row)", value: .cpu}) | from_entries) as $cpu |
		table("segments") | to_entries[] | $cpu["\(.key + 1)"] as $c | .value | select(.cause == "stolen") | "\(.host),\($c),\(.begin),\(.end)"' "$dir/out" >"$dir/pieces"
	most=$(awk -F, 'function rest(t) { return substr(t, 8) + 0 }
		FILENAME ~ /pieces$/ { n++; h[n] = $1; c[n] = $2; b[n] = rest($3); e[n] = rest($4); next }
		FNR > 1 {
			x = rest($4); y = rest($5); who = ($9 != "" ? $9 : $8 "/" $7) " on h0"
			for (i = 1; i <= n; i++)
				if (h[i] == $1 && c[i] == $2 && b[i] < y && x < e[i])
					sum[who] += (e[i] < y ? e[i] : y) - (b[i] > x ? b[i] : x)
		}
		END { for (k in sum) if (sum[k] > most) { most = sum[k]; who = k }
			if (most) printf "%s (%.1f ms)\n", who, most / 1e6 }' "$dir/pieces" "$world/truth/stolen.csv")
	for store in --no-store --store; do
		COLUMNS=200 run 0 path -q --host g0 --tid $tid $store "$world"
		ours=$(sed -n 's/^Stolen by: \([^)]* ms\)).*/\1/p' "$dir/out")
		check "who stole most from $tid, $store: $ours, and in truth $most" awk -v ours="$ours" -v truth="$most" 'BEGIN {
			split(ours, a, / *[()]/); split(truth, b, / *[()]/); exit !(a[1] == b[1] && a[2] > 0.99 * b[2] && a[2] < 1.01 * b[2]) }'
	done
	[ -n "$most" ] && n=$((n + 1))
done
check "thieves were found" test $n = 2
finish
