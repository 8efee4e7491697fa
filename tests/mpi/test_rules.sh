#!/usr/bin/env bash
# MPI by hand: each rule of src/mpi in a few events, of which the answer is known.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

begin() { # begin RANKS [HOST]: a new program of so many ranks, on the host
	[ "${2:-}" ] || : >"$dir/events"
	local r
	for ((r = 0; r < $1; r++)); do
		at $((10 + r)) "$r" enter call=4
		at $((20 + r)) "$r" init size="$1" job="${job:-1}"
		at $((30 + r)) "$r" leave call=4
	done
}
end() { # end RANKS MS
	local r
	for ((r = 0; r < $1; r++)); do at "$2" "$r" final; done
}
at() { # at MS RANK EVENT FIELD...: numbers of calls as in src/mpi/calls.h: Init 4, Send 7, Recv 11, Irecv 21, Waitall 41, Barrier 42, Bcast 43, Reduce 48, Allreduce 54
	echo "$1ms $(host_of "$2")/ust 0 meridian_mpi:$3 rank=$2 pid=$((100 + $2)) tid=$((100 + $2)) ${*:4}" >>"$dir/events"
}
host_of() { echo h; }
send() { # send BEGIN END FROM TO TAG BYTES
	at "$1" "$3" enter call=7
	at "$1" "$3" send comm=0 peer="$4" tag="$5" bytes="$6" request=0
	at "$2" "$3" leave call=7
}
recv() { # recv BEGIN END AT FROM TAG BYTES [POSTED-FROM]
	at "$1" "$3" enter call=11
	at "$1" "$3" recv_posted comm=0 peer="${7:-$4}" tag="$5" bytes="$6" request=0
	at "$2" "$3" recv_done comm=0 peer="$4" tag="$5" bytes="$6" request=0
	at "$2" "$3" leave call=11
}
collective() { # collective BEGIN END RANK CALL SEQ [ROOT]
	at "$1" "$3" enter call="$4"
	at "$1" "$3" collective comm=0 seq="$5" root="${6:--1}" bytes=8
	at "$2" "$3" leave call="$4"
}
# made [SETTING]: $dir/events, in the order of time, as a trace in $dir/t
made() {
	rm -rf "$dir/t"
	{
		echo "host h"
		echo "trace h/ust { domain ust${1:+; $1} }"
		sort -s -n "$dir/events"
	} >"$dir/x.scn"
	"$ctfgen" -o "$dir/t" "$dir/x.scn" >"$dir/check" 2>&1 || fail "ctfgen: $(head -3 "$dir/check")"
}
# table ID COLUMN...: its rows, blanks between
table() {
	"$m" top mpi --table "$1" -n 0 --json "$dir/t" 2>"$dir/err" </dev/null |
		jq -r --args '.tables[0] as $t | $t.rows[] as $r | [$ARGS.positional[] | $r[.] // "-" | tostring] | join(" ")' "${@:2}"
}
findings() { "$m" top mpi -v "$dir/t" 2>&1 >/dev/null </dev/null | tr '\n' ' ' | tr -s ' '; }

# The k-th send and the k-th receive that was posted are one message, whatever completes first.
begin 2
send 100 110 0 1 5 1000
send 120 130 0 1 5 2000
for k in 1 2; do
	at $((100 + k)) 1 enter call=21
	at $((100 + k)) 1 recv_posted comm=0 peer=0 tag=5 bytes=4000 request=$k
	at $((100 + k)) 1 leave call=21
done
at 140 1 enter call=41
at 150 1 recv_done comm=0 peer=0 tag=5 bytes=2000 request=2
at 151 1 recv_done comm=0 peer=0 tag=5 bytes=1000 request=1
at 152 1 leave call=41
end 2 200
made
equal "in the order of posting" "$(table messages bytes sent)" "1000 100000000
2000 120000000"

# What is left out is said once, with how many, and of no place in a file: it is about the run.
begin 2
send 40 50 0 1 5 10
send 60 70 0 1 5 10
end 2 100
made
equal "left out" "$("$m" top mpi --json "$dir/t" 2>/dev/null </dev/null | jq -c '.diagnostics[] | [.code, .count, .stream, .packet, .offset_bits, .message]')" \
	'["mpi-left-out",2,null,null,null,"2 MPI messages were sent whose receipt was not recorded"]'

# A receive from anybody counts for whoever sent; other tags and senders are other channels.
begin 3
send 100 110 2 0 7 8
send 105 115 1 0 7 16
recv 90 118 0 2 7 8 -1
recv 119 120 0 1 7 16 -1
end 3 200
made
equal "from anybody" "$(table messages from_rank bytes wait wait_ns)" "2 8 late sender 10000000
1 16 - -"

# Late sender, late receiver; and who was late.
begin 2
recv 100 160 1 0 1 8
send 150 155 0 1 1 8
send 200 260 0 1 2 8
recv 240 261 1 0 2 8
send 300 310 0 1 3 8
recv 320 330 1 0 3 8
end 2 400
made
equal "late sender and receiver" "$(table waits wait rank by_rank total_ns)" "late sender 1 0 50000000
late receiver 0 1 40000000"
equal "nobody, where there was no wait" "$("$m" log mpi --json "$dir/t" 2>/dev/null | jq -c '[.tables[].rows[] | select(.wait == null) | .by_rank] | unique')" "[null]"
equal "states tile" "$(table ranks elapsed_ns compute_ns point_ns other_ns)" "390000000 295000000 75000000 20000000
389000000 278000000 91000000 20000000"

# Collectives: who came last, and each kind of wait.
begin 3
for r in 0 1 2; do
	collective $((100 + 10 * r)) 130 "$r" 42 0          # Barrier
	collective $((200 + 10 * (2 - r))) 240 "$r" 43 1 0 # Bcast of rank 0, which enters last
	collective $((300 + 10 * r)) $((311 + 10 * r)) "$r" 48 2 0 # Reduce to rank 0
	collective $((400 + 10 * r)) 440 "$r" 54 3         # Allreduce
done
sed -i 's/^311ms h.ust 0 meridian_mpi:leave rank=0/330ms h\/ust 0 meridian_mpi:leave rank=0/' "$dir/events"
end 3 500
made
equal "collectives" "$(table collectives call first_rank last_rank duration_ns waited_ns)" "MPI_Barrier 0 2 20000000 30000000
MPI_Bcast 2 0 20000000 30000000
MPI_Reduce 0 2 20000000 20000000
MPI_Allreduce 0 2 20000000 30000000"
equal "waits in collectives" "$(table waits wait rank by_rank total_ns | sort)" "early reduce 0 2 20000000
late broadcast 1 0 10000000
late broadcast 2 0 20000000
wait at barrier 0 2 20000000
wait at barrier 1 2 10000000
wait at n x n 0 2 20000000
wait at n x n 1 2 10000000"

# A rank that is missing, another call under the same number: nothing is said of who was last.
begin 3
collective 100 130 0 42 0
collective 110 130 1 42 0
collective 140 150 0 42 1
collective 145 150 1 54 1
collective 146 150 2 42 1
end 3 200
made
equal "incomplete, contradictory" "$(table collectives seq)$(table waits wait)" ""
text <(findings) "1 collective operation was left out: not all of the ranks were recorded" "incomplete"
text <(findings) "the ranks disagree about what it was" "contradictory"

# Sizes that disagree: from there on the channel is not matched.
begin 2
send 100 110 0 1 5 8
recv 100 111 1 0 5 8
send 120 130 0 1 5 8
recv 120 131 1 0 5 16
send 140 150 0 1 5 8
recv 140 151 1 0 5 8
end 2 200
made
equal "disagreeing sizes" "$(table messages sent)" "100000000"
text <(findings) "do not agree in size" "doubt"

# On one clock nothing is received before it was sent.
begin 2
send 150 160 0 1 5 8
recv 100 110 1 0 5 8
end 2 200
made
equal "received before it was sent" "$(table messages sent)" ""

# The begin of the recording is missing: numbers must be equal on both sides.
: >"$dir/events"
send 100 110 0 1 5 8
send 120 130 0 1 5 8
recv 121 131 1 0 5 8
made
equal "no begin, not as many" "$(table messages sent)" ""

# Events were lost: what comes then is not counted, and what the ranks did is unknown from there.
begin 2
send 100 110 0 1 5 8
recv 100 111 1 0 5 8
for t in {115..145..3}; do at "$t" 0 comm comm=9 size=2; done # so that packets end before the loss
echo "150ms h/ust 0 lost 7" >>"$dir/events"
send 200 210 0 1 5 8
recv 200 211 1 0 5 8
end 2 300
made "packet 300"
equal "after a loss" "$(table messages sent)" "100000000" # and not that at 200
text <(findings) "2 ends of MPI messages cannot be matched: events were lost before" "loss"
equal "unknown after a loss" "$(table states call rank total_ns | grep -c unknown)" 2
# It is no call, nor the library's time: 216 of 290 ms of the first rank are known.
equal "unknown is no call" "$(table states call rank count | grep unknown | sort; table data call)" "unknown 0 -
unknown 1 -
MPI_Init
MPI_Send
MPI_Recv"
equal "unknown is apart" "$(table ranks elapsed_ns compute_ns point_ns other_ns unknown_ns)" "290000000 186000000 10000000 20000000 74000000
289000000 183000000 11000000 20000000 75000000"
equal "efficiency of what is known" "$(table efficiency unknown_ns communication_percent | cut -c 1-15)" "149000000 86.11"

# A call that never ends goes on to the end of the recording; for whom it waits is known from what it asked for.
begin 2
at 100 1 enter call=11
at 100 1 recv_posted comm=0 peer=0 tag=1 bytes=8 request=0
at 500 0 final
made
equal "a rank that hangs" "$(table states rank call total_ns | grep Recv)" "1 MPI_Recv 400000000"
equal "its end" "$("$m" log mpi --json --filter 'call == "MPI_Recv"' "$dir/t" 2>/dev/null | jq -c '[.tables[].rows[] | [.end, .peer, .tag]]')" "[[null,0,1]]"

# Two processes that are the same rank of a program: nothing of the second one counts.
begin 2
send 100 110 0 1 5 8
recv 100 111 1 0 5 8
sed 's/pid=100 tid=100/pid=300 tid=300/; t; d' "$dir/events" >"$dir/twice"
cat "$dir/twice" >>"$dir/events"
end 2 200
made
equal "a rank twice" "$(table messages sent)" "100000000"
text <(findings) "1 process says that it is a rank that another process" "twice"

# Programs one after the other, with the same ranks.
begin 2
send 100 110 0 1 5 8
recv 100 111 1 0 5 8
end 2 200
another() { # another MS: the same once more, by other processes, so much later
	local e line
	for e in $(sed 's/ /~/g' "$dir/events"); do
		line=${e//\~/ }
		echo "$((${line%%ms*} + $1))ms${line#*ms}" | sed 's/pid=1/pid=5/; s/tid=1/tid=5/; s/job=1/job=2/; s/bytes=8/bytes=9/' >>"$dir/events"
	done
}
another 300
made
equal "two programs" "$(table messages job bytes)" "0 8
1 9"
# At once: the one that began later is the first to send.
begin 2
send 100 110 0 1 5 8
recv 100 111 1 0 5 8
end 2 200
another 5
sed -i -E '/pid=10/s/^1[01][0-9]ms/150ms/' "$dir/events"
made
equal "two programs at once" "$(table messages job bytes sent | sort)" "0 8 150000000
1 9 105000000"

# Ranks, peers and numbers that cannot be.
begin 2
at 100 7 enter call=7
at 100 7 send comm=0 peer=99999999999 tag=-5 bytes=-1 request=0
at 110 1 leave call=999999
at 120 1 recv_done comm=-1 peer=-7 tag=-7 bytes=1 request=77
at 130 1 collective comm=12345678901 seq=-3 root=-99 bytes=-1
at 140 0 enter call=-1
at 150 0 enter call=65535
end 2 200
made
run 0 top mpi "$dir/t"
equal "nothing is matched of it" "$(table messages sent)$(table collectives seq)" ""

# Parts that the program calls computing are cut by calls, and count once.
cat >"$dir/events" <<'EOF'
10ms h/ust 0 mpi:init { vpid=5, vtid=5 } rank=0 size=2
10ms h/ust 0 mpi:init { vpid=6, vtid=6 } rank=1 size=2
20ms h/ust 0 mpi:compute_begin { vpid=5, vtid=5 } rank=0 iter=3 us=1
30ms h/ust 0 mpi:send_begin { vpid=5, vtid=5 } rank=0 peer=1 tag=1 bytes=4
40ms h/ust 0 mpi:send_end { vpid=5, vtid=5 } rank=0 peer=1 tag=1 bytes=4
55ms h/ust 0 mpi:compute_end { vpid=5, vtid=5 } rank=0 iter=3 us=1
21ms h/ust 0 mpi:compute_begin { vpid=6, vtid=6 } rank=1 iter=3 us=1
25ms h/ust 0 mpi:compute_end { vpid=6, vtid=6 } rank=1 iter=3 us=1
26ms h/ust 0 mpi:recv_begin { vpid=6, vtid=6 } rank=1 peer=-1 tag=1 bytes=4
41ms h/ust 0 mpi:recv_end { vpid=6, vtid=6 } rank=1 peer=0 tag=1 bytes=4
60ms h/ust 0 mpi:finalize { vpid=5, vtid=5 } rank=0
60ms h/ust 0 mpi:finalize { vpid=6, vtid=6 } rank=1
EOF
rm -rf "$dir/t"
{
	echo "host h"
	echo "trace h/ust { domain ust; context { s32 vpid; s32 vtid } }"
	sort -s -n "$dir/events"
} | "$ctfgen" -o "$dir/t" - >"$dir/check" 2>&1 || fail "ctfgen: $(head -3 "$dir/check")"
equal "marked parts" "$(table states rank call count total_ns | sort)" "0 MPI_Send 1 10000000
0 compute 1 25000000
0 outside MPI - 15000000
1 MPI_Recv 1 15000000
1 compute 1 4000000
1 outside MPI - 31000000"
# A program that marks its parts computes in nothing else; one that does not, outside of all calls.
equal "outside of marked parts" "$(table ranks elapsed_ns compute_ns point_ns other_ns)" "50000000 25000000 10000000 15000000
50000000 4000000 15000000 31000000"
equal "who finished last" "$(table collectives call seq first_rank last_rank)" "compute 3 1 0"
equal "windows add up" "$(for w in "--end +10ms" "--begin +10ms --end +27ms" "--begin +27ms"; do
	# shellcheck disable=SC2086
	"$m" top mpi --table ranks $w --json "$dir/t" 2>/dev/null | jq '[.tables[0].rows[].elapsed_ns] | add'
done | awk '{ s += $1 } END { print s }')" 100000000
# Between hosts whose clocks are not aligned, how long a message took is not known, and nor is who was late.
cat >"$dir/x.scn" <<'EOF'
host a
host b
trace a/ust { domain ust; context { s32 vpid; s32 vtid } }
trace b/ust { domain ust; context { s32 vpid; s32 vtid } }
10ms a/ust 0 mpi:init { vpid=5, vtid=5 } rank=0 size=2
10ms b/ust 0 mpi:init { vpid=6, vtid=6 } rank=1 size=2
26ms b/ust 0 mpi:recv_begin { vpid=6, vtid=6 } rank=1 peer=0 tag=1 bytes=4
30ms a/ust 0 mpi:send_begin { vpid=5, vtid=5 } rank=0 peer=1 tag=1 bytes=4
40ms a/ust 0 mpi:send_end { vpid=5, vtid=5 } rank=0 peer=1 tag=1 bytes=4
41ms b/ust 0 mpi:recv_end { vpid=6, vtid=6 } rank=1 peer=0 tag=1 bytes=4
60ms a/ust 0 mpi:finalize { vpid=5, vtid=5 } rank=0
60ms b/ust 0 mpi:finalize { vpid=6, vtid=6 } rank=1
EOF
rm -rf "$dir/t"
"$ctfgen" -o "$dir/t" "$dir/x.scn" >"$dir/check" 2>&1 || fail "ctfgen: $(head -3 "$dir/check")"
equal "apart" "$("$m" top mpi --table matrix --sync none --json "$dir/t" 2>/dev/null |
	jq -c '.tables[0].rows[] | [.messages, .latency_ns, .mean_ns, .waited_ns]')" "[1,null,null,null]"
# Polls that follow each other are one call, and wait for a late sender. A pause (here 12 ms, polls of 2 ms) ends it.
posted() { # posted AT: a receive of rank 1, request 1
	at "$1" 1 enter call=21
	at "$1" 1 recv_posted comm=0 peer=0 tag=5 bytes=8 request=1
	at "$1" 1 leave call=21
}
begin 2
posted 100
for t in 110 113 116 130; do
	at $t 1 enter call=34
	at $((t + 2)) 1 leave call=34
done
at 133 1 enter call=34
at 136 1 recv_done comm=0 peer=0 tag=5 bytes=8 request=1
at 137 1 leave call=34
at 138 1 enter call=34
at 139 1 leave call=34
send 134 135 0 1 5 8
end 2 200
made
equal "runs of polls" "$(table states rank call count polls total_ns | grep Test)" "1 MPI_Test 3 5 16000000"
equal "a run of polls waits" "$(table waits wait rank by_rank call count total_ns)" "late sender 1 0 MPI_Test 1 4000000"
# The same as the interposer writes it: 900 polls until 10 ms before its event; then 700, of which the last one is done.
begin 2
posted 100
at 110 1 enter call=34
at 150 1 polled call=34 count=900 ago=10000000
at 160 1 enter call=34
at 190 1 recv_done comm=0 peer=0 tag=5 bytes=8 request=1
at 191 1 polled call=34 count=700 ago=0
send 185 186 0 1 5 8
end 2 200
made
equal "counted polls" "$(table states rank call count polls total_ns | grep Test)" "1 MPI_Test 2 1600 61000000"
equal "counted polls wait" "$(table waits wait rank by_rank call count total_ns)" "late sender 1 0 MPI_Test 1 25000000"
# One poll alone waits for nobody.
begin 2
posted 100
at 110 1 enter call=34
at 130 1 recv_done comm=0 peer=0 tag=5 bytes=8 request=1
at 131 1 polled call=34 count=1 ago=0
send 120 121 0 1 5 8
end 2 200
made
equal "one poll" "$(table states rank call count polls total_ns | grep Test)" "1 MPI_Test 1 - 21000000"
equal "one poll does not wait" "$(table waits wait)" ""
finish
