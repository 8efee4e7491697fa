#!/usr/bin/env bash
# Views of MPI programs recorded here, by LTTng-UST and by the interposer's own writer: states, messages and waits
# against what `top mpi` finds in the same events by rules of its own, and what the workloads state. The unbalanced
# program also emits mpi_imbalance:*, which our view and one of Trace Compass's in XML must read alike.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
xml=$SRC/../shared/cases/xml-views/workload-kit/mpi-imbalance.xml
ranks=4

# ---- an LTTng session of somebody who is not root, whose sessions would be the machine's ----
as=()
if [ "$(id -u)" -eq 0 ]; then
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" test -r "$BUILD/mpi-imbalance-ust.so" || as=()
	[ ${#as[@]} -eq 0 ] || chown 65534:65534 "$dir"
fi
user() { LTTNG_HOME=$dir HOME=$dir timeout 100 "${as[@]}" "$@" >>"$dir/log" 2>&1 </dev/null; }
has_lttng=false
if command -v lttng-sessiond >/dev/null && [ -e "$BUILD/mpi-imbalance-ust.so" ] && [ "$(id -u):${#as[@]}" != 0:0 ]; then
	user lttng-sessiond --daemonize --no-kernel && has_lttng=true
	end_session() {
		[ ! -s "$dir/.lttng/lttng-sessiond.pid" ] || kill "$(cat "$dir/.lttng/lttng-sessiond.pid")"
		for ((i = 0; i < 100; i++)); do
			[ -s "$dir/.lttng/lttng-sessiond.pid" ] || break
			sleep 0.05
		done
	}
	trap 'end_session; rm -rf "$dir"' EXIT
fi
$has_lttng || echo "skipped: there is no LTTng session (lttng-tools, LTTng-UST, another user than root)"

# record MPI HOW PROGRAM OPTION...: to $dir/t; HOW: ctf, lttng. What it prints: $dir/printed
record() {
	local mpi=$1 how=$2 program=$3 given=()
	rm -rf "$dir/t"
	local -A set=([LD_PRELOAD]="$BUILD/libmeridian-mpi-$mpi.so" [LTTNG_HOME]=$dir [HOME]=$dir [LTTNG_UST_REGISTER_TIMEOUT]=-1)
	[ "$how" = lttng ] || set[MERIDIAN_MPI_TRACE]=$dir/t
	for name in "${!set[@]}"; do
		if [ "$mpi" = mpich ]; then given+=(-genv "$name" "${set[$name]}"); else given+=(-x "$name=${set[$name]}"); fi
	done
	if [ "$how" = lttng ]; then
		user lttng create "$program" --output="$dir/t" && user lttng enable-event --userspace 'meridian_mpi:*,mpi_imbalance:*' &&
			user lttng add-context --userspace --type vtid --type vpid && user lttng start || fail "lttng: $(tail -3 "$dir/log")"
	fi
	HOME=$dir timeout 100 "${as[@]}" "mpirun.$mpi" "${given[@]}" -n $ranks "$dir/$program" "${@:4}" >"$dir/printed" 2>"$dir/said" </dev/null ||
		fail "$mpi $how $program: $(tail -3 "$dir/said")"
	[ "$how" != lttng ] || { user lttng stop && user lttng destroy "$program"; } || fail "lttng: $(tail -3 "$dir/log")"
}
csv() { "$m" "$@" --format csv 2>"$dir/err" </dev/null | tail -n +2; }
mpi_table() { # mpi_table ID COLUMN...
	"$m" top mpi --table "$1" -n 0 --json "$dir/t" 2>"$dir/err" </dev/null |
		jq -r --args '.tables[0].rows[] as $r | [$ARGS.positional[] | $r[.] // "-" | tostring] | join(" ")' "${@:2}"
}
# states_agree WHAT: the calls of the view are those of top mpi, each from event to event, to the ns.
states_agree() {
	csv log view --view mpi -n 0 "$dir/t" | awk -F, '{ sub("Rank ", "", $8); print $8, $9, $1, $2 }' | sort >"$dir/by_view"
	csv log mpi -n 0 "$dir/t" | awk -F, '$6 ~ /^MPI_/ { print $5, $6, $1, $2 }' | sort >"$dir/by_mpi"
	same "$1: states" "$dir/by_view" "$dir/by_mpi"
	[ -s "$dir/by_view" ] || fail "$1: no states"
}
arrows() { csv top view --table arrows -n 0 --view mpi "$dir/t" | awk -F, '{ print $6, $7 }' | tr -d 'A-Za-z' | tr -s ' ' | sed 's/^ //' | sort; }

some=false
for mpi in openmpi mpich; do
	[ -e "$BUILD/libmeridian-mpi-$mpi.so" ] && command -v "mpicc.$mpi" "mpirun.$mpi" >/dev/null || {
		echo "skipped: $mpi is not there"
		continue
	}
	some=true
	for p in halo imbalance master; do
		check "$mpi: $p" "mpicc.$mpi" -O2 -Wall -Wextra "$SRC/work/mpi/$p.c" -o "$dir/$p" -ldl
	done
	for how in ctf lttng; do
		[ $how = ctf ] || $has_lttng || continue
		what="$mpi by $how"
		record $mpi $how halo --iters 5 --cells 50 --work-us 200
		states_agree "$what: halo"
		equal "$what: halo: messages between neighbours, 5 each way" "$(arrows | uniq -c | tr -s ' ' | tr '\n' ';')" \
			" 5 0 1; 5 1 0; 5 1 2; 5 2 1; 5 2 3; 5 3 2;"
		record $mpi $how master --tasks 10 --work-us 200
		states_agree "$what: master"
		equal "$what: master: the same messages" "$(arrows)" "$(mpi_table messages from_rank to_rank | sort)"
		equal "$what: master: a task and a result, and stops" "$(arrows | wc -l) $(arrows | grep -c ' 0$')" "23 10"
		equal "$what: master: late senders are those that the rank waited for" \
			"$(mpi_table waits wait | sort -u | grep -vE 'late sender|late receiver|wait at')" ""

		given=(--iters 6 --work-us 400 --truth 1)
		[ $how = ctf ] || given+=(--ust "$BUILD/mpi-imbalance-ust.so")
		record $mpi $how imbalance "${given[@]}"
		states_agree "$what: imbalance"
		grep '^truth ' "$dir/printed" >"$dir/truth"
		equal "$what: imbalance: the program's own lines" "$(wc -l <"$dir/truth")" $((6 * ranks))
		# The wait of a rank at a barrier is that of the last to enter, less its own, to the ns.
		csv log view --view mpi -n 0 "$dir/t" | awk -F, '$9 == "MPI_Barrier" { sub("Rank ", "", $8); print $8, n[$8]++, substr($1, 6) }' |
			awk '{ at[$1, $2] = $3; if ($3 > last[$2]) last[$2] = $3 } END { for (k in at) { split(k, p, SUBSEP); printf "%d %d %.0f\n", p[1], p[2], last[p[2]] - at[k] } }' |
			awk '$3 { n[$1] += $3 } END { for (r in n) printf "%d %.0f\n", r, n[r] }' | sort >"$dir/by_view"
		mpi_table waits rank wait total_ns | sed -n 's/ wait at barrier / /p' | awk '{ n[$1] += $2 } END { for (r in n) printf "%d %.0f\n", r, n[r] }' | sort >"$dir/by_mpi"
		same "$what: imbalance: waits are last less own" "$dir/by_mpi" "$dir/by_view"
		[ $how = lttng ] || continue
		# Each wait lies where the program says it was, and nobody leaves before the last one came.
		waits() { csv log view --view "$1" -n 0 "$dir/t" | awk -F, '{ sub("Worker ", "", $8) } $9 == "wait" || $9 == "WORKER_WAIT" { print $8, $1, $2, $3 }' | sort -k1,1n -k2,2n; }
		waits mpi-imbalance | grep '^[0-9]' >"$dir/by_view"
		equal "$what: imbalance: a wait for each worker and cycle" "$(wc -l <"$dir/by_view")" $((6 * ranks))
		sort -k2,2n -k3,3n "$dir/truth" >"$dir/sorted"
		"$SRC/tests/mpi/waits.awk" -v ranks=$ranks "$dir/sorted" "$dir/by_view" >"$dir/wrong"
		equal "$what: imbalance: within the program's own times" "$(head -3 "$dir/wrong")" ""
		if there "$xml" && "$m" top view --view "$xml" "$dir/t" >/dev/null 2>"$dir/err"; then
			waits "$xml" | grep '^[0-9]' >"$dir/by_xml"
			same "$what: imbalance: the XML file says the same, to the ns" "$dir/by_xml" "$dir/by_view"
		elif grep -q "reads no XML" "$dir/err"; then
			echo "skipped: this build reads no XML"
		elif [ -e "$xml" ]; then
			fail "mpi-imbalance.xml: $(cat "$dir/err")"
		fi
	done
done
$some || exit 77
finish
