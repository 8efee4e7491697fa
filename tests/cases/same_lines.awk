# Lines of a file against those of another (-v other=FILE), which is of babeltrace2: fails when they
# differ but for strings that are empty in ours; says on stderr how many lines have such.
function cut(line, part) { gsub(/\\"/, "\001", line); return split(line, part, "\"") }
{
	if ((getline theirs < other) <= 0) { print "line " NR ": babeltrace2 has no such line"; exit 1 }
	if ($0 == theirs) next
	n = cut($0, a); m = cut(theirs, b)
	same = n == m
	for (i = 1; same && i <= n; i++)
		if (a[i] != b[i] && !(i % 2 == 0 && a[i] == "")) same = 0
	if (!same) { print "line " NR ":"; print "  " theirs; print "  " $0; exit 1 }
	stale++
}
END { if ((getline theirs < other) > 0) { print "babeltrace2 has more lines"; exit 1 }
	print stale + 0 > "/dev/stderr" }
