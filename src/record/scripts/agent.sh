# The same, where there is neither perl nor python3: what the clocks show, to some ms, for root. It sends no beacons.
trap '' INT
mono() { sed -n '/^now at/{s/[^0-9]//g;p;q;}' /proc/timer_list; }
while read -r word rest; do
	case $word in
	t)
		m=$(mono) r=$(date +%s.%N) l=$(mono)
		printf 't %s %d.%09d %s %d.%09d\n' "$rest" $((m / 1000000000)) $((m % 1000000000)) "$r" $((l / 1000000000)) $((l % 1000000000))
		;;
	n) echo "n 0 0" ;;
	q) exit 0 ;;
	esac
done
exit 7
