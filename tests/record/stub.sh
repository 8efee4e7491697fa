# Hosts that are folders: ssh and lttng as stubs on the PATH, for tests of what is done on many hosts.
# Sourced by tests, after tests/cli/lib.sh. $dir/hosts/HOST/sessions/NAME is a session, with the
# words in it; $dir/log has a line for each command: HOST COMMAND.
# fail HOST PATTERN [once]: on that host, an lttng line that matches fails from now on (once: the first time).
mkdir -p "$dir/bin" "$dir/hosts" "$dir/run"
cat >"$dir/bin/ssh" <<'STUB'
#!/usr/bin/env bash
# ssh OPTION... HOST LINE: runs the line in the host's folder.
operation=
while [ $# -gt 0 ]; do
	case $1 in
	-o) shift 2 ;;
	-O) operation=$2; shift 2 ;;
	-*) shift ;;
	*) break ;;
	esac
done
host=${1##*@}
shift
[ -z "$operation" ] || exit 0
export HOST=$host HOME=$STUB/hosts/$host SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22"
mkdir -p "$HOME/sessions"
if [ -e "$STUB/fail.ssh.$host" ]; then
	echo "ssh: connect to host $host port 22: Connection refused" >&2
	exit 255
fi
cd "$HOME" && exec bash -c "$*"
STUB
# Each has a name of its own: two names of one host are refused.
cat >"$dir/bin/uname" <<STUB
#!/bin/sh
[ -z "\$HOST" ] || [ "\$*" != -n ] || exec echo "\$HOST"
exec $(command -v uname) "\$@"
STUB
cat >"$dir/bin/lttng" <<'STUB'
#!/usr/bin/env bash
host=${HOST:-localhost}
home=$STUB/hosts/$host
mkdir -p "$home/sessions"
echo "$host lttng $*" >>"$STUB/log"
for rule in "$STUB"/fail."$host".*; do
	[ -e "$rule" ] || continue
	if [[ "$*" == *$(cat "$rule")* ]]; then
		[[ $rule != *.once ]] || rm -f "$rule"
		echo "Error: the stub says no" >&2
		exit 1
	fi
done
[ -z "${STUB_SLOW:-}" ] || sleep "$STUB_SLOW"
session() { # the word behind --session
	while [ $# -gt 0 ]; do
		[ "$1" != --session ] || { echo "$2"; return; }
		shift
	done
}
case $1 in
--version) echo "lttng (LTTng Trace Control) 2.13.9 - stub" ;;
list)
	if [ "${2:-}" = --kernel ]; then
		echo "Kernel events:"
		for e in sched_switch sched_waking sched_wakeup_new net_dev_queue net_if_receive_skb; do
			echo "      $e (loglevel: TRACE_EMERG (0)) (type: tracepoint)"
		done
	elif [ -n "${2:-}" ]; then
		[ -e "$home/sessions/$2" ] || { echo "Error: Session $2 not found" >&2; exit 1; }
		echo "      Discarded events: 0"
	fi
	;;
create)
	echo "$*" >"$home/sessions/$2"
	for ((i = 1; i < $#; i++)); do
		[ "${!i}" = --output ] || continue
		n=$((i + 1))
		mkdir -p "${!n}/kernel"
		echo "metadata of $host" >"${!n}/kernel/stream"
	done
	;;
enable-channel | enable-event | add-context | enable-rotation | snapshot)
	s=$(session "$@")
	[ -e "$home/sessions/$s" ] || { echo "Error: Session $s not found" >&2; exit 1; }
	;;
start | stop) [ -e "$home/sessions/$2" ] || exit 1 ;;
destroy)
	[ -e "$home/sessions/$2" ] || { echo "Error: Session $2 not found" >&2; exit 1; }
	rm -f "$home/sessions/$2"
	;;
esac
STUB
chmod +x "$dir/bin/ssh" "$dir/bin/lttng" "$dir/bin/uname"
export STUB=$dir PATH=$dir/bin:$PATH XDG_STATE_HOME=$dir/state HOME=$dir/home
mkdir -p "$HOME"
fail_at() { printf '%s' "$2" >"$dir/fail.$1.1${3:+.$3}"; }
heal() { rm -f "$dir"/fail.*; }
sessions() { find "$dir/hosts" -path '*/sessions/*' -type f | wc -l; }
ten=h0,h1,h2,h3,h4,h5,h6,h7,h8,h9
