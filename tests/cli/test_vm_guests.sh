#!/usr/bin/env bash
# What is said where tasks of guests cannot be shown: why, and what to do about it.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=500

check "a world" "$KERNELWORLD" -o "$dir/world" --cpus 2 --vms 2 --vcpus 2 --duration 200ms --seed 21 --statedump
run 0 top vm "$dir/world"
text "$dir/out" '^Tasks of guests'
no_text "$dir/err" 'left out'

run 0 top vm --sync none "$dir/world"
text "$dir/err" 'tasks of guests are left out: --sync none does not match guests to VMs; omit it, or use --sync FILE'
run 0 top vm --sync none --table vcpus "$dir/world"
no_text "$dir/err" 'left out'
run 0 top vm "$dir/world"/h0
text "$dir/err" 'no traced host can be the guest of these VMs: to see the tasks in them, trace the guests, too'

# Too short to find out; somebody may know.
check "a short world" "$KERNELWORLD" -o "$dir/short" --cpus 1 --vms 2 --vcpus 1 --duration 5ms --seed 15 --statedump
for table in "" "--table tasks" "--json"; do
	run 0 top vm $table "$dir/short"
	text "$dir/err" 'tasks of guests are left out: which traced host, if any, is the guest of which VM was not found .*--vm GUEST=HOST:PID'
done
run 2 top vm --vm g1=h0:318 "$dir/short"
text "$dir/err" 'has no VM of process 318, or too little of it: no exit that is followed by an entry'
run 0 sync "$dir/short"
text "$dir/err" 'record while packets go both ways'

# Clocks of a file that are not those of the traces.
check "a world that is ahead" "$KERNELWORLD" -o "$dir/ahead" --cpus 2 --vms 2 --vcpus 1 --duration 300ms --seed 22 --guest-ahead 3ms
run 0 sync -q --method none --save "$dir/none.json" "$dir/ahead"
run 0 sync -q --save "$dir/auto.json" "$dir/ahead"
run 0 top vm --sync "$dir/none.json" --json "$dir/ahead"
text "$dir/err" 'by the clocks of .*none.json [0-9]+ % of the events of g0 happened while its CPUs were not in it, which cannot be'
equal "tables, none more" "$(jq -r '[.tables[].id] | join(" ")' "$dir/out")" "vcpus tasks exits"
run 0 top vm --sync "$dir/none.json" --group-by host --table tasks "$dir/ahead"
run 0 top vm --sync "$dir/auto.json" "$dir/ahead"
no_text "$dir/err" 'cannot be'

# A guest without context switches; the other one is shown.
cp -r "$dir/world" "$dir/without"
sed -i 's/name = "sched_switch"/name = "sched_swotch"/' "$dir"/without/g0/kernel/metadata
run 0 top vm --table tasks --json "$dir/without"
text "$dir/err" 'tasks of g0 are left out: it is a guest, but its context switches were not recorded'
no_text "$dir/err" 'tasks of g1'
check "tasks of the other guest" jq -e '.tables[0].rows | length > 3 and all(.host == "g1")' "$dir/out"
run 0 top vm --host g1,h0 "$dir/without"
no_text "$dir/err" 'tasks of g0'

# A clock that jumped has not one offset.
check "a world with a glitch" "$KERNELWORLD" -o "$dir/glitch" --cpus 2 --vms 1 --vcpus 2 --hogs 1 --duration 2s --seed 14 --statedump \
	--glitch 500us --glitch-until 1s
run 0 sync "$dir/glitch"
text "$dir/out" 'Not all the time: the clock of g0 jumped, and this is the offset at the start of its traces. --at TIME has it'
run 0 sync "$dir/world"
no_text "$dir/out" 'jumped'

# At one moment: a CPU of a guest is stolen while its vCPU waits for a CPU of its host, whoever is on it in the guest.
n=0 wrong=0 stolen=0
for at in 0.0{2,3,4,5,6,7,8,9}731 0.1{0,1,2,3,4,5,6,7,8}377; do
	"$m" state --at "+${at}s" --json -q --host g0,g1 "$dir/world" >"$dir/state" || fail "state at $at"
	now=$(jq .begin "$dir/state")
	jq -r '.tables[] | select(.id == "cpus") | .rows[] | "\(.host) \(.cpu) \(.state) \(.stolen_by != null)"' "$dir/state" >"$dir/ours"
	awk -F, -v now="$now" 'FNR > 1 && $3 <= now && now < $4 { print $1, $2, $5 }' "$dir/world/truth/vcpus.csv" >"$dir/truth"
	read -r a b c < <(awk 'NR == FNR { truth[$1 " " $2] = $3; next }
		{ n++; is = truth[$1 " " $2] == "preempted"; ours = $3 == "stolen"; wrong += is != ours || (is && $4 != "true"); stolen += is }
		END { print n, wrong + 0, stolen + 0 }' "$dir/truth" "$dir/ours")
	n=$((n + a)) wrong=$((wrong + b)) stolen=$((stolen + c))
done
check "CPUs of guests at $n instants, $stolen of them stolen, $wrong wrong" test $n = 68 -a $wrong = 0 -a $stolen -gt 20
run 0 state --at +0.1s --host h0 "$dir/world"
no_text "$dir/out" 'stolen by *$'
finish
