#!/usr/bin/env bash
# Stolen time of guests, whole: simulated hosts whose truth is known, and a real recording.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# The truth: how long each task of the host, or each task of another guest, had what of which guest.
truth() { # FILE
	awk -F, 'NR > 1 && $3 != "" && $3 != 0 {
		sum[$1 " " $7 " " $9 " " $10] += $5 - $4
	} END { for (k in sum) printf "%s,%.0f\n", k, sum[k] }' "$1"
}

# The same of tasks that were ready: whose CPU of the guest was stolen from whoever had it.
chained() {
	awk -F, 'function rest(t) { return substr(t, 8) + 0 }
	FILENAME ~ /vcpus/ { # known from its first entry on
		if ($5 == "guest" && !(($1 " " $2) in since)) since[$1 " " $2] = rest($3)
		next
	}
	FILENAME ~ /stolen/ {
		k = $1 " " $2
		if (FNR == 1 || rest($4) < since[k]) next
		n[k]++
		begin[k, n[k]] = rest($4)
		end[k, n[k]] = rest($5)
		by[k, n[k]] = $7 " " $9 " " $10
		next
	}
	$1 ~ /^g/ && $5 == "runnable" && $10 != "" {
		k = $1 " " $10
		first = 1
		for (last = n[k] + 1; first < last;) { # the first that ends later than it begins
			i = int((first + last) / 2)
			if (end[k, i] > rest($3)) last = i
			else first = i + 1
		}
		for (i = first; i <= n[k] && begin[k, i] < rest($4); i++) {
			from = rest($3) > begin[k, i] ? rest($3) : begin[k, i]
			until = rest($4) < end[k, i] ? rest($4) : end[k, i]
			sum[$1 " " by[k, i]] += until - from
		}
	}
	END { for (k in sum) printf "%s,%.0f\n", k, sum[k] }' "$1/vcpus.csv" "$1/stolen.csv" "$1/states.csv"
}

# "top vm --table neighbours --group-by 'host culprit'" as rows "host TAB by TAB ns"; its words may have commas.
pairs() {
	awk 'NR == 1 { n = split($0, key, ",")
		for (i = 1; i <= n; i++) if (key[i] == "stolen_ns") at = i
		next }
	{
		host = $0; sub(/,.*/, "", host)
		by = substr($0, length(host) + 2)
		if (by ~ /^"/) { by = substr(by, 2); rest = by; sub(/",.*/, "", by); sub(/[^"]*"/, "", rest) }
		else { rest = by; sub(/,.*/, "", by); rest = substr(rest, length(by) + 1) }
		split(rest, cell, ",")
		if (cell[at - 1]) printf "%s\t%s\t%s\n", host, by, cell[at - 1]
	}'
}

# Rows "host TAB by TAB ns" as in the truth: "by" is "worker/306 on g1 (vCPU CPU 0/KVM/319 on h0)".
ours() {
	awk -F'\t' '{
		by = vcpu = $2
		tid = guest = inner = ""
		if (match(by, / \(vCPU .*\)$/)) {
			vcpu = substr(by, RSTART)
			guest = substr(by, 1, RSTART - 1)
			sub(/, idle$/, "", guest)
			if (match(guest, /\/[0-9]+ on /)) {
				inner = substr(guest, RSTART + 1, RLENGTH - 5)
				guest = substr(guest, RSTART + RLENGTH)
			}
		}
		if (match(vcpu, /\/[0-9]+ on /)) tid = substr(vcpu, RSTART + 1, RLENGTH - 5)
		printf "%s %s %s %s,%.0f\n", $1, tid, guest, inner, $3
	}'
}

# What is known of the truth begins and ends with the guests' events: a little less than all of it.
compare() { # NAME LIMIT: $dir/truth, $dir/ours
	awk -F, -v name="$1" -v limit="$2" 'NR == FNR { t[$1] += $2; all += $2; next } { o[$1] += $2 }
	END {
		for (k in t) { d = t[k] - o[k]; wrong += d < 0 ? -d : d }
		for (k in o) if (!(k in t)) wrong += o[k]
		if (all && wrong < all * limit) exit 0
		printf "%s: %.3f ms of %.3f ms are another one'"'"'s\n", name, wrong / 1e6, all / 1e6
		exit 1
	}' "$dir/truth" "$dir/ours"
}

for seed in 1 2; do
	for layout in "--vcpus 2" "--vcpus 1 --layout old --svm"; do
		world=$dir/world
		rm -rf "$world"
		# shellcheck disable=SC2086 # words
		check "world $seed $layout" "$KERNELWORLD" -o "$world" --seed $seed --cpus 2 --vms 3 \
			--statedump --duration 800ms --guest-ahead 3ms --guest-ppm 20 $layout
		truth "$world/truth/stolen.csv" >"$dir/truth"
		run 0 top vm --table neighbours --group-by "host culprit" --all -n 0 --format csv -q "$world"
		pairs <"$dir/out" | ours >"$dir/ours"
		check "culprits of $seed $layout" compare "$seed $layout" 0.02
		# Of each guest: the thread of the hypervisor that stole most in all, whatever ran in it. Two may have taken as good as the same.
		cat >"$dir/most.awk" <<-'A'
			BEGIN { FS = "[ ,]" }
			NR == FNR { sum[$1 " " $2] += $NF; next }
			FNR == 1 { for (k in sum) { split(k, g, " "); if (sum[k] > most[g[1]]) most[g[1]] = sum[k] } }
			{ n++; t = sum[$1 " " $2]; d = $NF - t; bad += t < 0.98 * most[$1] || ($NF && (d < 0 ? -d : d) > 0.06 * t + 1e6) }
			END { exit n != 3 || bad }
		A
		run 0 top vm --table guests --all -n 0 --json -q "$world"
		jq -r '.tables[0].rows[] | [.host, .by, .by_ns] | @tsv' "$dir/out" | ours >"$dir/ours.most"
		check "who stole most of $seed $layout" awk -f "$dir/most.awk" "$dir/truth" "$dir/ours.most"
		run 0 summary --json -n 0 -q "$world"
		jq -r '.tables[] | select(.id == "hosts").rows[] | select(.stolen_by) | [.host, .stolen_by, 0] | @tsv' "$dir/out" | ours >"$dir/ours.most"
		check "and in summary, of $seed $layout" awk -f "$dir/most.awk" "$dir/truth" "$dir/ours.most"
		check "with its time of $seed $layout" jq -e '[.tables[] | select(.id == "findings").rows[] | select(.rule == "stolen")] |
			length > 0 and all(.time2_ns > 0 and .time2_ns < .time_ns and .share_percent > 5 and .share_percent <= 100)' "$dir/out"
		chained "$world/truth" >>"$dir/truth"
		run 0 blocked --all -n 0 --json -q "$world"
		cp "$dir/out" "$dir/kept"
		run 0 blocked --all -n 0 --json -q --store "$world"
		check "the same from saved results, of $seed $layout" cmp "$dir/kept" "$dir/out"
		jq -r '[.. | objects | select(.cause? == "stolen" and .class?)][] | [.host, .by, .total_ns] | @tsv' "$dir/out" |
			ours >"$dir/ours"
		check "culprits of waits for CPUs, of $seed $layout" compare "$seed $layout, waits" 0.04
		run 0 top vm --table tasks --all -n 0 --json -q "$world"
		check "parts of $seed $layout" jq -e '.tables[0].rows | length > 10 and all(.seen_ns ==
			.guest_ns + .hypervisor_ns + .user_ns + .stolen_ns + .unknown_ns)' "$dir/out"
	done
done

# What is missing, and where, is said: a host that was not chosen; an event of the hypervisor.
run 3 top vm -q --host g0 --table vcpus "$world"
text "$dir/out" 'recorded on h0, which --host leaves out'
rm -rf "$dir/no_exits"
cp -r "$world" "$dir/no_exits"
sed -i 's/"kvm_x86_exit"/"kvm_x86_ezit"/; s/"kvm_exit"/"kvm_ezit"/' "$dir/no_exits/h0/kernel/metadata"
run 0 top vm -q "$dir/no_exits"
text "$dir/out" 'cannot be trusted: the traces lack events that this analysis needs'
text "$dir/out" 'on the hypervisor:$'
text "$dir/out" '^lttng enable-event .*kvm_x86_exit'
run 0 top vm -q "$world"
no_text "$dir/out" 'trusted'

# A clock that is off by e puts events outside of the guest, by e: the clocks of one world, the events of the same world
# with other clocks of its guests.
world=$dir/world
clocks() { # AHEAD OPTION...
	rm -rf "$world"
	"$KERNELWORLD" -o "$world" --cpus 2 --vms 2 --vm-latency 2ns --seed 5 --guest-ahead "$1" "${@:2}" >/dev/null ||
		fail "no world with clocks ahead by $1"
}
clocks 3ms --vcpus 2 --duration 600ms
run 0 sync -q --save "$dir/saved" "$world"
for e in 1000 -1000 20000 -20000 200000 -200000; do
	clocks $((3000000 + e))ns --vcpus 2 --duration 600ms
	run 0 top vm --table bad --sync "$dir/saved" --json -q "$world"
	check "distances with an error of $e ns" jq -e --argjson e "${e#-}" '.tables[0].rows | length == 2 and
		all(.bad > 500 and (.mean_ns - $e | fabs) <= $e / 20 and .max_ns <= $e * 1.1 and .p95_ns <= .max_ns)' "$dir/out"
done

# The same of clocks that lose: by all of the 3 ms of one that is left as it is, and never by the way to a time of which
# nothing is known, at the begin and the end of the recording.
rm -rf "$world"
check "a world of clocks that lose" "$KERNELWORLD" -o "$world" --cpus 2 --vms 2 --vcpus 2 --hogs 2 --duration 600ms --seed 77 \
	--guest-ahead 3ms --guest-ppm 40 --statedump --svm
for method in none offset; do
	run 0 sync -q --method $method --save "$dir/saved" "$world"
	run 0 top vm --bins 6 --sync "$dir/saved" --json -q "$world"
	if [ $method = none ]; then
		within='.mean_ns > 2990e3 and .p95_ns < 3030e3 and .max_ns < 3030e3'
	else
		within='.mean_ns > 500 and .max_ns < 40e3'
	fi
	check "distances of clocks that lose, method $method" jq -e '.tables[] | select(.id == "bins_bad") |
		.rows | map(select(.events > 100)) | length > 10 and all(.bad > 20 and '"$within"')' "$dir/out"
done

# One that is off until 1.7 s: found to a bin, by as much.
clocks 3ms --duration 3s
run 0 sync -q --save "$dir/saved" "$world"
clocks 3ms --duration 3s --glitch 20us --glitch-until 1700ms
run 0 top vm --bins 30 --sync "$dir/saved" --json -q "$world"
check "a glitch over time" jq -e '.tables[] | select(.id == "bins_bad") | .rows | map(select(.events > 1000)) |
	(map(select(.guest == "g0" and .bad > 100)) | length == 17 and (last.end % 1e10 / 1e6 | . > 1690 and . < 1710) and
		all(.mean_ns > 19000 and .mean_ns < 21000)) and
	(map(select(.bad > 0 and .bad <= 100)) | length < 3 and all(.max_ns > 0 and .max_ns < 100))' "$dir/out"
run 0 top vm --table bad --json -q "$world"
check "clocks by the schedule know of the glitch" jq -e '.tables[0].rows | length == 2 and all(.bad < 10 and (.mean_ns // 0) < 20000)' "$dir/out"
# What only the traces know is read from them, where there is a store, too.
jq -c '.tables[0].rows' "$dir/out" >"$dir/without"
run 0 top vm --table tasks --store -q "$world"
run 0 top vm --table bad --json -q "$world"
equal "events outside, beside a store" "$(jq -c '.tables[0].rows' "$dir/out")" "$(cat "$dir/without")"

# Where the hypervisor lost events, a vCPU may have run on the CPU that was not recorded: what it did is unknown until
# it is seen again, and no event of a guest is taken for one that cannot be.
rm -rf "$dir/lossy"
check "world of losses" "$KERNELWORLD" -o "$dir/lossy" --cpus 3 --vms 2 --vcpus 2 --duration 500ms --seed 78 --clock --lost 4% --packet 16384 --hogs 1
run 0 top vm --table bad --json -q "$dir/lossy"
check "losses put no event outside" jq -e '.tables[0].rows | length == 2 and all(.events > 20000 and .bad < 5)' "$dir/out"
all=$("$m" events --host g0 -q "$dir/lossy" | wc -l)
check "nor count the events of which that is not known" jq -e --argjson all "$all" \
	'.tables[0].rows[] | select(.guest == "g0") | .events > 0.6 * $all and .events < 0.98 * $all' "$dir/out"
run 0 top vm --table vcpus --json -q "$dir/lossy"
check "what vCPUs did in losses is unknown" jq -e '.tables[0].rows | (map(.unknown_ns) | add) / (map(.total_ns) | add) | . > 0.02 and . < 0.4' "$dir/out"

# Where events are missing and nothing counts them, the vCPUs are those that there are, with their numbers, and what they
# did is right but for what is unknown.
rm -rf "$dir/lossy"
check "world of losses that nothing counts" "$KERNELWORLD" -o "$dir/lossy" --cpus 2 --vms 2 --vcpus 2 --hogs 1 --lose 1% --duration 1s \
	--seed 23 --statedump
run 0 top vm --table vcpus -n 0 --json -q "$dir/lossy"
equal "vCPUs where events are missing" "$(jq -r '.tables[0].rows[] | "\(.tid) \(.vcpu)"' "$dir/out" | sort)" \
	"$(awk -F, 'NR > 1 { print $5, $2 }' "$dir/lossy/truth/vms.csv" | sort)"
jq -r '.tables[0].rows[] | "\(.tid) \(.guest_ns) \(.preempted_ns + .runnable_ns) \(.halted_ns) \(.unknown_ns)"' "$dir/out" >"$dir/ours"
check "what they did" awk -F'[, ]' '
	FILENAME ~ /vms.csv$/ { tid[$1 " " $2] = $5; next }
	FILENAME ~ /vcpus.csv$/ { in_state[tid[$1 " " $2] " " $5] += substr($4, 8) - substr($3, 8); next }
	function off(ours, state,   d) { d = ours - in_state[$1 " " state]; return d > 5e6 || d < -$5 - 5e6 }
	{ n++; wrong += off($2, "guest") || off($3, "preempted") || off($4, "halted") || $5 < 1e6 || $5 > 60e6 }
	END { exit !(n == 4 && !wrong) }' "$dir/lossy/truth/vms.csv" "$dir/lossy/truth/vcpus.csv" "$dir/ours"

# Spinning for a lock: which other CPU of the guest was preempted then.
rm -rf "$world"
check "world of spins" "$KERNELWORLD" -o "$world" --cpus 2 --vms 2 --vcpus 3 --spins --statedump --duration 400ms --seed 4
for tables in top blocked; do
	if [ $tables = top ]; then
		run 0 top vm --table spins -n 0 --json -q "$world"
		jq -r '.tables[0].rows[] | "\(.tid) \(.sibling) \(.count)"' "$dir/out" >"$dir/spins"
		awk -F, 'NR == FNR { tid[$1 " " $2] = $5; next } FNR > 1 && $4 != "" { n[tid[$1 " " $2] " " $4]++ }
			END { for (k in n) print k, n[k] }' "$world/truth/vms.csv" "$world/truth/spins.csv" | sort >"$dir/truth"
	else # only those of tasks, one row for each preempted CPU and who had it
		run 0 blocked --all -n 0 --json -q "$world"
		jq -r '[.. | objects | select(.cause? == "hypervisor" and .class?)][] | "\(.host) \(.by) \(.count)"' "$dir/out" |
			sed 's/ spins while CPU \([0-9]*\) .* \([0-9]*\)$/ \1 \2/' >"$dir/spins"
		awk -F, 'FNR > 1 && $4 != "" { n[$1 " " $4]++ } END { for (k in n) print k, n[k] }' "$world/truth/spins.csv" | sort >"$dir/truth"
	fi
	awk '{ n[$1 " " $2] += $3 } END { for (k in n) print k, n[k] }' "$dir/spins" | sort >"$dir/ours"
	check "spins, $tables: $(wc -l <"$dir/truth")" awk '
		NR == FNR { truth[$1 " " $2] = $3; n++; next }
		{ d = $3 - truth[$1 " " $2]; wrong += d * d > 4 + truth[$1 " " $2] * truth[$1 " " $2] / 400; m++ }
		END { exit !(n > 4 && n == m && !wrong) }' "$dir/truth" "$dir/ours"
done

# Guests whose disks are files of their hosts: at each moment of what reads and writes them the path is with the task of
# the guest or of its host that it was with.
with() { # WINDOW GUEST TID BEGIN END
	"$m" path -q --host "$2" --tid "$3" --begin "$4" --end "$5" --json "$world" >"$dir/path" || fail "no path of window $1"
	grep -o '"begin":[0-9]*,"end":[0-9]*,"host":"[^"]*","tid":[-0-9nul]*' "$dir/path" |
		sed 's/"[a-z]*"://g; s/"//g; s/null/-1/' >"$dir/ours"
	awk -F, -v window="$1" 'function rest(t) { return substr(t, 8) + 0 }
		FILENAME ~ /ours$/ { n++; begin[n] = rest($1); end[n] = rest($2); who[n] = $3 " " $4; next }
		$1 == window {
			for (i = 1; i <= n; i++) {
				from = begin[i] > rest($4) ? begin[i] : rest($4)
				until = end[i] < rest($5) ? end[i] : rest($5)
				if (until > from && who[i] == $2 " " $3) same += until - from
			}
			all += rest($5) - rest($4)
			if ($2 ~ /^h/) host += rest($5) - rest($4)
		}
		END { printf "%.0f %.0f %.0f\n", all, same, host }' "$dir/ours" "$world/truth/paths.csv"
}
for options in "--vcpus 2 --seed 5" "--layout old --svm --seed 3"; do
	rm -rf "$world"
	# shellcheck disable=SC2086 # words
	check "world $options" "$KERNELWORLD" -o "$world" --cpus 2 --vms 2 --virtio --statedump --duration 400ms \
		--guest-ahead 1ms $options
	awk -F, '$2 ~ /^g/' "$world/truth/requests.csv" | head -40 | while IFS=, read -r window guest tid begin end; do
		with "$window" "$guest" "$tid" "$begin" "$end"
	done >"$dir/with"
	check "paths through the hypervisor, $options: $(awk '{ a += $1; s += $2; h += $3 } END { print NR, a, s, h }' "$dir/with")" \
		awk '{ all += $1; same += $2; host += $3 } END { exit !(NR == 40 && host > all / 5 && same > 0.97 * all) }' "$dir/with"
done

nested=$lab/kvm-nested
if [ -d "$nested" ]; then
	run 0 top vm --table tasks --all -n 0 --json -q "$nested"
	check "parts of tasks" jq -e '.tables[0].rows | length > 10 and all(.seen_ns ==
		.guest_ns + .hypervisor_ns + .user_ns + .stolen_ns + .unknown_ns)' "$dir/out"
	# With its time before exec: as stats cpu has it.
	check "l2burn" jq -e '.tables[0].rows[] | select(.comm == "l2burn") | .unknown_ns == 0 and
		(.seen_ns - 2591e6 | fabs) < 2e6 and (.stolen_ns - 1034e6 | fabs) < 15e6 and
		(.by | startswith("l1hog/"))' "$dir/out"
	run 0 top vm --table vcpus --json -q "$nested"
	check "states of the vCPU" jq -e '.tables[0].rows | length == 1 and all(.total_ns ==
		.guest_ns + .hypervisor_ns + .user_ns + .preempted_ns + .runnable_ns + .halted_ns + .unknown_ns)' "$dir/out"
	# Switched out while it would run on, and waiting for the CPU since a wake-up: as of any thread.
	equal "preempted, and runnable since wake-ups" "$(jq -c '.tables[0].rows[] | [.preemptions, .preempted_ns, .runnable_ns]' "$dir/out")" \
		"$("$m" stats sched -q --json --host l1 --tid "$(jq '.tables[0].rows[0].tid' "$dir/out")" "$nested" |
			jq -c '.tables[0].rows[] | [.preemptions, .preempted_ns, .total_ns]')"
	run 0 path --comm l2burn --json -q "$nested"
	check "path names who stole" jq -e '([table("segments")[] | select(.cause == "stolen" and .state == "interrupted")] |
		(map(.end - .begin) | add) as $all | $all > 900e6 and
		(map(select(.detail | endswith("/293 on l1"))) | map(.end - .begin) | add) > 0.95 * $all) and
		(table("by_cause") | map(.total_ns) | add) == table("path")[0].total_ns' "$dir/out"
	check "path names who stole from whom it waited for" jq -e '[table("segments")[] |
		select(.cause == "stolen" and .state == "runnable")] | length > 100 and
		(map(select(.detail | test("^[^ ]+/[0-9]+, stolen by [^ ]+/[0-9]+ on l1$"))) | length) > 100' "$dir/out"
	run 0 path --host l2 --tid 9 --begin 02:31:08.8 --end 02:31:09.3 --json -q "$nested"
	check "a guest's disk: a worker of the VM writes its file" jq -e '[table("segments")[] | select(.host == "l1")] |
		(map(select(.comm == "worker" and (.detail // "" | startswith("pwrite")))) | length > 5) and
		(map(select(.comm == "qemu-system-x86")) | length > 20) and
		(map(select(.comm == "CPU 0/KVM" and .cause == "runnable")) | length > 3)' "$dir/out"
	run 0 task --host l2 --tid 9 --begin 02:31:08.8 --end 02:31:09.3 -q "$nested"
	text "$dir/out" '^ \\_ qemu-system-x86/242 on l1' "task: who served its disk"
	text "$dir/out" '^     \\_ worker/26[01] ' "task: and with whom"
	run 0 top vm --table neighbours --group-by "host neighbour" -n 1 --json -q "$nested"
	equal "a column of the table that is grouped by is there once" "$(grep -o '"neighbour":' "$dir/out" | wc -l)" 1
	equal "the neighbour of l2" "$(jq -r '.tables[0].rows[0] | "\(.host) \(.neighbour)"' "$dir/out")" "l2 l1hog/293 on l1"
	run 0 blocked --comm l2burn --json -q "$nested"
	check "blocked names who stole" jq -e '[.. | objects | select(.cause? == "stolen" and .by == "l1hog/293 on l1")] |
		length > 0 and .[0].total_ns > 900e6' "$dir/out"
	# What is written to a guest goes to who reads it there, and not to the process that takes it from the tap; what the
	# kernel answers to a packet that this one writes is not its own.
	run 0 graph --all -n 0 --json -q "$nested"
	equal "bytes through the tap" "$(jq -c '[.tables[0].rows[] | select(.kind == "tcp" and (.object | endswith(":6000"))) |
		[.from_comm, .to_comm, .bytes]] | sort' "$dir/out")" '[["pp-cli","pp-srv",6400],["pp-srv","pp-cli",6400]]'
	equal "none of the process of the VM" "$(jq -c '[.tables[0].rows[] | select(.kind == "tcp" or .kind == "socket") |
		.from_comm, .to_comm | select(. == "qemu-system-x86")]' "$dir/out")" '[]'
else
	echo "skipped: kvm-nested is not there"
fi
finish
