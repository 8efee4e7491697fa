# Questions of all verbs with tables, a line each, for recordings with requests and a task wget (or another one).
# questions COMM: the lines.
questions() {
	cat <<END
summary
info
check
sync
sync --at client:+1s
latency
latency --messages --limit 50
stats
stats --by name --limit 3
requests
requests --list
requests --tree --limit 5
requests --explain
requests --cost
requests --cost --list
requests --bins 5
path --comm $1
path --list
path --children --comm $1
blocked
blocked --flat --comm $1
blocked --depth 3 --limit 4
graph
diff --comm $1
task --comm $1
task --comm $1 --all
state --at +1s
top cpu
top syscall --limit 3
top io --begin +1s --end +2s
top sched --comm $1
top cpu --table all --bins 4
top io --group-by program
top net --period sched_switch:sched_switch
log syscall --limit 5
log disk --min 1ms
freq syscall
stats futex
top waits --group-by cause --begin +1s --end +2s
log requests --min 1ms --limit 5
top requests --bins 3
stats messages --group-by to_port
END
}
