#!/usr/bin/env bash
# check finds an error exactly where events exits with 3: on traces of every kind of field with bytes
# changed and ends cut off, in the metadata and in the streams, and on other people's cases.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
shopt -s nullglob

# agree TRACE WHAT: what was lost is no error, so the errors are counted
n_sound=0 n_broken=0
agree() {
	local errors status
	errors=$("$m" check --format csv "$1" 2>/dev/null | awk -F, 'NR > 1 { n += $(NF - 2) } END { print NR ? n + 0 : "none" }')
	"$m" events "$1" >/dev/null 2>"$dir/err" </dev/null
	status=$?
	[ "$errors" = none ] && errors=1
	case $status.$errors in
	0.0) n_sound=$((n_sound + 1)) ;;
	0.* | *.0) fail "$2: $errors errors, but events exits with $status: $(head -2 "$dir/err")" ;;
	3.*) n_broken=$((n_broken + 1)) ;;
	*) fail "$2: events exits with $status" ;;
	esac
}

# random N: a number below N, the same in every run
seed=12345
random() {
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	value=$((seed / 7 % $1))
}
# spoil FILE: one byte becomes another, or the end is cut off
spoil() {
	local size place
	size=$(stat -c %s "$1")
	[ "$size" -gt 0 ] || return
	random "$size"
	place=$value
	random 8
	if [ "$value" = 0 ]; then
		truncate -s "$place" "$1"
	else
		random 256
		# shellcheck disable=SC2059
		printf "\\$(printf %03o "$value")" | dd of="$1" bs=1 seek="$place" conv=notrunc status=none
	fi
}
for scenario in "$SRC"/tests/fault/odd.scn "$SRC"/tests/fault/small.scn; do
	name=$(basename "$scenario" .scn)
	"$ctfgen" -o "$dir/$name" "$scenario" >/dev/null || fail "ctfgen $name"
	agree "$dir/$name" "$name"
	mapfile -t files < <(cd "$dir/$name" && find . -type f ! -name '*.idx' | sort)
	for round in {1..60}; do
		every 8 || continue
		rm -rf "$dir/spoilt"
		cp -r "$dir/$name" "$dir/spoilt"
		random ${#files[@]}
		file=${files[$value]}
		spoil "$dir/spoilt/$file"
		agree "$dir/spoilt" "$name, round $round, $file"
	done
done
part=1
! is_part || part=8 # of the rounds above
[ "$n_sound" -gt $((5 / part)) ] || fail "only $n_sound are sound"
[ "$n_broken" -gt $((40 / part)) ] || fail "only $n_broken are broken"
for case in ../shared/cases/ctf2/*/ ../shared/cases/ctf-testsuite/*/*/*/ ../shared/cases/reader-findings/*/; do
	agree "$case" "$case"
done
echo "$n_sound sound, $n_broken broken"
ok
finish
