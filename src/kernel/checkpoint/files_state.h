/* The tables of descriptors in an archive: pages that several tables have are written once. */
#ifndef MER_KERNEL_CHECKPOINT_FILES_STATE_H
#define MER_KERNEL_CHECKPOINT_FILES_STATE_H

#include "kernel/checkpoint/archive.h"
#include "kernel/files/files.h"

void kernel_files_visit(struct archive *a, struct kernel_files *f);

#endif
