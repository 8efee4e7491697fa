#!/usr/bin/env bash
# A recording of user space by somebody without privileges, for real: all events, sound, nothing left.
# Skipped where LTTng-UST or lttng-tools are missing.
. "$SRC/tests/record/nobody.sh"
cd "$dir" || exit 1
"${as[@]}" sh -c 'exec timeout 100 "$0" record --user "meridian_work" -o rec -- sh -c "\"$1\" -o truth.jsonl --ust pulse --hertz 200 --count 30; exit 7"' \
	"$MERIDIAN" "$WORK" >out 2>err </dev/null
check "the command's exit status" $? 7
check "steps that the program states" "$(jq -r 'select(.type == "step") | .step' truth.jsonl | wc -l)" 30
check "steps that are recorded" "$("$MERIDIAN" events --format jsonl --sync none rec 2>/dev/null | grep -c '"meridian_work:step_end"')" 30
"$MERIDIAN" check rec >checked 2>&1
check "sound" $? 0
check "nothing is lost, all is here" "$(jq -r '[.complete, .exit_status, .hosts[0].discarded_events] | @csv' rec/manifest.json)" "true,7,0"
check "its size, about" "$(jq '.hosts[0].trace_bytes | . >= 4096 and . < 100000000' rec/manifest.json)" true
check "sessions" "$(sessions)" 0
check "notes of recordings" "$(find state -name '*.json' 2>/dev/null | wc -l)" 0
grep -q 'meridian ' err || check "what to type next" "$(tail -3 err)" "a command"
finish
