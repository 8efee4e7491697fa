#!/usr/bin/env bash
# Which columns people see where a line has no room for all: what the row is about and what it is sorted by
# stay, the rest goes in an order that is the same for all data. A wider line only adds columns.
. "$SRC/tests/cli/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cd "$SRC" || exit 1
demo=demo/wget-cold-hot

# heading WIDTH ARGUMENT...: the columns' titles, one a line
heading() {
	COLUMNS=$1 "$m" -q "${@:2}" 2>/dev/null | awk '/^[^ ].*, from / { at = NR } 1 { line[NR] = $0 } END {
		for (i = 1; i <= NR; i++) if (line[i] ~ /  / && line[i] !~ /, from /) { print line[i]; exit } }' |
		sed -E 's/^ +//; s/  +/\n/g'
}
# has WIDTH TITLES ARGUMENT...: among others these (separated by commas)
has() {
	local got want
	got=$(heading "$1" "${@:3}" | tr '\n' ,)
	IFS=, read -ra want <<<"$2"
	for t in "${want[@]}"; do
		case ,$got in *,"$t",*) ok ;; *) fail "${*:3} at $1 columns lacks '$t': $got" ;; esac
	done
}
has 80 'host,tid,comm,time,CPU wait,%' top cpu $demo
has 80 'host,pid,comm,time,CPU wait,%' top cpu --table processes $demo
has 80 'host,CPU,idle,unknown,%' top cpu --table cpus $demo
has 80 'host,CPUs,idle,unknown,%' top cpu --table hosts $demo
has 80 'woken,latency,host,tid,comm,waker,reason' top sched $demo
has 80 'woken,latency,host,tid,comm,waker,reason' top sched -n 3 $demo
has 80 'woken,latency,host,tid,comm,waker,reason' top sched --comm ksoftirqd/0 $demo
has 80 'woken,latency,host,tid,comm,prio' top sched --sort prio $demo
has 80 'host,tid,comm,migrations' top cpu --sort migrations $demo
has 80 'host,tid,comm,interrupted' top cpu --sort interrupted $demo
has 60 'host,tid,comm,time,%' top cpu $demo

# Wider is more, never other columns; and no line is wider than asked for where one can fit.
for args in "top cpu" "top cpu --table processes" "top cpu --table cpus" "top sched" "stats sched" "top irq" \
	"top io" "top io --table files" "top io --table disks" "top net" "top net --table sockets" "top syscall" \
	"top futex" "top servers" "log sched" "log cpu" "log io" "log syscall"; do
	before=
	for width in 60 70 80 100 120 200; do
		# shellcheck disable=SC2086
		now=$(heading $width $args $demo)
		while read -r title; do
			[ -z "$title" ] || grep -qxF -- "$title" <<<"$now" ||
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
	"task --comm wget" summary graph; do
	# shellcheck disable=SC2086
	wide=$(COLUMNS=80 "$m" $args $demo 2>&1 | sed 's/[^ -~]/#/g' | awk 'length($0) > 80' | head -1)
	equal "$args at 80 columns" "$wide" ""
done
finish
