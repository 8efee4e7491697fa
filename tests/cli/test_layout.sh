#!/usr/bin/env bash
# meridian layout: three bit fields of 4, 32 and 4 bits in both byte orders, word for word; a record
# that is cut; an event without a record; names that do not fit.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC

# trace NAME BYTE_ORDER BYTES
trace() {
	mkdir "$dir/$1"
	cat >"$dir/$1/metadata" <<-END
		/* CTF 1.8 */
		trace { major = 1; minor = 8; byte_order = $2; };
		stream { };
		event { name = bits; id = 0; fields := struct {
			integer { size = 4; align = 1; base = hex; } a;
			integer { size = 32; align = 1; base = hex; } b;
			integer { size = 4; align = 1; base = hex; } c;
		}; };
	END
	printf "$3" >"$dir/$1/stream"
}
# same STATUS COMMAND...: the output is what stands on stdin
same() {
	local want=$1
	shift
	cat >"$dir/want"
	(cd "$dir" && "$@") >"$dir/out" 2>"$dir/err"
	local got=$?
	[ "$got" -eq "$want" ] || fail "$*: exit $got, not $want: $(cat "$dir/err")"
	diff "$dir/want" "$dir/out" >"$dir/diff" || fail "$*: $(cat "$dir/diff")"
	awk 'length($0) > 80 { exit 1 }' "$dir/out" || fail "$*: wider than 80 columns"
}
export COLUMNS=80

trace big be '\xEA\x1B\x2C\x3D\x4F'
same 0 "$m" layout big bits <<'END'
bits, record 1
file    big/stream
packet  0 of its stream, at byte 0, 5 bytes
record  at bit 0 of the packet (byte 0), 40 bits

FIELD    BIT  SIZE  ALIGN  ORDER  CLASS     VALUE
payload    0    40      1         struct
  a        0     4      1  be     unsigned  0xE
  b        4    32      1  be     unsigned  0xA1B2C3D4
  c       36     4      1  be     unsigned  0xF

  BYTE  BINARY      HEX   FIELDS
     0  0b11101010  0xEA  a, b
     1  0b00011011  0x1B  b
     2  0b00101100  0x2C  b
     3  0b00111101  0x3D  b
     4  0b01001111  0x4F  b, c
END

trace little le '\x4E\x3D\x2C\x1B\xFA'
same 0 "$m" layout little 'b*' <<'END'
bits, record 1
file    little/stream
packet  0 of its stream, at byte 0, 5 bytes
record  at bit 0 of the packet (byte 0), 40 bits

FIELD    BIT  SIZE  ALIGN  ORDER  CLASS     VALUE
payload    0    40      1         struct
  a        0     4      1  le     unsigned  0xE
  b        4    32      1  le     unsigned  0xA1B2C3D4
  c       36     4      1  le     unsigned  0xF

  BYTE  BINARY      HEX   FIELDS
     0  0b01001110  0x4E  a, b
     1  0b00111101  0x3D  b
     2  0b00101100  0x2C  b
     3  0b00011011  0x1B  b
     4  0b11111010  0xFA  b, c
END

# A record that is cut: how far it got, and where it broke.
trace cut le '\x4E\x3D\x2C\x1B\xFA\x12\x34'
same 3 "$m" layout --nth 2 cut bits <<'END'
bits, record 2
file    cut/stream
packet  0 of its stream, at byte 0, 7 bytes
record  at bit 40 of the packet (byte 5), 4 bits as far as it can be read

FIELD    BIT  SIZE  ALIGN  ORDER  CLASS     VALUE
payload   40     -      1         struct
  a       40     4      1  le     unsigned  0x2

  BYTE  BINARY      HEX   FIELDS
     5  0b00010010  0x12  a
     6  0b00110100  0x34  (not read)

The record cannot be read beyond bit 44 (field b):
a field reaches beyond the end of the packet's content.
The content ends at bit 56.
END
joined "$dir/err" | grep -q 'bit 40 of the packet' || fail "the damage is not reported"
same 2 "$m" layout --nth 3 cut bits </dev/null
grep -q 'the trace has 2' "$dir/err" || fail "no number of records"
same 3 "$m" layout --nth 2 --format csv cut bits <<'END'
scope,field,bit,byte,bits,align,order,class,value
payload,,40,5,,1,,struct,
payload,a,40,5,4,1,le,unsigned,0x2
END

# No record: what the metadata says.
trace empty be ''
cat >>"$dir/empty/metadata" <<'END'
event { name = nested; id = 1; fields := struct {
	integer { size = 8; align = 8; } n;
	struct { string s; integer { size = 16; align = 16; } x; } rows[n];
	integer { size = 8; align = 8; encoding = UTF8; } comm[16];
}; };
END
same 0 "$m" layout empty nested <<'END'
nested, no record in the trace
The layout as the metadata defines it: offsets are relative to the start of each
structure; -: unknown without a record.

FIELD    BIT  SIZE  ALIGN  ORDER  CLASS     VALUE
payload    0     -     16         struct
  n        0     8      8  be     unsigned
  rows    16     -     16         array[n]
    []    16     -     16         struct
      s   16     -      8         string
      x    -    16     16  be     unsigned
  comm     -   128      8         text[16]
END

# Arrays, strings and padding in a record.
sed -i '3s/.*/stream { event.header := struct { integer { size = 8; align = 8; } id; }; };/' \
	"$dir/empty/metadata"
printf '\1\0\1\0hi\0\0\0\7task\0\0\0\0\0\0\0\0\0\0\0\0' >"$dir/empty/stream"
same 0 "$m" layout empty nested <<'END'
nested, record 1
file    empty/stream
packet  0 of its stream, at byte 0, 26 bytes
record  at bit 0 of the packet (byte 0), 208 bits

FIELD         BIT  SIZE  ALIGN  ORDER  CLASS     VALUE
event header    0     8      8         struct
  id            0     8      8  be     unsigned  1
payload        16   192     16         struct
  n            16     8      8  be     unsigned  1
  rows         32    48     16         array[n]  1 element
    [0]        32    48     16         struct
      s        32    24      8         string    "hi"
      x        64    16     16  be     unsigned  7
  comm         80   128      8         text[16]  "task"

  BYTE  BINARY      HEX   FIELDS
     0  0b00000001  0x01  id
     1  0b00000000  0x00  (padding)
     2  0b00000001  0x01  n
     3  0b00000000  0x00  (padding)
     4  0b01101000  0x68  rows[0].s
     5  0b01101001  0x69  rows[0].s
     6  0b00000000  0x00  rows[0].s
     7  0b00000000  0x00  (padding)
     8  0b00000000  0x00  rows[0].x
     9  0b00000111  0x07  rows[0].x
    10  0b01110100  0x74  comm
    11  0b01100001  0x61  comm
    12  0b01110011  0x73  comm
    13  0b01101011  0x6B  comm
    14  0b00000000  0x00  comm
    15  0b00000000  0x00  comm
    16  0b00000000  0x00  comm
    17  0b00000000  0x00  comm
    18  0b00000000  0x00  comm
    19  0b00000000  0x00  comm
    20  0b00000000  0x00  comm
    21  0b00000000  0x00  comm
    22  0b00000000  0x00  comm
    23  0b00000000  0x00  comm
    24  0b00000000  0x00  comm
    25  0b00000000  0x00  comm
END

# Without a record: structures, elements of arrays and options of variants, each below what it is in.
mkdir "$dir/inner"
cat >"$dir/inner/metadata" <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { integer { size = 8; } id; }; };
event { name = some; id = 0; fields := struct { integer { size = 8; } x; }; };
event { name = none; id = 1; fields := struct {
	struct { integer { size = 8; } x; integer { size = 16; align = 16; } y; } point;
	struct { integer { size = 8; } z; } points[2];
	enum : integer { size = 8; } { one = 1, two = 2 } tag;
	variant <tag> { integer { size = 8; } one; struct { integer { size = 32; } w; } two; } either;
	integer { size = 8; } last;
}; };
END
printf '\x00\x07' >"$dir/inner/stream"
same 0 "$m" layout inner none <<'END'
none, no record in the trace
The layout as the metadata defines it: offsets are relative to the start of each
structure; -: unknown without a record.

FIELD         BIT  SIZE  ALIGN  ORDER  CLASS          VALUE
event header    0     8      8         struct
  id            0     8      8  le     unsigned
payload         0     -     16         struct
  point         0    32     16         struct
    x           0     8      8  le     unsigned
    y          16    16     16  le     unsigned
  points       32    16      8         array[2]
    []         32     8      8         struct
      z        32     8      8  le     unsigned
  tag          48     8      8  le     unsigned enum
  either       56     -      1         variant <tag>
    one        56     8      8  le     unsigned
    two        56    32      8         struct
      w        56    32      8  le     unsigned
  last          -     8      8  le     unsigned
END

# Names: none that fits, several that fit.
same 2 "$m" layout big bist </dev/null
grep -qF "no trace has an event 'bist' (did you mean bits?)" "$dir/err" || fail "no near name"
same 2 "$m" layout empty '*' </dev/null
grep -qF "matches 2 events (bits, nested): name one" "$dir/err" || fail "no list of names"

exit $((failed > 0))
