#!/usr/bin/env bash
# Every trace with a known number of events is read to exactly that number; so are its losses,
# streams and packets where they are known.
set -u
shared=$SRC/../shared
list=$shared/expected/ctf_counts.csv
if [ ! -f "$list" ]; then
	echo "no list of expected counts beside the project"
	exit 77
fi
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 - "$MERIDIAN" "$list" "$shared/traces/public" <<'EOF'
import csv, json, os, subprocess, sys

meridian, table, public = sys.argv[1:]
bad = done = absent = 0
for row in csv.DictReader(open(table)):
    path = os.path.join(public, row["trace"])
    if not os.path.isdir(path):
        absent += 1
        continue
    run = subprocess.run([meridian, "info", "--count", "--json", path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode not in (0, 3):
        print(f"FAILED: {row['trace']}: exit {run.returncode}: {run.stderr.decode()[:300]}")
        bad += 1
        continue
    got = json.loads(run.stdout)
    traces = [t for h in got["hosts"] for t in h["traces"]]
    sums = {"events": got["events"]}
    for key in ("lost_events", "streams", "packets"):
        sums[key] = sum(t[key] for t in traces)
    wrong = [f"{k} {sums[k]}, not {row[k]}" for k in sums if row[k] and int(row[k]) != sums[k]]
    if wrong:
        print(f"FAILED: {row['trace']}: " + "; ".join(wrong))
        bad += 1
    done += 1
print(f"{done} traces counted, {absent} absent, {bad} wrong")
sys.exit(1 if bad else 0)
EOF
