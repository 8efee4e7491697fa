#!/usr/bin/env bash
# The library answers what the program answers: questions in words, asked through C and Python, have the bytes of --json. What a page may
# not ask, a library may not either.
. "$SRC/tests/cli/lib.sh"
. "$SRC/tests/ask/questions.sh"

number=0
for given in wget-cold-hot:wget shop-a:shopapp mpi-3vm:halo lost-packets:bash; do
	t=$lab/${given%:*}
	there "$t" || continue
	while read -r line; do
		read -ra words <<<"$line"
		every 3 || continue
		number=$((number + 1))
		"$m" "${words[@]}" -q --json "$t" >"$dir/program.$number" 2>/dev/null </dev/null
		status=$?
		[ -s "$dir/program.$number" ] && echo "$number $line" >>"$dir/asked.${given%:*}"
		"$BUILD/examples/ask" "$t" -- "${words[@]}" >"$dir/c" 2>"$dir/err" </dev/null
		if [ $status = 2 ]; then
			same "$line: refused" "$dir/c" "$dir/program.$number"
		else
			same "${given%:*}: $line" "$dir/c" "$dir/program.$number"
		fi
	done < <(questions "${given#*:}")
done

t=$lab/wget-cold-hot
there "$t" || finish
# Through Python, all of one session, twice and in both directions: an answer has the findings of what it was made of, not those of other
# questions.
if [ -z "$SANITIZE" ] && command -v python3 >/dev/null; then
	LIBMERIDIAN=$BUILD/libmeridian.so PYTHONPATH=$SRC/python python3 -W ignore - "$lab" "$dir" <<'END' >"$dir/out" 2>&1
import glob
import json
import sys
import meridian
lab, folder = sys.argv[1:]
for asked in glob.glob(folder + "/asked.*"):
    name, lines = asked.rpartition(".")[2], open(asked).read().splitlines()
    with meridian.open(lab + "/" + name) as session:
        for line in lines + lines[::-1]:
            number, *words = line.split()
            with open(f"{folder}/program.{number}") as program:
                if session.ask(*words).json() != json.load(program):
                    print(f"{name}, {' '.join(words)}: not the program's answer")
with meridian.open(lab + "/wget-cold-hot") as session:
    table, = session.ask("top", "cpu", "--limit", "2")
    first, second = table.dicts()
    print(table.id, len(table), first["self_ns"] >= second["self_ns"])
END
	equal "Python" "$(cat "$dir/out")" "top 2 True"
else
	echo "skipped: Python, which the plain build asks"
fi

# Events, whose JSON has a form of its own, are a table of the same: times, hosts, CPUs, names, fields.
for words in "" "--fields prev_comm,next_tid" "--host db --name sched_switch"; do
	read -ra more <<<"$words"
	t=$lab/shop-a
	there "$t" && command -v python3 >/dev/null || break
	"$m" events -q --limit 300 "${more[@]}" --json "$t" >"$dir/program" 2>/dev/null </dev/null
	"$BUILD/examples/ask" "$t" -- events --limit 300 "${more[@]}" >"$dir/c" </dev/null
	check "events $words" python3 - "$dir/program" "$dir/c" <<'END'
import json, sys
def text(v):
    return v if isinstance(v, str) else json.dumps(v, separators=(",", ":"), ensure_ascii=False)
events = json.load(open(sys.argv[1]))["events"]
table = json.load(open(sys.argv[2]))["tables"][0]
assert table["id"] == "events" and len(table["rows"]) == len(events) > 100
for event, row in zip(events, table["rows"]):
    if "payload" in event:
        event["payload"] = " ".join(f"{k}={text(v)}" for k, v in event["payload"].items()) or None
    for key, value in event.items():
        assert row[key] == value or row[key] == text(value), (key, event, row)
END
done
t=$lab/wget-cold-hot

# What is refused, and how.
refused() {
	"$BUILD/examples/ask" "$t" -- "${@:2}" >"$dir/c" 2>"$dir/err"
	equal "$*: status" "$?" 1
	text "$dir/err" "$1"
}
refused "'serve' is no verb that asks about traces" serve
refused 'only long options that name no file' sync --save "$dir/file"
refused 'no others can be named' summary "$t"
refused 'unknown analysis|not an analysis|no analysis' top nonsense
refused 'which task\?' path
finish
