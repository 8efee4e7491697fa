# How long sched_switch says that `hog` had the CPU that the database needed, of a mean slow request of a group, by the
# truth of a simulated service with one CPU a host:
# awk -v n=SLOW -v first=TIME -v last=TIME -f crowded_window.awk tasks.csv states.csv services.csv
#
# Of the n slowest requests that began from first to last: for how long, within each, hog was on the CPU while some of the
# database's processes was ready for it. With one CPU none of them got further meanwhile. Prints ns.
function since(time) { return substr(time, 7) + 0 } # awk's numbers have no room for all digits
# Both lists are in the order of time, as hog is one CPU's; those that are ready overlap.
function sort_pairs(begin, end, n,   gap, i, k, b, e) {
	for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++) {
			b = begin[i]
			e = end[i]
			for (k = i; k > gap && begin[k - gap] > b; k -= gap) {
				begin[k] = begin[k - gap]
				end[k] = end[k - gap]
			}
			begin[k] = b
			end[k] = e
		}
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
	name = comm[$column["host"] " " $column["tid"]]
	if (name == "hog" && $column["state"] != "blocked" && $column["state"] != "runnable") {
		hog_begin[++n_hog] = since($column["begin"])
		hog_end[n_hog] = since($column["end"])
	} else if (name == "postgres" && $column["state"] == "runnable") {
		ready_begin[++n_ready] = since($column["begin"])
		ready_end[n_ready] = since($column["end"])
	}
	next
}
$column["parent"] == "" && $column["end"] != "" {
	begin = since($column["begin"])
	if (begin >= since(first) - 1e5 && begin <= since(last) + 1e5) {
		root_begin[++n_roots] = begin
		root_end[n_roots] = since($column["end"])
		minus[n_roots] = begin - root_end[n_roots]
		number[n_roots] = n_roots
	}
}
END {
	sort_pairs(hog_begin, hog_end, n_hog)
	sort_pairs(ready_begin, ready_end, n_ready)
	# Those that are ready, as one; then what of it hog had the CPU.
	for (i = 1; i <= n_ready; i++)
		if (m && ready_begin[i] <= one_end[m]) {
			if (ready_end[i] > one_end[m])
				one_end[m] = ready_end[i]
		} else {
			one_begin[++m] = ready_begin[i]
			one_end[m] = ready_end[i]
		}
	for (i = k = 1; i <= n_hog && k <= m;) {
		b = hog_begin[i] > one_begin[k] ? hog_begin[i] : one_begin[k]
		e = hog_end[i] < one_end[k] ? hog_end[i] : one_end[k]
		if (b < e) {
			bad_begin[++n_bad] = b
			bad_end[n_bad] = e
		}
		if (hog_end[i] < one_end[k])
			i++
		else
			k++
	}
	sort_pairs(minus, number, n_roots)
	for (r = 1; r <= n && r <= n_roots; r++)
		for (i = 1; i <= n_bad; i++) {
			b = bad_begin[i] > root_begin[number[r]] ? bad_begin[i] : root_begin[number[r]]
			e = bad_end[i] < root_end[number[r]] ? bad_end[i] : root_end[number[r]]
			if (b < e)
				sum += e - b
		}
	printf "%d\n", sum / n
}
