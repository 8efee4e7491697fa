# What the injected cause took of a mean slow request more than of a typical one, by the truth of a simulated service:
# awk -v tail=hog -v n=SLOW -f crowded_truth.awk tasks.csv states.csv services.csv
#
# Of the n slowest requests, against those from p40 to p60: for how long the database's processes that had one of their
# queries were runnable while `hog` had that CPU; waited for the disk while `dd` wrote; waited for a lock while `vacuum` did
# not wait. What a request met by waiting for others (a connection, a server) is not in it: it is a lower bound. Prints ns.
function since(time) { return substr(time, 7) + 0 } # awk's numbers have no room for all digits
function overlap(cpu, begin, end,   i, sum, b, e) {
	for (i = 1; i <= n_bad[cpu]; i++) {
		b = bad_begin[cpu, i] > begin ? bad_begin[cpu, i] : begin
		e = bad_end[cpu, i] < end ? bad_end[cpu, i] : end
		if (b < e)
			sum += e - b
	}
	return sum + 0
}
# dd's requests overlap: those of three tasks as one.
function add_bad(cpu, begin, end) {
	if (n_bad[cpu] && begin <= bad_end[cpu, n_bad[cpu]]) {
		if (end > bad_end[cpu, n_bad[cpu]])
			bad_end[cpu, n_bad[cpu]] = end
		return
	}
	bad_begin[cpu, ++n_bad[cpu]] = begin
	bad_end[cpu, n_bad[cpu]] = end
}
function taken(r,   i, m, all, k, sum, b, e, q) {
	m = split(below[r], all, " ")
	for (i = 1; i <= m; i++) {
		q = all[i]
		for (k = 1; at_db[q] && k <= n_waits[server[q]]; k++) {
			b = wait_begin[server[q], k] > begins[q] ? wait_begin[server[q], k] : begins[q]
			e = wait_end[server[q], k] < ends[q] ? wait_end[server[q], k] : ends[q]
			if (b < e)
				sum += overlap(wait_cpu[server[q], k], b, e)
		}
		sum += taken(q)
	}
	return sum + 0
}
BEGIN { FS = "," }
FNR == 1 {
	file++
	split("", column)
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
file == 1 {
	comm[$column["host"] " " $column["tid"]] = $column["comm"]
	next
}
file == 2 {
	who = $column["host"] " " $column["tid"]
	state = $column["state"]
	cause = $column["cause"]
	begin = since($column["begin"])
	end = since($column["end"])
	cpu = tail == "hog" ? $column["cpu"] : 0
	if (comm[who] == "hog" || comm[who] == "dd" || comm[who] == "vacuum") {
		if (tail == "hog" ? state != "blocked" && state != "runnable" : tail == "disk" ? cause == "disk" : state != "blocked")
			list[++n_list] = sprintf("%015d %015d %s", begin, end, cpu)
	} else if (comm[who] == "postgres") {
		if (tail == "hog" ? state == "runnable" : state == "blocked" && (tail == "lock" ? cause == "futex" : cause == "disk" || cause == "task")) {
			wait_begin[who, ++n_waits[who]] = begin
			wait_end[who, n_waits[who]] = end
			wait_cpu[who, n_waits[who]] = cpu
		}
	}
	next
}
$column["end"] != "" {
	id = $column["request"]
	begins[id] = since($column["begin"])
	ends[id] = since($column["end"])
	server[id] = $column["server_host"] " " $column["server_tid"]
	at_db[id] = $column["server_port"] == 5432
	if ($column["parent"] == "")
		roots[++n_roots] = sprintf("%015d %s", ends[id] - begins[id], id)
	else
		below[$column["parent"]] = below[$column["parent"]] " " id
}
# Shell's way.
function sort(of, n,   gap, i, k, x) {
	for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++) {
			x = of[i]
			for (k = i; k > gap && of[k - gap] > x; k -= gap)
				of[k] = of[k - gap]
			of[k] = x
		}
}
END {
	sort(list, n_list)
	for (i = 1; i <= n_list; i++) {
		split(list[i], word, " ")
		add_bad(word[3], word[1] + 0, word[2] + 0)
	}
	sort(roots, n_roots)
	from = int(n_roots * 2 / 5)
	until = int(n_roots * 3 / 5)
	for (i = 1; i <= n_roots; i++) {
		split(roots[i], word, " ")
		if (i > n_roots - n)
			slow += taken(word[2])
		if (i > from && i <= until)
			typical += taken(word[2])
	}
	printf "%d\n", slow / n - typical / (until - from)
}
