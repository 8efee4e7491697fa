#!/bin/bash
# Packets that two CPUs of a host send, or receive, in the same nanosecond: each belongs to the task on
# its own CPU.
. tests/cli/lib.sh
# who SCENARIO TID: tasks of b on the path of a's task
who() {
	"$m" path --tid "$2" --format csv "$dir/$1" 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["host"] == "b" { print $at["tid"] }' | sort -u | paste -sd' '
}
for s in other both; do
	check "$s" "$ctfgen" -o "$dir/$s" tests/kernel/equal_times_$s.scn
done
equal "one of the two was matched" "$(who other 10)" 20
equal "both were, the first CPU" "$(who both 10)" 20
equal "both were, the second CPU" "$(who both 11)" 21
# The way of t10's request by hand: sent, arrived, woken, on the CPU, answered, back.
equal "segments" "$("$m" path --tid 10 --json "$dir/other" 2>/dev/null |
	grep -oE '"host":"b","tid":[0-9]+,"comm":"t20","state":"[a-z]+"' | grep -oE '[a-z]+"$' |
	tr -d '"' | paste -sd' ')" "blocked blocked runnable running"
finish
