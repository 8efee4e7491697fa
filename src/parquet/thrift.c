#include "parquet/thrift.h"

/* In the headers of fields; a truth value is its type. */
enum { TRUE = 1, FALSE = 2, I16 = 4, I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

void thrift_varint(struct mer_str *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		mer_str_putc(out, (char)(v | 0x80));
	mer_str_putc(out, (char)v);
}

void thrift_zigzag(struct mer_str *out, int64_t v)
{
	thrift_varint(out, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void thrift_begin(struct thrift *t)
{
	t->last[t->depth++] = 0;
}

void thrift_end(struct thrift *t)
{
	t->depth--;
	mer_str_putc(t->out, '\0');
}

/* A number is told as the distance to the one before, which fits if it is at most 15. */
static void begin_field(struct thrift *t, int field, int type)
{
	int *last = &t->last[t->depth - 1];
	mer_str_putc(t->out, (char)((field - *last) << 4 | type));
	*last = field;
}

void thrift_i16(struct thrift *t, int field, int v)
{
	begin_field(t, field, I16);
	thrift_zigzag(t->out, v);
}

void thrift_i32(struct thrift *t, int field, int32_t v)
{
	begin_field(t, field, I32);
	thrift_zigzag(t->out, v);
}

void thrift_i64(struct thrift *t, int field, int64_t v)
{
	begin_field(t, field, I64);
	thrift_zigzag(t->out, v);
}

void thrift_bool(struct thrift *t, int field, bool v)
{
	begin_field(t, field, v ? TRUE : FALSE);
}

void thrift_text(struct thrift *t, int field, const void *bytes, size_t n)
{
	begin_field(t, field, BINARY);
	thrift_add_text(t, bytes, n);
}

void thrift_struct(struct thrift *t, int field)
{
	begin_field(t, field, STRUCT);
	thrift_begin(t);
}

void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n)
{
	enum { SHORT = 15 };
	begin_field(t, field, LIST);
	mer_str_putc(t->out, (char)((n < SHORT ? n : SHORT) << 4 | type));
	if (n >= SHORT)
		thrift_varint(t->out, n);
}

void thrift_add_i32(struct thrift *t, int32_t v)
{
	thrift_zigzag(t->out, v);
}

void thrift_add_text(struct thrift *t, const void *bytes, size_t n)
{
	thrift_varint(t->out, n);
	mer_str_add(t->out, bytes, n);
}
