#!/usr/bin/env bash
# Copies of /proc beside a recording: tasks, descriptors, disks have their names, as with LTTng's dump of the same seconds;
# wherever the recording is a folder; not those of another host; and anew when they change.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
made=$SRC/fuzz/corpus/recording

state() { "$m" events -q "$1" 2>/dev/null | grep -E ' (lttng|meridian)_statedump_' | sed -E 's/^[^{]*(lttng|meridian)_statedump_([a-z_]*): (\{[^}]*\}, )+\{/\2 {/'; }
stat_of() { echo "$1 ($2) S $3 1 1 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 $4 1 2"; } # TID COMM PARENT START

# A small one: the first event is at 30.46 s. (The time of day is that since the start, so that nothing moves.)
here=$dir/here
mkdir -p "$here/proc-before/234/task/240" "$here/proc-before/net" "$here/proc-before/sys/kernel"
cp "$made/v6" "$here/trace.dat"
stat_of 234 perf-before 1 100 >"$here/proc-before/234/stat"
stat_of 240 worker 1 100 >"$here/proc-before/234/task/240/stat"
echo 'lrwx------ 1 0 0 64 Nov 29 06:07 3 -> /var/log/x' >"$here/proc-before/234/fd"
printf 'major minor  #blocks  name\n\n 254 0 10 vda\n' >"$here/proc-before/partitions"
echo client >"$here/proc-before/sys/kernel/hostname"
printf 'before 29000000000 29000000000\nafter 29100000000 29100000000\n' >"$here/proc-before/clock"
cat >"$dir/expected" <<'END'
block_device { dev = 266338304, diskname = "vda" }
process_state { tid = 234, pid = 234, ppid = 1, type = 0, status = 0, name = "perf-before" }
process_state { tid = 240, pid = 234, ppid = 1, type = 0, status = 0, name = "worker" }
file_descriptor { pid = 234, fd = 3, filename = "/var/log/x" }
END
state "$here/trace.dat" >"$dir/state"
same 'made: what is told' "$dir/state" "$dir/expected"
# The recording is as long as it was, and has as many events of its own.
for what in begin end; do
	equal "made: $what" "$("$m" info -q --json "$here/trace.dat" | jq "table(\"traces\")[0].$what")" \
		"$("$m" info -q --json "$made/v6" | jq "table(\"traces\")[0].$what")"
done
equal 'made: events' "$("$m" events -q "$here/trace.dat" | grep -vc _statedump_)" "$("$m" events -q "$made/v6" | wc -l)"
run 0 top disk "$here/trace.dat"
text "$dir/out" '^vda '
"$m" info -v "$here/trace.dat" 2>&1 | grep -q '1 descriptor is named as proc-before has it, up to 1.464 s before the first event' && ok ||
	fail "nothing is said of the gap: $("$m" info -v "$here/trace.dat" 2>&1)"

# A change is seen, also of a file deep below; so is a copy that is gone.
sleep 0.01
echo 'lrwx------ 1 0 0 64 Nov 29 06:07 3 -> /var/log/y' >"$here/proc-before/234/fd"
state "$here/trace.dat" | grep -q '/var/log/y' && ok || fail 'a changed descriptor is not seen'
sleep 0.01
stat_of 240 renamed 1 100 >"$here/proc-before/234/task/240/stat"
state "$here/trace.dat" | grep -q renamed && ok || fail 'a changed thread is not seen'
# Of another host, and of none.
echo other >"$here/proc-before/sys/kernel/hostname"
equal 'of another host' "$(state "$here/trace.dat" | wc -l)" 0
"$m" info "$here/trace.dat" 2>&1 | grep -q "is of another host, 'other'" && ok || fail 'the other host is not named'
echo client >"$here/proc-before/sys/kernel/hostname"
mv "$here/proc-before" "$here/proc-after"
equal 'afterwards only: tasks' "$(state "$here/trace.dat" | grep -c '^process_state')" 4
mv "$here/proc-after" "$here/proc-before"

# In files of perf, and of the other byte order (in which it was recorded, not written by hand).
for name in v7 pipe v6-be pipe-be; do
	cp "$made/$name" "$here/trace.dat"
	state "$here/trace.dat" | grep -E 'vda|/var/log|worker|renamed' | sort >"$dir/$name"
	equal "$name: rows" "$(wc -l <"$dir/$name")" 3
done

# In texts, which say neither host nor clock, or both.
for name in text-trace text-report text-perf; do
	cp "$made/$name" "$here/trace.dat"
	equal "$name: rows" "$(state "$here/trace.dat" | grep -cE 'vda|/var/log|worker|renamed')" 3
done
cp "$made/v6" "$here/trace.dat"

# Hostile: files that are folders, links, pipes; nothing of it is followed, or waited for.
rm -r "$here/proc-before/234/fd" "$here/proc-before/partitions"
mkdir "$here/proc-before/partitions" && mkfifo "$here/proc-before/interrupts"
ln -s /etc "$here/proc-before/9" && ln -s . "$here/proc-before/234/fd" && ln -s .. "$here/proc-before/234/task/7"
run 0 info "$here/trace.dat"
ln -s "$lab/web-load" "$here/proc-before/8"
equal 'traces of the folder' "$("$m" info -q --json "$here" | jq 'table("traces") | length')" 1
head -c 100000 /dev/urandom >"$here/proc-before/cpuinfo"
run 0 info "$here/trace.dat"

# The same seconds by LTTng: the tasks that it found have the same names, processes and parents (but one that has ended has no
# memory, which LTTng takes for a thread of the kernel), and so have descriptors of what serves.
sites=$lab/stock-ft
there "$lab/stock-ft/lttng" || { finish; exit; }
# tasks FILE: "tid pid ppid name"
tasks() { state "$1" | sed -nE 's/^process_state .*\{ tid = ([0-9]+), pid = ([0-9]+), ppid = (-?[0-9]+), (type = [0-9]+, status = [0-9]+, )?name = "([^"]+)".*/\1 \2 \3 \5/p' | sort -u; }
# files_of FILE: "pid fd name" of processes that serve; sockets as "socket"
files_of() {
	state "$1" | awk -F'[ ,]+' '
		/^process_state/ {
			for (i = 1; i < NF; i++) { if ($i == "pid") pid = $(i + 2); if ($i == "file_table_address") table = $(i + 2) }
			if (match($0, /name = "(nginx|shopapp|postgres|redis-server)"/)) { serves[pid] = 1; if (table) of[table] = of[table] " " pid }
			table = ""
		}
		/^(file_descriptor|socket) / {
			pids = fd = ""
			for (i = 1; i < NF; i++) { if ($i == "pid") pids = $(i + 2); if ($i == "fd") fd = $(i + 2); if ($i == "file_table_address") pids = of[$(i + 2)] }
			name = $0
			sub(/.*(file)?name = "/, "", name)
			sub(/".*/, "", name)
			if (/^socket / || name ~ /^socket:/) name = "socket"
			n = split(pids, p, " ")
			for (k = 1; k <= n; k++) if (p[k] in serves) print p[k], fd, name
		}' | sort -u
}
for host in web db client; do
	trace=$sites/$host/trace.dat
	"$m" info "$trace" 2>&1 | grep -q 'built without libzstd' && echo 'skipped: compressed recordings need libzstd' && break
	tasks "$sites/lttng/$host/kernel" >"$dir/theirs"
	tasks "$trace" >"$dir/ours"
	# Those that began after the copy was made are the recorders'.
	equal "$host: tasks that differ" "$(comm -23 "$dir/theirs" "$dir/ours" | grep -vE ' (sh|lttng|trace-cmd|sleep)$')" ''
	[ "$(comm -12 "$dir/theirs" "$dir/ours" | wc -l)" -ge 70 ] && ok || fail "$host: few tasks: $(wc -l <"$dir/ours")"
	[ $host = client ] && continue
	files_of "$sites/lttng/$host/kernel" >"$dir/theirs"
	files_of "$trace" >"$dir/ours"
	[ "$(wc -l <"$dir/theirs")" -ge 30 ] && ok || fail "$host: LTTng has few descriptors: $(wc -l <"$dir/theirs")"
	equal "$host: descriptors that differ" "$(comm -23 "$dir/theirs" "$dir/ours")" ''
	run 0 top disk -q --format csv "$trace"
	cut -d, -f2 "$dir/out" | grep -qx vd[ab] && ok || fail "$host: a disk has no name: $(cat "$dir/out")"
done
# What a service reads and writes has the same names, as often: all that it serves was in both.
calls() { "$m" log io -q --format csv "$1" | awk -F, '$7 ~ /^\/(root|data)\// && $14 ~ /nginx|shop|postgres/ { print $7, $12, $14 }' | sort | uniq -c; }
for host in web db; do
	calls "$sites/lttng/$host/kernel" >"$dir/theirs"
	calls "$sites/$host/trace.dat" >"$dir/ours"
	[ "$(wc -l <"$dir/theirs")" -ge 5 ] && ok || fail "$host: few calls on files: $(cat "$dir/theirs")"
	same "$host: calls on files" "$dir/ours" "$dir/theirs"
done
finish
