# From the results of ctest (first file: NAME TAB RESULT, as its lines say) and its log (second file: what
# the tests printed): the output of what failed, what was skipped and why, how many tests ran.
# One test is a case of a cmocka program, or a whole script; "skipped: REASON" of a script that ran counts
# as one skipped test. "NAME (first try)" is a test that ran again.
BEGIN { FS = "\t" }
function because(reason, where) {
	n_skipped++
	if (reason == "")
		reason = "no reason is given"
	if (reason ~ /^there is no (lab|public|cases|expected)\//)
		reason = "recordings and cases that are not ours to give away, in ../shared where somebody has them"
	if (!(reason in n_because))
		reasons[++n_reasons] = reason
	n_because[reason]++
	if (index(", " names[reason] ",", ", " where ","))
		return
	if (++n_names[reason] <= 3)
		names[reason] = names[reason] (n_names[reason] > 1 ? ", " : "") where
}
FNR == NR {
	result[$1] = $2
	next
}
/^[0-9]+\/[0-9]+ Testing: / {
	name = $0
	sub(/^[^:]*: /, "", name)
	is_first = sub(/ \(first try\)$/, "", name)
	inside = n_lines = n_cases = n_bad = n_notes = 0
	running = reason = ""
	next
}
/^-+$/ && !inside && name != "" {
	inside = 1
	next
}
/^<end of output>$/ && inside {
	inside = 0
	if (is_first && result[name] ~ /Passed/) {
		n_again++
		show("PASSED ONLY WHEN IT RAN AGAIN, ALONE: " name "; at first it printed:")
	} else if (!is_first)
		end()
	name = ""
	next
}
!inside { next }
{ lines[++n_lines] = $0 }
/^\[ RUN      \] / {
	running = substr($0, 15)
	reason = ""
}
is_first { next }
/^skipped: / {
	reason = substr($0, 10)
	if (running == "")
		notes[++n_notes] = reason
}
running != "" && (/^\[       OK \] / || /^\[  SKIPPED \] / || /^\[  FAILED  \] /) {
	n_cases++
	if ($0 ~ /OK/)
		n_passed++
	else if ($0 ~ /SKIPPED/)
		because(reason, name)
	else
		n_bad++
	running = ""
}
function end(	i) {
	if (result[name] ~ /Passed/) {
		if (n_cases == 0)
			n_passed++
		for (i = 1; i <= n_notes; i++)
			because(notes[i], name)
	} else if (result[name] ~ /Skipped/) {
		if (n_cases == 0)
			because(n_notes ? notes[n_notes] : n_lines ? lines[n_lines] : "", name)
	} else {
		n_failed += n_bad ? n_bad : 1
		show("FAILED: " name " (" result[name] ")")
	}
}
function show(heading,	i) {
	print ""
	print heading
	for (i = n_lines > 300 ? n_lines - 299 : 1; i <= n_lines; i++)
		print lines[i]
}
END {
	if (n_skipped > 0) {
		print ""
		print "Skipped:"
		for (i = 1; i <= n_reasons; i++) {
			r = reasons[i]
			more = n_names[r] - 3
			printf("%5d  %s (%s%s)\n", n_because[r], r, names[r],
				(more > 0 ? " and " more " more" : ""))
		}
	}
	print ""
	if (n_again)
		printf "%s%d of the programs passed only when they ran again, alone\n", title, n_again
	printf "%s%d passed, %d failed, %d skipped\n", title, n_passed, n_failed, n_skipped
}
