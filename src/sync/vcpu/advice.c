#include "sync/vcpu/advice.h"

#include <inttypes.h>
#include "sync/advice.h"

/* Could a recorded host be the VM's guest? */
static bool has_candidate(const struct sync_result *r, const struct sync_vm *vm)
{
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		bool is_taken = h == vm->hypervisor;
		for (uint32_t v = 0; v < r->n_vms; v++)
			is_taken |= r->vms[v].guest == h || (r->vms[v].guest == vm->hypervisor &&
								    r->vms[v].hypervisor == h);
		if (!is_taken)
			return true;
	}
	return false;
}

static void advise_unknown(struct sync_result *r, const struct sync_vm *vm)
{
	struct mer_diag d = sync_advice_on(r, MER_NOTE, "sync-vm-unknown", vm->hypervisor);
	const char *host = r->hosts[vm->hypervisor].name;
	d.remedy = MER_REMEDY_GUEST;
	if (vm->pid == SYNC_NO_PID)
		mer_diag_add(&r->diags, &d,
			"which of the recorded hosts, if any, is the guest of the vCPU thread %" PRIu32
			" on %s is not known",
			vm->vcpus[0].tid, host);
	else
		mer_diag_add(&r->diags, &d,
			"which of the recorded hosts, if any, is the guest of process %" PRIu32
			" on %s is not known",
			vm->pid, host);
}

static void advise_guest(struct sync_result *r, const struct sync_vm *vm)
{
	const char *guest = r->hosts[vm->guest].name, *host = r->hosts[vm->hypervisor].name;
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-vm-ambiguous", vm->guest);
	if (vm->n_events && !vm->n_certain) {
		mer_diag_add(&r->diags, &d,
			"the entries and exits on %s say nothing about the clock of %s: no offset, or more than one, fits to them",
			host, guest);
	} else if (vm->n_certain && vm->searched_ns) {
		d = sync_advice_on(r, MER_NOTE, "sync-vm-search", vm->guest);
		if (vm->searched_ns == INT64_MAX)
			mer_diag_add(&r->diags, &d,
				"no messages connect the clocks of %s and %s: searched for by entries and exits alone; only one offset fits",
				guest, host);
		else
			mer_diag_add(&r->diags, &d,
				"no messages connect the clocks of %s and %s: searched for by entries and exits alone, within %s of the recorded clocks; only one offset fits",
				guest, host, sync_in_words(vm->searched_ns).text);
	}
}

void sync_advise_vms(struct sync_result *r)
{
	for (uint32_t v = 0; v < r->n_vms; v++) {
		const struct sync_vm *vm = &r->vms[v];
		if (vm->guest != SYNC_NO_GUEST)
			advise_guest(r, vm);
		else if (has_candidate(r, vm))
			advise_unknown(r, vm);
	}
}

void sync_advise_contradiction(
	struct sync_result *r, const struct sync_vm *vm, struct sync_range range, uint32_t host)
{
	const struct sync_host *h = &r->hosts[host];
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-vm-contradiction", vm->guest);
	mer_diag_add(&r->diags, &d,
		"events of %s contradict the entries and exits on %s %s after the start of the traces of %s: nothing can be concluded there",
		r->hosts[vm->guest].name, r->hosts[vm->hypervisor].name,
		sync_range_words(h, range).text, h->name);
}
