# What is running, open and connected, from /proc: proc FOLDER writes it there as text, as long as it takes for a
# batch of processes between two looks at the clock (FOLDER/times). Needs coreutils, sed, grep, awk and xargs.
proc_mono() { # CLOCK_MONOTONIC in ns
	if [ -r /proc/timer_list ]; then
		sed -n '/^now at/{s/[^0-9]//g;p;q;}' /proc/timer_list
	elif command -v perl >/dev/null 2>&1; then
		perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%.0f\n", 1e9 * clock_gettime(CLOCK_MONOTONIC)'
	else
		python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))'
	fi 2>/dev/null
}
proc_clock() { printf '%s %s %s\n' "$1" "$(proc_mono)" "$(date +%s%N)"; }
# proc_some FOLDER PID...: the files of these processes.
proc_some() {
	d=$1 files='' dirs=''
	shift
	for p; do
		files="$files $p/stat $p/status $p/comm $p/cmdline"
		own=$p
		# A kernel thread has no program and nothing open. Of a process whose first thread has ended, another has it.
		if ! [ -e "$p/exe" ]; then
			own=''
			for t in "$p" "$p"/task/[0-9]*; do
				set -- "$t"/fd/*
				[ -h "$1" ] && own=$t && break
			done
			[ -n "$own" ] || continue
		fi
		for t in "$p"/task/[0-9]*; do files="$files $t/stat $t/comm"; done
		dirs="$dirs $own"
	done
	printf '%s\n' $files | xargs cp --parents --no-preserve=mode -t "$d" 2>/dev/null
	[ -n "$dirs" ] || return 0
	# Of each folder: its name and a colon, "total 0", the lines.
	printf '%s/fd\n' $dirs | xargs ls -lnqv /dev/null 2>/dev/null | awk -v to="$d/" '
		/^[0-9]+\/(task\/[0-9]+\/)?fd:$/ { if (out) close(out); out = to substr($0, 1, length($0) - 1); printf "" >out; next }
		out && NF && !/^total / { print >out }'
	printf '%s/fdinfo\n' $dirs | xargs grep -ars '' 2>/dev/null | awk -v to="$d/" '
		{ at = index($0, ":"); path = substr($0, 1, at - 1) }
		path != last {
			n = match(path, /\/[0-9]+$/)
			if (!n || path !~ /^[0-9]+\/(task\/[0-9]+\/)?fdinfo\/[0-9]+$/) next
			last = path
			next_out = to substr(path, 1, n - 1)
			if (next_out != out) { if (out) close(out); out = next_out }
			print "== " substr(path, n + 1) >out
		}
		{ print substr($0, at + 1) >out }'
	return 0
}
proc() (
	set +e
	LC_ALL=C
	export LC_ALL
	to=$1
	mkdir -p "$to/net" && to=$(cd "$to" && pwd) && cd /proc || exit 0
	proc_clock before >"$to/clock"
	set -- [0-9]*
	while [ $# -gt 0 ]; do
		some='' n=0
		while [ $# -gt 0 ] && [ $n -lt 50 ]; do
			some="$some $1" n=$((n + 1))
			shift
		done
		from=$(proc_mono)
		proc_some "$to" $some
		upto=$(proc_mono)
		for p in $some; do printf '%s %s %s\n' "$p" "$from" "$upto"; done >>"$to/times"
	done
	cp net/tcp net/tcp6 net/udp net/udp6 net/unix net/dev net/route "$to/net" 2>/dev/null
	cp partitions interrupts softirqs stat diskstats uptime version cpuinfo meminfo loadavg mounts "$to" 2>/dev/null
	cp --parents --no-preserve=mode sys/kernel/hostname sys/kernel/osrelease sys/kernel/random/boot_id "$to" 2>/dev/null
	proc_clock after >>"$to/clock"
	exit 0
)
