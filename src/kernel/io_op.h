/* Operations of input and output: what a system call, or a request to a disk, does with data. */
#ifndef MER_KERNEL_IO_OP_H
#define MER_KERNEL_IO_OP_H

#include <stdint.h>

enum io_op {
	IO_NONE,
	IO_OPEN,
	IO_READ,
	IO_WRITE,
	IO_SYNC,
	IO_COPY, /* from one descriptor to another, of which only one is told: sendfile, splice */
	IO_N_CALL_OPS,
	IO_DISK_READ = IO_N_CALL_OPS,
	IO_DISK_WRITE,
	IO_DISK_DISCARD,
	IO_DISK_FLUSH, /* also all else that moves no data */
	IO_N_OPS
};
/* From a descriptor or a disk, or to it. */
enum io_way { IO_MOVES_NONE, IO_MOVES_IN, IO_MOVES_OUT };
extern const char *const io_op_names[IO_N_OPS]; /* NULL: none */
/* Of a system call, by its classes (enum kernel_call_class); IO_NONE: it is not about input or
 * output. */
enum io_op io_op_of(uint32_t classes);
/* How many bytes it moved; 0 too where it returns how many messages. */
uint64_t io_bytes_of(uint32_t classes, int64_t ret);

#endif
