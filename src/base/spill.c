/* A block has a header before its first byte, so that it can be freed without knowing its size or
 * where it lies. Blocks in the file are pieces of it, one after the other; those that are freed
 * become holes. The file's offsets are not used again: 8 EiB of them are enough. */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/fs.h>
#include <linux/magic.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/large.h"

struct header {
	struct mer_spill *spill;
	size_t bytes;	 /* for the user of the block */
	size_t mapped;	 /* with what lies before the header; 0: in memory */
	uint64_t offset; /* of the mapping in the file */
	uint64_t unused[4];
};
_Static_assert(sizeof(struct header) == 64, "blocks are aligned as cache lines are");

enum {
	/* Blocks smaller than this part of the limit stay in memory: there would be too many
	 * mappings. */
	SMALL_SHARE = 8192,
	PROBLEM_BYTES = 400
};

struct mer_spill {
	size_t limit, small;
	char **folders;
	size_t n_folders;
	_Atomic size_t in_memory, in_file, most_in_file, most_beyond;
	pthread_mutex_t lock; /* guards what follows */
	int fd;		      /* -1: not open */
	const char *folder;   /* its */
	bool failed;
	uint64_t end; /* of the file */
	char problem[PROBLEM_BYTES];
};

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

struct mer_spill *mer_spill_new(const struct mer_spill_options *o)
{
	struct mer_spill *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->fd = -1;
	s->limit = o->in_memory;
	s->small = o->in_memory / SMALL_SHARE;
	s->folders = calloc(o->n_folders + 1, sizeof(*s->folders));
	bool ok = s->folders && pthread_mutex_init(&s->lock, NULL) == 0;
	if (!ok) {
		free(s->folders);
		free(s);
		return NULL;
	}
	for (; s->n_folders < o->n_folders; s->n_folders++)
		if (!(s->folders[s->n_folders] = strdup(o->folders[s->n_folders]))) {
			mer_spill_free(s);
			return NULL;
		}
	return s;
}

void mer_spill_free(struct mer_spill *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (size_t i = 0; i < s->n_folders; i++)
		free(s->folders[i]);
	free(s->folders);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- the file ---- */

static void fail(struct mer_spill *s, const char *folder, const char *why)
{
	s->failed = true;
	snprintf(s->problem, sizeof(s->problem), "no file for large data in %.200s: %s", folder,
		why);
}

/* A file without a name; -1: none, errno says why. */
static int open_file(const char *folder)
{
	char path[4200];
	if (!mer_make_folder(folder))
		return -1;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int n = snprintf(path, sizeof(path), "%s/spill-XXXXXX", folder);
	if (fd >= 0 || (size_t)n >= sizeof(path))
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Files in memory (tmpfs) would save no memory. With copy on write a full disk would be noticed too
 * late, so it is turned off for these files (btrfs). */
static bool is_usable(int fd)
{
	struct statfs fs;
	if (fstatfs(fd, &fs) != 0)
		return true;
	if (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC) {
		errno = 0;
		return false;
	}
	int flags = 0;
	if (fs.f_type == BTRFS_SUPER_MAGIC && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	return true;
}

static bool is_open(struct mer_spill *s)
{
	for (size_t i = 0; s->fd < 0 && !s->failed && i < s->n_folders; i++) {
		int fd = open_file(s->folders[i]);
		if (fd >= 0 && is_usable(fd)) {
			s->fd = fd;
			s->folder = s->folders[i];
			break;
		}
		if (!s->problem[0])
			fail(s, s->folders[i],
				fd < 0 ? strerror(errno) : "its files are in memory (tmpfs)");
		s->failed = i + 1 == s->n_folders;
		if (fd >= 0)
			close(fd);
	}
	if (s->fd >= 0)
		s->problem[0] = '\0'; /* another folder will do */
	else if (!s->n_folders)
		s->failed = true;
	return s->fd >= 0;
}

/* Reserves `bytes` of the file, from *offset on. False: there is no room for them. */
static bool reserve(struct mer_spill *s, size_t bytes, uint64_t *offset)
{
	int rc = 0;
	pthread_mutex_lock(&s->lock);
	bool ok = !s->failed && is_open(s);
	if (ok) {
		do
			rc = posix_fallocate(s->fd, (off_t)s->end, (off_t)bytes);
		while (rc == EINTR);
		ok = rc == 0;
	}
	if (ok) {
		*offset = s->end;
		s->end += bytes;
	} else if (rc) {
		fail(s, s->folder, strerror(rc));
	}
	pthread_mutex_unlock(&s->lock);
	return ok;
}

static void give_back(struct mer_spill *s, uint64_t offset, size_t bytes)
{
	int ignored = fallocate(
		s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
	(void)ignored; /* if it failed, the space is freed with the file */
}

static void keep_most(_Atomic size_t *most, size_t now)
{
	size_t before = atomic_load_explicit(most, memory_order_relaxed);
	while (now > before && !atomic_compare_exchange_weak_explicit(most, &before, now,
				       memory_order_relaxed, memory_order_relaxed))
		;
}

static struct header *map_block(struct mer_spill *s, size_t bytes)
{
	size_t page = page_bytes();
	uint64_t offset;
	if (bytes > PTRDIFF_MAX - 2 * page)
		return NULL;
	size_t mapped = page + (bytes + page - 1) / page * page;
	if (!reserve(s, mapped, &offset))
		return NULL;
	char *p = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, (off_t)offset);
	if (p == MAP_FAILED) {
		pthread_mutex_lock(&s->lock);
		fail(s, s->folder, strerror(errno));
		pthread_mutex_unlock(&s->lock);
		give_back(s, offset, mapped);
		return NULL;
	}
	struct header *h = (struct header *)(p + page) - 1;
	*h = (struct header){ .spill = s, .bytes = bytes, .mapped = mapped, .offset = offset };
	size_t before = atomic_fetch_add_explicit(&s->in_file, mapped, memory_order_relaxed);
	keep_most(&s->most_in_file, before + mapped);
	return h;
}

/* ---- blocks ---- */

static struct header *header_of(const void *block)
{
	return (struct header *)block - 1;
}

/* Blocks in memory with their headers: malloc's, or large pages. */
static bool is_large(size_t bytes)
{
	return bytes >= MER_LARGE_BYTES - sizeof(struct header);
}

static struct header *memory_alloc(size_t bytes)
{
	if (bytes > PTRDIFF_MAX - sizeof(struct header))
		return NULL;
	size_t all = sizeof(struct header) + bytes;
	return is_large(bytes) ? mer_large_alloc(all) : calloc(1, all);
}

static void memory_free(struct header *h)
{
	if (is_large(h->bytes))
		mer_large_free(h, sizeof(*h) + h->bytes);
	else
		free(h);
}

/* NULL: no memory, and the block is unchanged. */
static struct header *memory_grow(struct header *h, size_t bytes)
{
	size_t before = h->bytes;
	if (bytes > PTRDIFF_MAX - sizeof(*h))
		return NULL;
	if (is_large(before) && is_large(bytes))
		return mer_large_grow(h, sizeof(*h) + before, sizeof(*h) + bytes);
	if (!is_large(before) && !is_large(bytes))
		return realloc(h, sizeof(*h) + bytes);
	struct header *to = memory_alloc(bytes);
	if (!to)
		return NULL;
	memcpy(to, h, sizeof(*h) + before);
	memory_free(h);
	return to;
}

/* May a block of that size be in memory? If so, counts it. */
static bool take_memory(struct mer_spill *s, size_t bytes)
{
	size_t used = atomic_load_explicit(&s->in_memory, memory_order_relaxed);
	do
		if (bytes >= s->small && (bytes > s->limit || used > s->limit - bytes))
			return false;
	while (!atomic_compare_exchange_weak_explicit(
		&s->in_memory, &used, used + bytes, memory_order_relaxed, memory_order_relaxed));
	return true;
}

static void count_memory(struct mer_spill *s, size_t more, size_t less)
{
	if (s)
		atomic_fetch_add_explicit(&s->in_memory, more - less, memory_order_relaxed);
}

void *mer_spill_alloc(struct mer_spill *s, size_t bytes)
{
	bool counted = s && take_memory(s, bytes);
	struct header *h = s && !counted ? map_block(s, bytes) : NULL;
	if (h)
		return h + 1;
	h = memory_alloc(bytes);
	if (!h || !counted)
		count_memory(s, h ? bytes : 0, counted ? bytes : 0);
	size_t used = s && h && !counted ? atomic_load(&s->in_memory) : 0;
	if (used && used > s->limit)
		keep_most(&s->most_beyond, used - s->limit);
	if (!h)
		return NULL;
	*h = (struct header){ .spill = s, .bytes = bytes };
	return h + 1;
}

void *mer_spill_array(struct mer_spill *s, size_t n, size_t bytes_each)
{
	return n > PTRDIFF_MAX / bytes_each ? NULL : mer_spill_alloc(s, n * bytes_each);
}

void mer_spill_release(void *block)
{
	if (!block)
		return;
	struct header *h = header_of(block);
	struct mer_spill *s = h->spill;
	if (!h->mapped) {
		count_memory(s, 0, h->bytes);
		memory_free(h);
		return;
	}
	size_t mapped = h->mapped;
	uint64_t offset = h->offset;
	munmap((char *)block - page_bytes(), mapped);
	give_back(s, offset, mapped);
	atomic_fetch_sub_explicit(&s->in_file, mapped, memory_order_relaxed);
}

bool mer_spill_is_file(const void *block)
{
	return header_of(block)->mapped != 0;
}

void mer_spill_copy(void *block, void *to, const void *from, size_t bytes)
{
	const struct header *h = header_of(block);
	size_t done = 0;
	while (h->mapped && done < bytes) {
		uint64_t at = h->offset + page_bytes() + (uint64_t)((char *)to - (char *)block);
		ssize_t n = pwrite(
			h->spill->fd, (const char *)from + done, bytes - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* its space is reserved: the mapping takes the rest */
		done += (size_t)n;
	}
	if (done < bytes)
		memcpy((char *)to + done, (const char *)from + done, bytes - done);
}

/* Returns a block of at least that size with the contents of this one, which is freed. NULL: no
 * memory, and the block is unchanged. */
static void *enlarge(struct mer_spill *s, void *block, size_t used, size_t bytes)
{
	struct header *h = block ? header_of(block) : NULL;
	if (h && !h->mapped && (!s || take_memory(s, bytes))) {
		size_t before = h->bytes;
		h = memory_grow(h, bytes);
		count_memory(s, 0, h ? before : bytes);
		if (!h)
			return NULL;
		h->bytes = bytes;
		return h + 1;
	}
	void *to = mer_spill_alloc(s, bytes);
	if (to && block) {
		mer_spill_copy(to, to, block, used);
		mer_spill_release(block);
	}
	return to;
}

/* Makes room for element n; the first `used` elements keep their values. */
static bool grow_to(struct mer_spill *s, void *array, size_t used, size_t n, size_t *cap,
	size_t bytes_each, size_t most)
{
	size_t more = mer_grow_next(n, *cap, bytes_each, most);
	/* The caller's pointer may be of any type: it is not read as a void pointer. */
	void *p;
	if (!more)
		return false;
	memcpy(&p, array, sizeof(p));
	p = enlarge(s, p, used * bytes_each, more * bytes_each);
	if (!p)
		return false;
	memcpy(array, &p, sizeof(p));
	*cap = more;
	return true;
}

bool mer_spill_grow_more(struct mer_spill *s, void *array, size_t n, size_t *cap, size_t bytes_each)
{
	return grow_to(s, array, n, n, cap, bytes_each, SIZE_MAX);
}

void *mer_spill_grow_at(struct mer_spill *s, void *array, size_t *cap, size_t i, size_t bytes_each)
{
	size_t before = *cap;
	char *p;
	if (i >= before && !grow_to(s, array, before, i, cap, bytes_each, SIZE_MAX))
		return NULL;
	memcpy(&p, array, sizeof(p)); /* a pointer of any type */
	if (*cap > before)
		memset(p + before * bytes_each, 0, (*cap - before) * bytes_each);
	return p + i * bytes_each;
}

bool mer_spill_grow32_more(
	struct mer_spill *s, void *array, uint32_t n, uint32_t *cap, size_t bytes_each)
{
	size_t wide = *cap;
	if (!grow_to(s, array, n, n, &wide, bytes_each, MER_GROW32_MOST))
		return false;
	*cap = (uint32_t)wide;
	return true;
}

struct mer_spill_use mer_spill_use(struct mer_spill *s)
{
	if (!s)
		return (struct mer_spill_use){ 0 };
	pthread_mutex_lock(&s->lock);
	struct mer_spill_use use = { .in_memory = atomic_load(&s->in_memory),
		.in_file = atomic_load(&s->in_file),
		.most_in_file = atomic_load(&s->most_in_file),
		.most_beyond = atomic_load(&s->most_beyond),
		.folder = s->folder };
	pthread_mutex_unlock(&s->lock);
	return use;
}

const char *mer_spill_problem(struct mer_spill *s)
{
	if (!s)
		return NULL;
	pthread_mutex_lock(&s->lock);
	const char *problem = s->failed && s->problem[0] ? s->problem : NULL;
	pthread_mutex_unlock(&s->lock);
	return problem;
}
