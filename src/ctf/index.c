#include "ctf/index.h"

#include "base/bits.h"
#include "base/lower_bound.h"

enum { INDEX_MAGIC = 0xC1F1DCC1, HEADER_BYTES = 16, MIN_ENTRY_BYTES = 56, MAX_ENTRY_BYTES = 4096 };

bool ctf_index_open(struct ctf_index *index, const uint8_t *data, size_t bytes)
{
	if (bytes < HEADER_BYTES || mer_load_u32(data, true) != INDEX_MAGIC ||
		mer_load_u32(data + 4, true) != 1)
		return false;
	uint32_t len = mer_load_u32(data + 12, true);
	if (len < MIN_ENTRY_BYTES || len > MAX_ENTRY_BYTES)
		return false;
	*index = (struct ctf_index){ data + HEADER_BYTES, (bytes - HEADER_BYTES) / len, len };
	return true;
}

struct ctf_index_entry ctf_index_get(const struct ctf_index *index, uint64_t i)
{
	const uint8_t *p = index->entries + i * index->entry_bytes;
	return (struct ctf_index_entry){
		.offset_bytes = mer_load_u64(p, true),
		.size_bits = mer_load_u64(p + 8, true),
		.content_bits = mer_load_u64(p + 16, true),
		.begin = mer_load_u64(p + 24, true),
		.end = mer_load_u64(p + 32, true),
	};
}

uint64_t ctf_index_find(const struct ctf_index *index, uint64_t offset_bytes)
{
	MER_LOWER_BOUND(lo, 0, index->n, at, ctf_index_get(index, at).offset_bytes < offset_bytes);
	return lo;
}
