#!/usr/bin/awk -f
# waits.awk -v ranks=N TRUTH WAITS: what does not fit of WAITS ("WORKER BEGIN END NS", by worker and time) with what the
# program states ("truth RANK CYCLE START WAIT_0 WAIT_1 AWAKE_0 AWAKE_1", likewise). The two clocks differ by an
# unknown offset, so times are compared as since the first wait. Numbers are cut to what awk can hold.
BEGIN {
	n = m = 0
}
function short(t) {
	return substr(t, length(t) - 13) + 0
}
function since(t) {
	t -= zero
	return t < -5e13 ? t + 1e14 : t
}
NR == FNR {
	w0[n] = $5
	w1[n] = $6
	a0[n] = $7
	a1[n] = $8
	n++
	next
}
{
	if (m == 0)
		zero = short($2)
	begin[m] = since(short($2))
	end[m] = since(short($3))
	if (end[m] - begin[m] != $4)
		print "worker " $1 ": " $4 " ns are not from begin to end"
	if (begin[m] < w0[m] - w1[0] || begin[m] > w1[m] - w0[0])
		print "worker " $1 ", wait " m ": begins at " begin[m] ", not between " w0[m] - w1[0] " and " w1[m] - w0[0]
	if (end[m] < a0[m] - w1[0] || end[m] > a1[m] - w0[0])
		print "worker " $1 ", wait " m ": ends at " end[m] ", not between " a0[m] - w1[0] " and " a1[m] - w0[0]
	cycle = m % (n / ranks)
	last[cycle] = begin[m] > last[cycle] ? begin[m] : last[cycle]
	m++
}
END {
	if (m != n)
		print m " waits, not " n
	for (k = 0; k < m; k++)
		if (end[k] < last[k % (n / ranks)])
			print "wait " k " ends before the last worker came"
}
