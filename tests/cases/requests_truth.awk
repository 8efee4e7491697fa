# Requests against the logs of the programs: awk -f requests_truth.awk TRUTH LIST
#
# TRUTH: lines "PORT TID BEGIN END WORKER BACKEND" of each logged request (BACKEND 0: none), LIST: `meridian requests
# --list -n 0 --sort begin --format csv`. Prints "N FOUND NESTED LATENCY_US": how many were logged; how many are there,
# the k-th on a port for the k-th and of the same thread; below how many are the worker and the backend of the log and no
# other backend; and by how much the latency is off, the median.
FNR == NR {
	n++
	order[n] = $1 " " ++logged[$1]
	tid[order[n]] = $2
	took[order[n]] = $4 - $3
	worker[order[n]] = $5
	backend[order[n]] = $6
	if ($6)
		is_backend[$6] = 1
	next
}
FNR == 1 {
	FS = ","
	$0 = $0
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{
	id = $column["id"]
	parent[id] = $column["parent"]
	server[id] = $column["server_tid"]
	if ($column["client_host"] != "client" || parent[id] != "")
		next
	port = $column["client_port"]
	root = port " " ++seen[port]
	is_root[id] = root
	its_tid[root] = $column["client_tid"]
	latency[root] = $column["latency_ns"]
}
END {
	for (id in parent) {
		top = id
		while (parent[top] != "")
			top = parent[top]
		if (top != id && top in is_root)
			below[is_root[top]] = below[is_root[top]] " " server[id]
	}
	for (i = 1; i <= n; i++) {
		key = order[i]
		if (!(key in its_tid) || its_tid[key] != tid[key])
			continue
		found++
		off = latency[key] - took[key]
		offs[found] = off < 0 ? -off : off
		has_worker = has_backend = has_other = 0
		m = split(below[key], tids, " ")
		for (k = 1; k <= m; k++) {
			has_worker = has_worker || tids[k] == worker[key]
			has_backend = has_backend || tids[k] == backend[key]
			has_other = has_other || (tids[k] in is_backend && tids[k] != backend[key])
		}
		nested += has_worker && (has_backend || !backend[key]) && !has_other
	}
	# The median, by counting: there is no sort in every awk.
	for (i = 1; i <= found; i++) {
		less = 0
		for (k = 1; k <= found; k++)
			less += offs[k] < offs[i] || (offs[k] == offs[i] && k < i)
		if (less == int(found / 2))
			median = offs[i]
	}
	print n + 0, found + 0, nested + 0, int(median / 1000)
}
