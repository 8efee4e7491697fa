#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

struct finder {
	uintptr_t here; /* an address in the object */
	const uint8_t *id;
	size_t n;
};

static bool holds(const struct dl_phdr_info *o, uintptr_t address)
{
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && address - (o->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return true;
	}
	return false;
}

/* A note is a header, the name of its owner and a description; the latter two are padded. */
static void look_for_id(struct finder *f, const uint8_t *at, size_t left, size_t align)
{
	ElfW(Nhdr) head;
	while (left >= sizeof(head)) {
		memcpy(&head, at, sizeof(head));
		size_t name = (head.n_namesz + align - 1) / align * align;
		size_t says = (head.n_descsz + align - 1) / align * align;
		if (name > left - sizeof(head) || head.n_descsz > left - sizeof(head) - name)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof("GNU") &&
			memcmp(at + sizeof(head), "GNU", sizeof("GNU")) == 0) {
			f->id = at + sizeof(head) + name;
			f->n = head.n_descsz;
			return;
		}
		size_t all = sizeof(head) + name + says;
		all = all < left ? all : left;
		at += all;
		left -= all;
	}
}

static int look_at(struct dl_phdr_info *o, size_t size, void *ctx)
{
	struct finder *f = ctx;
	(void)size;
	if (!holds(o, f->here))
		return 0;
	for (unsigned i = 0; i < o->dlpi_phnum && !f->n; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		if (p->p_type == PT_NOTE)
			look_for_id(f, (const uint8_t *)(o->dlpi_addr + p->p_vaddr), p->p_memsz,
				p->p_align == 8 ? 8 : 4);
	}
	return 1;
}

size_t mer_build_id(const uint8_t **id)
{
	static const char here; /* a function's address may be another object's */
	struct finder f = { .here = (uintptr_t)&here };
	dl_iterate_phdr(look_at, &f);
	*id = f.id;
	return f.n;
}
