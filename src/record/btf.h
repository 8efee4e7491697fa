/* BTF: where the members of a structure of the kernel are, from the type information that kernels
 * carry (/sys/kernel/btf/vmlinux; Documentation/bpf/btf.rst of the kernel).
 *
 * Input is another host's: all of it is bounded. */
#ifndef MER_RECORD_BTF_H
#define MER_RECORD_BTF_H

#include <stddef.h>
#include <stdint.h>

/* The member's offset in bytes, also of one in an unnamed structure or union of it; -1: there is no
 * such structure or member, it is a bit field, or the data is damaged. */
int64_t record_btf_offset(
	const uint8_t *data, size_t len, const char *structure, const char *member);

#endif
