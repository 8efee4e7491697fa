#!/usr/bin/env bash
# The command below a finding of meridian summary shows the finding's number: of every recording that is there each
# command is run, and what it shows is compared. And docs/dev/summary-check.md row by row: the first finding is what it says.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80
mkdir "$dir/bin"
ln -s "$m" "$dir/bin/meridian"

# What of the command's JSON has the number of a finding of this rule ($f), and which of its numbers that is.
shows() {
	case $1 in
	cpu-queue) echo '[.tables[0].rows[] | select(.host == $f.host) | .runnable_ns, .runnable_tasks] == [$f.time_ns, $f.value]' ;;
	cpu-full) echo '([.tables[0].rows[].full_ns] | add) == $f.time_ns' ;;
	brief-processes) echo '[.tables[0].rows[] | .brief_ns, .brief] == [$f.time_ns, $f.count2]' ;;
	disk-busy) echo '([.tables[0].rows[].busy_percent] | max) == $f.share_percent' ;;
	disk-errors) echo '([.tables[0].rows[].errors] | add) == $f.count' ;;
	# Waits of the task that waited most: the last number of the sentence.
	disk-waits | major-faults) echo '([table("waits")[] | select(.cause == "disk" and (.kind == "syscall") == ($f.rule == "disk-waits")).total_ns] | add) == $f.time2_ns' ;;
	# Of senders that are known, too, where events were lost.
	unknown-senders) echo '([table("waits")[] | select(.cause == "network").total_ns] | add) >= $f.time2_ns' ;;
	flushes) echo '([.tables[0].rows[] | select(.name == "disk flush").total_ns] | add) == $f.time_ns' ;;
	lock-waits) echo '([.tables[0].rows[].lock_ns // 0] | add) == $f.time_ns' ;;
	stolen) echo '[.tables[0].rows[] | .stolen_ns, .stolen_percent, .by_ns, .by_task_ns] == [$f.time_ns, $f.share_percent, $f.time2_ns, $f.time3_ns]' ;;
	softirqs) echo '([.tables[0].rows[].softirq_ns] | add) == $f.time_ns' ;;
	interrupts) echo '([.tables[0].rows[].irq_ns] | add) == $f.time_ns' ;;
	busy-polling) echo '([.tables[0].rows[].cpu_ns] | add) >= $f.time_ns' ;; # the tracer's, too
	mpi-waits) echo '([.tables[0].rows[] | select(.host == $f.host)] | [(map(.waiting_ns) | add), length]) == [$f.time_ns, $f.count]' ;;
	network-latency) echo '[.tables[0].rows[] | select(.from == $f.object and .to == $f.host) | .mean_ns - $f.time2_ns | fabs] | length == 1 and .[0] < 1000' ;;
	repeated-packets) echo '[.tables[0].rows[] | select(.from == $f.host and .to == $f.object) | .unmatched] == [$f.count2 // 0]' ;;
	scheduling-latency) echo 'any(.tables[0].rows[]; .latency_ns == $f.time_ns and .tid == $f.tid)' ;;
	stuck-locks) echo '([.tables[0].rows[] | select(.kind == "lock").so_far_ns] | max) == $f.time_ns' ;;
	# How busy the hosts were; with waits see "also".
	nothing-saturated) echo 'if $f.object or $f.object2 then true else ([.tables[0].rows[].percent // 0] | max) == $f.share_percent end' ;;
	*) ;;
	esac
}

# also FINDING TRACE: a sentence may have two numbers, or one whose command tells more than that number. Where else it is:
# of all tasks of the host together, in the summary's own tables, in the table of hosts.
also() {
	local finding=$1 t=$2 rule host=()
	rule=$(jq -r .rule <<<"$finding")
	jq -e .host <<<"$finding" >/dev/null && host=(--host "$(jq -r .host <<<"$finding")")
	case $rule in
	disk-waits | major-faults | unknown-senders) "$m" blocked --all --flat -n 0 --json -q "${host[@]}" "$t" >"$dir/out" 2>/dev/null ;;
	nothing-saturated) "$m" top cpu --table hosts -n 0 --json -q "$t" >"$dir/out" 2>/dev/null ;;
	*) return ;;
	esac
	case $rule in
	disk-waits) is='([table("waits")[] | select(.cause == "disk" and .kind == "syscall").total_ns] | add) == $f.time_ns' ;;
	major-faults) is='([table("waits")[] | select(.cause == "disk" and .kind == "page-fault").total_ns] | add) == $f.time_ns' ;;
	# Not only of unknown senders; in the summary these have a row.
	unknown-senders) is='([table("waits")[] | select(.cause == "network").total_ns] | add) >= $f.time_ns and ([$s.tables[] |
		select(.id == "waits").rows[] | select(.host == ($f.host // .host) and .total_ns == $f.time_ns and .count == $f.count)] | length) == 1' ;;
	nothing-saturated) is='([.tables[0].rows[].percent // 0] | max) == $f.share_percent and (($f.object // null) == null or
		([$s.tables[] | select(.id == "waits").rows[] | select(.cause == $f.object).total_ns] | add) == $f.time2_ns)' ;;
	esac
	if jq -e --argjson f "$finding" --slurpfile all "$dir/summary" '$all[0] as $s | '"$is" "$dir/out" >"$dir/answer" 2>&1; then
		ok
	else
		fail "$t: $(jq -r .finding <<<"$finding"): $(head -c 200 "$dir/answer")"
	fi
}

n=0 seen=
for t in "$lab"/* "$public"/* demo/*; do
	[ -d "$t" ] || continue
	case " $seen " in *" ${t##*/} "*) continue ;; esac
	seen="$seen ${t##*/}"
	"$m" summary -q --json -n 0 "$t" >"$dir/summary" 2>/dev/null </dev/null || continue
	jq -c '.tables[] | select(.id == "findings").rows[]' "$dir/summary" >"$dir/findings"
	head -1 "$dir/findings" | jq -r --arg name "${t##*/}" '[$name, .host, .finding] | join("|")' >>"$dir/first"
	while IFS= read -r finding; do
		rule=$(jq -r .rule <<<"$finding")
		is=$(shows "$rule")
		[ -n "$is" ] || continue
		next=$(jq -r .next <<<"$finding")
		PATH=$dir/bin:$PATH bash -c "${next/ / } --json -q" >"$dir/out" 2>"$dir/err" </dev/null
		if jq -e --argjson f "$finding" "$is" "$dir/out" >"$dir/answer" 2>&1; then ok; else
			fail "$t: $(jq -r .finding <<<"$finding"): not shown by $next: $(head -c 200 "$dir/answer") $(head -1 "$dir/err")"
		fi
		also "$finding" "$t"
		n=$((n + 1))
	done <"$dir/findings"
done
[ $n -gt 0 ] || echo "skipped: no recordings"

# The document: its rows of recordings that are there, as a host that is the only one is not named.
while IFS='|' read -r name host first; do
	says=$(grep -F "| $name |" "$SRC/docs/dev/summary-check.md" | cut -d'|' -f4 | sed 's/^ *//; s/ *$//; s/; second: .*//')
	case "$says" in '' | "$first" | "$host: $first") ok ;; *) fail "docs/dev/summary-check.md: $name: '$host: $first', not '$says'" ;; esac
done <"$dir/first"
finish
