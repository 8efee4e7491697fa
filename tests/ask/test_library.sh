#!/usr/bin/env bash
# The library answers what the program answers: questions in words, asked through C and Python, have the bytes of --json. What a page may
# not ask, a library may not either.
. "$SRC/tests/cli/lib.sh"
. "$SRC/tests/ask/questions.sh"

for given in wget-cold-hot:wget shop-a:shopapp mpi-3vm:halo lost-packets:bash; do
	t=$lab/${given%:*}
	there "$t" || continue
	while read -r line; do
		read -ra words <<<"$line"
		every 3 || continue
		"$m" "${words[@]}" -q --json "$t" >"$dir/program" 2>/dev/null </dev/null
		status=$?
		"$BUILD/examples/ask" "$t" -- "${words[@]}" >"$dir/c" 2>"$dir/err" </dev/null
		if [ $status = 2 ]; then
			same "$line: refused" "$dir/c" "$dir/program"
		else
			same "${given%:*}: $line" "$dir/c" "$dir/program"
		fi
	done < <(questions "${given#*:}")
done

t=$lab/wget-cold-hot
there "$t" || finish
# Through Python, all of one session: what one question found is no part of the next ones.
if [ -z "$SANITIZE" ] && command -v python3 >/dev/null; then
	questions wget >"$dir/questions"
	LIBMERIDIAN=$BUILD/libmeridian.so python3 - "$SRC/examples" "$t" "$dir" <<'END' >"$dir/out" 2>&1
import sys
sys.path.insert(0, sys.argv[1])
from ask import Session
with Session([sys.argv[2]]) as session:
    for number, line in enumerate(open(sys.argv[3] + "/questions")):
        open(f"{sys.argv[3]}/python.{number}", "w").write(session.text(*line.split()))
    tables = session.ask("top", "cpu", "--limit", "2")
    print(*tables, len(tables["top"]), *(tables["top"][0]["self_ns"] >= tables["top"][1]["self_ns"],))
END
	equal "tables" "$(tail -1 "$dir/out")" "top 2 True"
	number=0
	while read -r line; do
		read -ra words <<<"$line"
		"$m" "${words[@]}" -q --json "$t" >"$dir/program" 2>/dev/null </dev/null
		same "Python: $line" "$dir/python.$number" "$dir/program"
		number=$((number + 1))
	done <"$dir/questions"
else
	echo "skipped: Python, which the plain build asks"
fi

# What is refused, and how.
refused() {
	"$BUILD/examples/ask" "$t" -- "${@:2}" >"$dir/c" 2>"$dir/err"
	equal "$*: status" "$?" 1
	text "$dir/err" "$1"
}
refused "'serve' is no verb that asks about traces" serve
refused "'events' does not answer with tables" events
refused 'only long options that name no file' sync --save "$dir/file"
refused 'no others can be named' summary "$t"
refused 'unknown analysis|not an analysis|no analysis' top nonsense
refused 'which task\?' path
finish
