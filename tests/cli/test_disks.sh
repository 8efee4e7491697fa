#!/usr/bin/env bash
# Disks and networks as people see them: the chart of sectors over time, tables by thread over time, and
# rows chosen by their size.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80
rows() { sed 1d "$dir/out"; } # of CSV

# 300 reads one after the other of 4 KiB each on 8,0; 300 writes of 8 KiB in any order on 8,16.
awk 'BEGIN {
	print "host h"
	print "trace h/kernel"
	print "1us h 0 sched_switch prev_comm=\"a\" prev_tid=7 prev_prio=20 next_comm=\"a\" next_tid=7 next_prio=20"
	x = 1
	for (i = 0; i < 300; i++) {
		x = (x * 16807) % 2147483647
		t = 10 + 10 * i
		request(t, 8388608, 8 * i, 8, 4)
		request(t + 5, 8388624, x % 1000000, 16, 1)
	}
}
function request(t, dev, sector, n, rwbs) {
	printf "%dus h 0 block_rq_issue dev=%d sector=%d nr_sector=%d bytes=0 tid=7 rwbs=%d comm=\"a\"\n", t, dev, sector, n, rwbs
	printf "%dus h 0 block_rq_complete dev=%d sector=%d nr_sector=%d error=0 rwbs=%d\n", t + 3, dev, sector, n, rwbs
}' >"$dir/disks.scn"
"$ctfgen" -o "$dir/d" "$dir/disks.scn"
d=$dir/d

# The chart.
run 0 log disk --plot "$dir/disks.svg" -n 1 "$d"
equal 'a document' "$(head -c 4 "$dir/disks.svg")" '<svg'
text "$dir/disks.svg" '>8,0<' 'the chart'
text "$dir/disks.svg" '>8,16<' 'the chart'
text "$dir/disks.svg" 'disk read \(300\)' 'the chart'
text "$dir/disks.svg" 'disk write \(300\)' 'the chart'
no_text "$dir/disks.svg" 'disk discard' 'the chart'
no_text "$dir/disks.svg" 'are one' 'the chart of few'
run 2 log syscall --plot "$dir/no.svg" "$d"
text "$dir/err" "--plot does not apply to 'syscall'" 'a chart of no places'
run 3 log disk --plot "$dir/no.svg" "$dir/nothing"
check 'no chart of nothing' test ! -e "$dir/no.svg"
# The points are a table; of a range only those in it.
run 0 top disk --table map --format csv "$d"
equal 'points' "$(rows | wc -l)" 600
run 0 log disk --plot "$dir/part.svg" --begin +1ms --end +2ms -n 1 "$d"
text "$dir/part.svg" 'disk read \(100\)' 'the chart of a part'

# What tells them apart.
run 0 top disk --table top --table disk_tasks "$d"
text "$dir/out" '^8,0 .* 100\.0 %( |$)' 'sequential'
text "$dir/out" '^8,16 .* 0\.[0-9]+ %( |$)' 'random'
run 0 top disk --table disk_tasks --format csv "$d"
equal 'by thread' "$(rows | grep -c ',7,')" 2

# Over time: by disk and by thread the same.
run 0 top disk --bins 5 "$d"
text "$dir/out" 'Disk traffic over time' 'over time'
text "$dir/out" 'Disk traffic by thread over time' 'over time'
equal 'over time: width' "$(awk 'length($0) > 80' "$dir/out" | wc -l)" 0
run 0 top disk --table bins --bins 5 --json "$d"
equal 'over time: read' "$(jq '[.tables[] | select(.id == "bins") | .rows[].read_bytes] | add' "$dir/out")" $((300 * 4096))
run 0 top io --bins 5 --json "$d"
equal 'over time: by thread' "$(numbers block_written_bytes "$dir/out" | sum)" $((300 * 8192))

# By size.
run 0 log disk --min-size 5K --format csv "$d"
equal 'large ones' "$(rows | wc -l)" 300
run 0 stats disk --max-size 4KiB --json "$d"
equal 'small ones' "$(numbers count "$dir/out" | head -1)" 300
run 0 log disk --min-size 4097 --max-size 8191B --format csv "$d"
equal 'neither' "$(rows | wc -l)" 0
run 2 log disk --min-size 2 --max-size 1 "$d"
text "$dir/err" '--max-size is less than --min-size' 'sizes'
run 2 log sched --min-size 1 "$d"
text "$dir/err" "--min-size does not apply to 'sched'" 'sizes'
for wrong in x 1x 4KB 1.5M -1 9999999999T ''; do
	run 2 log disk --min-size="$wrong" "$d"
	text "$dir/err" 'is not a size such as 4096, 64KiB or 1M' "size '$wrong'"
done

# Whoever looks for disks where they were before learns where they are now.
run 2 top io --table disks "$d"
text "$dir/err" "the table 'disks' of 'io' is now: meridian top disk$" 'a table that has moved'
run 2 top io --table map "$d"
text "$dir/err" 'meridian top disk --table map' 'a table that has moved'
run 2 log io --plot "$dir/no.svg" "$d"
text "$dir/err" 'meridian log disk --plot' 'a chart that has moved'
finish
