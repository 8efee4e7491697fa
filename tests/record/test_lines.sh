#!/usr/bin/env bash
# What --dry-run prints for the usual list of events of several hosts, word for word; and somebody without
# privileges gets the cause, the line that repairs it, and exit status 3.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export HOME=$dir XDG_STATE_HOME=$dir/state

run 0 record --dry-run --for multi -o trace_x
cat >"$dir/expected" <<'LINES'
lttng create --output ~/lttng-traces/trace_x
lttng enable-channel --kernel --num-subbuf 8 --subbuf-size 1024K more-subbuf
lttng enable-event -k --channel more-subbuf sched_switch,sched_waking,sched_pi_setprio,sched_process_fork,sched_process_exit,sched_process_free,sched_wakeup
lttng enable-event -k --channel more-subbuf irq_softirq_entry,irq_softirq_raise,irq_softirq_exit
lttng enable-event -k --channel more-subbuf irq_handler_entry,irq_handler_exit
lttng enable-event -k --channel more-subbuf --syscall --all
lttng enable-event -k --channel more-subbuf lttng_statedump_process_state,lttng_statedump_start,lttng_statedump_end,lttng_statedump_network_interface,lttng_statedump_block_device
lttng enable-event -k --channel more-subbuf block_rq_complete,block_rq_insert,block_rq_issue
lttng enable-event -k --channel more-subbuf block_bio_frontmerge,sched_migrate,sched_migrate_task
lttng enable-event -k --channel more-subbuf power_cpu_frequency
lttng enable-event -k --channel more-subbuf net_dev_queue,netif_receive_skb,net_if_receive_skb
lttng enable-event -k --channel more-subbuf timer_hrtimer_start,timer_hrtimer_cancel,timer_hrtimer_expire_entry,timer_hrtimer_expire_exit
lttng start
lttng stop
lttng destroy
LINES
equal "the lines" "$(grep '^lttng' "$dir/out")" "$(cat "$dir/expected")"
# The folder's usual name has the date.
run 0 record --dry-run --for multi
text "$dir/out" '^lttng create --output ~/lttng-traces/trace_[0-9]{6}_[0-9]{4}$'
# Without privileges nothing of the kernel can be recorded, wherever LTTng is installed.
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	echo "skipped: not root, so nobody's recording is not tried"
else
	chmod 755 "$dir"
	mkdir "$dir/nobody" && chown 65534 "$dir/nobody"
	cp "$m" "$dir/meridian" # what leads to the build may be root's alone
	(cd "$dir/nobody" && HOME=$dir/nobody XDG_STATE_HOME=$dir/nobody COLUMNS=300 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$dir/meridian" record -- true) >"$dir/out" 2>"$dir/err" </dev/null
	equal "nobody" $? 3
	text "$dir/err" 'error: no tracer can record the kernel.*: ftrace: only root may use it; perf: .*; LTTng: '
	text "$dir/err" '^ +sudo '
	equal "nobody leaves nothing" "$(ls -A "$dir/nobody")" ""
fi
finish
