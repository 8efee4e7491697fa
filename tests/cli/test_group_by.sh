#!/usr/bin/env bash
# --group-by and --filter: other rows of the same amounts, and only some of what counts.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=$lab/cpu-mem-io
there "$t"

# column KEY: of the table in $dir/out.
column() {
	awk -F, -v key="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) c = i; next } { print $c }' "$dir/out"
}

# Whatever the keys are, the amounts add up to the same.
run 0 stats syscall --table stats --format csv -n 0 -q "$t"
calls=$(column count | sum) errors=$(column errors | sum)
for keys in host program process thread cpu name,error host,program,object; do
	run 0 stats syscall --table stats --group-by $keys --format csv -n 0 -q "$t"
	equal "calls by $keys" "$(column count | sum)" "$calls"
	equal "errors by $keys" "$(column errors | sum)" "$errors"
done
run 0 top faults --format csv -n 0 -q "$t"
faults=$(column faults | sum)
for keys in program kind host,cpu; do
	run 0 top faults --group-by $keys --format csv -n 0 -q "$t"
	equal "faults by $keys" "$(column faults | sum)" "$faults"
	run 0 top faults --bins 4 --group-by $keys --format csv -n 0 -q "$t"
	equal "faults over time by $keys" \
		"$(($(column minor | sum) + $(column major | sum) + $(column kernel | sum)))" "$faults"
	run 0 freq irq --group-by ${keys/kind/kind,nr} --format csv -n 0 -q "$t"
	equal "interrupts by $keys" "$(column count | sum)" \
		"$("$m" log irq --format csv -q "$t" | sed 1d | wc -l)"
done
run 0 stats syscall --table stats --group-by process --format csv -q "$t"
equal "columns of processes" "$(head -1 "$dir/out" | cut -d, -f1-4)" "host,pid,comm,errors"
run 0 stats syscall --table stats --group-by program,name -q "$t"
text "$dir/out" "System calls by program,name"

# What counts, and which rows are there.
run 0 log syscall --filter 'duration > 1ms && name == "read"' --format csv -q "$t"
cp "$dir/out" "$dir/filtered"
run 0 log syscall --name read --min 1000001ns --format csv -q "$t"
same "a filter instead of --name and --min" "$dir/filtered" "$dir/out"
for table in top bins; do
	bins=; [ $table = top ] || bins="--bins 4"
	run 0 top faults $bins --filter 'comm == "memhog"' --format csv -q "$t"
	grep -v ',host,' "$dir/out" >"$dir/filtered"
	run 0 top faults $bins --comm memhog --format csv -q "$t"
	grep -v ',host,' "$dir/out" >"$dir/chosen"
	same "a filter instead of --comm: $table" "$dir/filtered" "$dir/chosen"
done
run 0 stats syscall --table stats --filter 'count > 100' --format csv -q "$t"
equal "rows of few" "$(column count | awk '$1 <= 100' | wc -l)" 0
run 0 top syscall --filter 'ret == "ENOENT"' -n 3 -q "$t" # another table has no such column
run 0 top syscall --filter 'ret == "ENOENT"' -n 3 --table top --format csv -q "$t"
equal "results" "$(column ret | sort -u)" ENOENT

run 2 top faults --group-by colour "$t"
text "$dir/err" "no key 'colour'; there are: host, process, program, thread, cpu, kind"
run 2 top faults --filter 'colour == 1' "$t"
text "$dir/err" "no column 'colour'; there are: host, tid, pid, comm, faults"
run 2 top irq --group-by cpu "$t"
text "$dir/err" "does not apply to the table 'top'"
run 2 top faults --filter 'minor ==' "$t"
run 2 top faults --group-by program --plot "$dir/x.svg" "$t"
finish
