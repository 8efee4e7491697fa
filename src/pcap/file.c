#include "pcap/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap/capture.h"
#include "pcap/read.h"

enum { COPY_FORMAT = 3, HEAD = 24 };

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

const struct copied_kind pcap_file = { .name = "pcap",
	.format = COPY_FORMAT,
	.is_lesser = true,
	.key = copied_add_file,
	.read = pcap_read };
