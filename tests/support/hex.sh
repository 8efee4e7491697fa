# For scripts that make binary files by hand: bytes are written as hexadecimal digits; "$order" is the byte order of numbers of
# the file, le or be.
order=le

be16() { printf '%04x' $(($1 & 0xffff)); }
be32() { printf '%08x' $(($1 & 0xffffffff)); }
swapped() { # HEX
	local hex=$1 out=
	while [ -n "$hex" ]; do
		out=${hex:0:2}$out
		hex=${hex:2}
	done
	printf %s "$out"
}
n16() { if [ $order = be ]; then be16 "$1"; else swapped "$(be16 "$1")"; fi; }
n32() { if [ $order = be ]; then be32 "$1"; else swapped "$(be32 "$1")"; fi; }
n64() { if [ $order = be ]; then printf '%016x' "$1"; else swapped "$(printf '%016x' "$1")"; fi; }
# to_file FILE: the digits on stdin
to_file() { printf '%b' "$(tr -d ' \n' | sed 's/../\\x&/g')" >"$1"; }
