#!/usr/bin/env bash
# Packets between hosts while they are recorded: three hosts that are network namespaces, with both agents. Each
# pair exchanges packets, all are answered, and of a host that asks nobody nothing is claimed. What drops them is named.
# Skipped without root and network namespaces.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
name=mer$$
[ "$(id -u)" -eq 0 ] && command -v ip >/dev/null || { echo "skipped: network namespaces need root and ip" && exit 77; }
end() {
	for i in 1 2 3; do ip netns del "$name-$i"; done
	ip link del "$name"
	rm -rf "$dir"
} 2>/dev/null
trap end EXIT
ip netns add "$name-1" 2>/dev/null && ip link add "$name" type bridge 2>/dev/null || { echo "skipped: no network namespaces here" && exit 77; }
ip link set "$name" up
for i in 1 2 3; do
	[ $i = 1 ] || ip netns add "$name-$i"
	ip link add "$name.$i" type veth peer name eth0 netns "$name-$i"
	ip link set "$name.$i" master "$name" up
	ip -n "$name-$i" addr add "10.99.7.$i/24" dev eth0
	ip -n "$name-$i" link set eth0 up
	ip -n "$name-$i" link set lo up
done
mkdir -p "$dir/bin" "$dir/home" "$dir/run"
cat >"$dir/bin/ssh" <<STUB
#!/usr/bin/env bash
while [ \$# -gt 0 ]; do
	case \$1 in
	-o) shift 2 ;;
	-O) exit 0 ;;
	*) break ;;
	esac
done
number=\${1#h} && shift
export SSH_CONNECTION="10.99.7.254 5000 10.99.7.\$number 22"
exec ip netns exec "$name-\$number" bash -c "\$*"
STUB
chmod 755 "$dir/bin/ssh"
export HOME=$dir/home XDG_STATE_HOME=$dir/state
cd "$dir/run" || exit 1
counts() { sed -n 's/^meridian: \(h[0-9]\): \([0-9]*\) of \([0-9]*\) were answered/\1 \2 \3/p' "$dir/err"; }
exchange() { # each of h2 (to h1) and h3 (to h1 and h2) asked, and all that was asked was answered
	PATH=$dir/bin:$PATH "$m" record keepalive --hosts h1,h2,h3 --every 100ms --duration 4s >"$dir/out" 2>"$dir/err" </dev/null
	equal "$1: exit status" $? 0
	equal "$1: who asks" "$(counts | cut -d' ' -f1 | xargs)" "h2 h3"
	equal "$1: without answer" "$(counts | awk '$2 != $3 || $3 == 0')" ""
}
for agent in perl python3; do
	case $agent in
	perl) perl -MTime::HiRes=clock_gettime -MSocket -e 1 2>/dev/null || continue ;;
	python3)
		[ -x /usr/bin/python3 ] || continue
		printf '#!/bin/sh\nexit 1\n' >"$dir/bin/perl"
		ln -sf /usr/bin/python3 "$dir/bin/python3"
		chmod 755 "$dir/bin/perl"
		;;
	esac
	exchange "$agent"
done
rm -f "$dir/bin/perl"
# What is dropped is counted as such, and does not keep the agents from answering.
ip -n "$name-1" link set eth0 down
PATH=$dir/bin:$PATH "$m" record keepalive --hosts h1,h2,h3 --every 100ms --duration 3s >"$dir/out" 2>"$dir/err" </dev/null
equal "none from h1" "$(counts | awk '$1 == "h2" { print $2 }')" 0
(($(counts | awk '$1 == "h3" { print $2 }') > 0)) && ok || fail "h3 got no answer from h2: $(cat "$dir/err")"
finish
