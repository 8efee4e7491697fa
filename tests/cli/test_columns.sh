#!/usr/bin/env bash
# Which columns people see where a line has no room for all: what the row is about and what it is sorted by
# stay, the rest goes in an order that is the same for all data. A wider line only adds columns.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cd "$SRC" || exit 1
demo=demo/wget-cold-hot

# heading WIDTH ARGUMENT...: the columns' titles, one a line
heading() {
	COLUMNS=$1 "$m" -q "${@:2}" 2>/dev/null | awk '/^[^ ].*, from / { at = NR } 1 { line[NR] = $0 } END {
		for (i = 1; i <= NR; i++) if (line[i] ~ /  / && line[i] !~ /, from /) { print line[i]; exit } }' |
		sed -E 's/^ +//; s/  +/\n/g'
}
# has WIDTH TITLES ARGUMENT...: among others these (separated by commas; names may be shortened)
has() {
	local got want titles title found
	got=$(heading "$1" "${@:3}" | tr '\n' ,)
	IFS=, read -ra want <<<"$2"
	IFS=, read -ra titles <<<"$got"
	for t in "${want[@]}"; do
		found=
		for title in "${titles[@]}"; do
			[[ $t != ${title/…/*} ]] || found=1
		done
		[ $found ] && ok || fail "${*:3} at $1 columns lacks '$t': $got"
	done
}
has 80 'host,tid,comm,time,runnable,%' top cpu $demo
has 80 'host,pid,comm,time,runnable,%' top cpu --table processes $demo
has 80 'host,CPU,idle,unknown,%' top cpu --table cpus $demo
has 80 'host,CPUs,idle,unknown,%' top cpu --table hosts $demo
has 80 'woken,latency,host,tid,comm,waker,reason' top sched $demo
has 80 'woken,latency,host,tid,comm,waker,reason' top sched -n 3 $demo
has 80 'woken,latency,host,tid,comm,waker,reason' top sched --comm ksoftirqd/0 $demo
has 80 'woken,latency,host,tid,comm,prio' top sched --sort prio $demo
has 80 'host,tid,comm,migrations' top cpu --sort migrations $demo
has 80 'host,tid,comm,interrupted' top cpu --sort interrupted $demo
has 60 'host,tid,comm,time,%' top cpu $demo

# Who a row is about and the figure that it is looked at for are there even on a narrow line, of every analysis;
# names shrink before one of them goes, and the bar goes before all.
narrow() { # narrow RECORDING WHAT 40 60 80: the titles that are there at least
	local w=40 what=$2 recording=$1
	shift 2
	there "$lab/$recording" || return
	for titles in "$@"; do
		# shellcheck disable=SC2086
		has $w "$titles" $what "$lab/$recording"
		# shellcheck disable=SC2086
		wide=$(COLUMNS=$w "$m" -q $what "$lab/$recording" 2>/dev/null | sed 's/[^ -~]/#/g' | awk -v w=$w 'length($0) > w' | head -1)
		equal "$what at $w columns" "$wide" ""
		w=$((w + 20))
	done
}
narrow web-load "top cpu" host,tid,comm,time host,tid,comm,time,% "host,tid,comm,time,user,runnable,%"
narrow web-load "top cpu --bins 2" begin,scope,host,task begin,scope,host,CPU,task begin,scope,host,CPU,task,idle,%
narrow web-load "top sched" latency,host,tid,comm woken,latency,host,tid,comm woken,latency,host,tid,comm,waker,reason
narrow web-load "top io" host,tid,comm,bytes host,tid,comm,bytes,read,written host,tid,comm,bytes,read,written,time
narrow web-load "top net" host,tid,comm,sent host,tid,comm,sent,received host,tid,comm,sent,received
narrow web-load "top syscall" duration,call,host,tid,comm begin,duration,call,host,tid,comm \
	begin,duration,call,host,tid,comm,returned
narrow web-load "top irq" duration,host,name,tid begin,duration,host,name,tid,interrupted \
	begin,duration,host,kind,name,tid,interrupted
narrow web-load "top futex" host,address,pid,waiter,total "host,address,pid,waiter,by tid,woken by,total" \
	"host,address,pid,waiter,by tid,woken by,waits,total,max"
narrow web-load "top servers" host,tid,comm,accepts,max host,tid,comm,accepts,max host,tid,comm,accepts,max
narrow web-load "log cpu" duration,host,tid,comm begin,duration,host,tid,comm begin,duration,CPU,host,tid,comm
narrow web-load "log syscall" duration,call,host,tid,comm begin,duration,call,host,tid,comm begin,duration,call,host,tid,comm
narrow web-load "stats irq" host,kind,nr,name,total host,kind,nr,name,total host,kind,nr,name,count,total,max
narrow cpu-mem-io "top mem" "host,tid,comm,pages allocated" "host,tid,comm,pages allocated,net" \
	"host,tid,comm,pages allocated,freed,net"
narrow cpu-mem-io "top faults" host,tid,comm,faults host,tid,comm,faults,major host,tid,comm,faults,minor,major
narrow swap "log faults" "tid,comm,kind,waited for disk" "time,tid,comm,kind,waited for disk" "time,tid,comm,kind,waited for disk"
if there "$lab/web-load"; then
	for width in 40 60; do
		for args in "top irq" "top syscall"; do
			# shellcheck disable=SC2086
			COLUMNS=$width "$m" -q $args "$lab/web-load" >"$dir/out" 2>/dev/null
			text "$dir/out" 'no room for' "$args at $width columns"
			no_text <(sed -n '1,/no room/p' "$dir/out") '█|▏|▎|▍|▌|▋|▊|▉' "$args at $width columns"
		done
	done
fi

# Wider is more, never other columns; and no line is wider than asked for where one can fit.
for args in "top cpu" "top cpu --table processes" "top cpu --table cpus" "top sched" "stats sched" "top irq" \
	"top io" "top io --table files" "top disk" "top disk --table disk_tasks" "top net" "top net --table sockets" "top syscall" \
	"top futex" "top servers" "log sched" "log cpu" "log io" "log syscall"; do
	before=
	for width in 60 70 80 100 120 200; do
		# shellcheck disable=SC2086
		now=$(heading $width $args $demo)
		while read -r title; do
			[ -z "$title" ] || [[ ,$(tr "\n" , <<<"$now") == *,"${title%%…*}"* ]] ||
				fail "$args: '$title' is there in less than $width columns, and not in $width"
		done <<<"$before"
		before=$now
		# shellcheck disable=SC2086
		wide=$(COLUMNS=$width "$m" -q $args $demo 2>/dev/null |
			sed 's/[^ -~]/#/g' | awk -v w=$width 'length($0) > w' | head -1)
		[ "$width" -lt 80 ] || [ -z "$wide" ] || fail "$args at $width columns: $wide"
		ok
	done
done

# Of other verbs' tables, too.
for args in info "info --streams --count" stats check sync latency "path --list" "blocked --comm wget" \
	"task --comm wget" summary graph requests "requests --list" "requests --explain"; do
	# shellcheck disable=SC2086
	wide=$(COLUMNS=80 "$m" $args $demo 2>&1 | sed 's/[^ -~]/#/g' | awk 'length($0) > 80' | head -1)
	equal "$args at 80 columns" "$wide" ""
done
finish
