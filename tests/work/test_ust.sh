#!/usr/bin/env bash
# The user-space events of meridian-work, recorded by an unprivileged session of LTTng-UST: as many as the
# program states steps, with the same steps and rounds. Skipped where LTTng-UST or lttng-tools are missing.
set -u
library=$(dirname "$WORK")/meridian-work-ust.so
if [ ! -e "$library" ]; then
	"$WORK" --ust pulse --count 1 2>&1 | grep -q 'built without LTTng-UST' || { echo "FAILED: --ust says nothing" && exit 1; }
	echo "skipped: meridian-work was built without LTTng-UST"
	exit 77
fi
command -v lttng-sessiond >/dev/null || { echo "skipped: there is no lttng-sessiond" && exit 77; }

dir=$(mktemp -d)
# root's sessions belong to the whole machine: be somebody else, with a home of one's own.
as=()
if [ "$(id -u)" -eq 0 ]; then
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$WORK" || { echo "skipped: others cannot read $WORK" && exit 77; }
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chown 65534:65534 "$dir"
fi
# A busy machine may take long to register a program; LTTng gives up after 3 and 5 s.
export LTTNG_UST_REGISTER_TIMEOUT=60000 LTTNG_APP_SOCKET_TIMEOUT=60
export LTTNG_HOME=$dir HOME=$dir
end() {
	[ ! -s "$dir/.lttng/lttng-sessiond.pid" ] || kill "$(cat "$dir/.lttng/lttng-sessiond.pid")"
	for ((i = 0; i < 100; i++)); do
		[ -s "$dir/.lttng/lttng-sessiond.pid" ] || break
		sleep 0.05
	done
	rm -rf "$dir"
}
trap end EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}
run() { timeout 60 "${as[@]}" "$@" >>"$dir/log" 2>&1 || fail "$*: $(tail -3 "$dir/log")"; }

run lttng-sessiond --daemonize --no-kernel
run lttng create kit --output="$dir/trace"
run lttng enable-event --userspace 'meridian_work:*'
run lttng start
run "$WORK" -o "$dir/truth.jsonl" --ust pulse --hertz 200 --count 30
run lttng stop
run lttng destroy kit

wanted=$(jq -r 'select(.type == "step") | "step_end \(.step) \(.id // -1)"' "$dir/truth.jsonl" | sort)
found=$("$MERIDIAN" events --format jsonl --sync none "$dir/trace" 2>"$dir/err" |
	jq -r 'select(.name == "meridian_work:step_end") | "step_end \(.payload.step) \(.payload.id)"' | sort)
[ "$(wc -l <<<"$wanted")" -eq 30 ] || fail "the program states $(wc -l <<<"$wanted") steps"
[ "$wanted" = "$found" ] || fail "the trace differs: $(diff <(echo "$wanted") <(echo "$found") | head -3) $(cat "$dir/err")"
echo "2 passed, 0 failed"
