# lib.sh: what the lab's scripts share: where things are, the names of hosts, and how scripts fail.
lab_scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(dirname "$lab_scripts")
LAB=${LAB:-$project/build/lab}
space=meridian-lab # the network namespace that all of the lab is in

fail() {
	echo "lab: $*" >&2
	exit 1
}
need() { # COMMAND PACKAGE
	command -v "$1" >/dev/null || fail "there is no $1; as root: apt-get install $2"
}

# A host's address follows from its place in this list; other names cannot be used.
host_names=(client web store server node01 node02 node03 node04 node05 node06 node07 node08 node09 node10)
number_of() { # NAME
	local i
	for i in "${!host_names[@]}"; do
		[ "${host_names[i]}" != "$1" ] || { echo $((i + 1)) && return; }
	done
	fail "there is no host $1 in the lab; there are: ${host_names[*]}"
}
hosts_file() {
	local i
	for i in "${!host_names[@]}"; do echo "10.77.0.$((i + 1)) ${host_names[i]}"; done
}
running() { # the names of the hosts that run
	local file
	for file in "$LAB"/run/*/pid; do
		[ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null && basename "$(dirname "$file")"
	done
	return 0
}
