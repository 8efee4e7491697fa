#!/usr/bin/env bash
# --part and meridian merge: the answer of what hosts have, each asked alone, is that of all traces, byte for byte; what
# is damaged, missing, or of another question is said, and what cannot be merged is refused with a reason.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=150
if [ ! -x "${KERNELWORLD:-}" ]; then
	echo "skipped: there is no kernelworld"
	exit 77
fi

# merged HOSTS QUESTION...: of the hosts' folders in $traces, with the clocks $dir/all.sync
merged() {
	local hosts=$1 parts=() h
	shift
	for h in $hosts; do
		run 0 "$@" --part --sync "$dir/all.sync" -o "$dir/$h.part" "$traces/$h"
		parts+=("$dir/$h.part")
	done
	"$m" "$@" -q --sync "$dir/all.sync" "$traces" >"$dir/all" 2>/dev/null
	run $? merge -q "${parts[@]}"
	cp "$dir/out" "$dir/merged"
	same "$* of $traces" "$dir/all" "$dir/merged"
	[ -s "$dir/all" ] && ok || fail "$* says nothing"
}

# Rows of hosts, of groups over hosts, single ones, histograms, bins; texts and all digits.
questions() { # HOSTS
	while read -r -a words; do
		every 3 || continue
		merged "$1" "${words[@]}"
	done <<'END'
top cpu
top cpu --json
top cpu --group-by program
top cpu --group-by program --json
top cpu --table all --csv-safe --format csv
top cpu --bins 7
top cpu --interval 300ms --json
top cpu --begin +1s --end +2s --json
top cpu --comm *a*
top cpu --cpu 0 --group-by cpu
top syscall
top cpu --json --filter migrations>2
top syscall -n 3 --sort +duration
top sched -n 7
top sched --json
top io --group-by program,host
top disk --group-by host
top irq --table all --json
top futex --json
top mem
top faults --group-by kind --json
log sched
log syscall -n 9 --min 1ms
log io --json --name *
stats sched --json
stats io --group-by name
stats irq --group-by name --json
stats syscall
freq sched
freq syscall --group-by program
freq io --json
freq irq --group-by name --format csv
END
}

"$KERNELWORLD" -o "$dir/world" --hosts 4 --tasks 6 --cpus 2 --duration 3s --seed 5 --statedump >/dev/null
traces=$dir/world
hosts=$(cd "$traces" && echo h*)
run 0 sync --save "$dir/all.sync" "$traces"
questions "$hosts"
equal "hosts of the world" "$(wc -w <<<"$hosts")" 4
for recording in "shop-a client db web" "web-lossy client db web" "web-load client db web"; do
	read -r name of <<<"$recording"
	! is_part && there "$lab/$name" || continue
	traces=$lab/$name
	run 0 sync --save "$dir/all.sync" "$traces"
	questions "$of"
done

# Findings of several hosts, of opening them and of what was read, are in the order of all hosts'.
"$KERNELWORLD" -o "$dir/lossy" --hosts 3 --tasks 5 --cpus 2 --duration 400ms --seed 31 --lost 4% --statedump --no-truth >/dev/null
traces=$dir/lossy
run 0 sync --save "$dir/all.sync" "$traces"
merged "h0 h1 h2" top cpu --json
[ "$(jq '.diagnostics | map(.code) | unique | length' "$dir/all")" -ge 2 ] && ok || fail "all findings are of one kind"
# So are those of several hosts in a part. The order of streams is another one than that of hosts; files that cannot be
# read, and words where nothing is, come first, by their names.
truncate -s -5000 "$dir"/lossy/h[02]/*/channel0_0
: >"$dir/lossy/h1/kernel/metadata"
run 3 sync --save "$dir/all.sync" "$traces"
"$m" top cpu --json --no-store --sync "$dir/all.sync" "$traces/h0" "$traces/h1" "$traces/h2" "$dir/absent" >"$dir/all" 2>/dev/null
run 3 top cpu --json --no-store --part --sync "$dir/all.sync" -o "$dir/a.part" "$traces/h0" "$traces/h1"
run 3 top cpu --json --no-store --part --sync "$dir/all.sync" -o "$dir/b.part" "$traces/h2" "$dir/absent"
run 3 merge "$dir/b.part" "$dir/a.part"
same "findings of damaged files" "$dir/all" "$dir/out"
equal "the first of them" "$(jq -r '.diagnostics[0].code' "$dir/out")" path-unreadable
"$KERNELWORLD" -o "$dir/streams" --hosts 7 --tasks 5 --cpus 2 --duration 400ms --seed 31 --lost 4% --statedump --no-truth >/dev/null
run 0 sync --save "$dir/all.sync" "$dir/streams"
"$m" top cpu --json --sync "$dir/all.sync" --no-store "$dir/streams" >"$dir/all" 2>/dev/null
[ "$(jq -c '[.diagnostics[] | select(.code == "lost-events").host] | . != sort' "$dir/all")" = true ] && ok || fail "streams are in the order of hosts"
run 0 top cpu --json --no-store --part --sync "$dir/all.sync" -o "$dir/a.part" "$dir"/streams/h[0246]
run 0 top cpu --json --no-store --part --sync "$dir/all.sync" -o "$dir/b.part" "$dir"/streams/h[135]
run 0 merge "$dir/a.part" "$dir/b.part"
same "findings of streams" "$dir/all" "$dir/out"

# From here on the world's hosts, h0 to h3.
traces=$dir/world
run 0 sync --save "$dir/all.sync" "$traces"
merged "$hosts" top cpu --json
set -- $hosts
# Several hosts in a part; and in another order.
run 0 top cpu --json --part --sync "$dir/all.sync" -o "$dir/two.part" "$traces/$1" "$traces/$3"
"$m" merge -q "$dir/$4.part" "$dir/two.part" "$dir/$2.part" >"$dir/merged" 2>/dev/null
same "a part of two hosts" "$dir/all" "$dir/merged"
# Other formats of the same parts, files, folders.
"$m" top cpu -q --format csv --sync "$dir/all.sync" "$traces" >"$dir/csv" 2>/dev/null
run 0 merge --format csv -o "$dir/merged.csv" "$dir/two.part" "$dir/$2.part" "$dir/$4.part"
same "another format" "$dir/csv" "$dir/merged.csv"
run 0 merge --format csv -o "$dir/tables/" "$dir/two.part" "$dir/$2.part" "$dir/$4.part"
same "a folder" "$dir/csv" "$dir/tables/top.csv"
run 2 merge --format svg "$dir/two.part"

# The file of clocks may have another name here; another file is refused.
cp "$dir/all.sync" "$dir/copy.sync"
run 0 merge --format json --sync "$dir/copy.sync" "$dir/two.part" "$dir/$2.part" "$dir/$4.part"
equal "the file of clocks" "$(jq -r .sync.file "$dir/out")" "$dir/copy.sync"
echo >>"$dir/copy.sync"
run 2 merge --sync "$dir/copy.sync" "$dir/two.part" "$dir/$2.part" "$dir/$4.part"
text "$dir/err" 'have other clocks than' 'another file of clocks'
# A part whose question would write a file.
gunzip -c <"$dir/$1.part" | sed 's/--json/--oo=x/' | gzip >"$dir/evil.part"
run 3 merge "$dir/evil.part"
text "$dir/err" 'its question is none' 'a question with another option'

# A host without a part is named.
run 0 merge "$dir/$1.part" "$dir/$2.part" "$dir/$3.part"
text "$dir/err" "there is no part of $4: what this host did is not in this answer" 'a missing part'
run 4 merge --strict "$dir/$1.part" "$dir/$2.part" "$dir/$3.part"
# Damage: cuts and changed bytes leave the host out, and say so.
size=$(stat -c %s "$dir/$1.part")
for cut in 1 9 $((size / 2)) $((size - 5)); do
	head -c $((size - cut)) "$dir/$1.part" >"$dir/cut.part"
	run 3 merge "$dir/cut.part" "$dir/$2.part" "$dir/$3.part" "$dir/$4.part"
	text "$dir/err" 'cut.part: this .*: it is left out' "cut by $cut"
	text "$dir/err" "there is no part of $1" "cut by $cut"
	run 3 merge "$dir/cut.part"
done
printf 'no part' >"$dir/none.part"
run 3 merge "$dir/none.part"
text "$dir/err" 'none.part: this is no part of an answer' 'another file'
run 3 merge "$dir/$1.part" "$dir/absent.part"
text "$dir/err" 'absent.part' 'a file that is not there'
# Of another version, it would be read wrongly.
gunzip -c <"$dir/$1.part" | sed '2s/[0-9]\.[0-9]\.[0-9]/9.9.9/' | gzip >"$dir/other.part"
run 3 merge "$dir/other.part"
text "$dir/err" 'meridian 9.9.9 wrote this part' 'another version'

# What does not belong together.
run 2 merge "$dir/$1.part" "$dir/two.part"
text "$dir/err" "host $1 is in .* and in" 'a host twice'
run 0 top cpu --part --sync "$dir/all.sync" -o "$dir/text.part" "$traces/$2"
run 2 merge "$dir/$1.part" "$dir/text.part"
text "$dir/err" "different questions: .* is of 'top cpu --json', .* of 'top cpu'" 'another question'
run 0 top cpu --json --part --sync none -o "$dir/recorded.part" "$traces/$2"
run 2 merge "$dir/$1.part" "$dir/recorded.part"
text "$dir/err" 'have other clocks: ask all hosts with the same --sync FILE' 'other clocks'
run 0 top cpu --json --begin @1 --part --sync "$dir/all.sync" -o "$dir/from.part" "$traces/$2"
run 2 merge "$dir/$1.part" "$dir/from.part"

# Hosts that were aligned without the others; clocks that nobody has aligned; hosts of one name.
run 0 top cpu --json --part -o "$dir/pair.part" "$traces/$3" "$traces/$4"
run 2 merge "$dir/pair.part" "$dir/recorded.part"
text "$dir/err" 'have other clocks' 'clocks of two hosts'
run 0 top cpu --json --part --sync none -o "$dir/recorded2.part" "$traces/$3"
run 0 merge "$dir/recorded.part" "$dir/recorded2.part"
text "$dir/err" 'the clocks of these 2 hosts are as recorded' 'clocks as recorded'
cp -r "$traces" "$dir/twins"
sed -i "s/hostname = \"h[0-3]\"/hostname = \"vm\"/" "$dir"/twins/h*/*/metadata
traces=$dir/twins
run 0 sync --save "$dir/all.sync" "$traces"
merged "$hosts" top cpu
text "$dir/merged" 'vm#4' 'hosts of one name'
merged "$hosts" top cpu --group-by program --json
# Several of them in a part, whose names there have numbers.
run 0 top cpu --group-by program --json --part --sync "$dir/all.sync" -o "$dir/a.part" "$traces/$1" "$traces/$4"
run 0 top cpu --group-by program --json --part --sync "$dir/all.sync" -o "$dir/b.part" "$traces/$2" "$traces/$3"
run 0 merge "$dir/a.part" "$dir/b.part"
same "hosts of one name in a part" "$dir/all" "$dir/out"
traces=$dir/world
run 0 sync --save "$dir/all.sync" "$traces"

# What cannot be merged.
for refused in "top requests" "top waits" "top messages" "top vm" "top mpi" "top net" "stats" "log disk --table map" "top cpu --plot $dir/x.svg"; do
	run 2 $refused --part --sync "$dir/all.sync" -o "$dir/refused.part" "$traces/$1"
done
text "$dir/err" 'exclude each other' 'a picture'
run 2 top cpu --begin +1s --part -o "$dir/refused.part" "$traces/$1"
text "$dir/err" "'\+1s' is another time on each host" 'a relative time without clocks'
run 2 top cpu --bins 3 --part -o "$dir/refused.part" "$traces/$1"
text "$dir/err" 'bins of all hosts need' 'bins without clocks'
equal "parts that were refused and left something" "$(ls "$dir"/*.part.* 2>/dev/null)" ""

# Nothing on any host, and nothing recorded: as one answer says it.
merged "$hosts" log cpufreq
merged "$hosts" log cpufreq --json
finish
