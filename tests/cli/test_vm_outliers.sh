#!/usr/bin/env bash
# A call that always takes 200 ns takes 13 ms once, as another VM's program had the CPU: how much of it was stolen, in
# which VM and by which program of it. Two guests share the only CPU of their host, and a second call is slow of itself.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

awk 'function at(host, what) { printf "%dns %s 0 %s\n", t, host, what }
function switches(host, from, from_name, to, to_name) {
	at(host, sprintf("sched_switch prev_comm=\"%s\" prev_tid=%d prev_prio=20 prev_state=0 next_comm=\"%s\" next_tid=%d next_prio=20",
		from_name, from, to_name, to))
}
function enter() { at("h", "kvm_x86_entry vcpu_id=177722608") }
function leave() { at("h", "kvm_x86_exit exit_reason=1 guest_rip=1 isa=1 info1=0 info2=0 vcpu_id=0") }
function begin_call(guest) { at(guest, "syscall_entry_gettimeofday") }
function end_call(guest) { at(guest, "syscall_exit_gettimeofday ret=0 tv=0 tz=0") }
# Out of the guest at once, and the CPU to the other vCPU, until its guest is entered.
function hand_over(from, to) {
	leave(); t += 1000
	switches("h", from, "CPU 0/KVM", to, "CPU 0/KVM"); t += 1500
	enter()
}
function calls(guest, n,   i) { # 3 us apart
	for (i = 0; i < n; i++) { t += 2800; begin_call(guest); t += 200; end_call(guest) }
}
BEGIN {
	srand(7)
	t = 1000000000
	print "host h\nhost a\nhost b"
	switches("h", 0, "swapper", 31, "CPU 0/KVM"); t += 1500
	enter(); t += 500
	switches("a", 0, "swapper", 100, "clock")
	for (round = 0; round < 300; round++) {
		calls("a", 20 + int(rand() * 60))
		if (round == 150) { # in the middle of a call
			t += 2800; begin_call("a"); t += 100; from = t
			hand_over(31, 41)
			for (; t < from + 12996000; t += 50000) at("b", "sched_waking comm=\"x\" tid=99 prio=20 target_cpu=0")
			t = from + 12996000
			hand_over(41, 31); t += 100; end_call("a")
			slow = t
		}
		if (round == 200) { # the call itself
			t += 2800; begin_call("a"); t += 2000000; end_call("a")
		}
		t += 700; hand_over(31, 41); t += 500
		if (round == 0) switches("b", 0, "swapper", 200, "batch")
		calls("b", 20 + int(rand() * 60))
		t += 700; hand_over(41, 31); t += 500
	}
}' >"$dir/world.scn"
check "scenario" "$ctfgen" -o "$dir/w" "$dir/world.scn"

vms=(--vm a=h:31 --vm b=h:41)
run 0 top vm -q "${vms[@]}" --table outliers --filter 'kind == "call"' --format csv "$dir/w"
cell() { # ROW COLUMN
	awk -F, -v row="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		NR == row + 1 { print $at }' "$dir/out"
}
equal "two calls took much longer" "$(sed 1d "$dir/out" | wc -l)" 2
equal "the first one" "$(cell 1 host) $(cell 1 comm) $(cell 1 call)" "a clock gettimeofday"
# The guest's clock is known to a microsecond or so, and its rate.
equal "took 13 ms" "$(cell 1 duration_ns | awk '{ print ($1 > 12990000 && $1 < 13010000) }')" 1
# Of an eighth of a power of two.
equal "and not some 200 ns" "$(cell 1 median_ns | awk '{ print ($1 > 175 && $1 <= 200) }')" 1
equal "99.9 % stolen" "$(cell 1 stolen_percent | awk '{ print ($1 >= 99.9 && $1 < 100) }')" 1
equal "the parts are all of it" "$(echo "$(cell 1 stolen_ns) $(cell 1 hypervisor_ns) $(cell 1 rest_ns) $(cell 1 duration_ns)" |
	awk '{ print $1 + $2 + $3 - $4 }')" 0
equal "and in percent" "$(echo "$(cell 1 stolen_percent) $(cell 1 hypervisor_percent) $(cell 1 rest_percent)" |
	awk '{ printf "%.6f", $1 + $2 + $3 }')" 100.000000
equal "by the program of the other VM" "$(cell 1 by)" 'batch/200 on b (vCPU CPU 0/KVM/41 on h)'
equal "the other call was slow of itself" "$(cell 2 stolen_percent) $(cell 2 hypervisor_percent) $(cell 2 rest_percent)" "0 0 100"

# Time in user mode: the other guest's program did not run while the slow call did.
run 0 top vm -q "${vms[@]}" --table outliers --filter 'kind == "user"' --host b --format csv "$dir/w"
equal "stolen by the call" "$(cell 1 stolen_percent | awk '{ print ($1 > 99) }') $(cell 1 by)" \
	'1 clock/100 on a (vCPU CPU 0/KVM/31 on h)'

COLUMNS=150 run 0 top vm -q "${vms[@]}" --table outliers "$dir/w"
text "$dir/out" '13\.0 ms +100\.0 % +0\.02 % +0\.00 %' "the shares for people"
finish
