#!/usr/bin/env bash
# Names of functions: a program built with -finstrument-functions, recorded by LTTng-UST, whose states must be what it
# calls, nested as it calls it; by build id, and with a reason where there is no such file. Skipped without LTTng-UST.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
csv() { "$m" "$@" --format csv 2>"$dir/err" </dev/null | tail -n +2; }

# ---- binaries that are not here, or of another build: addresses stay, and it is said why ----
cat >"$dir/s.view" <<'END'
view s
row thread "T" key context.vpid
	begin f:enter as "{addr:symbol}"
	end f:leave as "{addr:symbol}"
END
cat >"$dir/s.scn" <<'END'
host h
trace h/ust { context { s32 vpid } }
1ms h/ust 0 f:enter { vpid=7 } addr=4198400
2ms h/ust 0 lttng_ust_statedump:bin_info { vpid=7 } baddr=4194304 memsz=8192 path="/no/such/program" is_pic=0
2ms h/ust 0 lttng_ust_statedump:bin_info { vpid=8 } baddr=4194304 memsz=8192 path="/no/such/other" is_pic=0
3ms h/ust 0 f:leave { vpid=7 } addr=4198400
4ms h/ust 0 f:enter { vpid=8 } addr=4198400
5ms h/ust 0 f:leave { vpid=8 } addr=4198400
6ms h/ust 0 lttng_ust_dl:dlclose { vpid=8 } baddr=4194304
7ms h/ust 0 lttng_ust_dl:dlopen { vpid=8 } baddr=4198400 memsz=8192 path="/no/such/lib.so"
8ms h/ust 0 f:enter { vpid=8 } addr=4198400
9ms h/ust 0 f:leave { vpid=8 } addr=4198400
10ms h/ust 0 f:enter { vpid=9 } addr=18
11ms h/ust 0 f:leave { vpid=9 } addr=18
END
"$CTFGEN" -o "$dir/s" "$dir/s.scn" || exit 1
equal "the binary of each process, and what is loaded there later" \
	"$(csv log view --view "$dir/s.view" -n 0 "$dir/s" | cut -d, -f9,12 | tr '\n' ' ')" \
	"program+0x1000,whole other+0x1000,whole lib.so+0x0,whole 0x12,whole "
"$m" log view --view "$dir/s.view" -n 0 "$dir/s" -v 2>"$dir/err" >/dev/null
text "$dir/err" 'no names for addresses of /no/such/program: its build id was not recorded|reads no ELF'
text "$dir/err" '1 address lies in no binary that was recorded'

# ---- a real one ----
library=$(ldconfig -p 2>/dev/null | awk '/liblttng-ust-cyg-profile[.]so/ { print $NF; exit }')
if [ -z "$library" ] || ! command -v lttng-sessiond cc >/dev/null; then
	echo "skipped: there is no LTTng session, or no compiler"
	finish
fi
if "$m" log view --view "$dir/s.view" "$dir/s" -v 2>&1 | grep -q 'reads no ELF'; then
	echo "skipped: this build reads no ELF files"
	finish
fi
cat >"$dir/prog.c" <<'END'
__attribute__((noinline)) int leaf(int n) { return n * 3; }
__attribute__((noinline)) int branch(int n) { return leaf(n) + leaf(n + 1); }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += branch(i);
	return sum == 0;
}
END
as=()
if [ "$(id -u)" -eq 0 ]; then # root's sessions are the machine's
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chown 65534:65534 "$dir"
fi
export LTTNG_HOME=$dir HOME=$dir
end_session() {
	[ ! -s "$dir/.lttng/lttng-sessiond.pid" ] || kill "$(cat "$dir/.lttng/lttng-sessiond.pid")"
	for ((i = 0; i < 100; i++)); do
		[ -s "$dir/.lttng/lttng-sessiond.pid" ] || break
		sleep 0.05
	done
	rm -rf "$dir"
}
trap end_session EXIT
user() { timeout 60 "${as[@]}" "$@" >>"$dir/log" 2>&1 </dev/null || fail "$*: $(tail -2 "$dir/log")"; }
for kind in pie no-pie; do
	check "compile" cc -g -O1 -finstrument-functions -Wl,--build-id -"$kind" "$dir/prog.c" -o "$dir/prog-$kind"
done
user lttng-sessiond --daemonize --no-kernel
for kind in pie no-pie; do
	user lttng create $kind --output="$dir/$kind"
	user lttng enable-event --userspace 'lttng_ust_cyg_profile:*,lttng_ust_statedump:*'
	user lttng add-context --userspace --type vtid --type vpid --type procname
	user lttng start
	user env LTTNG_UST_REGISTER_TIMEOUT=-1 "LD_PRELOAD=$library" "$dir/prog-$kind"
	user lttng stop
	user lttng destroy $kind
	csv log view --view cyg-profile -n 0 "$dir/$kind" | awk -F, '{ print $9, $10, $11 }' | sort | uniq -c | tr -s ' ' >"$dir/calls"
	equal "$kind: functions, and who called them" "$(tr '\n' ';' <"$dir/calls")" " 5 branch main 1; 10 leaf branch 2; 1 main 0;"
	equal "$kind: stacks" "$("$m" log view --view cyg-profile --format folded "$dir/$kind" 2>/dev/null | sed 's/ [0-9]*$//; s/^.*;main/main/' | tr '\n' ' ')" \
		"main main;branch main;branch;leaf "
done
# A stripped file; then another build of it.
check "strip" strip "$dir/prog-pie"
names() { csv log view --view cyg-profile -n 0 "$dir/pie" | cut -d, -f9 | sort -u | tr '\n' ' '; }
text <(names) '^prog-pie\+0x'
check "another build" cc -O1 -Wl,--build-id -pie "$dir/prog.c" -o "$dir/prog-pie"
text <(names) '^prog-pie\+0x'
"$m" log view --view cyg-profile "$dir/pie" -v >/dev/null 2>"$dir/err"
text "$dir/err" 'prog-pie: the file here is of another build'
finish
