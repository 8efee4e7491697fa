#!/usr/bin/env bash
# meridian fleet: hosts that are folders, reached by a stub of ssh, answer as all their traces do here; whoever fails,
# in whichever step, is named and left out; nothing runs on, and no file is left, there and here.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export STUB=$dir XDG_CACHE_HOME=$dir/cache TZ=UTC TMPDIR=$dir/tmp PATH=$dir/bin:$PATH
mkdir -p "$dir/bin" "$dir/tmp" "$dir/run" "$dir/cache"
t=$lab/web-load
there "$t" || exit 77
t=$(realpath "$t")

# As sshd does, what runs on the host is in a session of its own: who ends ssh only takes its standard input and
# output away. $dir/ssh.HOST says that the connection fails in a step, which is "part" or "--part".
cat >"$dir/bin/ssh" <<'STUB'
#!/usr/bin/env bash
while [ "$1" = -o ]; do shift 2; done
export HOST=${1##*@} HOME=$STUB/hosts/${1##*@} TZ=JST-9
shift
step=part
[[ "$*" != *--part* ]] || step=--part
[[ "$*" != *--full* ]] || step=--full
echo "$HOST $step" >>"$STUB/calls"
echo $$ >"$STUB/pid.$HOST"
if [ "$(cat "$STUB/ssh.$HOST" 2>/dev/null)" = "$step" ]; then
	printf 'ssh: connect to host %s port 22: \033[1mConnection refused\r\n' "$HOST" >&2
	exit 255
fi
cd "$HOME" || exit 1
[ ! -e prints ] || echo "welcome to $HOST"
setsid --wait sh -c "$*" < <(exec cat)
STUB
# What is said of a host in $dir/meridian.HOST, as STEP WHAT, happens in that step there.
cat >"$dir/bin/meridian" <<STUB
#!/usr/bin/env bash
step=part
[[ "\$*" != *--part* ]] || step=--part
[[ "\$*" != *--full* ]] || step=--full
[ -z "\${HOST:-}" ] || echo "\$HOST nice \$(nice), disks \$(ionice -p \$\$ 2>/dev/null): \$*" >>"\$STUB/load"
read -r when what 2>/dev/null <"\$STUB/meridian.\${HOST:-}" || when=
if [ "\$when" = "\$step" ]; then
	case \$what in
	slow)
		echo \$\$ >"\$STUB/slow.\$HOST"
		exec sleep 1000
		;;
	old)
		echo "meridian: unknown verb 'part'" >&2
		echo "Try 'meridian --help'." >&2
		exit 2
		;;
	half)
		printf '\037\213half'
		kill -9 \$\$
		;;
	error)
		echo "meridian: error: no" >&2
		echo "meridian: note: a note" >&2
		exit 5
		;;
	nothing) exit 0 ;;
	esac
fi
exec "$m" "\$@"
STUB
chmod +x "$dir/bin/ssh" "$dir/bin/meridian"
for host in client db web; do
	mkdir -p "$dir/hosts/$host"
	ln -s "$t/$host" "$dir/hosts/$host/traces"
done
odd="we'b \"x\" \$(touch pwned) \`touch pwned\` ;touch pwned; \\"
ln -s "$t/web" "$dir/hosts/web/$odd"
fleet=(client:traces db:traces web:traces)
cd "$dir/run" || exit 1

calls() { if [ -e "$dir/calls" ]; then sort "$dir/calls" | tr '\n' ' '; fi; }
heal() { rm -f "$dir"/{ssh,meridian,slow,pid}.* "$dir"/{calls,load}; }
# clean WHAT: nothing is left in any folder of temporary files
clean() { equal "$1: files that are left" "$(ls "$dir/tmp")" ""; }
# gone WHAT PID: the process ends, if not at once
gone() {
	for ((i = 0; i < 100; i++)); do
		kill -0 "$2" 2>/dev/null || break
		sleep 0.1
	done
	if kill -0 "$2" 2>/dev/null; then fail "$1: process $2 runs on"; else ok; fi
}

# ---- The answer is that of all traces ----

run 0 fleet "${fleet[@]}" --keep kept -- top cpu
equal "calls" "$(calls)" "client --part client part db --part db part web --part web part "
text "$dir/err" 'note: clocks of 3 hosts aligned'
run 0 fleet -q "${fleet[@]}" --keep kept -- top cpu
equal "-q" "$(cat "$dir/err")" ""
clean "an answer"
while read -r question; do
	every 3 || continue
	# shellcheck disable=SC2086
	run "0|3" fleet "${fleet[@]}" --keep kept -- $question
	status=$run_status
	cp "$dir/out" "$dir/fleet.out"
	# shellcheck disable=SC2086
	run $status $question --sync "$(realpath kept)/all.sync" "$t"
	same "$question" "$dir/fleet.out" "$dir/out"
done <<'QUESTIONS'
top cpu
top cpu --format json
top cpu -an 3 --sort user
top syscall --json -n3
log sched --format csv -n 50
log sched --comm nginx --begin 2026-11-21T03:19:13 --end 1795231154000000000 -qn 20
stats irq
freq sched
summary --peers --group-by all
top futex
log sched --comm nginx --begin +2s --end +3s -rn 20
QUESTIONS
heal
run 0 fleet "${fleet[@]}" --keep kept -- top cpu --strict --ignore-uuid
equal "how traces are read" "$(grep -c -- '--part.* --ignore-uuid' "$dir/load")" 3
heal
run 0 fleet "${fleet[@]}" --keep kept -- top cpu --sort user
equal "another question" "$(calls)" "client --part db --part web --part "
heal
run 0 fleet "${fleet[@]}" --keep kept -- top cpu --format csv --sort user
equal "the same in another format asks nobody" "$(calls)" ""
run 0 top cpu --format csv --sort user --sync kept/all.sync "$t"
mv "$dir/out" "$dir/here.out"
run 0 fleet "${fleet[@]}" --keep kept -- top cpu --format csv --sort user -o file.csv
same "into a file" file.csv "$dir/here.out"

# Without a folder, hosts in a file, folders for all, this host beside others.
printf 'user@client # the first\n\ndb:traces\n' >hosts
run 0 fleet --hosts hosts --folder traces localhost:"$t/web" -- top cpu
mv "$dir/out" "$dir/fleet.out"
run 0 top cpu --sync kept/all.sync "$t"
same "hosts of a file, and this one" "$dir/fleet.out" "$dir/out"
clean "without a folder"

# ---- Names ----

heal
run 0 fleet "web:$odd" client:traces -- top cpu --comm "$odd" --comm nginx
run 0 fleet "web:$odd" client:traces --dry-run -- top cpu --comm "$odd"
mkdir -p lines && (cd lines && HOME=$dir sh -e) <"$dir/out" >"$dir/lines.out" 2>"$dir/err" && ok || fail "lines of --dry-run: $(head -3 "$dir/err")"
if [ -n "$(find "$dir" -name pwned)" ]; then fail "a folder's name was run"; else ok; fi
heal
for bad in '-oProxyCommand=x:traces' '[-x]:traces' 'a;b:traces' 'a b:traces' 'a@:traces' web ''; do
	run 2 fleet "$bad" -- top cpu
done
run 2 fleet web -- top cpu
text "$dir/err" 'where are the traces of web\? .*web:traces'
run 2 fleet web:a web:a -- top cpu
run 2 fleet -- top cpu
run 2 fleet web:traces
run 2 fleet web:traces --
text "$dir/err" 'where is the question\?'
for question in 'graph' 'events' 'stats' 'top vm' 'log mpi' 'nothing' 'summary --peers traces' 'top cpu traces' 'top --bogus' 'requests --bogus' 'top cpu --sync none' 'top --help' 'top nothing'; do
	# shellcheck disable=SC2086
	run 2 fleet web:traces -- $question
done
text "$dir/err" "no analysis 'nothing'"
for option in '--nice 20' '--cpu-quota 50' '--cpu-quota x%' '--cpu-quota 0%' '--timeout 0s' '--fanout 201' '--ssh '; do
	# shellcheck disable=SC2086
	run 2 fleet web:traces ${option% *} "${option#* }" -- top cpu
done
equal "nobody was asked" "$(calls)" ""

# ---- Lines that are typed do the same ----

heal
run 0 fleet "${fleet[@]}" --nice 0 --dry-run -- top syscall -n 3
equal "nobody is asked" "$(calls)" ""
cp "$dir/out" lines.sh
rm -rf lines
mkdir lines
(cd lines && sed '/^meridian sync/s/$/ >synced/' ../lines.sh | sh -e) >"$dir/lines.out" 2>"$dir/err" || fail "lines of --dry-run: $(head -3 "$dir/err")"
run 0 fleet "${fleet[@]}" -- top syscall -n 3
same "lines of --dry-run" "$dir/lines.out" "$dir/out"
clean "lines of --dry-run"

# ---- Questions that need what all hosts did ----

heal
while read -r question; do
	# shellcheck disable=SC2086
	run 0 fleet "${fleet[@]}" --keep whole -- $question
	cp "$dir/out" "$dir/fleet.out"
	# shellcheck disable=SC2086
	run 0 $question --sync "$(realpath whole)/all.sync" "$t"
	same "$question" "$dir/fleet.out" "$dir/out"
done <<'QUESTIONS'
requests
requests --explain
top requests --json
path --list -n 5
stats net
log waits -n 20 --format csv
QUESTIONS
# Once without facts, and once with them, which serve all that follow.
equal "all questions by the same full parts" "$(calls)" "client --full client --full client part db --full db --full db part web --full web --full web part "
equal "all ends" "$(grep -c -- ' part -q --rate 0 ' "$dir/load")" 3
clean "full parts"
heal
echo --full >"$dir/ssh.db"
run 3 fleet "${fleet[@]}" -- requests
text "$dir/err" 'db left out: no connection'
text "$dir/out" 'web:80 nginx'
equal "what states do not need" "$(grep -c -- ' --full --no-facts ' "$dir/load")" "$(grep -c -- ' --full ' "$dir/load")"
heal
echo part >"$dir/ssh.db"
run 3 fleet "${fleet[@]}" -- requests
text "$dir/out" 'web:80 nginx'
heal
run 0 fleet "${fleet[@]}" --nice 0 --dry-run -- requests --format csv
cp "$dir/out" lines.sh
rm -rf lines
mkdir lines
(cd lines && sed '/^meridian sync/s/$/ >synced/' ../lines.sh | sh -e) >"$dir/lines.out" 2>"$dir/err" || fail "lines of --dry-run: $(head -3 "$dir/err")"
run 0 fleet "${fleet[@]}" -- requests --format csv
same "lines of --dry-run, full parts" "$dir/lines.out" "$dir/out"
clean "lines of --dry-run"

# ---- What it costs the hosts ----

heal
run 0 fleet "${fleet[@]}" -- top cpu
equal "gentle" "$(grep -c 'nice 19, ' "$dir/load")" 6
if ionice -c3 true 2>/dev/null; then equal "disks when idle" "$(grep -c 'disks idle' "$dir/load")" 6; fi
equal "one thread" "$(grep -c ' top -j 1 ' "$dir/load")" 3
heal
run 0 fleet "${fleet[@]}" --nice 0 --jobs-per-host 3 --fanout 1 -- top cpu
equal "not gentle" "$(grep -c "nice $(nice), " "$dir/load")" 6
equal "three threads" "$(grep -c ' top -j 3 ' "$dir/load")" 3
cat >"$dir/bin/systemd-run" <<'STUB'
#!/usr/bin/env bash
echo "$HOST systemd-run $*" >>"$STUB/load"
[ ! -e "$STUB/meridian.$HOST" ] || exit 1
while [[ $1 == -* ]]; do
	[ "$1" != -p ] || shift
	shift
done
[ "$1" = sh ] || exec "$@"
STUB
chmod +x "$dir/bin/systemd-run"
echo "none" >"$dir/meridian.db"
run 3 fleet "${fleet[@]}" --cpu-quota 25% -- top cpu
text "$dir/err" 'db left out: .*systemd cannot limit CPU time there; without --cpu-quota'
equal "with a quota" "$(grep -c 'systemd-run.* -p CPUQuota=25% .*meridian' "$dir/load")" 4
rm "$dir/bin/systemd-run"

# ---- Whoever fails is left out ----

run 0 top cpu --sync kept/all.sync "$t/client" "$t/web"
# fails STATUS STEP WHAT PATTERN: of db, in one of both steps; the others answer
fails() {
	local step=$1 what=$2 pattern=$3
	shift 3
	heal
	if [ "$what" = ssh ]; then echo "$step" >"$dir/ssh.db"; else echo "$step $what" >"$dir/meridian.db"; fi
	run 3 fleet "${fleet[@]}" "$@" -- top cpu
	text "$dir/err" "warning: db left out: $pattern" "$what in $step"
	text "$dir/out" nginx "$what in $step"
	no_text "$dir/out" postgres "$what in $step"
	clean "$what in $step"
	# Nothing that a terminal obeys.
	if grep -q $'[\r\033]' "$dir/err"; then fail "$what in $step: control characters"; else ok; fi
}
for step in part --part; do
	fails $step ssh "no connection, or it broke: ssh: connect to host db port 22: .*Connection refused; does 'ssh db true' work"
	fails $step old "there is no .*unknown verb 'part'; is meridian there older than here"
	fails $step half 'there is no .*ended there by signal 9'
	fails $step error 'there is no [a-z ]*: no$'
	fails $step nothing 'there is no [a-z ]*: nothing was written \(exit status 0\)$'
	fails $step slow 'there is no .* after 2 s \(--timeout\)' --timeout 2s
	gone "what took too long, in $step" "$(cat "$dir/slow.db")"
done
heal
touch "$dir/hosts/db/prints"
run 3 fleet "${fleet[@]}" -- top cpu
text "$dir/err" 'db left out: .*something else: what a login there prints'
rm "$dir/hosts/db/prints"
run 3 fleet client:traces db:none -- top cpu
text "$dir/err" 'db left out: .*none: cannot open: No such file'
run 3 fleet db:none web:none nobody:traces --remote-program /no/meridian -- top cpu
text "$dir/err" 'db, web left out: meridian cannot be run there: .*--remote-program'
text "$dir/err" 'nobody left out: '
text "$dir/err" 'error: no host is left'
clean "nobody"

# ssh is killed in the middle: what it began ends, and removes what it had.
for step in part --part; do
	heal
	echo "$step slow" >"$dir/meridian.db"
	"$m" fleet "${fleet[@]}" -- top cpu >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		[ ! -s "$dir/slow.db" ] || break
		sleep 0.1
	done
	kill -9 -"$(cat "$dir/pid.db")"
	wait $pid
	equal "ssh was killed in $step" $? 3
	text "$dir/err" 'db left out: .*ended there by signal 9'
	text "$dir/out" nginx
	gone "ssh was killed in $step" "$(cat "$dir/slow.db")"
	for ((i = 0; i < 50; i++)); do
		[ -n "$(ls "$dir/tmp")" ] || break
		sleep 0.1
	done
	clean "ssh was killed in $step"
done

# Ctrl-C ends all of it.
for step in part --part; do
	for signal in INT TERM; do
		every 2 || continue
		heal
		# The last one is this host.
		for host in db web ""; do echo "$step slow" >"$dir/meridian.$host"; done
		"$m" fleet "${fleet[@]}" localhost:"$t/db" --remote-program "$dir/bin/meridian" -- top cpu >"$dir/out" 2>"$dir/err" </dev/null &
		pid=$!
		for ((i = 0; i < 300; i++)); do
			[ ! -s "$dir/slow.db" ] || [ ! -s "$dir/slow.web" ] || [ ! -s "$dir/slow." ] || break
			sleep 0.1
		done
		kill -$signal $pid
		wait $pid
		equal "SIG$signal in $step" $? 130
		for host in db web ""; do gone "SIG$signal in $step" "$(cat "$dir/slow.$host")"; done
		for ((i = 0; i < 50; i++)); do
			[ -n "$(ls "$dir/tmp")" ] || break
			sleep 0.1
		done
		clean "SIG$signal in $step"
	done
done

# ---- What is kept ----

# A host whose part is missing gets it in the next run; then clocks are others, and all are asked again.
heal
rm -rf kept
echo part >"$dir/ssh.db"
run 3 fleet "${fleet[@]}" --keep kept -- top cpu
heal
run 0 fleet "${fleet[@]}" --keep kept -- top cpu
equal "a part that was missing" "$(calls)" "client --part db --part db part web --part "
# One whose answer is missing is asked for it alone; half an answer counts as none.
heal
echo "--part half" >"$dir/meridian.db"
run 3 fleet "${fleet[@]}" --keep kept -- top syscall
heal
run 0 fleet "${fleet[@]}" --keep kept -- top syscall
equal "an answer that was missing" "$(calls)" "db --part "
heal
rm kept/answers/web.part
run 0 fleet "${fleet[@]}" --keep kept -- top syscall
equal "a file that was removed" "$(calls)" "web --part "
heal
run 0 fleet client:traces db:traces "web:$odd" --keep kept -- top syscall
equal "another folder" "$(calls)" "web --part web part "
# Two at a time would write one folder.
exec 9<kept
flock 9
run 3 fleet "${fleet[@]}" --keep kept -- top cpu
text "$dir/err" "kept: another 'meridian fleet' is at work there"
exec 9<&-

# ---- A recording whose traces were left on its hosts ----

if there "$lab/page-cold/manifest.json"; then
	heal
	mkdir -p recording
	clocks() { jq -c '.hosts[] | [.name, .offset_ns, .drift_ppm, .bound_ns.p50]' "$1"; }
	run 0 sync --save "$dir/whole.sync" "$lab/page-cold"
	# One of them is the host that recorded, and its traces are here.
	jq '.complete = false | .session = "s-1" | .hosts[] |=
		(.target = if .name == "store" then null else .name end | .folder = if .target then "~/lttng-traces/s-1" else null end | .tracer = "lttng")' \
		"$lab/page-cold/manifest.json" >recording/manifest.json
	for host in client web; do
		mkdir -p "$dir/hosts/$host/lttng-traces"
		cp -rL "$lab/page-cold/$host" "$dir/hosts/$host/lttng-traces/s-1"
	done
	cp -rL "$lab/page-cold/store" recording/store
	run "0|3" fleet recording --keep kept-recording -- top cpu --format csv
	mv "$dir/out" "$dir/fleet.out"
	# The recorder's rounds count, which hosts do not know of.
	equal "clocks of a recording" "$(clocks kept-recording/all.sync)" "$(clocks "$dir/whole.sync")"
	run "0|3" top cpu --format csv --sync kept-recording/all.sync "$lab/page-cold"
	same "a recording" "$dir/fleet.out" "$dir/out"
	jq '.complete = true' recording/manifest.json >x.json && mv x.json recording/manifest.json
	run 2 fleet recording -- top cpu
	text "$dir/err" 'the traces of recording are here'
fi
finish
