# What is running, open and connected, from /proc, as text: `proc FOLDER` writes a few files there (their layout:
# ftrace/proc/proc_snapshot.h), with CLOCK_MONOTONIC around each batch of processes. It runs while events are recorded,
# so it starts as few programs as it can: grep and ls once a batch, and xargs where a batch has very many threads.
proc_mono() { # sets mono, in ns; "": not known
	mono=
	if [ -r /proc/timer_list ]; then
		while read -r a b mono _; do
			[ "$a $b" != 'now at' ] || break
		done </proc/timer_list
	elif command -v perl >/dev/null 2>&1; then
		mono=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%.0f", 1e9 * clock_gettime(CLOCK_MONOTONIC)')
	else
		mono=$(python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))')
	fi 2>/dev/null
}
# proc_clock WORD FILE: a line of both clocks; none where date has no nanoseconds.
proc_clock() {
	proc_mono
	real=$(date +%s%N)
	case $real in
	*[!0-9]* | ?????????? | '') ;;
	*) printf '%s %s %s\n' "$1" "$mono" "$real" >>"$2" ;;
	esac
}
# proc_some PID...: of these processes the threads, by grep; what is open, by ls.
proc_some() {
	files='' dirs=''
	for p; do
		for t in "$p"/task/[0-9]*; do files="$files $t/stat $t/status"; done
		# A kernel thread has no program and nothing open. Of a process whose first thread has ended, another has it.
		if [ -e "$p/exe" ]; then
			dirs="$dirs $p/fd"
			continue
		fi
		for t in "$p"/task/[0-9]*; do
			set -- "$t"/fd/*
			[ -h "$1" ] && dirs="$dirs $t/fd" && break
		done
	done
	if [ ${#files} -lt 100000 ]; then
		grep -asHE "$wanted" $files >>"$to/tasks"
	else
		printf '%s\n' $files | xargs grep -asHE "$wanted" >>"$to/tasks"
	fi
	# Two or more, so that each has its name over it.
	[ -z "$dirs" ] || ls $flags /dev/null $dirs >>"$to/fds"
}
proc() (
	set +e
	LC_ALL=C wanted='^([0-9]+ \(|NSpid:|(non)?voluntary_ctxt)' flags=-lnq
	export LC_ALL
	{ printf meridian-state >/proc/self/comm; } 2>/dev/null
	mkdir -p "$1/net" "$1/sys/kernel" && to=$(cd "$1" && pwd) && cd /proc || exit 0
	exec 2>/dev/null
	ls $flags /dev/null >/dev/null || flags=-ln
	proc_clock before "$to/clock"
	set -- [0-9]*
	# In another namespace than the first they have other numbers than in the recording.
	case $(readlink self/ns/pid) in 'pid:[4026531836]' | '') ;; *) set -- ;; esac
	[ -r timer_list ] && is_quick=yes || is_quick=
	while [ $# -gt 0 ]; do
		some='' n=0
		while [ $# -gt 0 ] && [ $n -lt 50 ]; do
			some="$some $1" n=$((n + 1))
			shift
		done
		# Where the clock takes a program to read, the times of all of it do.
		[ -z "$is_quick" ] || proc_mono
		from=$mono
		proc_some $some
		[ -z "$is_quick" ] || {
			proc_mono
			printf "%s $from $mono\n" $some >>"$to/times"
		}
	done
	cp net/tcp net/tcp6 net/udp net/udp6 net/unix net/dev "$to/net"
	cp partitions interrupts cpuinfo uptime "$to"
	cp sys/kernel/hostname "$to/sys/kernel"
	proc_clock after "$to/clock"
	exit 0
)
