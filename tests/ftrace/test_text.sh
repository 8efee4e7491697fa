#!/usr/bin/env bash
# Text of ftrace, trace-cmd and perf: each form of a line, by hand; the text that their own tools make of a recording has
# as many events of each kind, and the same CPU times and wake-ups within microseconds, as the recording; cut anywhere it is
# read up to the last whole line.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# ---- each form of a line ----

# events FILE: without the columns of time, and without flags
events() { "$m" events -q "$1" 2>/dev/null | sed -E 's/ \(\+[^)]*\)//; s/common_flags = [0-9]+, common_preempt_count = [0-9]+, //'; }
n_forms=0
# form NAME LINE EVENT: the line, twice, so that the file is text of a tracer
form() {
	n_forms=$((n_forms + 1))
	local file=$dir/form$n_forms.txt
	printf '%s\n%s\n' "$2" "$2" >"$file"
	equal "$1" "$(events "$file" | grep -v statedump | head -1)" "$3"
}
as() { printf '[00:00:57.332291000] %s: { cpu_id = %s }, { common_pid = %s }, {%s }' "$1" "$2" "$3" "${4:+ $4}"; }
switched='prev_comm = "sh", prev_pid = 330, prev_prio = 120, prev_state = 1, next_comm = "a b", next_pid = 7, next_prio = 100'
s='prev_comm=sh prev_pid=330 prev_prio=120 prev_state=S ==> next_comm=a b next_pid=7 next_prio=100'
form "trace" "              sh-330     [001] d..2.    57.332291: sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "trace, with processes" "              sh-330     (    330) [001] d..2.    57.332291: sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "trace, process not known" "              sh-330     (-----) [001] d..2.    57.332291: sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "trace, without flags" "              sh-330     [001]    57.332291: sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "latency format" "      sh-330       1d..2.    57.332291: sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "latency format of a dump" "      sh-330       1d..2. 57332291us+: sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "trace-cmd report" "              sh-330   [001]    57.332291: sched_switch:         sh:330 [120] S ==> a b:7 [100]" "$(as sched:sched_switch 1 330 "$switched")"
form "trace-cmd report --ts-diff" "              sh-330   [001]    57.332291: (+858)  sched_switch:         sh:330 [120] S ==> a b:7 [100]" "$(as sched:sched_switch 1 330 "$switched")"
form "trace-cmd report of a buffer" "other:              sh-330   [001]    57.332291: sched_switch:         sh:330 [120] S ==> a b:7 [100]" "$(as sched:sched_switch 1 330 "$switched")"
form "perf script" "              sh   330 [001]    57.332291:       sched:sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "perf script, with processes" "              sh   329/330   [001]    57.332291:       sched:sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "perf script, with periods" "              sh   330 [001]    57.332291:          1 sched:sched_switch: $s" "$(as sched:sched_switch 1 330 "$switched")"
form "a line of Windows" "              sh-330     [001] d..2.    57.332291: sched_switch: $s"$'\r' "$(as sched:sched_switch 1 330 "$switched")"
form "whole ns" "              sh-330   [001] 57332291000: sys_exit:             NR 1 = -11" "$(as raw_syscalls:sys_exit 1 330 'id = 1, ret = -11')"
form "ns" "              sh-330   [001]    57.332291000: sys_exit:             NR 1 = -11" "$(as raw_syscalls:sys_exit 1 330 'id = 1, ret = -11')"

# Names with blanks, brackets, dashes and digits; of no task.
named() { form "task '$1'" "$2 [001]    57.332291: ${3}sys_exit: NR 1 = 2" "$(as raw_syscalls:sys_exit 1 "$4" 'id = 1, ret = 2')"; }
named 'tmux: server' '    tmux: server-330    ' '' 330
named 'a [000] b-5' '     a [000] b-5-330    ' '' 330
named 'x 12' '            x 12-330    ' '' 330
named '-1' '              -1-330    ' '' 330
named '<idle>' '          <idle>-0      ' '' 0
named '<...>' '           <...>-4711   ' '' 4711
named 'kworker/0:1H-kb' ' kworker/0:1H-kb    37' 'raw_syscalls:' 37
named 'x-3 9' '           x-3 9   330' 'raw_syscalls:' 330
named 'a (1)' '           a (1)   330' 'raw_syscalls:' 330
named ':-1' '             :-1    -1' 'raw_syscalls:' 0

# What the kernel, libtraceevent and perf print of each event that the model reads.
ft() { form "$1" "              sh-330     [001] d..2.    57.332291: $2" "$(as "$3" 1 330 "$4")"; }
ft "preempted" "sched_switch: ${s/=S /=R+ }" sched:sched_switch "${switched/state = 1,/state = 256,}"
ft "running" "sched_switch: ${s/=S /=R }" sched:sched_switch "${switched/state = 1,/state = 0,}"
ft "idle" "sched_switch: ${s/=S /=I }" sched:sched_switch "${switched/state = 1,/state = 128,}"
ft "idle of libtraceevent" "sched_switch:         sh:330 [120] W ==> a b:7 [100]" sched:sched_switch "${switched/state = 1,/state = 128,}"
ft "killable" "sched_switch: ${s/=S /=D|K }" sched:sched_switch "${switched/state = 1,/state = 2,}"
ft "a state of old kernels" "sched_switch: ${s/=S /=N }" sched:sched_switch "${switched/state = 1,/state = 2,}"
ft "a name that looks like fields" "sched_switch: ${s/=sh /=x pid=5 prio=3 }" sched:sched_switch "${switched/\"sh\"/\"x pid=5 prio=3\"}"
woken='comm = "a b", pid = 7, prio = 100, target_cpu = 2'
for e in sched_waking sched_wakeup sched_wakeup_new; do
	ft "$e" "$e: comm=a b pid=7 prio=100 target_cpu=002" "sched:$e" "$woken"
	ft "$e of libtraceevent" "$e:         a b:7 [100] CPU:002" "sched:$e" "$woken"
done
ft "of an old kernel" "sched_wakeup: comm=a b pid=7 prio=100 success=1 target_cpu=002" sched:sched_wakeup "${woken/target/success = 1, target}"
ft "migration" "sched_migrate_task: comm=a pid=7 prio=120 orig_cpu=0 dest_cpu=1" sched:sched_migrate_task 'comm = "a", pid = 7, prio = 120, orig_cpu = 0, dest_cpu = 1'
ft "fork" "sched_process_fork: comm=sh pid=330 child_comm=sh x child_pid=331" sched:sched_process_fork 'parent_comm = "sh", parent_pid = 330, child_comm = "sh x", child_pid = 331'
ft "exec" "sched_process_exec: filename=/usr/bin/a pid=b pid=330 old_pid=330" sched:sched_process_exec 'filename = "/usr/bin/a pid=b", pid = 330, old_pid = 330'
ft "exit" "sched_process_exit: comm=sh pid=330 prio=120" sched:sched_process_exit 'comm = "sh", pid = 330, prio = 120'
ft "exit since 6.16" "sched_process_exit: comm=sh pid=330 prio=120 group_dead=true" sched:sched_process_exit 'comm = "sh", pid = 330, prio = 120, group_dead = "true"'
ft "new task" "task_newtask: pid=331 comm=sh clone_flags=3d0f00 oom_score_adj=-5" task:task_newtask 'pid = 331, comm = "sh", clone_flags = 0x3D0F00, oom_score_adj = -5'
ft "rename" "task_rename: pid=330 oldcomm=sh newcomm=a b oom_score_adj=0" task:task_rename 'pid = 330, oldcomm = "sh", newcomm = "a b", oom_score_adj = 0'
ft "priority" "sched_pi_setprio: comm=a pid=7 oldprio=120 newprio=98" sched:sched_pi_setprio 'comm = "a", pid = 7, oldprio = 120, newprio = 98'
ft "interrupt" "irq_handler_entry: irq=25 name=virtio3-req.0" irq:irq_handler_entry 'irq = 25, name = "virtio3-req.0"'
ft "its end" "irq_handler_exit: irq=25 ret=handled" irq:irq_handler_exit 'irq = 25, ret = 1'
ft "not its" "irq_handler_exit: irq=25 ret=unhandled" irq:irq_handler_exit 'irq = 25, ret = 0'
ft "softirq" "softirq_entry: vec=1 [action=TIMER]" irq:softirq_entry 'vec = 1, action = "TIMER"'
ft "call" "sys_enter: NR 257 (ffffff9c, 555e4d37aae8, 241, 1b6, a, 1)" raw_syscalls:sys_enter 'id = 257, args = [ [0] = 0xFFFFFF9C, [1] = 0x555E4D37AAE8, [2] = 0x241, [3] = 0x1B6, [4] = 0xA, [5] = 0x1 ]'
ft "its result" "sys_exit: NR 9 = 140245678901248" raw_syscalls:sys_exit 'id = 9, ret = 140245678901248'
ft "one call's event" "sys_enter_close: fd: 0x00000003" syscalls:sys_enter_close 'fd = 0x3'
ft "with more" "sys_enter_openat: dfd: 0xffffff9c, filename: 0x7f8c4cf98e70, flags: 0x00080000, mode: 0x00000000" syscalls:sys_enter_openat 'dfd = 0xFFFFFF9C, filename = 0x7F8C4CF98E70, flags = 0x80000, mode = 0x0'
ft "its own result" "sys_exit_openat: 0x3" syscalls:sys_exit_openat 'ret = 0x3'
ft "the kernel's own text" "sys_openat(dfd: ffffff9c, filename: 7f8c4cf98e70, flags: 80000, mode: 0)" syscalls:sys_enter_openat 'dfd = 0xFFFFFF9C, filename = 0x7F8C4CF98E70, flags = 0x80000, mode = 0x0'
ft "with the text" 'sys_openat(dfd: 0xffffff9c, filename: 0x7f8c4cf98e70 "/etc/a, b", flags: 0x80000)' syscalls:sys_enter_openat 'dfd = 0xFFFFFF9C, filename = 0x7F8C4CF98E70, flags = 0x80000'
ft "of no argument" "sys_getpid()" syscalls:sys_enter_getpid ''
ft "the kernel's result" "sys_openat -> 0xfffffffffffffffe" syscalls:sys_exit_openat 'ret = 0xFFFFFFFFFFFFFFFE'
ft "not as usual" "sys_enter_openat: dfd: 3, flags" syscalls:sys_enter_openat 'text = "dfd: 3, flags"'
asked='dev = 266338304, rwbs = "WS", bytes = 4096, cmd = "", sector = 1234, nr_sector = 8'
for e in insert issue; do
	ft "disk, $e" "block_rq_$e: 254,0 WS 4096 () 1234 + 8 [kworker/0:1H]" "block:block_rq_$e" "$asked, comm = \"kworker/0:1H\""
	ft "disk, $e with its priority" "block_rq_$e: 254,0 WS 4096 () 1234 + 8 be,0,4 [a b]" "block:block_rq_$e" "$asked, ioprio = \"be,0,4\", comm = \"a b\""
done
ft "disk, io_start" "block_io_start: 254,0 WS 4096 () 1234 + 8 none,0,0 [a]" block:block_io_start "$asked, ioprio = \"none,0,0\", comm = \"a\""
ft "disk, done" "block_rq_complete: 254,0 WS () 1234 + 8 [0]" block:block_rq_complete "${asked/bytes = 4096, }, error = 0"
ft "disk, failed" "block_rq_complete: 8,17 WS () 1234 + 8 be,0,4 [-5]" block:block_rq_complete 'dev = 8388625, rwbs = "WS", cmd = "", sector = 1234, nr_sector = 8, ioprio = "be,0,4", error = -5'
ft "merge" "block_bio_backmerge: 254,0 WS 1234 + 8 [a]" block:block_bio_backmerge 'dev = 266338304, rwbs = "WS", sector = 1234, nr_sector = 8, comm = "a"'
for n in -1 18446744073709551615; do
	ft "disk, no sector: $n" "block_rq_complete: 254,0 FF () $n + 0 [0]" block:block_rq_complete 'dev = 266338304, rwbs = "FF", cmd = "", sector = 18446744073709551615, nr_sector = 0, error = 0'
done
ft "packet" "net_dev_queue: dev=eth0 skbaddr=0xffff8880060cb500 len=66" net:net_dev_queue 'name = "eth0", skbaddr = 0xFFFF8880060CB500, len = 66'
ft "packet, hashed" "netif_receive_skb: dev=eth0 skbaddr=00000000f2a3b4c5 len=66" net:netif_receive_skb 'name = "eth0", skbaddr = 0xF2A3B4C5, len = 66'
ft "packet, hidden" "netif_receive_skb: dev=eth0 skbaddr=(____ptrval____) len=66" net:netif_receive_skb 'name = "eth0", skbaddr = 0x0, len = 66'
ft "timer" "hrtimer_expire_entry: hrtimer=00000000f2a3b4c5 function=tick_nohz_handler now=57332000000" timer:hrtimer_expire_entry 'hrtimer = 0xF2A3B4C5, function = "tick_nohz_handler", now = 57332000000'
ft "frequency" "cpu_frequency: state=2400000 cpu_id=1" power:cpu_frequency 'state = 2400000, cpu_id = 1'
ft "signal" "signal_generate: sig=17 errno=0 code=1 comm=a b pid=7 grp=1 res=0" signal:signal_generate 'sig = 17, errno = 0, code = 1, comm = "a b", pid = 7, group = 1, result = 0'
ft "work" "workqueue_execute_start: work struct 00000000f2a3b4c5: function vmstat_update" workqueue:workqueue_execute_start 'work = 0xF2A3B4C5, function = "vmstat_update"'
ft "length of a socket" "sock_recv_length: sk address = 00000000f2a3b4c5, family = AF_INET protocol = IPPROTO_TCP, length = 25, error = 0, flags = 0x2" sock:sock_recv_length 'skaddr = 0xF2A3B4C5, family = "AF_INET", protocol = "IPPROTO_TCP", length = 25, error = 0, flags = 0x2'
ft "vector" "local_timer_entry: vector=236" irq_vectors:local_timer_entry 'vector = 236'
ft "marker" "tracing_mark_write: hello: a=1" ftrace:print 'buf = "hello: a=1"'
ft "function" "vfs_read <-ksys_read" ftrace:function 'ip = "vfs_read", parent_ip = "ksys_read"'
# Others: keys and values, or text.
ft "keys" 'my_event: a=1 b=x y c=0x10, d=-5 e="q r=s" f=' my_event 'a = 1, b = "x y", c = 0x10, d = -5, e = "q r=s", f = ""'
ft "too large for a number" "my_event: a=99999999999999999999" my_event 'a = "99999999999999999999"'
ft "twice the same key" "my_event: a=1 a=2" my_event 'text = "a=1 a=2"'
ft "a probe" "tx: (ip_output+0x0/0x120) skb=0xffff888 len=60" tx 'probe_ip = "ip_output+0x0/0x120", skb = 0xFFFF888, len = 60'
ft "bytes" "tx: skb=0xffff888 hdr={0x45,0x0,0xff}" mer:tx 'skb = 0xFFFF888, hdr = [ [0] = 0x45, [1] = 0x0, [2] = 0xFF ]'
ft "our probe" "connect: (__sys_connect+0x0/0x60) fd=17 family=2 port=20480 v4=0x100000a" mer:connect 'probe_ip = "__sys_connect+0x0/0x60", fd = 17, family = 2, port = 20480, v4 = 0x100000A'
ft "another's" "connect: (f+0x0/0x60) fd=17 v4s=1" connect 'probe_ip = "f+0x0/0x60", fd = 17, v4s = 1'
ft "statistics" "sched_stat_runtime: comm=a b pid=7 runtime=161619 [ns] vruntime=20889848450 [ns]" sched:sched_stat_runtime 'comm = "a b", pid = 7, runtime = 161619, vruntime = 20889848450'
ft "no bytes" "tx: hdr={0x45,0x100}" mer:tx 'hdr = "{0x45,0x100}"'
ft "no keys" "my_event: what it was" my_event 'text = "what it was"'
ft "nothing" "my_event:" my_event ''
ft "a template that does not fit" "sched_waking: comm=a woken" sched:sched_waking 'comm = "a woken"'

# ---- whole files ----

# Losses where they are told; events of a CPU that are not in order of time; what is no event.
cat >"$dir/lost.txt" <<'END'
# tracer: nop
#
# entries-in-buffer/entries-written: 6/16   #P:4
#
              sh-330     [001] d..2.    57.000001: sys_exit: NR 1 = 1
##### CPU 2 buffer started ####
              sh-331     [002] .....    57.000004: sys_exit: NR 1 = 2
CPU:2 [LOST 12 EVENTS]
              sh-331     [002] .....    57.000005: sys_exit: NR 1 = 3
CPU:1 [2187 EVENTS DROPPED]
              sh-330     [001] .....    57.000006: sys_exit: NR 1 = 4
 => vfs_write
              sh-330     [001] .....    57.000006: <stack trace>
CPU:3 [LOST EVENTS]
              sh-330     [003] .....    57.000007: sys_exit: NR 1 = 5
this is nothing
CPU:3 [LOST 5 EVENTS]
CPU:3 [LOST 8 EVENTS]
CPU:4 [LOST 3 EVENTS]
              sh-330     [001] .....    57.000003: sys_exit: NR 1 = 6
              sh-330     [001] .....    57.000009: sys_exit: NR 12
END
printf '              sh-330     [001] .....    57.000010: sys_exit: NR 1 = 1' >>"$dir/lost.txt"
run 3 info -v "$dir/lost.txt"
equal "lost" "$("$m" info --json "$dir/lost.txt" 2>/dev/null | jq '[table("traces")[].lost_events] | add')" $((9 + 1 + 12 + 2187 + 1 + 5 + 8))
text "$dir/err" '3 events were lost on CPUs of which there is nothing else'
text "$dir/err" '10 events were overwritten at the beginning'
text "$dir/err" 'a line of the text is no event of a form that is known, and was left out'
text "$dir/err" 'ends too early'
text "$dir/err" 'whole microseconds'
text "$dir/err" 'does not say with which clock'
equal "in order of time" "$(events "$dir/lost.txt" | grep -o 'ret = .' | tr -dc 0-9)" 162345
equal "what follows the line without an end" "$("$m" events -q "$dir/lost.txt" 2>/dev/null | grep -c '57.000010')" 0

# Nothing is known from the event before the loss to that after it; what comes then is.
cat >"$dir/hole.txt" <<'END'
              a-10     [000] d..2.     1.000000: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=b next_pid=11 next_prio=120
              b-11     [000] d..2.     1.000035: sched_switch: prev_comm=b prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=a next_pid=10 next_prio=120
CPU:0 [LOST 3 EVENTS]
              b-11     [000] d..2.     1.000050: sched_switch: prev_comm=b prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=c next_pid=12 next_prio=120
              c-12     [000] d..2.     1.000060: sched_switch: prev_comm=c prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
          <idle>-0     [000] d..2.     1.000070: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=11 next_prio=120
              b-11     [000] d..2.     1.000075: sched_switch: prev_comm=b prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=a next_pid=10 next_prio=120
END
equal "around a loss" "$("$m" top cpu --table cpus -q --json "$dir/hole.txt" 2>/dev/null | jq -c '.tables[0].rows[0] | [.idle_ns, .unknown_ns]')" '[10000,15000]'

# In front of losses may be the buffer's name.
printf '%s\n' 'cpus=2' 'm: CPU:0 [154 EVENTS DROPPED]' 'm:              sh-330   [000]    57.000001: sys_exit:             NR 1 = 1' \
	' : CPU:0 [EVENTS DROPPED]' '                sh-330   [000]    57.000002: sys_exit:             NR 1 = 1' >"$dir/buffers.txt"
equal "lost, of buffers" "$("$m" info --json "$dir/buffers.txt" 2>/dev/null | jq '[table("traces")[].lost_events] | add')" 155

# The process, where there is a column for it.
printf '%s\n' '  sh-330     (    329) [001] .....    57.000001: sys_exit: NR 1 = 1' '  sh-331     (    329) [001] .....    57.000002: sys_exit: NR 1 = 1' >"$dir/tgid.txt"
equal "processes" "$("$m" events -q "$dir/tgid.txt" 2>/dev/null | grep -o 'tid = [0-9]*, pid = [0-9]*, ppid = -1, type = 0, status = 0, name = "[a-z]*"' | tr '\n' ' ')" \
	'tid = 330, pid = 329, ppid = -1, type = 0, status = 0, name = "sh" tid = 331, pid = 329, ppid = -1, type = 0, status = 0, name = "sh" '

# A fork does not say whether its child is a thread or a process, and a number may be used again: the child's own lines say
# it. Their parents are those of the forks. Who has no line of its own, or no process in it, has none.
cat >"$dir/forks.txt" <<'END'
              sh-330     (    330) [001] .....    57.000001: sched_process_fork: comm=sh pid=330 child_comm=sh child_pid=335
              sh-330     (    330) [001] .....    57.000002: sched_process_fork: comm=sh pid=330 child_comm=sh child_pid=336
              sh-330     (    330) [001] d..2.    57.000010: sched_switch: prev_comm=sh prev_pid=330 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=335 next_prio=120
              sh-335     (    330) [001] d..2.    57.000020: sched_switch: prev_comm=sh prev_pid=335 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=336 next_prio=120
              sh-336     (    336) [001] .....    57.000021: sched_process_exit: comm=sh pid=336 prio=120
              sh-336     (    336) [001] d..2.    57.000030: sched_switch: prev_comm=sh prev_pid=336 prev_prio=120 prev_state=X ==> next_comm=sh next_pid=330 next_prio=120
              sh-330     (    330) [001] .....    57.000031: sched_process_fork: comm=sh pid=330 child_comm=sh child_pid=336
              sh-330     (    330) [001] d..2.    57.000040: sched_switch: prev_comm=sh prev_pid=330 prev_prio=120 prev_state=S ==> next_comm=cat next_pid=337 next_prio=120
             cat-337     (-------) [001] d..2.    57.000050: sched_switch: prev_comm=cat prev_pid=337 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=336 next_prio=120
              sh-336     (    330) [001] d..2.    57.000060: sched_switch: prev_comm=sh prev_pid=336 prev_prio=120 prev_state=S ==> next_comm=nobody next_pid=338 next_prio=120
END
"$m" top cpu -q -n 0 --format csv "$dir/forks.txt" 2>/dev/null >"$dir/out"
equal "processes of forked tasks" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["tid"] ":" $at["pid"] }' "$dir/out" | sort | paste -sd' ')" \
	'330:330 335:330 336:330 336:336 337:'
equal "parents of forked tasks" "$("$m" events -q "$dir/forks.txt" 2>/dev/null | grep -c 'ppid = -1')" 4

# perf says the host, the clock and the time of day.
cat >"$dir/header.txt" <<'END'
# ========
# hostname : client
# os release : 6.1.0-56-amd64
# clockid: monotonic (1)
# reference time: 2026-11-22 14:47:20.897673 = 1795358840.897673 (TOD) = 31.522701 (monotonic)
# ========
#
              sh   330 [001]    32.522701:       raw_syscalls:sys_exit: NR 1 = 1
              sh   330 [001]    32.522702:  cpu-clock:pppH:  ffffffff8109a2b4 __schedule+0x2f4 ([kernel.kallsyms])
	ffffffff8109a2b4 __schedule+0x2f4 ([kernel.kallsyms])

              sh   330 [001]    32.522703:       raw_syscalls:sys_exit: NR 1 = 2
END
run 0 info -v "$dir/header.txt"
text "$dir/out" '^client '
text "$dir/out" '2026-11-22 14:47:21.897673000'
no_text "$dir/err" 'clock it was recorded'
text "$dir/err" 'samples of no tracepoint'

# What is no such text is not taken for one; what has no events is said.
printf 'a log\nof a service: 12\n' >"$dir/log.txt"
run 3 info "$dir/log.txt"
text "$dir/err" "this file is none that is read"
{
	cat "$dir/log.txt" "$dir/log.txt"
	sed -n 5p "$dir/lost.txt"
	sed -n 5p "$dir/lost.txt"
} >"$dir/quoted.txt"
run 3 info "$dir/quoted.txt"
printf '# tracer: function_graph\n#\n 1)   0.123 us    |  vfs_read();\n' >"$dir/graph.txt"
run 3 info "$dir/graph.txt"
text "$dir/err" "only the text of the tracer 'function_graph'"

# ---- against the recordings of which it is text ----

odd=$lab/stock-odd
events "$odd/trace.txt" >"$dir/whole"
equal "trace.txt: events" "$(grep -vc statedump "$dir/whole")" 2815
size=$(wc -c <"$odd/trace.txt")
for share in 1 33 61 97; do
	head -c $((size * share / 100)) "$odd/trace.txt" >"$dir/cut.txt"
	events "$dir/cut.txt" >"$dir/part"
	equal "cut at $share %: events" "$(wc -l <"$dir/part")" "$(($(grep -vc '^#' "$dir/cut.txt") - ($(tail -c 1 "$dir/cut.txt" | wc -l) == 0)))"
	head -n "$(wc -l <"$dir/part")" "$dir/whole" >"$dir/before"
	same "cut at $share %" "$dir/part" "$dir/before"
done

# kinds FILE: how many events there are of each
kinds() { events "$1" | grep -v statedump | grep -oE '^\[[^]]*\] ([^ ]+ )?[a-z_]+:[a-z_]+: ' | grep -oE '[a-z_]+:[a-z_]+: ' | sort | uniq -c; }
# near WHAT FILE FILE: numbers by key that differ by less than 1 % and 200 us
near() {
	if awk -F'\t' 'NR == FNR { v[$1] = $2; next } { d = v[$1] - $2; d = d < 0 ? -d : d; if (!($1 in v) || (d > 200000 && d > $2 / 100)) { print $1, v[$1], $2; bad = 1 } n++ }
		END { exit bad || n != length(v) || !n }' "$2" "$3" >"$dir/near"; then ok; else fail "$1: $(head -3 "$dir/near")"; fi
}
table() { "$m" "$@" --json -q 2>/dev/null </dev/null; }
compare() { # RECORDING TEXT
	kinds "$1" >"$dir/kinds"
	kinds "$2" >"$dir/kinds.text"
	same "$3: events of each kind" "$dir/kinds.text" "$dir/kinds"
	for what in "$1" "$2"; do
		table top cpu -a -n 0 "$what" | jq -r '.. | objects | select(has("self_ns")) | "\(.tid) \(.comm)\t\(.self_ns + .interrupted_ns)"' | sort >"$dir/cpu.$([ "$what" = "$1" ] && echo a || echo b)"
		table log sched -a -n 0 "$what" | jq -r '.. | objects | select(has("tid")) | "\(.tid) \(.comm)"' | sort >"$dir/sched.$([ "$what" = "$1" ] && echo a || echo b)"
		table top disk -n 0 "$what" | jq -S '[.. | objects | select(has("reads")) | [.disk, .requests, .read_bytes, .written_bytes]]' >"$dir/disk.$([ "$what" = "$1" ] && echo a || echo b)"
	done
	near "$3: CPU times" "$dir/cpu.b" "$dir/cpu.a"
	same "$3: wake-ups" "$dir/sched.b" "$dir/sched.a"
	same "$3: disk" "$dir/disk.b" "$dir/disk.a"
}
both=$lab/ftrace-lttng
for host in client server; do
	if ! there "$lab/ftrace-lttng/$host/trace.dat"; then
		continue
	elif command -v trace-cmd >/dev/null && trace-cmd report -i "$both/$host/trace.dat" >"$dir/$host.txt" 2>/dev/null; then
		compare "$both/$host/trace.dat" "$dir/$host.txt" "trace-cmd report of $host"
	else
		echo "skipped: no trace-cmd that reads the recording"
	fi
	if command -v perf >/dev/null && perf script --header -i "$both/$host/perf.data" >"$dir/$host-perf.txt" 2>/dev/null; then
		compare "$both/$host/perf.data" "$dir/$host-perf.txt" "perf script of $host"
	else
		echo "skipped: no perf that reads the recording"
	fi
done
finish
