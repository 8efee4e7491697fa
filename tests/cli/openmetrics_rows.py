#!/usr/bin/env python3
"""Does OpenMetrics text say what the same question says as CSV? By the rules of the documentation, with
decimal arithmetic, and without any code of the program.

openmetrics_rows.py METRICS PREFIX CSV           gauges: a sample for each known figure, and no others
openmetrics_rows.py METRICS PREFIX CSV freq      histograms: buckets add up to the rows
openmetrics_rows.py METRICS PREFIX CSV latency   of requests: buckets, sums and counts from their list"""
import collections
import csv
import decimal
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import openmetrics_check  # noqa: E402

D = decimal.Decimal
UNITS = [("_bytes_per_s", "_bytes_per_second", D(1)), ("_per_s", "_per_second", D(1)), ("_ns", "_seconds", D(10) ** -9),
         ("_bytes", "_bytes", D(1)), ("_percent", "_ratio", D("0.01")), ("_ppm", "_ratio", D(10) ** -6), ("_khz", "_hertz", D(1000)),
         ("_hz", "_hertz", D(1))]
LABELS = {"of", "host", "tid", "pid", "comm", "cpu", "waker_comm", "next_comm", "cause", "class", "waker_tid", "next_tid", "name", "port", "kind",
          "service", "file", "fd", "disk", "object", "device", "path", "table", "domain", "format", "id", "group", "reference", "quality", "call",
          "irq", "vector", "process", "next", "waker", "type", "program", "prio"}
MOMENTS = {"begin", "end", "at", "switch_in"}


def name_of(prefix, key):
    if key in MOMENTS or key.endswith("_at") or key.endswith("_begin"):
        return "%s_%s_timestamp_seconds" % (prefix, key), D(10) ** -9
    for end, unit, factor in UNITS:
        if ("_" + key).endswith(end):
            return prefix + ("_" + key)[:-len(end)] + unit, factor
    name = "%s_%s" % (prefix, key)
    if name.endswith("_count"):
        name = name[:-len("count")] + "number"
    return name, D(1)


def same(a, b):
    return a == b or abs(a - b) <= abs(b) * D("1e-10")


def gauges(families, prefix, rows):
    wanted_values, timed = {}, rows and list(rows[0])[:2] == ["begin", "end"]
    for row in rows:
        labels = frozenset((k, v) for k, v in row.items() if k in LABELS and v != "")
        for key, text in row.items():
            if key in LABELS or text == "" or (timed and key in ("begin", "end")):
                continue
            name, factor = name_of(prefix, key)
            time = D(row["end"]) * D(10) ** -9 if timed else None
            wanted_values.setdefault((name, labels, time), []).append(D(text) * factor)
    got = {}
    for f in families.values():
        if not f.name.startswith(prefix + "_") or f.type != "gauge":
            continue
        for name, labels, text, _, time in f.samples:
            key = (name, frozenset(x for x in labels.items() if x[0] != "row"), D(time) if time else None)
            got.setdefault(key, []).append(D(text))
    wrong = [k for k in set(got) | set(wanted_values)
             if len(got.get(k, [])) != len(wanted_values.get(k, [])) or
             not all(same(a, b) for a, b in zip(sorted(got[k]), sorted(wanted_values[k])))]
    for k in wrong[:3]:
        print(k, got.get(k), wanted_values.get(k))
    return len(wanted_values), not wrong



def metrics_of(families, name):
    f = families[name]
    assert f.type == "histogram", f.type
    out = {}
    for key, samples in f.metrics.items():
        out[frozenset(key)] = ([(D(s[1]["le"]) if s[1]["le"] != "+Inf" else D("Infinity"), int(s[2])) for s in samples
                                if s[0].endswith("_bucket")],
                               [D(s[2]) for s in samples if s[0].endswith("_sum")], [int(s[2]) for s in samples if s[0].endswith("_count")])
    return out


def freq(families, prefix, rows):
    keys = list(rows[0])
    begin = [k for k in keys if k.startswith("from_")][0]
    end = [k for k in keys if k.startswith("to_")][0]
    name, factor = name_of(prefix, end[len("to_"):])
    groups = collections.defaultdict(list)
    for row in rows:
        labels = frozenset((k, v) for k, v in row.items() if v != "" and k not in (begin, end, "count"))
        groups[labels].append((D(row[begin]), D(row[end]), int(row["count"])))
    got = metrics_of(families, name)
    ok = set(got) == set(groups) and len({tuple(b for b, _ in m[0]) for m in got.values()}) == 1
    for labels, buckets in groups.items():
        for le, count in got[labels][0]:
            # A value is whole: the last one of a bucket is right below its end.
            ok &= count == sum(n for _, to, n in buckets if (to - 1) * factor <= le)
        ok &= all(any(le == (to - 1) * factor for le, _ in got[labels][0]) for _, to, _ in buckets)
        ok &= not got[labels][1] and not got[labels][2]
    return len(groups), ok


def latency(families, prefix, rows):
    got = {dict(k)["kind"]: v for k, v in metrics_of(families, prefix + "_latency_seconds").items()}
    lists = collections.defaultdict(list)
    for row in rows:
        if row["latency_ns"] and row["messages"] in ("", "1"):
            lists[row["kind"]].append(int(row["latency_ns"]))
    ok = set(got) == set(lists)
    for kind, values in lists.items():
        buckets, total, count = got[kind]
        ok &= count == [len(values)] and total == [D(sum(values)) * D(10) ** -9]
        ok &= all(n == sum(1 for v in values if D(v) * D(10) ** -9 <= le) for le, n in buckets)
    return len(lists), ok


def main():
    metrics, prefix, path = sys.argv[1:4]
    how = sys.argv[4] if len(sys.argv) > 4 else "gauges"
    families = openmetrics_check.parse(open(metrics, "rb").read())
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    n, ok = {"gauges": gauges, "freq": freq, "latency": latency}[how](families, prefix, rows)
    if not ok or not n:
        print("%s: %d compared, %s" % (prefix, n, "equal" if ok else "not equal"))
    return 0 if ok and n else 1


if __name__ == "__main__":
    sys.exit(main())
