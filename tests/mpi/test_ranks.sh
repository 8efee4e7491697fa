#!/usr/bin/env bash
# meridian-mpi: whatever the number of ranks, and where their traces are, the answer is that of one process, byte for
# byte; what cannot be asked, read or goes on is said, and nothing hangs. Skipped without MPI.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC TMPDIR=$dir/tmp COLUMNS=120
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir "$TMPDIR"
if [ ! -x "${KERNELWORLD:-}" ]; then
	echo "skipped: there is no kernelworld"
	exit 77
fi
"$KERNELWORLD" -o "$dir/world" --hosts 5 --tasks 5 --cpus 2 --duration 1s --seed 31 --lost 4% --statedump --no-truth >/dev/null
world=$dir/world
# launch N WORD...: that many ranks; output to $dir/out and $dir/err
launch() {
	local n=$1 more=()
	shift
	[ "$mpi" = mpich ] || more=(--oversubscribe)
	timeout 120 "mpirun.$mpi" "${more[@]}" -n "$n" "$BUILD/meridian-mpi.$mpi" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	launched=$?
}
# agree N QUESTION...: as one process answers (from the traces: what a store has of damaged ones may differ), with the same exit status; $dir/one has that answer
agree() {
	local n=$1
	shift
	"$m" "$@" --no-store >"$dir/one" 2>/dev/null </dev/null
	local status=$?
	launch "$n" "$@" --no-store
	equal "$mpi, $n ranks, $*: exit status" $launched $status
	same "$mpi, $n ranks, $*" "$dir/one" "$dir/out"
	[ -s "$dir/one" ] && ok || fail "$* says nothing"
	equal "$mpi, $n ranks, $*: files that are left" "$(ls "$TMPDIR")" ""
}
# refused PATTERN WORD...: nobody reads anything
refused() {
	local pattern=$1
	shift
	launch 2 "$@"
	equal "$mpi $*: exit status" $launched 2
	text "$dir/err" "$pattern" "$mpi $*"
	equal "$mpi $*: said once" "$(grep -c "^meridian: " "$dir/err")" 1
	equal "$mpi $*: output" "$(head -1 "$dir/out")" ""
}
# killed SIGNAL: rank 1 of 3 is, when it has begun; all of them end
killed() {
	local i r
	rm -rf "$dir"/rank*
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nr=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nmkdir "%s.$r"\necho $$ >"%s.$r.pid"\nTMPDIR="%s.$r" exec "$@"\n' "$dir"/rank{,,} >"$dir/rank"
	chmod +x "$dir/rank"
	local more=()
	[ "$mpi" = mpich ] || more=(--oversubscribe)
	timeout 60 "mpirun.$mpi" "${more[@]}" -n 3 "$dir/rank" "$BUILD/meridian-mpi.$mpi" top cpu --no-store "$dir/long" >"$dir/out" 2>"$dir/err" </dev/null &
	for ((i = 0; i < 100000; i++)); do
		[ -z "$(ls "$dir/rank.1" 2>/dev/null)" ] || break
	done
	kill "-$1" "$(cat "$dir/rank.1.pid")" && ok || fail "$mpi: rank 1 has ended before it was killed"
	wait $!
	local status=$?
	[ $status -ne 0 ] && [ $status -ne 124 ] && ok || fail "$mpi, $1: exit status $status"
	no_text "$dir/out" 'CPU usage' "$mpi, $1"
	for r in 0 1 2; do
		for ((i = 0; i < 100; i++)); do
			# What nobody has waited for yet has ended as well.
			[[ "$(ps -o stat= -p "$(cat "$dir/rank.$r.pid")" 2>/dev/null)" =~ ^(Z|$) ]] && break
			sleep 0.1
		done
		[ $i -lt 100 ] && ok || fail "$mpi, $1: rank $r runs on"
	done
}
mkdir "$dir/long" "$dir/damaged" "$dir/a" "$dir/b" "$dir/one-host"
"$KERNELWORLD" -o "$dir/long" --hosts 3 --tasks 6 --cpus 2 --duration 8s --seed 6 --statedump --no-truth >/dev/null
# One host's stream ends early, another one has no metadata.
cp -r "$world"/h? "$dir/damaged"
stream=$(find "$dir/damaged/h1" -name 'channel0_0')
truncate -s $(($(stat -c %s "$stream") - 7000)) "$stream"
: >"$(find "$dir/damaged/h3" -name metadata)"
# Two nodes with disks of their own: the same name, other traces.
cp -r "$world" "$dir/a/local" && rm -r "$dir/a/local"/h[013]
cp -r "$world" "$dir/b/local" && rm -r "$dir/b/local"/h[24]
cp -r "$world/h2" "$dir/b/"

some=false
for mpi in openmpi mpich; do
	[ -e "$BUILD/meridian-mpi.$mpi" ] && command -v "mpirun.$mpi" >/dev/null || {
		echo "skipped: $mpi is not there"
		continue
	}
	some=true
	# ---- The answer of one process ----
	for n in 1 2 3 8; do
		agree $n top cpu "$world"
		agree $n log sched --json -n 30 "$world"
	done
	equal "$mpi: kinds of findings" "$(("$(jq '.diagnostics | map(.code) | unique | length' "$dir/one")" > 1))" 1
	while read -r -a question; do
		agree 3 "${question[@]}" "$world"
	done <<'END'
top cpu --json
top cpu --group-by program --bins 4 --format csv
top io --begin +200ms --end +800ms --json
stats irq --table all --json
freq sched
top cpu --cpu 1 --json
top cpu --sync none --json
summary --peers
END
	agree 2 top cpu --json "$world/h1"
	agree 3 top cpu --host h0,h2 --json "$dir/long"
	agree 3 top cpu --json "$world"/h? "$world/h0/kernel" "$dir/absent"
	agree 3 top cpu --json "$dir/damaged"
	for recording in web-lossy stock-ft; do
		if there "$lab/$recording"; then agree 3 top sched --json "$lab/$recording"; fi
	done
	run 0 sync --save "$dir/all.sync" "$world"
	agree 3 top cpu --json --sync "$dir/all.sync" "$world"
	# Traces are those of the current folder where none are named.
	(cd "$world" && "$m" top disk --json >"$dir/one" 2>/dev/null </dev/null)
	(cd "$world" && launch 2 top disk --json)
	same "$mpi: the current folder" "$dir/one" "$dir/out"

	# ---- Who reads what ----
	launch 3 --stats top cpu -n 1 "$world"
	equal "$mpi: each host is read once" "$(grep -oE 'rank [0-9]: h[^;]*' "$dir/err" | sed 's/.*: //; s/, /\n/' | sort | tr '\n' ' ')" "h0 h1 h2 h3 h4 "
	equal "$mpi: all ranks read" "$(grep -cE 'rank [0-9]: h.*; read [1-9][0-9]* bytes' "$dir/err")" 3
	text "$dir/err" '3 ranks: read [0-9]+ bytes of traces, sent [1-9][0-9]* bytes' "$mpi: --stats"
	launch 2 --rate 1 top cpu -n 1 "$dir/long" --json
	sampled=$(jq .sync.bound_p50_ns "$dir/out")
	"$m" top cpu --json "$dir/long" >"$dir/one" 2>/dev/null
	equal "$mpi: bounds of sampled messages" "$((sampled > $(jq .sync.bound_p50_ns "$dir/one")))" 1

	# ---- Disks of the nodes: ranks see other traces by the same name ----
	(cd "$world" && "$m" top cpu --no-store --json . >"$dir/one" 2>/dev/null </dev/null)
	how=(-wdir)
	timeout 60 "mpirun.$mpi" -n 1 "${how[@]}" "$dir/a" "$BUILD/meridian-mpi.$mpi" top cpu --no-store --json local h2 : \
		-n 1 "${how[@]}" "$dir/b" "$BUILD/meridian-mpi.$mpi" top cpu --no-store --json local h2 >"$dir/out" 2>"$dir/err" </dev/null
	equal "$mpi: disks of nodes: exit status" $? 0
	# h2 is on both; where a trace lies is in findings.
	for answer in one out; do jq 'del(.diagnostics[].path)' "$dir/$answer" >"$dir/$answer.json"; done
	same "$mpi: disks of nodes" "$dir/one.json" "$dir/out.json"

	no_text "$dir/err" 'another node has some traces' "$mpi: disks of nodes"
	mkdir -p "$dir/a/less" && cp -r "$world/h0" "$dir/a/less" && rm "$dir"/a/less/h0/*/channel0_1
	timeout 60 "mpirun.$mpi" -n 1 "${how[@]}" "$dir/a" "$BUILD/meridian-mpi.$mpi" top cpu --no-store --json local h2 less : \
		-n 1 "${how[@]}" "$dir/b" "$BUILD/meridian-mpi.$mpi" top cpu --no-store --json local h2 less >"$dir/out" 2>"$dir/err" </dev/null
	text "$dir/err" 'host h0: another node has some traces of it' "$mpi: some of a host on another node"
	jq 'del(.diagnostics[].path)' "$dir/out" >"$dir/out.json"
	same "$mpi: some of a host on another node" "$dir/one.json" "$dir/out.json"

	# ---- What is refused, as by --part ----
	for question in requests 'top requests' 'top waits' 'log net' 'summary' 'stats' 'top vm' 'top cpu --plot x.svg'; do
		said="meridian: answers to 'requests' cannot be merged: those to top, log, stats, freq and summary --peers can"
		if [ "$question" != requests ]; then
			# shellcheck disable=SC2086
			run 2 $question --part -o "$dir/refused.part" "$world"
			said=$(head -1 "$dir/err")
		fi
		# shellcheck disable=SC2086
		refused . $question "$world"
		equal "$mpi $question: as --part says it" "$(head -1 "$dir/err")" "$said"
	done
	refused "no host 'nobody'" top cpu --host nobody "$world"
	refused 'no CPU 77' top cpu --cpu 77 "$world"
	refused 'ranks make parts by themselves' top cpu --part "$world"
	refused 'where is the question' --stats
	refused 'unknown option --bogus' --bogus top cpu "$world"
	launch 2 top cpu "$dir/absent"
	equal "$mpi: no traces: exit status" $launched 3
	text "$dir/err" 'error: .*absent: cannot open: No such file' "$mpi: no traces"
	launch 2 top cpu --sync "$dir/absent.sync" "$world"
	equal "$mpi: no clocks: ends" "$((launched != 0 && launched != 124))" 1
	text "$dir/err" 'absent.sync: cannot open' "$mpi: no clocks"

	# ---- A rank that dies, or cannot go on alone ----
	more=()
	[ "$mpi" = mpich ] || more=(--oversubscribe)
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} != 1 ] || export TMPDIR=/nowhere\nexec "$@"\n' >"$dir/rank"
	chmod +x "$dir/rank"
	timeout 60 "mpirun.$mpi" "${more[@]}" -n 3 "$dir/rank" "$BUILD/meridian-mpi.$mpi" top cpu "$world" >"$dir/out" 2>"$dir/err" </dev/null
	equal "$mpi: no temporary folder: exit status" $? 5
	text "$dir/err" 'error: rank 1: /nowhere: cannot write to' "$mpi: no temporary folder"
	rm -rf "$TMPDIR"/*
	killed KILL
	killed TERM
done
$some || exit 77
"$BUILD/meridian-mpi.$mpi" --help >"$dir/out" 2>/dev/null </dev/null && ok || fail "--help"
text "$dir/out" '^Usage: meridian-mpi \[OPTION\.\.\.\] QUESTION'
finish
