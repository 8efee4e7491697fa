#!/usr/bin/env bash
# meridian query: each table is what its verb prints, also of a window, a host and a thread; a query only reads; mistakes
# are said with their place; values are what they are; databases; the prompt.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=100
if "$m" query .quit 2>&1 | grep -q 'built without SQLite'; then
	echo "skipped: this build has no SQLite"
	exit 77
fi

# ask OPTION... TRACE QUERY: as CSV
ask() { "$m" query -q --format csv "$@" 2>>"$dir/asked" </dev/null; }
names() { "$m" query .tables --format csv | tail -n +2 | cut -d, -f1; }
facts=$(names | grep -v _)
equal "kinds of facts" "$(echo $facts)" \
	"$(echo $("$m" log --format csv | tail -n +2 | cut -d, -f1 | grep -v -e '^view$' -e '^period$'))"
# each FOLDER NAME...: statements for all rows of these tables; result_of FOLDER I: the file of the I-th
each() {
	local name
	for name in "${@:2}"; do echo "select * from $name;"; done >"$1.sql"
	rm -rf "$1"
}
result_of() { [ "$2" = 1 ] && echo "$1/result.csv" || echo "$1/result_$2.csv"; }

# ---- Rows of log ----

# is_log OPTION... TRACE: rows of all kinds are those of log, whatever their order
is_log() {
	local kind n=0 i=0
	each "$dir/rows" $facts
	"$m" query -q --format csv -o "$dir/rows/" -f "$dir/rows.sql" "$@" 2>"$dir/err"
	for kind in $facts; do
		i=$((i + 1))
		sort "$(result_of "$dir/rows" $i)" >"$dir/got"
		"$m" log "$kind" --all -n 0 -q --format csv "$@" 2>/dev/null | sort >"$dir/wanted"
		same "$kind of $*" "$dir/got" "$dir/wanted"
		n=$((n + $(wc -l <"$dir/got")))
	done
	[ "$n" -gt 50 ] || fail "$*: $n rows"
}
for t in "$lab"/*/; do
	# shop-logs: no traces
	[ "$t" != "$lab/shop-logs/" ] && every 6 && is_log --store "${t%/}"
done
is_log --no-store "$lab/lost-packets"
is_log --store --begin +1s --end +2s "$lab/cpu-mem-io"
is_log --store --host web "$lab/shop-a"
is_log --store --tid 1-200 "$lab/lost-events"
is_log --store --comm 'nginx*' "$lab/shop-a"

# ---- Parts that the session makes alone ----

# parts OPTION... TRACE: rows of a part are those that SQLite takes from all of them: +begin is no column.
# "A | B" are the same, but for whom: without a column a text is compared as a text.
parts() {
	local kind time a b h i n=0 part
	for kind in $facts; do
		time=begin
		[ "$kind" = faults ] && time=time
		IFS=, read -r a b < <(ask "$@" "select min($time) + (max($time) - min($time)) / 3,
			min($time) + (max($time) - min($time)) / 2 from $kind" | tail -n +2)
		[ -n "$a" ] && ((a < b)) || continue
		conditions=("$time > 9223372036854775807" "$time = $a" "$time >= $a and $time < $b" "$time > $a and $time <= $b"
			"$time between $a and $b")
		"$m" query ".schema $kind" >"$dir/schema"
		for h in $(grep -q '^  tid ' "$dir/schema" && ask "$@" "select tid from $kind where tid is not null
				group by 1 order by count(*) limit 2" | tail -n +2); do
			conditions+=("tid = $h" "tid in ($h, 1)" "tid = '$h' | tid = $h" "tid = $h.0")
		done
		for h in $(grep -q '^  host ' "$dir/schema" && ask "$@" "select host from $kind group by 1 limit 2" | tail -n +2) 'n?ne'; do
			grep -q '^  host ' "$dir/schema" || continue
			conditions+=("host = '$h'" "host = '$h' and $time < $b" "host in ('$h', 'x')" "host = upper('$h') collate nocase")
		done
		# These are made of all rows, which are there for what follows.
		conditions+=("$time >= $a.5" "$time < '$b' | $time < $b" "$time = (select max($time) from $kind)" "$time < $a or $time > $b"
			"$time < $b or $time > $a")
		rm -rf "$dir/got" "$dir/wanted"
		for part in "${conditions[@]}"; do
			echo "select * from $kind where ${part% |*};"
			echo "select * from $kind where ${part#*| };" | sed -E "s/([ (])($time|host|tid) /\1+\2 /g" >&3
		done >"$dir/got.sql" 3>"$dir/wanted.sql"
		for i in got wanted; do
			"$m" query -q --format csv -o "$dir/$i/" -f "$dir/$i.sql" "$@" 2>"$dir/err" || fail "$kind: $(head -2 "$dir/err")"
		done
		i=0
		for part in "${conditions[@]}"; do
			i=$((i + 1))
			sort "$(result_of "$dir/got" $i)" >"$dir/got.sorted"
			sort "$(result_of "$dir/wanted" $i)" >"$dir/wanted.sorted"
			same "$kind where $part" "$dir/got.sorted" "$dir/wanted.sorted"
			n=$((n + $(wc -l <"$dir/got.sorted")))
		done
		# With a part of the time that is the verb's, too. What lasts is there wherever it is in the window.
		[ "$kind" = mpi ] || [ "$kind" = waits ] || {
			"$m" log "$kind" --all -n 0 -q --format csv --begin "$a" --end "$b" "$@" 2>/dev/null | sort >"$dir/log"
			sort "$(result_of "$dir/got" 3)" >"$dir/part"
			same "$kind of a window" "$dir/part" "$dir/log"
		}
		rm -rf "$dir/got" "$dir/wanted"
	done
	[ "$n" -gt 300 ] || fail "parts of $*: $n rows"
}
for name in mpi-3vm kvm-nested; do
	every 4 && parts --store "$lab/$name"
done
parts --no-store "$lab/lost-events"
# A join asks for one part after the other.
join="select count(*) as n, sum(d) as d from (select s.begin, (select count(*) from irq where +begin between s.begin and s.\"end\") as d
	from syscall s where s.name = 'read' limit 50)"
ask "$lab/lost-events" "${join/+/}" >"$dir/joined"
ask "$lab/lost-events" "$join" >"$dir/wanted"
same "a join" "$dir/joined" "$dir/wanted"
! grep -q '^50,0$' "$dir/joined" && ok || fail "a join finds nothing"

# So does an outer join, which asks which rows it has seen.
join="select count(s.begin) as n, count(*) as d from syscall s right join irq i on s.host = i.host and"
join+=" i.begin >= s.begin and i.begin < s.begin + 10000 and s.name = 'read' where i.kind = 'timer'"
ask "$lab/lost-events" "$join" >"$dir/joined"
ask "$lab/lost-events" "$(sed 's/i.begin/+i.begin/g; s/s.host/+s.host/; s/i.host/+i.host/' <<<"$join")" >"$dir/wanted"
same "an outer join" "$dir/joined" "$dir/wanted"

# ---- Rows that stand for several ----

# The word "or" in a comment has all rows given one by one, and sorted by SQLite.
S=$lab/shop-a
while IFS= read -r sql; do
	ask "$S" "$sql" >"$dir/got"
	ask "$S" "$sql -- or" >"$dir/wanted"
	same "$sql" "$dir/got" "$dir/wanted"
	[ "$(wc -l <"$dir/got")" -gt 1 ] || fail "$sql: no rows"
done <<-'E'
	select count(*) as n from syscall
	select count(*) as n, count(*) + 1 as m from syscall limit 5
	select name, count(*) as n from syscall group by name
	select name, count(*) as n from syscall group by 1 order by n desc, 1 limit 7
	select host, comm, name, count(*) as n from syscall group by 3, 1, 2
	select ret, count(*) as n, count(ret) as m from syscall group by ret
	select name, count(ret) as n, count(*) as m, min(ret) as a, max(ret) as b from syscall group by name, ret
	select tid, count(*) as n, count(tid) as m from syscall group by tid
	select upper(name) as u, count(*) as n from syscall where name like 'r%' group by name having count(*) > 3
	select name, count(*) as n from syscall where host = 'web' group by host, name
	select name, count(*) filter (where host = 'db') as n from syscall group by name, host
	select name from syscall group by name
	select name, sum(tid) as n from syscall group by name
	select tid, sum(tid) as n, avg(tid) as a, count(*) as c from syscall group by tid
	select name, group_concat(host) as n from syscall group by name, host
	select a.name, count(*) as n from disk a, disk b where a.name = b.name group by a.name
	select count(*) as n from disk a, (values(1), (2))
	select count(*) as n from disk a, disk b
	select comm, host, count(*) as n from syscall group by 1, 2 order by 1, 2
	select comm, host, count(*) as n from syscall group by comm, host order by host desc, comm
	select name, count(*) as n from syscall group by name, 1
	select count(*) as n from syscall group by 'x'
	select count(*) as n from syscall order by 1
	select name, count(*) as n, max(duration_ns) as max_ns from syscall group by name
	select count(*) as n from syscall where name = 'read'
	select 1 as one, count(*) as n from syscall group by 1
	select count(name) as n from syscall
	select name, (count(*)) * 2 as n from syscall group by name order by name desc
	select host, name, count(*) as n from syscall group by host, name order by host desc, name desc
E
equal "distinct" "$(ask "$S" 'select count(distinct name) as n from syscall')" "$(echo n; ask "$S" 'select name from syscall group by name' | tail -n +2 | wc -l)"
equal "a window" "$(ask "$S" 'select count(*) over (rows between 1 preceding and current row) as n from syscall limit 3')" $'n\n1\n2\n2'

# ---- Tables of verbs ----

for analysis in $( ("$m" top --format csv && "$m" log --format csv) | cut -d, -f1 | grep -v -e '^analysis$' -e '^view$' -e '^period$' | sort -u); do
	for id in $("$m" top "$analysis" --table '?' --format csv | tail -n +2 | cut -d, -f1); do
		case $id in
		log* | bins* | map) continue ;;
		stats* | freq*) verb=${id%%_*} ;;
		*) verb=top ;;
		esac
		name=${verb}_$analysis
		[ "$id" = "$verb" ] || name+=_${id#"${verb}"_}
		echo "$name $verb $analysis $id"
	done
done >"$dir/tables"
# is_verb PATTERN OPTION... TRACE: the tables with such names
is_verb() {
	local n=0 i=0 name verb analysis id all
	grep -E "$1" "$dir/tables" >"$dir/some"
	shift
	each "$dir/rows" $(cut -d' ' -f1 "$dir/some")
	"$m" query -q --format csv -o "$dir/rows/" -f "$dir/rows.sql" "$@" 2>"$dir/err"
	while read -r name verb analysis id; do
		i=$((i + 1))
		case $verb in
		top) all="--table $id --all -n 0" ;;
		stats) all="--table $id -n 0" ;;
		freq) all= ;;
		esac
		# shellcheck disable=SC2086
		"$m" $verb "$analysis" $all -q --format csv "$@" >"$dir/wanted" 2>/dev/null </dev/null
		same "$name of $*" "$(result_of "$dir/rows" $i)" "$dir/wanted"
		n=$((n + $(wc -l <"$dir/wanted")))
	done <"$dir/some"
	[ "$n" -gt 100 ] || fail "tables of $*: $n rows"
}
for which in ^top_ ^[^t]; do # as many as one answer has
	is_verb $which --store "$lab/lost-events"
	every 4 && is_verb $which --store "$lab/kvm-nested"
	every 4 && is_verb $which --store --begin +1s --end +2s "$lab/cpu-mem-io"
done

# ---- Tables of other verbs ----

# What tables are called, and the one whose id is the verb; the question.
cat >"$dir/questions" <<-'E'
	requests - requests
	requests requests_list requests --list
	requests - requests --explain
	requests_cost - requests --cost
	requests_cost requests_cost_list requests --cost --list
	blocked - blocked --all
	graph graph_relations graph --all --requests
	path - path --list
	summary - summary
	summary - summary --peers
	stats - stats
	sync - sync
	latency - latency
	latency - latency --messages
	check check_all check
	info info_all info --streams
E
names | grep -vxF -e "$facts" -e "$(cut -d' ' -f1 "$dir/tables")" >"$dir/asked.names"
# is_asked OPTION... TRACE: tables of answers of these verbs are their folders of files. What an answer does not have is
# empty. $dir/seen gets the names of tables that were compared.
is_asked() {
	local prefix itself words name verb file n=0 i=0 options
	rm -rf "$dir/verbs"
	mkdir "$dir/verbs"
	while read -r prefix itself words; do
		verb=${words%% *}
		rm -rf "$dir/verb"
		options=("$@")
		case $verb in sync | latency | check | info) options=("${@/#--store/-q}") ;; esac # they use none
		# shellcheck disable=SC2086
		"$m" $words -q --format csv -o "$dir/verb/" "${options[@]}" >"$dir/out" 2>&1 </dev/null
		for file in "$dir/verb"/*.csv; do
			[ -e "$file" ] || continue # it does not know an option
			name=${prefix}_$(basename "$file" .csv)
			[ "$itself" != - ] && [ "$(basename "$file" .csv)" = "$verb" ] && name=$itself
			# How clocks were aligned is a table of 'sync'.
			[ "$name" = latency_clocks ] || mv "$file" "$dir/verbs/$name"
		done
	done <"$dir/questions"
	equal "tables of $* that cannot be asked for" "$(find "$dir/verbs" -type f -printf '%f\n' | grep -vxF -f "$dir/asked.names")" ""
	mapfile -t asked <"$dir/asked.names"
	case "$*" in
	*--begin*) mapfile -t asked < <(grep -vE '^(check|info)_' "$dir/asked.names") ;;
	*--host*) mapfile -t asked < <(grep -v '^sync_' "$dir/asked.names") ;;
	esac
	each "$dir/rows" "${asked[@]}"
	"$m" query -q --format csv -o "$dir/rows/" -f "$dir/rows.sql" "$@" 2>"$dir/err" </dev/null
	for name in "${asked[@]}"; do
		i=$((i + 1))
		n=$((n + $(wc -l <"$(result_of "$dir/rows" $i)")))
		if [ -e "$dir/verbs/$name" ]; then
			same "$name of $*" "$(result_of "$dir/rows" $i)" "$dir/verbs/$name"
			echo "$name" >>"$dir/seen"
		else
			equal "$name of $* has no rows" "$(wc -l <"$(result_of "$dir/rows" $i)")" 1
		fi
	done
	[ "$n" -gt 200 ] || fail "tables of other verbs of $*: $n rows"
}
is_asked --store "$lab/lost-events"
is_asked --store "$lab/shop-a"
every 4 && is_asked --store "$lab/kvm-nested"
every 4 && is_asked --store --begin +1s --end +2s "$lab/cpu-mem-io"
every 4 && is_asked --store --host web "$lab/shop-a"
equal "all tables" "$({ cut -d' ' -f1 "$dir/tables"; sort -u "$dir/seen"; } | sort)" "$(names | grep _ | sort)"
run 2 query --tid 1 "$lab/lost-events" 'select * from requests_kinds'
text "$dir/err" "table requests_kinds cannot be made with --tid, which 'meridian requests' does not know"

# ---- Questions of docs/queries.md that verbs answer, too ----

S=$lab/shop-a
# agree WHAT QUERY COLUMNS WORD...: rows of the query are those of the verb, in its columns
agree() {
	ask "$S" "$2" | tail -n +2 | sort >"$dir/got"
	"$m" "${@:4}" -q --format csv "$S" 2>/dev/null |
		awk -F, -v keys="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(keys, key, ","); next }
			{ for (i = 1; i <= n; i++) printf "%s%s", $at[key[i]], i < n ? "," : "\n" }' | sort >"$dir/wanted"
	same "$1" "$dir/got" "$dir/wanted"
	[ -s "$dir/got" ] || fail "$1: nothing"
}
agree "requests by kind" 'select kind, count(*), max(latency_ns) from requests group by kind' kind,count,max_ns requests
agree "percentiles of requests" "with r as (select kind, latency_ns, cume_dist() over (partition by kind order by latency_ns) as part from requests)
	select kind, min(latency_ns) filter (where part >= 0.5), min(latency_ns) filter (where part >= 0.9),
		min(latency_ns) filter (where part >= 0.99) from r group by kind" kind,p50_ns,p90_ns,p99_ns requests
agree "waits for a CPU" 'select host, comm, count(*), sum(latency_ns), max(latency_ns) from sched group by host, comm' \
	host,comm,count,total_ns,max_ns stats sched --group-by host,program -n 0
agree "calls that failed" 'select host, name, ret, count(*) from syscall where ret_value < 0 group by 1, 2, 3' \
	host,name,error,count stats syscall --table stats_errors -n 0
agree "calls that did not return" 'select begin, host, tid, name, so_far_ns from syscall where duration_ns is null' \
	begin,host,tid,name,so_far_ns top syscall --table top_unfinished --all -n 0
agree "waits by cause" 'select class, cause, count(*), sum(duration_ns) from waits group by 1, 2' class,cause,count,total_ns stats waits -n 0
agree "interrupts" 'select host, kind, name, count(*), sum(duration_ns) from irq group by host, kind, nr, name' \
	host,kind,name,count,total_ns stats irq -n 0
agree "bytes" 'select host, name, count(*), sum(bytes) from io group by host, name' host,name,count,bytes stats io -n 0
agree "processes" 'select host, comm, pid, self_ns from top_cpu_processes' host,comm,pid,self_ns top cpu --table processes --all -n 0
agree "a part of the time" "select begin, host, tid from sched, (select min(begin) + 3000000000 as a from sched)
	where begin between a and a + 20000000" begin,host,tid log sched --all -n 0 \
	--begin "$(ask "$S" 'select min(begin) + 3000000000 from sched' | tail -1)" --end "$(ask "$S" 'select min(begin) + 3020000001 from sched' | tail -1)"

# Of questions that verbs answer, on other recordings too.
for S in "$lab/shop-a" "$lab/wget-cold-hot"; do
	agree "tails in $S" 'select kind, count, p50_ns, p99_ns from requests_kinds' kind,count,p50_ns,p99_ns requests
	agree "messages in $S" 'select "from", "to", count(*) from latency_messages group by 1, 2' from,to,count latency
	agree "blocked in $S" "select class, comm, call, object, cause, sum(count) from blocked_waits group by tid, host, 1, 2, 3, 4, 5, kind, by" \
		class,comm,call,object,cause,count blocked --all --flat
	agree "events in $S" 'select host, name, count, bytes from stats_by_name' host,name,count,bytes stats --by name -n 0
done

# ---- Only reading ----

touch "$dir/there"
while IFS= read -r sql; do
	run 2 query "$lab/lost-events" "$sql"
	text "$dir/err" 'a query only reads tables: this statement \([A-Za-z]* \.\.\.\) would do more' "$sql"
	equal "$sql prints" "$(wc -c <"$dir/out")" 0
done <<-E
	attach '$dir/there' as x
	detach main
	insert into sched values (1)
	update sched set tid = 1
	delete from sched
	create table x(a)
	create temp table x(a)
	create view x as select 1
	create virtual table x using sched
	drop table sched
	alter table sched rename to x
	vacuum main
	vacuum into '$dir/written'
	begin transaction
	pragma journal_mode = wal
	pragma writable_schema = 1
	pragma temp_store_directory = '$dir'
	select load_extension('$dir/there')
	select * from sched where load_extension('x')
	with x as (select 1) insert into sched select * from x
E
equal "files" "$(wc -c <"$dir/there") $([ -e "$dir/written" ] && echo written)" "0 "
run 0 query "$lab/lost-events" 'pragma table_info(sched)'

# ---- Mistakes ----

while IFS='|' read -r sql said; do
	run 2 query "$lab/lost-events" "$sql"
	text "$dir/err" "$said" "$sql"
done <<-'E'
	select * from shed|SQL: no such table: shed \(did you mean sched\?\)
	select latency from sched|SQL: character 8, at 'latency from sched': no such column: latency \(did you mean latency_ns\?\)
	select zzzzzzzz from sched|no such column: zzzzzzzz \(\.schema TABLE lists them
	select from sched|SQL: character 8, at 'from sched': near "from": syntax error
	select 1; select from sched|SQL: character 9, at 'from sched': near
	select * from sched where comm = 'x|unrecognized token
	select abs(1, 2)|wrong number of arguments
	.schema shed|no table 'shed'; did you mean sched\?
E
run 2 query "$lab/lost-events" $'select 1 as a,\n  2 frm sched'
text "$dir/err" "SQL: line 2, character 9, at 'sched': near"
run 2 query "$lab/lost-events" $'select \e[31m from sched'
! grep -q $'\e' "$dir/err" && ok || fail "a terminal obeys a mistake"
run 2 query "$lab/lost-events"
text "$dir/err" 'no query: it is the last word'
run 3 query -f "$dir/nothing" "$lab/lost-events"
run 3 query "$dir/nosuchtrace" 'select 1 from sched'
run 2 query --table sched "$lab/lost-events" 'select 1'
# That nothing was recorded is no count of 0.
run 3 query "$lab/lost-events" 'select count(*) from mem'
text "$dir/err" 'mem has no rows: the traces lack the events'
run 0 query "$lab/lost-events" "select count(*) from sched where comm = 'nobody'"

# ---- Values ----

T=$lab/lost-events
equal "unknown" "$(ask "$T" 'select null as a, 1 as b union all select 2, null')" $'a,b\n,1\n2,'
equal "mixed" "$(ask "$T" "select 1 as a, 1.5 as b, 'x' as c, 1 as d union all select 2.5, 2, 3, 9007199254740993
	union all select 1, 2, 3, 0.5")" $'a,b,c,d\n1,1.5,x,1\n2.5,2,3,9007199254740993\n1,2,3,0.5'
equal "the same name" "$(ask "$T" 'select 1 as a, 2 as a, 3 as a_2')" $'a,a_2,a_2_2\n1,2,3'
equal "limits" "$(ask "$T" 'select 9223372036854775807 as a, -9223372036854775808 as b, 1e999 as c')" \
	$'a,b,c\n9223372036854775807,-9223372036854775808,'
equal "bytes" "$(ask "$T" "select x'00ff' as a, 'a' || char(0) || 'b' as b, '' as c")" $'a,b,c\nX\'00FF\',X\'610062\','
run 0 query "$T" "select char(27) || '[31m' || char(155) as a"
! grep -q $'\e' "$dir/out" && ok || fail "a terminal obeys a text"
run 0 query "$T" 'select 1500000 as total_ns, 2048 as size_bytes, 12.5 as busy_percent, 1795227653798265616 as begin, 17 as tid,
	12345 as n'
text "$dir/out" '1\.5.* ms +2\.0.* KiB +12\.5 % +02:20:53\.798265 +17 +12,345$'
run 0 query --json "$T" 'select 1500000 as total_ns, null as x'
equal "JSON" "$(jq -c 'table("result")' "$dir/out")" '[{"total_ns":1500000,"x":null}]'
ask "$T" 'select begin, duration_ns from syscall; select 1 as one' >"$dir/several"
equal "several" "$(grep . "$dir/several" | cut -d, -f1 | sort | uniq -c | awk '{ print $2, $1 }')" \
	"result $(($("$m" log syscall --all -n 0 -q --format csv "$T" | wc -l) - 1))
result_2 1
table 2"
run 0 query "$T" 'with recursive c(x) as (select 1 union all select x + 1 from c limit 20000) select x from c'
text "$dir/out" '^\.\.\. of 20,000 rows; --format csv has all'
equal "shown" "$(wc -l <"$dir/out")" 10002
equal "the lake's name" "$(ask "$lab/shop-a" 'select distinct irq_kind = kind as same from irq')" $'same\n1'
equal "a hidden one" "$(ask "$T" 'select * from irq limit 0')" "$("$m" log irq --format csv -q "$T" | head -1)"
echo "select count(*) as n from syscall; -- the end" >"$dir/q.sql"
n=$(ask "$T" 'select count(*) as n from syscall')
equal "a file" "$(ask -f "$dir/q.sql" "$T")" "$n"
equal "standard input" "$("$m" query -q --format csv "$T" <"$dir/q.sql")" "$n"
run 0 query --format csv -o "$dir/q.csv" "$T" 'select count(*) as n from syscall'
equal "a file of results" "$(cat "$dir/q.csv")" "$n"

# ---- Databases ----

run 2 query -o "$dir/x.db" "$T" 'select 1'
text "$dir/err" 'a database has tables, not what a query finds'
run 2 query -o "$dir/x.db" --table shed "$T"
text "$dir/err" "no table 'shed'; did you mean sched\?"
run 0 query -o "$dir/x.db" --table sched,top_cpu "$T"
text "$dir/out" '^sched +191$'
echo before >"$dir/y.db"
run 0 query -o "$dir/y.db" "$T"
run 3 query -o /proc/x.db "$T"
equal "nothing beside" "$(find "$dir" -name '*.db.*' | wc -l)" 0
if command -v sqlite3 >/dev/null; then
	equal "tables" "$(sqlite3 "$dir/x.db" .tables | xargs)" "sched top_cpu"
	equal "all" "$(sqlite3 "$dir/y.db" "select name from sqlite_schema order by 1")" "$(names | sort)"
	n=0
	for name in $(names); do
		# quote() tells texts, numbers and NULL apart.
		columns=$(ask "$T" "select * from $name limit 0" | sed -E 's/([^,]+)/quote("\1")/g; s/,/ || "," || /g' | sed "s/\",\"/','/g")
		sqlite3 "$dir/y.db" "select $columns from $name" | sort >"$dir/got"
		"$m" query -q --format jsonl "$T" "select $columns as x from $name" 2>/dev/null | jq -r .x | sort >"$dir/wanted"
		same "$name in a database" "$dir/got" "$dir/wanted"
		n=$((n + $(wc -l <"$dir/got")))
	done
	[ "$n" -gt 5000 ] || fail "a database of $n rows"
else
	echo "skipped: there is no sqlite3 to read databases with"
fi

# ---- The prompt ----

if command -v script >/dev/null; then
	printf '%s\n' 'select count(*) as' ' n from syscall;' 'select * from shed;' .foo '.schema sched' .quit >"$dir/typed"
	script -qec "$m query -q $T" /dev/null <"$dir/typed" >"$dir/shown" 2>&1
	text "$dir/shown" '^ *2,825'
	text "$dir/shown" 'did you mean sched\?'
	text "$dir/shown" 'no such command'
	text "$dir/shown" 'latency_ns INTEGER'
else
	echo "skipped: there is no script for the prompt"
fi
finish
