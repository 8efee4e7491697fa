#!/usr/bin/env bash
# The cases of the CTF test suite: what is right passes, what is wrong is found, both by `check`
# (walks over records) and by `events` (decodes all fields).
set -u
shared=$SRC/../shared
list=$shared/expected/ctf_testsuite.csv
cases=$shared/cases/ctf-testsuite
if [ ! -f "$list" ] || [ ! -d "$cases" ]; then
	echo "no cases of the CTF test suite beside the project"
	exit 77
fi
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 - "$MERIDIAN" "$list" "$cases" <<'EOP'
import csv, os, subprocess, sys

meridian, table, cases = sys.argv[1:]
passed = failed = absent = 0


def run(verb, path):
    try:
        done = subprocess.run([meridian, verb, path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=30)
    except subprocess.TimeoutExpired:
        return "hangs", 0, ""
    return done.returncode, done.stdout.count(b"\n"), done.stderr.decode(errors="replace")


for row in csv.DictReader(open(table)):
    path = os.path.join(cases, row["case"])
    if not os.path.isdir(path):
        absent += 1
        continue
    good = row["expected"] == "pass"
    wrong = []
    status, _, err = run("check", path)
    if status != (0 if good else 1):
        wrong.append(f"check: exit {status}, not {0 if good else 1}")
    told = err
    status, lines, err = run("events", path)
    if good and status != 0 or not good and status not in (1, 3, 4):
        wrong.append(f"events: exit {status}, not {'0' if good else '3'}")
    told = told or err
    if row["expected_events"] and lines != int(row["expected_events"]):
        wrong.append(f"{lines} events, not {row['expected_events']}")
    if not good and not told.strip():
        wrong.append("nothing is said about what is wrong")
    if wrong:
        failed += 1
        print(f"FAILED: {row['case']} ({row['tests']}): {'; '.join(wrong)}")
        if told.strip():
            print("        " + told.strip().splitlines()[0][:200])
    else:
        passed += 1
if absent:
    print(f"{absent} cases are not there")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
EOP
