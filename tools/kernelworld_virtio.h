/* kernelworld: guests whose disks are files of their hosts (--virtio).
 *
 * A request of the guest takes it out of the guest, where its vCPU wakes the main thread of the
 * VM's process; that one hands it to a worker thread, which reads or writes the host's disk and
 * wakes the main thread again; that one sends the interrupt with which the guest completes its
 * request. */
#ifndef KERNELWORLD_VIRTIO_H
#define KERNELWORLD_VIRTIO_H

#include "kernelworld.h"

void make_virtio(struct machine *guest, struct task *main);
void next_of_virtio(struct cpu *c, struct task *t);
/* Of processors of guests. */
void virtio_issue(struct cpu *c, struct request *r);
void virtio_completed(struct cpu *c, const struct request *r);
/* Its guest has been left: what was issued reaches the process. */
void add_virtio_kick(struct sim *s, struct machine *guest);
void virtio_open_truth(struct sim *s);

#endif
