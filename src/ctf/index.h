/* LTTng's packet index, index/STREAM_FILE.idx: where the packets of a stream file begin.
 *
 * All big endian. Header: u32 magic 0xC1F1DCC1, u32 major, u32 minor, u32 entry length (56 or
 * more). Entry: u64 offset (bytes), packet size (bits), content size (bits), begin, end (cycles),
 * discarded events, stream class id; from minor 1 on also stream id, packet sequence number.
 * Source: lttng-tools, ctf-index.h. An index is a hint; the packets themselves are authoritative.
 * It helps to find the next packet after a damaged one, and an error in it is reported. */
#ifndef MER_CTF_INDEX_H
#define MER_CTF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctf_index {
	const uint8_t *entries; /* in the caller's bytes */
	uint64_t n;
	uint32_t entry_bytes;
};

struct ctf_index_entry {
	uint64_t offset_bytes, size_bits, content_bits, begin, end;
};

/* False: not an index in a known layout (LTTng 2.3 had another). A partial entry at the end is
 * ignored. */
bool ctf_index_open(struct ctf_index *index, const uint8_t *data, size_t bytes);
struct ctf_index_entry ctf_index_get(const struct ctf_index *index, uint64_t i);
/* Number of the first entry whose packet begins at or after offset; index->n when there is none.
 * Entries are taken to be in rising order of offsets; if they are not, some entry is returned. */
uint64_t ctf_index_find(const struct ctf_index *index, uint64_t offset_bytes);

#endif
