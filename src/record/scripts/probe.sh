# What a host has for recording, as KEY=VALUE lines. It changes nothing, but for probes that it defines and removes;
# with start_daemon=1 it starts the session daemon of LTTng where root has none yet, as any command of lttng does, and
# mounts tracefs.
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin:/usr/local/bin
export LC_ALL PATH
p() { printf '%s=%s\n' "$1" "$2"; }
have() { command -v "$1" >/dev/null 2>&1; }
first() { sed -n 1p "$1" 2>/dev/null; }
p name "$(uname -n)"
p kernel "$(uname -r)"
p architecture "$(uname -m)"
p boot_id "$(first /proc/sys/kernel/random/boot_id)"
p cpus "$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null)"
p uid "$(id -u)"
p user "$(id -un 2>/dev/null)"
p groups "$(id -Gn 2>/dev/null)"
p address "$SSH_CONNECTION"
place=$HOME/lttng-traces
[ -d "$place" ] || place=$HOME
p free_kib "$(df -Pk "$place" 2>/dev/null | awk 'NR == 2 { print $4 }')"
clock=/sys/devices/system/clocksource/clocksource0
p clock_source "$(first $clock/current_clocksource)"
[ -n "$(find /lib/modules/"$(uname -r)" -name 'lttng-tracer.ko*' 2>/dev/null | sed -n 1p)" ] && p modules there
[ -d /sys/module/lttng_tracer ] && p modules loaded
[ -S /var/run/lttng/client-lttng-sessiond ] && p root_daemon yes
if have lttng; then
	p lttng "$(lttng --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9.]*\).*/\1/p' | sed -n 1p)"
	if [ "$kernel_events" = 1 ]; then
		if [ "$start_daemon" = 1 ] && [ "$(id -u)" = 0 ] && ! lttng list >/dev/null 2>&1; then
			lttng-sessiond --daemonize >/dev/null 2>&1
		fi
		if list=$(lttng list --kernel 2>&1); then
			p kernel_tracer yes
			printf '%s\n' "$list" | sed -n 's/^ *\([A-Za-z0-9_]*\) (.*type: tracepoint.*/event=\1/p'
		else
			p kernel_tracer_error "$(printf '%s\n' "$list" | sed -n 's/^Error: //p' | sed -n 1p)"
		fi
	fi
else
	p no_lttng yes
fi
have lttng-relayd && have pgrep && pgrep -x lttng-relayd >/dev/null 2>&1 && p relay_daemon yes
# tracefs, and what it accepts: each kind of probe is defined and removed again, never enabled. Only trying shows it.
traces='' can_mount=''
tracefs=/sys/kernel/tracing
[ -d $tracefs/events ] || tracefs=/sys/kernel/debug/tracing
caps=$(sed -n 's/^CapEff:[ \t]*//p' /proc/self/status 2>/dev/null)
if [ ! -d $tracefs/events ] && [ -d /sys/kernel/tracing ] && [ "$(id -u)" = 0 ] &&
	grep -q 'tracefs$' /proc/filesystems 2>/dev/null && [ $((0x${caps:-0} >> 21 & 1)) = 1 ]; then
	tracefs=/sys/kernel/tracing
	if [ "$start_daemon" = 1 ] && mount -t tracefs tracefs $tracefs 2>/dev/null; then
		p tracefs_mounted yes
	elif [ "$start_daemon" != 1 ]; then
		p tracefs_missing yes
		can_mount=yes
	fi
fi
if [ -w $tracefs/instances ] && [ -d $tracefs/events ] && [ "$(id -u)" = 0 ]; then
	p tracefs $tracefs
	traces=yes
	for i in $tracefs/instances/meridian-*; do
		[ -d "$i" ] && p instance "$i"
	done
	accepts() {
		{ echo "$2" >>$tracefs/dynamic_events; } 2>/dev/null || return
		{ echo "-:mer_try/$1" >>$tracefs/dynamic_events; } 2>/dev/null
		p probes "$1"
	}
	if [ -w $tracefs/dynamic_events ]; then
		accepts eprobe 'e:mer_try/eprobe net.net_dev_queue skb=$skbaddr:x64'
		accepts tprobe 't:mer_try/tprobe net_dev_queue skb=skb:x64 len=skb->len'
		accepts kprobe 'p:mer_try/kprobe tcp_sendmsg'
	fi
	[ "$kernel_events" = 1 ] && sed -n 's/^\([A-Za-z0-9_-]*:[A-Za-z0-9_-]*\)$/trace_event=\1/p' $tracefs/available_events
fi
p lockdown "$(sed -n 's/.*\[\([a-z]*\)\].*/\1/p' /sys/kernel/security/lockdown 2>/dev/null)"
[ -r /sys/kernel/btf/vmlinux ] && p btf yes
# Numbers of processes in traces are those of the first namespace, of which this is the kernel's number.
case $(readlink /proc/self/ns/pid 2>/dev/null) in
'pid:[4026531836]' | '') ;;
*) p own_pids yes && container=yes ;;
esac
if [ -e /.dockerenv ] || [ -e /run/.containerenv ] || [ -n "$container" ] || [ -s /run/systemd/container ] ||
	grep -q '/docker\|/lxc\|kubepods' /proc/1/cgroup 2>/dev/null; then
	p container yes
fi
if have perf; then
	p perf "$(perf --version 2>/dev/null | sed -n 's/[^0-9]*\([0-9][0-9.]*\).*/\1/p' | sed -n 1p)"
	# Only trying shows it: the kernel's setting, rights of the program, and of the files that describe events. But
	# where root has no tracefs, perf would mount it.
	if [ -n "$can_mount" ]; then
		p perf_may yes
	elif [ "$kernel_events" = 1 ] && { [ "$perf_wanted" = 1 ] || [ -z "$traces" ]; }; then
		if why=$(perf record -q -a -e sched:sched_switch -o /dev/null -- true 2>&1); then
			p perf_may yes
		else
			p perf_error "$(printf '%s\n' "$why" | awk '/^Error:/ { on = 1; sub(/^Error:[ \t]*/, "") }
				on && NF { sub(/\.+$/, ""); print tolower(substr($0, 1, 1)) substr($0, 2); exit }')"
		fi
	fi
fi
if have perl && perl -MTime::HiRes=clock_gettime -MSocket -e 1 2>/dev/null; then
	p agent perl
elif have python3; then
	p agent python3
elif grep -q '^now at [0-9]' /proc/timer_list 2>/dev/null && date +%N | grep -q '^[0-9]*$'; then
	p agent sh
fi
for device in /sys/class/ptp/ptp*; do
	[ -e "$device" ] && p ptp "/dev/${device##*/} $(first "$device/clock_name")"
done
for file in /etc/chrony/chrony.conf /etc/chrony.conf /etc/chrony/conf.d/*.conf /etc/chrony/sources.d/*.sources; do
	[ -r "$file" ] && sed -n 's/^[ \t]*\(refclock\|server\|pool\|peer\)[ \t][ \t]*\([^#]*\).*/chrony_\1=\2/p' "$file"
done
if have chronyc && list=$(chronyc -n -c tracking 2>/dev/null) && [ -n "$list" ]; then
	p clock_daemon chrony
	p clock_offset_s "$(printf '%s\n' "$list" | cut -d, -f5)"
	p clock_leap "$(printf '%s\n' "$list" | cut -d, -f14)"
elif have timedatectl && [ "$(timedatectl show -p NTPSynchronized --value 2>/dev/null)" = yes ]; then
	p clock_daemon timesyncd
elif have pgrep && pgrep -x ntpd >/dev/null 2>&1; then
	p clock_daemon ntpd
elif have pgrep && pgrep -x ptp4l >/dev/null 2>&1; then
	p clock_daemon ptp4l
fi
grep -q '^flags.* hypervisor' /proc/cpuinfo 2>/dev/null && p guest yes
card=$(sed -n 's/^\([^ \t]*\)[ \t]*00000000[ \t].*/\1/p' /proc/net/route 2>/dev/null | sed -n 1p)
if [ -n "$card" ] && have ethtool; then
	p card "$card"
	p receive_offload "$(ethtool -k "$card" 2>/dev/null | sed -n 's/^generic-receive-offload: *\([a-z]*\).*/\1/p')"
fi
p end yes
