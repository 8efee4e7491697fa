/* VMs: their words. */
#include "sync/vcpu/vm.h"

const char *sync_vm_how_name(enum sync_vm_how how)
{
	static const char *const names[SYNC_VM_N_HOW] = {
		[SYNC_VM_UNKNOWN] = "unknown",
		[SYNC_VM_GIVEN] = "given",
		[SYNC_VM_HYPERCALLS] = "hypercalls",
		[SYNC_VM_SCHEDULE] = "schedule",
		[SYNC_VM_ADDRESSES] = "addresses",
	};
	return names[how];
}
