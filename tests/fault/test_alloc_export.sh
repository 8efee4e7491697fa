#!/usr/bin/env bash
# Memory fails (alloc.sh): while files of a lake are made. Those that have their names are whole, nothing else is there,
# and the next export makes what is missing.
. "$SRC/tests/fault/alloc.sh"
"$CTFGEN" -o "$dir/t" "$SRC/tests/cli/export.scn" || exit 1
words=(export -j1 --no-store --kind syscall,waits -o "$dir/lake" "$dir/t")
fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}
sums() { (cd "$dir/lake" && find . -type f -exec cksum {} + | sort); }

once 0 "${words[@]}" || exit 1 # clocks are kept from here on
rm -rf "$dir/lake"
once 0 "${words[@]}" || exit 1
read -r all baseline <"$dir/report"
whole=$(sums)
step=$((all / 150 + 1))
[ -z "${GCOV_PREFIX:-}" ] || step=$((10 * step))
for ((n = 1; n <= all; n += step)); do
	rm -rf "$dir/lake"
	once "$n" "${words[@]}"
	rc=$?
	read -r _ live <"$dir/report"
	case $rc in
	0 | 3 | 5) passed=$((passed + 1)) ;;
	*) fail "allocation $n of $all: exit $rc: $(head -1 "$dir/err")" ;;
	esac
	[ "$live" -le "$baseline" ] || fail "allocation $n of $all: $live live, usually $baseline"
	mkdir -p "$dir/lake"
	while read -r file; do
		case $file in
		*/part-0.parquet) "$BUILD/parquet_csv" "$file" >"$dir/rows" 2>&1 || fail "allocation $n: $(cat "$dir/rows")" ;;
		*/_meridian/kind=*/host=*/*) ;;
		*) fail "allocation $n: $file is left" ;;
		esac
	done < <(find "$dir/lake" -type f)
	once 0 "${words[@]}" || fail "after allocation $n: $(head -1 "$dir/err")"
	[ "$(sums)" = "$whole" ] || fail "after allocation $n: other files than usual: $(diff <(sums) <(echo "$whole") | head -3)"
	[ $failed -gt 10 ] && exit 1
done

# A trace of Perfetto is there as a whole, or not at all; what was there before stays.
words=(export --format perfetto -j1 --no-store --kind sched,syscall,waits -o "$dir/pf" "$dir/t")
once 0 "${words[@]}" || exit 1
read -r all baseline <"$dir/report"
cp "$dir/pf" "$dir/whole"
step=$((all / 100 + 1))
[ -z "${GCOV_PREFIX:-}" ] || step=$((10 * step))
for ((n = 1; n <= all; n += step)); do
	rm -f "$dir/pf"
	once "$n" "${words[@]}"
	rc=$?
	read -r _ live <"$dir/report"
	case $rc in
	0 | 3 | 5) passed=$((passed + 1)) ;;
	*) fail "perfetto, allocation $n of $all: exit $rc: $(head -1 "$dir/err")" ;;
	esac
	[ "$live" -le "$baseline" ] || fail "perfetto, allocation $n of $all: $live live, usually $baseline"
	[ ! -e "$dir/pf" ] || cmp -s "$dir/pf" "$dir/whole" || fail "perfetto, allocation $n of $all: another file"
	[ $rc -ne 0 ] || [ -e "$dir/pf" ] || fail "perfetto, allocation $n of $all: no file"
	[ $failed -gt 10 ] && exit 1
done
finish
