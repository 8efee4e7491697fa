#include "views/elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"

void view_elf_fini(struct view_elf *e)
{
	free(e->symbols);
	free(e->names);
	*e = (struct view_elf){ 0 };
}

const char *view_elf_find(const struct view_elf *e, uint64_t address)
{
	MER_LOWER_BOUND(after, 0, e->n, at, e->symbols[at].address <= address);
	/* Aliases have the same address; some have no size. */
	while (after-- > 0) {
		const struct view_elf_symbol *s = &e->symbols[after];
		if (address - s->address < s->size || (!s->size && address == s->address))
			return s->name;
		if (s->size)
			break;
	}
	return NULL;
}

#ifndef MER_HAS_ELF

void view_elf_read(struct view_elf *e, const char *path, const uint8_t *id, size_t n)
{
	(void)path;
	(void)id;
	(void)n;
	*e = (struct view_elf){
		.reason = "this build of meridian reads no ELF files (Debian: libelf-dev)"
	};
}

#else

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SYMBOLS = 1 << 24, MOST_NAMES = 1 << 28 };

struct file {
	int fd;
	Elf *elf;
};

static void close_file(struct file *f)
{
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct file){ .fd = -1 };
}

/* Only regular files: a trace may name anything. */
static bool open_file(struct file *f, const char *path)
{
	struct stat st;
	f->elf = NULL;
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd >= 0 && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode))
		f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
		return true;
	close_file(f);
	return false;
}

static bool note_is(Elf_Data *d, const uint8_t *id, size_t n)
{
	GElf_Nhdr note;
	size_t name, desc;
	for (size_t at = 0; d && (at = gelf_getnote(d, at, &note, &name, &desc)) > 0;)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
			memcmp((const char *)d->d_buf + name, "GNU", sizeof("GNU")) == 0)
			return note.n_descsz == n &&
			       memcmp((const uint8_t *)d->d_buf + desc, id, n) == 0;
	return false;
}

static bool has_build_id(Elf *elf, const uint8_t *id, size_t n)
{
	GElf_Shdr h;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
		if (gelf_getshdr(s, &h) && h.sh_type == SHT_NOTE &&
			note_is(elf_getdata(s, NULL), id, n))
			return true;
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct view_elf_symbol *p = a, *q = b;
	if (p->address != q->address)
		return p->address < q->address ? -1 : 1;
	/* At equal addresses the largest one comes last, because the search goes backwards. */
	if (p->size != q->size)
		return p->size < q->size ? -1 : 1;
	return strcmp(q->name, p->name);
}

/* Reads the functions of a symbol table of this type; false: there is none, or no memory. */
static bool read_symbols(struct view_elf *e, Elf *elf, GElf_Word type)
{
	GElf_Shdr h;
	GElf_Sym sym;
	Elf_Scn *s = NULL;
	Elf_Data *d;
	while ((s = elf_nextscn(elf, s)))
		if (gelf_getshdr(s, &h) && h.sh_type == type && h.sh_entsize)
			break;
	if (!s || !(d = elf_getdata(s, NULL)))
		return false;
	size_t n = d->d_size / h.sh_entsize, bytes = 0, used = 0;
	if (n > MOST_SYMBOLS)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		size_t found = 0;
		for (size_t i = 0; i < n; i++) {
			const char *name;
			if (!gelf_getsym(d, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
				(GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
					GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) ||
				!(name = elf_strptr(elf, h.sh_link, sym.st_name)) || !*name)
				continue;
			size_t len = strlen(name) + 1;
			if (pass) {
				memcpy(e->names + used, name, len);
				e->symbols[found] = (struct view_elf_symbol){ sym.st_value,
					sym.st_size, e->names + used };
			}
			used += len;
			found++;
		}
		if (pass == 0) {
			bytes = used;
			e->symbols = found && bytes < MOST_NAMES
					     ? malloc(found * sizeof(*e->symbols))
					     : NULL;
			e->names = malloc(bytes + 1);
			if (!e->symbols || !e->names) {
				view_elf_fini(e);
				return false;
			}
			used = 0;
		}
		e->n = found;
	}
	qsort(e->symbols, e->n, sizeof(*e->symbols), by_address);
	return true;
}

static void read_layout(struct view_elf *e, Elf *elf)
{
	GElf_Ehdr h;
	GElf_Phdr p;
	size_t n = 0;
	e->is_fixed = gelf_getehdr(elf, &h) && h.e_type == ET_EXEC;
	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD) {
			e->first = p.p_vaddr & ~(GElf_Addr)4095;
			return;
		}
}

/* Tries one file and one type of symbol table; true: e has its symbols now. */
static bool try(struct view_elf *e, const char *path, GElf_Word type, const uint8_t *id, size_t n)
{
	struct file f;
	if (!open_file(&f, path))
		return false;
	bool is_it = has_build_id(f.elf, id, n), ok = is_it && read_symbols(e, f.elf, type);
	if (ok)
		read_layout(e, f.elf);
	/* Exported symbols are tried last; the reason is that of the tries before. */
	else if (type == SHT_SYMTAB)
		e->reason = is_it ? "its file has no symbols; install its debug symbols"
				  : "the file here is of another build";
	close_file(&f);
	return ok;
}

static void by_build_id(char *to, size_t size, const uint8_t *id, size_t n)
{
	int at = snprintf(to, size, "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < n && at > 0 && (size_t)at + 8 < size; i++)
		at += snprintf(to + at, size - (size_t)at, "%02x", id[i]);
	if (at > 0 && (size_t)at + 7 < size)
		snprintf(to + at, size - (size_t)at, ".debug");
}

void view_elf_read(struct view_elf *e, const char *path, const uint8_t *id, size_t n)
{
	*e = (struct view_elf){ 0 };
	if (n < 2) {
		e->reason = "its build id was not recorded";
		return;
	}
	if (*path != '/') {
		e->reason = "it is no file";
		return;
	}
	elf_version(EV_CURRENT);
	e->reason = "there is no such file here";
	char debug[4096];
	by_build_id(debug, sizeof(debug), id, n);
	if (try(e, path, SHT_SYMTAB, id, n) || try(e, debug, SHT_SYMTAB, id, n) ||
		try(e, path, SHT_DYNSYM, id, n))
		e->reason = NULL;
}

#endif
