#!/usr/bin/env bash
# The interposer with real MPI libraries: the workloads of work/mpi, built as they are, and preloaded. Each call is
# entered and left, and the numbers of messages are those that each workload says. Skipped without MPI.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
table() { # table ID COLUMN...: of $dir/t
	"$m" top mpi --table "$1" -n 0 --json "$dir/t" 2>"$dir/err" </dev/null |
		jq -r --args '.tables[0].rows[] as $r | [$ARGS.positional[] | $r[.] // "-" | tostring] | join(" ")' "${@:2}"
}
# launch MPI PROGRAM OPTION...: four ranks, with the interposer; what it says is $dir/check
launch() {
	local mpi=$1 program=$2 given=(-genv LD_PRELOAD "$BUILD/libmeridian-mpi-mpich.so" -genv MERIDIAN_MPI_TRACE "$dir/t")
	[ "$mpi" = mpich ] || given=(--oversubscribe -x "LD_PRELOAD=$BUILD/libmeridian-mpi-openmpi.so" -x "MERIDIAN_MPI_TRACE=$dir/t")
	rm -rf "$dir/t"
	timeout 120 "mpirun.$mpi" "${given[@]}" -n 4 "$dir/$program" "${@:3}" >"$dir/check" 2>&1 </dev/null ||
		fail "$mpi $program: $(head -3 "$dir/check")"
}
# launch_killed MPI SIGNAL: two ranks, of which one polls for ever; both get the signal when they have polled for a while
launch_killed() {
	local mpi=$1 how=$2 given=(-genv LD_PRELOAD "$BUILD/libmeridian-mpi-mpich.so" -genv MERIDIAN_MPI_TRACE "$dir/t") i
	[ "$mpi" = mpich ] || given=(--oversubscribe -x "LD_PRELOAD=$BUILD/libmeridian-mpi-openmpi.so" -x "MERIDIAN_MPI_TRACE=$dir/t")
	rm -rf "$dir/t" "$dir/polling"
	timeout 60 "mpirun.$mpi" "${given[@]}" -n 2 "$dir/polls" --late-ms -1 --tell "$dir/polling" >"$dir/check" 2>&1 </dev/null &
	for ((i = 0; i < 300; i++)); do
		[ ! -e "$dir/polling" ] || break
		sleep 0.1
	done
	for folder in "$dir"/t/*/rank-*; do kill -s "$how" "${folder##*-}" 2>/dev/null; done
	wait $!
}
# try MPI PROGRAM OPTION...: launches it; its trace is $dir/t
try() {
	local mpi=$1 program=$2
	launch "$@"
	equal "$mpi $program: ranks" "$(table ranks rank | sort -u | tr '\n' ' ')" "0 1 2 3 "
	"$m" events "$dir/t" 2>/dev/null >"$dir/events"
	equal "$mpi $program: each call is left" "$(grep -c -E 'meridian_mpi:(leave|polled)' "$dir/events")" "$(grep -c meridian_mpi:enter "$dir/events")"
	"$m" top mpi -v "$dir/t" 2>&1 >/dev/null </dev/null | grep warning >"$dir/warnings"
	equal "$mpi $program: nothing is left out" "$(head -1 "$dir/warnings")" ""
}
some=false
for mpi in openmpi mpich; do
	[ -e "$BUILD/libmeridian-mpi-$mpi.so" ] && command -v "mpicc.$mpi" "mpirun.$mpi" >/dev/null || {
		echo "skipped: $mpi is not there"
		continue
	}
	some=true
	for p in halo imbalance master threads onesided polls; do
		check "$mpi: $p" "mpicc.$mpi" -O2 -Wall -Wextra "$SRC/work/mpi/$p.c" -o "$dir/$p"
	done
	try $mpi halo --iters 6 --cells 100 --work-us 200
	equal "$mpi halo: messages of 100 doubles, 2 * 3 for each iteration" "$(table messages bytes | sort | uniq -c | tr -s ' ')" " 36 800"
	equal "$mpi halo: pattern" "$(table pattern pattern)" "halo 1-D"
	try $mpi halo --iters 6 --cells 100 --work-us 200 --periodic 1
	equal "$mpi halo, periodic" "$(table messages tag | wc -l) $(table pattern pattern)" "48 periodic halo 1-D"
	try $mpi imbalance --iters 8 --work-us 500
	equal "$mpi imbalance: barriers" "$(table collectives call ranks | sort | uniq -c | tr -s ' ')" " 9 MPI_Barrier 4"
	try $mpi master --tasks 12 --work-us 300
	equal "$mpi master: a task, a result, and stops" "$(table messages tag | wc -l) $(table pattern pattern)" "27 master-worker (0)"
	equal "$mpi master: results of whoever was done" "$(table messages to_rank any_source | grep -c '^0 1')" 12
	try $mpi threads
	equal "$mpi threads: messages" "$(table messages comm_id | sort | uniq -c | awk '{ print $1 }' | sort | tr '\n' ' ')" "40 40 "
	# The calls are what matters here; whether the library moves the data is its own business.
	# A loop of MPI_Test is one call, a late sender, and costs no event for each poll.
	try $mpi polls --late-ms 300
	equal "$mpi polls: waits" "$(table waits wait rank by_rank call total_ns | awk '$5 == "MPI_Test" && $6 > 200e6 { print $1, $2, $3, $4 }')" "late sender 0 1"
	equal "$mpi polls: polls" "$(table states rank call polls | awk '$1 == 0 && $2 == "MPI_Test" && $3 > 20' | wc -l)" 1
	equal "$mpi polls: events" "$(($(wc -l <"$dir/events") < 2000))" 1
	MERIDIAN_MPI_LEAVE_OUT='Test*' launch $mpi polls --late-ms 20
	equal "$mpi polls, left out: calls, messages" "$(table states call count | awk '$1 == "MPI_Test" { print $2 }') $(table messages bytes)" "1 4"
	# Killed in whatever way, with a rank that polls: all up to then is there, and whole.
	for how in KILL TERM ABRT; do
		launch_killed $mpi $how
		equal "$mpi, $how: ranks" "$(table ranks rank | sort -u | tr '\n' ' ')" "0 1 "
		equal "$mpi, $how: rank 0 still polls" "$(table states rank call polls | awk '$1 == 0 && $2 == "MPI_Test" && $3 > 20' | wc -l)" 1
		equal "$mpi, $how: sound" "$("$m" check --json "$dir/t" 2>/dev/null </dev/null | jq 'table("check")[].sound')" 1
	done
	try $mpi onesided --iters 5 --verify 0
	equal "$mpi onesided: calls" "$(table states call count | awk '$1 ~ /Put|Get|Win_/ { n[$1] += $2 } END { for (c in n) print c, n[c] }' | sort | tr '\n' ' ')" \
		"MPI_Get 20 MPI_Put 20 MPI_Win_create 4 MPI_Win_fence 40 MPI_Win_free 4 MPI_Win_lock 20 MPI_Win_unlock 20 "
	if command -v "mpif90.$mpi" gfortran >/dev/null; then
		check "$mpi: f08halo" "mpif90.$mpi" -O2 "$SRC/work/mpi/f08halo.f90" -o "$dir/f08halo"
		launch $mpi f08halo
		equal "$mpi f08halo: it says that nothing is recorded" "$(grep -c 'mpi_f08 are not recorded' "$dir/check")" 1
		check "$mpi: fhalo" "mpif90.$mpi" -O2 "$SRC/work/mpi/fhalo.f90" -o "$dir/fhalo"
		try $mpi fhalo
		equal "$mpi fhalo: messages of 1000 doubles" "$(table messages bytes | sort | uniq -c | tr -s ' ')" " 120 8000"
		equal "$mpi fhalo: calls" "$(table states rank call count | awk '$2 ~ /Startall|Waitany|Allreduce/ { n[$2] += $3 } END { print n["MPI_Startall"], n["MPI_Waitany"], n["MPI_Allreduce"] }')" "80 80 4"
	fi
done
$some || exit 77
# Linked instead of preloaded, by the file that pkg-config reads.
if command -v mpicc.openmpi pkg-config >/dev/null && [ -e "$BUILD/libmeridian-mpi-openmpi.so" ]; then
	# shellcheck disable=SC2046
	check "linked" mpicc.openmpi -O2 "$SRC/work/mpi/imbalance.c" -L"$BUILD" -Wl,-rpath,"$BUILD" \
		$(PKG_CONFIG_PATH=$BUILD pkg-config --libs-only-l meridian-mpi-openmpi) -o "$dir/linked"
	rm -rf "$dir/t"
	MERIDIAN_MPI_TRACE=$dir/t timeout 60 mpirun.openmpi --oversubscribe -n 2 "$dir/linked" --iters 2 >"$dir/check" 2>&1 </dev/null
	equal "linked: barriers" "$(table collectives call | wc -l)" 3
fi
finish
