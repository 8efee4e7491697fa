#!/usr/bin/env bash
# OpenMetrics: what --format openmetrics and the server's /metrics write is what the specification allows, by a reader that
# shares no code with the program, and has the figures of CSV.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC
if ! command -v python3 >/dev/null; then
	echo "skipped: there is no python3, which the reader needs"
	exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
reader() { python3 "$SRC/tests/support/openmetrics_check.py" "$@"; }

# ---- The reader refuses what the specification forbids ----

bad=0
refuses() { # WHAT TEXT
	printf "$2" >"$dir/bad"
	if reader "$dir/bad" >/dev/null 2>"$dir/bad.err"; then fail "the reader takes $1"; else ok; fi
	bad=$((bad + 1))
}
head='# TYPE a gauge\n'
printf '# TYPE a_seconds gauge\n# UNIT a_seconds seconds\n# HELP a_seconds x \\" \\\\ \\n\na_seconds{b="\\"\\n\\\\",c="\xc3\xa4"} 1e-05 12.5\na_seconds{b=""} +Inf\n# EOF\n' >"$dir/good"
check "the reader takes what is right" reader "$dir/good"
equal "and reads it" "$(reader --samples "$dir/good" | head -1)" 'a_seconds	{"b": "\"\n\\", "c": "\u00e4"}	1e-05	12.5'
refuses "no end" "${head}a 1\n"
refuses "no line end" "${head}a 1\n# EOF"
refuses "more after the end" "${head}a 1\n# EOF\na 2\n# EOF\n"
refuses "an empty line" "${head}\na 1\n# EOF\n"
refuses "a comment" "# x\n${head}a 1\n# EOF\n"
refuses "CR LF" "${head}a 1\r\n# EOF\n"
refuses "two blanks" "${head}a  1\n# EOF\n"
refuses "bytes that are not UTF-8" "${head}a{b=\"\\xff\"} 1\n# EOF\n"
refuses "a sample twice" "${head}a 1\na 1\n# EOF\n"
refuses "a value twice" "${head}a 1\na 2\n# EOF\n"
refuses "labels in another order twice" "${head}a{b=\"1\",c=\"2\"} 1\na{c=\"2\",b=\"1\"} 1\n# EOF\n"
refuses "a label twice" "${head}a{b=\"1\",b=\"2\"} 1\n# EOF\n"
refuses "a reserved label" "${head}a{__b=\"1\"} 1\n# EOF\n"
refuses "a wrong label" "${head}a{b-c=\"1\"} 1\n# EOF\n"
refuses "an escape of nothing" "${head}a{b=\"\\\\x\"} 1\n# EOF\n"
refuses "an empty value" "${head}a{b=\"1\"} \n# EOF\n"
refuses "null" "${head}a null\n# EOF\n"
refuses "a wrong name" "# TYPE a-b gauge\na-b 1\n# EOF\n"
refuses "a sample of no family" "${head}b 1\n# EOF\n"
refuses "a family twice" "${head}a 1\n# TYPE b gauge\nb 1\n${head}a{c=\"1\"} 1\n# EOF\n"
refuses "a type twice" "${head}${head}a 1\n# EOF\n"
refuses "no such type" "# TYPE a number\na 1\n# EOF\n"
refuses "a unit that the name lacks" "${head}# UNIT a seconds\na 1\n# EOF\n"
refuses "metrics that alternate" "${head}a{b=\"1\"} 1 1\na{b=\"2\"} 1 1\na{b=\"1\"} 1 2\n# EOF\n"
refuses "times that go back" "${head}a 1 2\na 1 1\n# EOF\n"
h='# TYPE a histogram\n'
refuses "no bucket +Inf" "${h}a_bucket{le=\"1.0\"} 1\n# EOF\n"
refuses "buckets that decrease" "${h}a_bucket{le=\"1.0\"} 2\na_bucket{le=\"+Inf\"} 1\n# EOF\n"
refuses "bounds out of order" "${h}a_bucket{le=\"2.0\"} 1\na_bucket{le=\"1.0\"} 1\na_bucket{le=\"+Inf\"} 1\n# EOF\n"
refuses "le as an integer" "${h}a_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 1\n# EOF\n"
refuses "a count alone" "${h}a_bucket{le=\"+Inf\"} 1\na_count 1\n# EOF\n"
refuses "another count" "${h}a_bucket{le=\"+Inf\"} 1\na_count 2\na_sum 1\n# EOF\n"
refuses "a gauge with the name of a count" "${h}a_bucket{le=\"+Inf\"} 1\n# TYPE a_count gauge\na_count 1\n# EOF\n"
equal "what is refused" "$bad" 32

# ---- Figures are those of CSV ----

# agrees PREFIX HOW WORD...: the question as OpenMetrics, and as CSV
agrees() {
	local prefix=$1 how=$2 om=$dir/om
	shift 2
	run 0 "$@" --format openmetrics
	cp "$dir/out" "$om"
	check "$*: OpenMetrics" reader "$om"
	run 0 "$@" --format csv
	check "$*: as CSV" python3 "$SRC/tests/cli/openmetrics_rows.py" "$om" "$prefix" "$dir/out" "$how"
}
shop=demo/shop-a
[ -d "$lab/shop-a" ] && shop=$lab/shop-a
agrees meridian_cpu_top gauges top cpu "$shop"
agrees meridian_cpu_hosts gauges top cpu --table hosts "$shop"
agrees meridian_cpu_bins gauges top cpu --bins 7 --table bins "$shop"
agrees meridian_sched_top gauges top sched -n 200 "$shop"
agrees meridian_sched_stats gauges stats sched "$shop"
agrees meridian_waits_top gauges top waits --group-by host,class,cause "$shop"
agrees meridian_syscall_freq freq freq syscall "$shop"
agrees meridian_sched_freq freq freq sched --host web "$shop"
agrees meridian_requests_kinds gauges requests "$shop"
agrees meridian_requests_bins gauges requests --bins 5 "$shop"
run 0 requests --format openmetrics "$shop"
cp "$dir/out" "$dir/om"
run 0 requests --list -n 0 --format csv "$shop"
check "latencies of the list" python3 "$SRC/tests/cli/openmetrics_rows.py" "$dir/om" meridian_requests "$dir/out" latency
text "$dir/om" '^# UNIT meridian_requests_latency_seconds seconds$'
text "$dir/om" '^meridian_requests_latency_seconds_sum\{.*\} [0-9]+\.[0-9]+$'
# The longest waits of a task look the same: only their number tells them apart.
run 0 top sched -n 0 --format openmetrics "$shop"
text "$dir/out" '^meridian_sched_top_latency_seconds\{.*,row="2"\} '
# What is not known has no sample: nothing counts stolen time here.
run 0 top cpu --format openmetrics "$shop"
no_text "$dir/out" '_stolen_'
run 0 stats --format openmetrics "$shop"
check "events" reader "$dir/out"
text "$dir/out" '^# TYPE meridian_stats_by_name_number gauge$' "names that the format keeps"
text "$dir/out" '^# TYPE meridian_stats_by_name_count_per_second gauge$'

# ---- Hostile names, nothing, parts ----

check "the scenario" "$ctfgen" -o "$dir/hostile" "$SRC/tests/cli/hostile.scn"
for words in "top cpu" "top syscall" "top io" "top irq" "stats" "freq irq" "requests" "freq disk" "top net"; do
	# shellcheck disable=SC2086 # words
	run "0|3" $words --format openmetrics "$dir/hostile"
	check "hostile: $words" reader "$dir/out"
done
run "0|3" top cpu --format openmetrics "$dir/hostile"
equal "nothing forged" "$(grep -c '^FORGED' "$dir/out")" 0
text "$dir/out" 'host="[cs]\\\\x1b\[31m\\\\nFORGED' "escapes as in CSV"
run 0 requests --format openmetrics --from 'no?such' "$shop"
equal "nothing" "$(cat "$dir/out")" "# EOF"
run 0 top --format openmetrics
equal "no analysis" "$(cat "$dir/out")" "# EOF"
if [ -d "$shop/web" ]; then
	for host in client web db; do
		run 0 top cpu --table hosts --part --sync none -o "$dir/$host.part" "$shop/$host"
	done
	run 0 merge --format openmetrics "$dir"/{client,web,db}.part
	cp "$dir/out" "$dir/om"
	check "of parts" reader "$dir/om"
	run 0 merge --format csv "$dir"/{client,web,db}.part
	check "of parts: as CSV" python3 "$SRC/tests/cli/openmetrics_rows.py" "$dir/om" meridian_cpu_hosts "$dir/out"
fi
run 2 requests --list --format openmetrics "$shop"
text "$dir/err" 'does not work with'
run 2 requests --explain --format openmetrics "$shop"
run 2 log cpu --format openmetrics "$shop"
run 2 top cpu --format openmetrics --marks x "$shop"
run 2 top cpu --format openmetrics -o "$dir/" "$shop"
text "$dir/err" 'a folder needs --format csv, jsonl or json'

# ---- The server ----

serve "$shop"
ready
ask GET "${root}metrics" ''
equal "status" "$status" 200
text "$dir/headers" '^Content-Type: application/openmetrics-text; version=1\.0\.0; charset=utf-8$'
cp "$dir/body" "$dir/om"
check "/metrics" reader "$dir/om"
for table in "meridian_cpu top cpu --table hosts" "meridian_runqueue top sched --table hosts" "meridian_clock sync"; do
	# shellcheck disable=SC2086 # words
	set -- $table
	prefix=$1
	shift
	"$m" "$@" --format csv -q "$shop" 2>/dev/null | sed '/^$/,$d' >"$dir/all"
	# The columns that it has; of 'sync', also without that of the table.
	python3 - "$dir/all" "$dir/om" "$prefix" >"$dir/wanted" <<-'PY'
		import csv, sys
		sys.path.insert(0, "tests/cli")
		import openmetrics_rows as r
		rows = list(csv.DictReader(open(sys.argv[1])))
		text = open(sys.argv[2]).read()
		keys = [k for k in rows[0] if ("# TYPE %s gauge" % r.name_of(sys.argv[3], k)[0]) in text or "," + k + '="' in text or "{" + k + '="' in text]
		if sys.argv[3] == "meridian_clock":
		    keys = [k for k in keys if k in ("host", "group", "reference", "quality") or k not in r.LABELS]
		else:
		    keys = [k for k in keys if k == "host" or k not in r.LABELS]
		w = csv.DictWriter(sys.stdout, keys, extrasaction="ignore")
		w.writeheader()
		w.writerows(rows)
	PY
	check "/metrics: $*" python3 "$SRC/tests/cli/openmetrics_rows.py" "$dir/om" "$prefix" "$dir/wanted"
done
run 0 requests --format openmetrics "$shop"
grep '^meridian_requests_latency' "$dir/out" >"$dir/wanted"
grep '^meridian_requests_latency' "$dir/om" >"$dir/got"
same "/metrics: latencies" "$dir/got" "$dir/wanted"
text "$dir/om" '^meridian_trace_lost_events\{host="web",.*\} [0-9]+$'
text "$dir/om" '^meridian_wait_number\{host="web",class="[a-z]+",cause="[a-z-]+"\} [0-9]+$'
text "$dir/om" '^meridian_ready 1$'
ask GET "${root}metrics" ''
same "the same again" "$dir/body" "$dir/om"
ask GET "${root}api/run?w=top&w=cpu&w=--format&w=openmetrics" ''
text "$dir/headers" '^Content-Type: application/openmetrics-text'
"$m" top cpu --format openmetrics -q "$shop" >"$dir/wanted"
same "a command" "$dir/body" "$dir/wanted"
ask GET /metrics ''
equal "without the token" "$status" 403
ask GET "${root}metrics" '' "Host: evil.example"
equal "a name of elsewhere" "$status" 403
ask GET "${root}metrics" '' "Origin: http://evil.example"
equal "a page of elsewhere" "$status" 403
ask POST "${root}metrics" ''
equal "POST" "$status" 405
stop
# While traces are read there is how far that is, and nothing half.
rm -rf "$XDG_CACHE_HOME"
serve "$shop"
for _ in $(seq 300); do
	ask GET "${root}metrics" ''
	equal "while it is read" "$status" 200
	check "while it is read: OpenMetrics" reader "$dir/body"
	grep -q '^meridian_ready 1' "$dir/body" && break
	equal "nothing but progress" "$(grep -cvE '^#|^meridian_(ready|failed|read_bytes|traces_bytes) [0-9]+$' "$dir/body")" 0
	sleep 0.05
done
text "$dir/body" '^meridian_ready 1$'
stop

# promtool, where it is: names as Prometheus wants them.
if command -v promtool >/dev/null; then
	check "promtool" promtool check metrics <"$dir/om"
else
	echo "skipped: there is no promtool"
fi
finish
