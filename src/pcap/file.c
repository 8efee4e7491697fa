#include "pcap/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap/capture.h"
#include "pcap/read.h"

enum { COPY_FORMAT = 2, HEAD = 24 };

bool pcap_is_file(const char *path)
{
	uint8_t head[HEAD];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, sizeof(head)) : -1;
	close(fd);
	return n > 0 && pcap_capture_is(head, (size_t)n);
}

static void add_key(const char *path, uint64_t key[2])
{
	for (uint64_t i = 0; i < 2; i++)
		key[i] += copied_hash(AT_FDCWD, path, i);
}

static int copy(const char *path, const char *folder, struct mer_err *err)
{
	uint64_t key[2] = { 0 };
	add_key(path, key);
	return copied_read_apart(path, folder, key[0], pcap_read, err);
}

const struct copied_kind pcap_file = {
	.name = "pcap", .format = COPY_FORMAT, .is_lesser = true, .key = add_key, .copy = copy
};
