#!/usr/bin/env bash
# meridian sync on simulated guests (docs/dev/kernelworld.md), whose clocks and vCPUs are known, and on a recorded one.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
[ -x "$KERNELWORLD" ] || { echo "skipped: no kernelworld"; exit 77; }
w=$dir/world

make() { # OPTION...
	rm -rf "$w"
	ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$w" "$@" >"$dir/made" || fail "not made: $*"
}
# paired WHAT [KNOWN_BY]: each guest is that of the right threads
paired() {
	equal "$1: guests, by the threads of their vCPUs" \
		"$(jq -r '. as $d | [table("vcpus")[] | . as $c | $d | table("vms")[$c.row - 1] | select(.guest) | "\(.guest) \($c.vcpu) \(.hypervisor) \($c.tid)"] | sort[]' "$dir/out")" \
		"$(awk -F, 'NR > 1 { print $1, $2, $3, $5 }' "$w/truth/vms.csv" | sort)"
	equal "$1: known by" "$(jq -r '[table("vms")[] | select(.guest) | .known_by] | unique[]' "$dir/out")" "${2:-schedule}"
}
# inside WHAT GUEST HOST: at 40 times of the guest its host's true time is within the limits. Times of a clock are
# true + ahead + drift * (true - begin), in truth/clocks.csv.
inside() {
	local ahead drift times
	IFS=, read -r _ ahead drift < <(grep "^$2," "$w/truth/clocks.csv")
	times=$(jq -r --arg g "$2" 'table("host_details")[] | select(.host == $g) | [range(1; 40) as $i | .begin + ((.end - .begin) / 40 * $i | floor)] | join(",")' "$dir/out")
	"$m" sync --json --at "$2:$times" "${@:4}" "$w"/h* "$w"/g* >"$dir/at" 2>/dev/null
	# Seconds are cut off: doubles hold 1e9 ns of 1e18 no more than to 128 ns.
	equal "$1: $2 is where it is on $3's clock" "$(jq -r --arg h "$3" 'table("at")[] | select(.host == $h and .low) | "\(.from_time) \(.low) \(.high)"' "$dir/at" |
		awk -v ahead="$ahead" -v drift="$drift" 'function rest(t) { return substr(t, 6) + 0 }
			{ true = (rest($1) - ahead) / (1 + drift); n++; out += true < rest($2) - 300 || true > rest($3) + 300 }
			END { print (n > 20 ? "looked at" : "few: " n), out + 0 }')" "looked at 0"
}
# sure WHAT PERCENT: of the guests' events the stay is known, none contradicts
sure() {
	equal "$1: certain, contradicting, contradictions" \
		"$(jq -c --argjson p "$2" '(table("contradictions") | map(.row)) as $bad | [table("vms") | to_entries[] | .key as $i | .value | select(.guest) |
			[.certain * 100 >= .events * $p and .events > 1000, .contradicting, ($bad | map(select(. == $i + 1)) | length)]] | unique' "$dir/out")" \
		'[[true,0,0]]'
}
# narrow WHAT NS: the median bounds of all guests against their hypervisors
narrow() {
	equal "$1: bounds of at most $2 ns" "$(jq -c --argjson n "$2" '[table("vms")[] | [.guest, .hypervisor] | sort] as $vms | table("pair_details") as $more
		| [table("pairs") | to_entries[] | select(.value | [.a, .b] | sort | IN($vms[])) | $more[.key].bound_p50_ns // 1e18 | . <= $n] | unique' "$dir/out")" '[true]'
}
world() { # WHAT OPTION...
	make "${@:2}"
	run 0 sync -q --json "$w"/h* "$w"/g*
	paired "$1"
	sure "$1" 98
	narrow "$1" 5000
}

world "two guests on a CPU" --cpus 1 --vms 2 --pin --statedump --duration 500ms --seed 3 --guest-ahead 3ms --guest-ppm 40
inside "two guests on a CPU" g0 h0
inside "two guests on a CPU" g1 h0
equal "processes are known from the state dump" "$(jq -r '[table("vms")[].pid] | sort | join(" ")' "$dir/out")" \
	"$(awk -F, 'NR > 1 { print $4 }' "$w/truth/vms.csv" | sort -un | xargs)"
world "four vCPUs each, two hosts, hogs" --hosts 2 --cpus 4 --vms 3 --vcpus 4 --duration 300ms --seed 5 --clock --hogs 2
inside "four vCPUs each, two hosts, hogs" g2 h0
world "old layout" --cpus 2 --vms 2 --vcpus 2 --layout old --duration 300ms --seed 6 --guest-ahead 70us --guest-ppm -90
inside "old layout" g1 h0
world "losses" --cpus 2 --vms 2 --lost 5% --packet 16384 --duration 500ms --seed 9 --guest-ahead 1ms
inside "losses" g0 h0

# Without a message: by the schedule alone, and it is said.
world "apart" --cpus 2 --vms 2 --apart --duration 500ms --seed 7 --guest-ahead 30ms --guest-ppm 10
inside "apart" g0 h0
equal "apart: what was searched" "$(jq -c '[table("vm_details")[].searched_ns] | unique' "$dir/out")" '[100000000]'
equal "apart: it is said" "$(jq -c '[.diagnostics[].code] | unique' "$dir/out")" '["sync-vm-search"]'

# What the schedule adds is its own method, and can be all that is used of a guest.
world "for methods" --cpus 2 --vms 1 --duration 500ms --seed 8 --guest-ahead 200us
equal "the guest's method" "$(jq -r 'table("hosts")[] | select(.host == "g0").method' "$dir/out")" vcpu
packets=$(jq 'table("pairs")[0] | .matched_ab + .matched_ba' "$dir/out")
equal "packets are counted apart from entries and exits" "$((packets > 100 && packets < 5000))" 1
run 0 sync -q --json --method vcpu "$w"
paired "vcpu"
inside "vcpu" g0 h0 --method vcpu
equal "vcpu: no packets" "$(jq 'table("pairs")[0] | .matched_ab + .matched_ba' "$dir/out")" 0
run 0 sync -q --compare --format csv "$w"
equal "compared" "$(cut -d, -f1 "$dir/out" | tail -1)" vcpu
# By packets alone the clock is known to tens of us, and much lies outside of its CPU's times in the guest.
equal "events outside, by method" "$(awk -F, 'NR > 1 { print $1, ($9 < 0.05 ? "none" : $9 > 10 ? "many" : "some") }' "$dir/out" | xargs)" \
	"auto none hull many offset many realtime many none many vcpu none"
run 0 sync -q --save "$dir/saved" "$w"
run 0 sync -q --json --sync "$dir/saved" "$w"
paired "saved"
run 0 sync -q --format csv "$w"
text "$dir/out" '^vms,g0,h0,[0-9]*,[^,]*,1,[0-9]*,[0-9]*,0,schedule$' "vms as CSV"

# As the user says, which may be wrong.
pid=$(awk -F, '$1 == "g0" { print $5 }' "$w/truth/vms.csv")
run 0 sync -q --json --vm "g0=h0:$pid" "$w"
paired "given" given
run 2 sync --vm "g0=h0:1" "$w"
text "$dir/err" 'has no VM of process 1, or too little of it: no exit'
run 2 sync --vm "h0=h0:$pid" "$w"
text "$dir/err" 'h0 cannot be the guest of process'
# For whatever synchronizes; not for clocks that are aligned otherwise. What is kept of it is kept apart.
seen() { jq -c '[.tables[0].rows[].seen_ns] | add' "$dir/out"; }
run 0 top vm --table tasks --all -n 0 --json -q "$w"
found=$(seen)
run 0 top vm --table tasks --all -n 0 --json -q --vm "g0=h0:$pid" "$w"
equal "top with --vm" "$(seen)" "$found"
for verb in "top vm" "path --list" summary events requests; do
	# shellcheck disable=SC2086 # words
	run 2 $verb --vm "g0=h0:1" -q "$w"
	text "$dir/err" 'has no VM of process 1, or too little of it: no exit'
done
run 0 top vm --table tasks --all -n 0 --json -q "$w"
equal "top without --vm again" "$(seen)" "$found"
run 2 top vm --vm "g0=h0:$pid" --sync "$dir/saved" "$w"
text "$dir/err" '^meridian: --vm is of no use with --sync'
run 2 top vm --vm "g7=h0:$pid" "$w"
text "$dir/err" "no host 'g7'"
for bad in g0 g0=h0 g0=h0: g0=h0:x g0=h0:0; do
	run 2 sync --vm "$bad" "$w"
	text "$dir/err" '^meridian: expected GUEST=HOST:PID'
done
run 2 sync --vm "g7=h0:$pid" "$w"
text "$dir/err" "no host 'g7'"

# Hypercalls tell whose guest it is where the schedule does not: all stays of both VMs are alike. Threads whose events do
# not name their vCPU have it in their names; processes are told by the state dump.
cat >"$dir/alike.scn" <<EOF
host h { boot 1s; uuid "11111111-2222-4333-8444-000000000001" }
host a { boot 1s; uuid "11111111-2222-4333-8444-000000000002" }
host b { boot 1s; uuid "11111111-2222-4333-8444-000000000003" }
event kvm_entry { u32 vcpu_id; }
event kvm_exit { u32 exit_reason; }
event vmsync_gh_guest { u32 cnt; u64 vm_uid; }
event vmsync_gh_host { u32 cnt; u64 vm_uid; }
1ms h 0 lttng_statedump_process_state tid=100 pid=100 name="qemu-a"
1ms h 0 lttng_statedump_process_state tid=101 pid=100 name="CPU 0/KVM"
1ms h 0 lttng_statedump_process_state tid=200 pid=200 name="qemu-b"
1ms h 0 lttng_statedump_process_state tid=201 pid=200 name="CPU 0/KVM"
2ms h 0 sched_switch prev_tid=0 next_tid=101 next_comm="CPU 0/KVM"
2ms h 1 sched_switch prev_tid=0 next_tid=201 next_comm="CPU 0/KVM"
repeat 100 every 1ms from 10ms {
	0us h 0 kvm_entry vcpu_id=777888999
	0us h 1 kvm_entry vcpu_id=777888999
	100us a 0 vmsync_gh_guest cnt=\$i vm_uid=71
	100us b 0 vmsync_gh_guest cnt=\$i vm_uid=72
	200us h 0 kvm_exit exit_reason=18
	200us h 1 kvm_exit exit_reason=18
	203us h 0 vmsync_gh_host cnt=\$i vm_uid=72
	203us h 1 vmsync_gh_host cnt=\$i vm_uid=71
}
200ms h 0 sched_switch prev_tid=101 prev_comm="CPU 0/KVM"
200ms h 1 sched_switch prev_tid=201 prev_comm="CPU 0/KVM"
EOF
check "alike made" "$ctfgen" -o "$dir/alike" "$dir/alike.scn"
run 0 sync -q --json "$dir/alike"
equal "by hypercalls" "$(jq -c '(table("vcpus") | map({vcpu, tid})) as $of | [table("vms") | to_entries[] | .key as $i | .value | [.guest, .pid, .comm, .known_by, $of[$i]]]' "$dir/out")" \
	'[["b",100,"qemu-a","hypercalls",{"vcpu":0,"tid":101}],["a",200,"qemu-b","hypercalls",{"vcpu":0,"tid":201}]]'
# Without them nobody can know.
sed 's/vmsync_gh_guest/other/; /vmsync/d' "$dir/alike.scn" >"$dir/open.scn"
check "open made" "$ctfgen" -o "$dir/open" "$dir/open.scn"
run 3 sync -q --json "$dir/open"
equal "not known" "$(jq -c '[table("vms")[] | .guest, .known_by]' "$dir/out")" '[null,"unknown",null,"unknown"]'

# Only a hypervisor and somebody else: no guest is invented.
make --hosts 2 --cpus 2 --vms 1 --duration 300ms --seed 4
run 0 sync -q --json "$w/h0" "$w/h1"
equal "no guest" "$(jq -c '[table("vms")[] | .guest, .known_by]' "$dir/out")" '[null,"unknown"]'
equal "no guest: what to do" "$(jq -c '[.diagnostics[] | .code, .remedy]' "$dir/out")" '["sync-vm-unknown","guest"]'

# A clock that jumps: nothing is claimed around it, and the range is told.
for glitch in 20us 3ms; do
	make --cpus 2 --vms 1 --duration 1500ms --seed 10 --glitch $glitch --glitch-until 700ms
	run 0 sync -q --json "$w"
	equal "$glitch: one range, of less than 100 ms, around it" "$(jq -c '[table("contradictions")[] | select(.row == 1) | [.begin % 1e10 / 1e6, .end % 1e10 / 1e6]]
		| [length, (.[0][0] > 600 and .[0][0] <= 700.1 and .[0][1] >= 699 and .[0][1] < 800)]' "$dir/out")" '[1,true]'
	equal "$glitch: it is the guest's clock that broke" "$(jq -c '[table("clocks")[].reference, [table("hosts")[] | select(.steps > 0).host]]' "$dir/out")" '["h0",["g0"]]'
	equal "$glitch: nothing wrong is certain" "$(jq 'table("vms")[0] | .certain * 100 >= .events * 98 and .contradicting < 20' "$dir/out")" true
done

# Recorded: the hypervisor was a guest itself.
if there "$lab/kvm-nested"; then
	run 0 sync -q --json "$lab/kvm-nested"
	equal "kvm-nested" "$(jq -c '(table("vcpus") | map({vcpu, tid})) as $of | table("contradictions") as $bad | table("vms")[0] |
		[.guest, .hypervisor, .pid, .known_by, $of, .contradicting, $bad, .certain == .events]' "$dir/out")" \
		'["l2","l1",242,"schedule",[{"vcpu":0,"tid":247}],0,[],true]'
	equal "kvm-nested: bound" "$(jq 'table("hosts")[1].bound_p50_ns <= 25000' "$dir/out")" true
	# No event of the guest between an exit and the next entry, as long as its hypervisor is recorded.
	"$m" events -q --json "$lab/kvm-nested" | grep -oE '"host":"l[12]"|"name":"kvm_x86_(entry|exit)"' |
		awk '/host/ { if (/l1/) { n += m; bad += b; m = b = 0; l1 = 1 } else { l1 = 0; if (seen) { m++; b += !inside } } }
			/entry/ { inside = 1; seen = 1 } /exit/ { inside = 0; seen = 1 } END { print (n > 33000), bad }' >"$dir/bad"
	equal "kvm-nested: bad events" "$(cat "$dir/bad")" "1 0"
	# What the clocks were not made from: where the hypervisor injected an interrupt, the guest's stay begins with one.
	injected() { # OPTION...: stays with events after an injection, and those that begin with an interrupt
		"$m" events -q --format csv -n 0 --fields name "$lab/kvm-nested" "$@" | awk -F, '
			/,kvm_x86_inj_virq/ { waits = 1 } /,kvm_x86_entry/ { first = waits; waits = 0 } /,kvm_x86_exit/ { first = 0 }
			$2 == "l2" && first { n++; hit += $4 ~ /^(irq_handler|timer_hrtimer_expire)_entry$/; first = 0 } END { print n, hit + 0 }'
	}
	read -r n hit < <(injected)
	equal "kvm-nested: injected interrupts ($n stays) come first" "$((n > 1500)) $hit" "1 $n"
	read -r n hit < <(injected --sync none)
	equal "kvm-nested: not so by the clocks as recorded ($hit of $n)" "$((hit * 2 < n))" 1
	run 0 sync -q --json --method vcpu "$lab/kvm-nested"
	equal "kvm-nested: from the schedule alone" "$(jq -c '[table("vms")[0].guest, table("vm_details")[0].searched_ns]' "$dir/out")" '["l2",1000000000]'
fi
finish
