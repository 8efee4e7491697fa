/* BTF: offsets of members of kernel structures, from the type information of the kernel
 * (/sys/kernel/btf/vmlinux; Documentation/bpf/btf.rst of the kernel).
 *
 * The input comes from another host: every read is bounded. */
#ifndef MER_RECORD_BTF_H
#define MER_RECORD_BTF_H

#include <stddef.h>
#include <stdint.h>

/* The member's offset in bytes; members of unnamed structures and unions inside are found, too.
 * -1: there is no such structure or member, it is a bit field, or the data is damaged. */
int64_t record_btf_offset(
	const uint8_t *data, size_t len, const char *structure, const char *member);

#endif
