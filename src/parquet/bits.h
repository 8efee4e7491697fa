/* Bits: whole numbers in few bits, in the ways of Parquet's encodings.
 *
 * https://github.com/apache/parquet-format/blob/master/Encodings.md */
#ifndef MER_PARQUET_BITS_H
#define MER_PARQUET_BITS_H

#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

/* How many bits v needs; 0 for 0. */
unsigned parquet_width(uint64_t v);
/* The low `width` bits (at most 64) of each of n values, the first one lowest; the last byte is
 * filled with 0. */
void parquet_pack(struct mer_str *out, const uint64_t *values, size_t n, unsigned width);
/* RLE: runs of equal values, and between them values side by side, eight at a time. width: at most
 * 32 bits. */
void parquet_runs(struct mer_str *out, const uint64_t *values, size_t n, unsigned width);
/* DELTA_BINARY_PACKED: differences, in blocks that have what is least in common. */
void parquet_deltas(struct mer_str *out, const uint64_t *values, size_t n);

#endif
