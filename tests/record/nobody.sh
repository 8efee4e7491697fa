# Somebody without privileges, with sessions of their own: for tests of real recordings of user space. Sourced; makes
# $dir, their home, and the words $as that run a command as them. Exit 77 where LTTng-UST or lttng-tools are missing.
set -u
[ -e "$(dirname "$WORK")/meridian-work-ust.so" ] || { echo "skipped: meridian-work was built without LTTng-UST" && exit 77; }
command -v lttng-sessiond >/dev/null || { echo "skipped: there is no lttng-sessiond" && exit 77; }

dir=$(mktemp -d)
# root's sessions belong to the whole machine: be somebody else, with a home of one's own.
as=()
if [ "$(id -u)" -eq 0 ]; then
	for program in "$WORK" "$MERIDIAN"; do
		setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$program" || { echo "skipped: others cannot read $program" && exit 77; }
	done
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chown 65534:65534 "$dir"
fi
# A busy machine may take long to register a program; LTTng gives up after 3 and 5 s.
export LTTNG_UST_REGISTER_TIMEOUT=60000 LTTNG_APP_SOCKET_TIMEOUT=60
export LTTNG_HOME=$dir HOME=$dir XDG_STATE_HOME=$dir/state XDG_CACHE_HOME=$dir/cache COLUMNS=200
relay=
end() {
	[ -z "$relay" ] || kill "$relay"
	[ ! -s "$dir/.lttng/lttng-sessiond.pid" ] || kill "$(cat "$dir/.lttng/lttng-sessiond.pid")"
	for ((i = 0; i < 100; i++)); do
		[ -s "$dir/.lttng/lttng-sessiond.pid" ] || break
		sleep 0.05
	done
	rm -rf "$dir"
}
trap end EXIT
passed=0 failed=0
check() { # check WHAT GOT WANTED
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1: '$2', not '$3'"
		[ ! -s err ] || tail -5 err | sed 's/^/    | /'
	fi
}
holds() { # holds WHAT COMMAND...
	local what=$1
	shift
	if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $what"; fi
}
finish() {
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ] || { tail -20 err && exit 1; }
}
sessions() { "${as[@]}" lttng list 2>/dev/null | grep -c '\[active'; }
