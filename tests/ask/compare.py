"""compare.py JSON FOLDER CSV: the answer in three forms; says what differs."""
import csv
import json
import os
import sys

document = json.load(open(sys.argv[1]))
folder = sys.argv[2]
bad = []


def cell(value):
    """As CSV has it, where a line end is written as \\n."""
    return "" if value is None else value.replace("\n", "\\n") if isinstance(value, str) else f"{value:.12g}" if isinstance(value, float) else str(value)


def equal(a, b, kind):
    if a == b:
        return True
    try:
        return kind in ("ratio", "real", "duration", "rate") and abs(float(a) - float(b)) <= 1e-9 * max(1, abs(float(a)))
    except ValueError:
        return False


if document["schema_version"] != 3 or set(document) - {"schema_version", "begin", "end", "tables", "sync", "diagnostics"}:
    bad.append(f"members: {', '.join(document)}")
ids = [t["id"] for t in document["tables"]]
files = sorted(f[:-4] for f in os.listdir(folder))
if sorted(ids) != files:
    bad.append(f"tables: JSON has {', '.join(ids)}; the folder {', '.join(files)}")
heads = set()
for table in document["tables"]:
    keys = [c["key"] for c in table["columns"]]
    kinds = [c["type"] for c in table["columns"]]
    path = os.path.join(folder, table["id"] + ".csv")
    rows = list(csv.reader(open(path, newline=""))) if os.path.exists(path) else [[]]
    heads.add(",".join(keys))
    if rows[0] != keys:
        bad.append(f"{table['id']}: keys are {keys} in JSON, {rows[0]} in CSV")
        continue
    if len(rows) - 1 != len(table["rows"]):
        bad.append(f"{table['id']}: {len(table['rows'])} rows in JSON, {len(rows) - 1} in CSV")
    for number, (row, line) in enumerate(zip(table["rows"], rows[1:])):
        if list(row) != keys:
            bad.append(f"{table['id']}: row {number} has {list(row)}")
            break
        wrong = [k for k, v, c, kind in zip(keys, row.values(), line, kinds) if not equal(cell(v), c, kind)]
        if wrong:
            bad.append(f"{table['id']}: row {number}: {wrong[0]} is {row[wrong[0]]!r} in JSON, {line[keys.index(wrong[0])]!r} in CSV")
            break
first = open(sys.argv[3]).readline().rstrip("\n")
if first not in heads and first.removeprefix("table,") not in heads:
    bad.append(f"CSV begins with {first}, which is no table of JSON")
print("\n".join(bad[:5]))
sys.exit(bool(bad))
