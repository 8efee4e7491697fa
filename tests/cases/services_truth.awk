# Requests against the truth of a simulated service: awk -f services_truth.awk services.csv LIST
#
# LIST: `meridian requests --list -n 0 --format csv`. A request is found if it is of the same task and port, began and
# ended then (clocks: 100 us; its latency: 5 us), with the same bytes. Prints
# "TRUE FOUND INVENTED SERVED NESTED SURE RIGHT": how many ended in the recording; are found; are there and did not
# happen; are of the right server, with its port; are below the right one, or none; are said to be below one with a
# confidence of at least 0.9; of these, how many rightly. With -v wrong=1 also a line for each that is not
# right.
function since(time) { return substr(time, 7) + 0 } # awk's numbers have no room for all digits
function off(a, b) { return a < b ? b - a : a - b }
# The number of the true request that is the one in this line; 0: there is none.
function match_of(   key, m, i, best, all, begin) {
	key = $column["client_host"] " " $column["client_tid"] " " $column["client_port"]
	begin = since($column["begin"])
	m = split(of[key], all, " ")
	best = 0
	for (i = 1; i <= m; i++)
		if (off(begins[all[i]], begin) < 100000 &&
		    (!best || off(begins[all[i]], begin) < off(begins[best], begin)))
			best = all[i]
	return best
}
BEGIN { FS = "," }
FNR == 1 {
	split("", column)
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
FNR == NR {
	id = $column["request"]
	key = $column["host"] " " $column["tid"] " " $column["port"]
	of[key] = of[key] " " id
	begins[id] = since($column["begin"])
	ended[id] = $column["end"] != ""
	took[id] = since($column["end"]) - begins[id]
	bytes[id] = $column["bytes_out"] " " $column["bytes_in"]
	server[id] = $column["server_host"] " " $column["server_tid"] " " $column["server_port"]
	above[id] = $column["parent"]
	n += ended[id]
	if (ended[id] && begins[id] + took[id] > last)
		last = begins[id] + took[id]
	next
}
{
	id = match_of()
	true_of[$column["id"]] = id
	if (!id || seen[id]) {
		invented++
		if (wrong) print "invented: " $0
		next
	}
	if (!ended[id])
		next
	seen[id] = 1
	if (off(took[id], $column["latency_ns"]) > 5000 || bytes[id] != $column["out_bytes"] " " $column["in_bytes"]) {
		if (wrong) print "differs: not " took[id] " ns, " bytes[id] ": " $0
	} else {
		found++
	}
	its = $column["server_host"] " " $column["server_tid"] " " $column["server_port"]
	# The recording may have ended before the call that wrote the answer had.
	if ($column["server_tid"] == "" && last - begins[id] - took[id] < 1000000) {
		its = server[id]
		is_cut[id] = 1
	}
	served += server[id] == its
	if (wrong && server[id] != its) print "server: not " server[id] ": " $0
	parent[$column["id"]] = $column["parent"]
	confidence[$column["id"]] = $column["confidence"]
}
END {
	for (id in parent) {
		its = parent[id] == "" ? "" : true_of[parent[id]]
		# What had not ended is no request yet: nothing can be below it.
		wanted = above[true_of[id]]
		ok = its == wanted
		ok = ok || (wanted != "" && (!ended[wanted] || (its == "" && is_cut[wanted])))
		nested += ok
		is_sure = parent[id] != "" && confidence[id] >= 0.9
		sure += is_sure
		right += is_sure && its == wanted
		if (wrong && !ok)
			print "nested: " id " (" true_of[id] ") below " parent[id] " (" its "), not " above[true_of[id]] ", " confidence[id]
	}
	for (id in ended)
		if (wrong && ended[id] && !seen[id])
			print "missing: " id ": " bytes[id]
	print n + 0, found + 0, invented + 0, served + 0, nested + 0, sure + 0, right + 0
}
