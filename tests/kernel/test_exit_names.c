/* Names of exits are those that the kernel's headers give to the same numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kernel/span.h"
#include "kernel/vm/exits.h"

#if __has_include(<asm/vmx.h>) && __has_include(<asm/svm.h>)
#include <asm/svm.h>
#include <asm/vmx.h>

static void of_vmx(void **state)
{
	static const struct {
		uint32_t reason;
		const char *name;
	} all[] = { VMX_EXIT_REASONS };
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		/* Above are flags; newer kernels may have more names. */
		if (all[i].reason <= 75)
			assert_string_equal(
				kernel_exit_name(kernel_exit(KERNEL_EXIT_VMX, all[i].reason)),
				all[i].name);
}

#define SVM(name)                                                                                  \
	{                                                                                          \
		SVM_EXIT_##name, #name                                                             \
	}
static void of_svm(void **state)
{
	static const struct {
		uint32_t reason;
		const char *name;
	} all[] = { SVM(INTR), SVM(NMI), SVM(SMI), SVM(INIT), SVM(VINTR), SVM(CR0_SEL_WRITE),
		SVM(IDTR_READ), SVM(GDTR_READ), SVM(LDTR_READ), SVM(TR_READ), SVM(IDTR_WRITE),
		SVM(GDTR_WRITE), SVM(LDTR_WRITE), SVM(TR_WRITE), SVM(RDTSC), SVM(RDPMC), SVM(PUSHF),
		SVM(POPF), SVM(CPUID), SVM(RSM), SVM(IRET), SVM(SWINT), SVM(INVD), SVM(PAUSE),
		SVM(HLT), SVM(INVLPG), SVM(INVLPGA), SVM(IOIO), SVM(MSR), SVM(TASK_SWITCH),
		SVM(FERR_FREEZE), SVM(SHUTDOWN), SVM(VMRUN), SVM(VMMCALL), SVM(VMLOAD), SVM(VMSAVE),
		SVM(STGI), SVM(CLGI), SVM(SKINIT), SVM(RDTSCP), SVM(ICEBP), SVM(WBINVD),
		SVM(MONITOR), SVM(MWAIT), SVM(MWAIT_COND), SVM(XSETBV), SVM(RDPRU),
		SVM(EFER_WRITE_TRAP), SVM(INVPCID), SVM(NPF), { SVM_EXIT_READ_CR0, "CR_READ" },
		{ SVM_EXIT_READ_CR8, "CR_READ" }, { SVM_EXIT_WRITE_CR0, "CR_WRITE" },
		{ SVM_EXIT_WRITE_CR8, "CR_WRITE" }, { SVM_EXIT_READ_DR0, "DR_READ" },
		{ SVM_EXIT_READ_DR7, "DR_READ" }, { SVM_EXIT_WRITE_DR0, "DR_WRITE" },
		{ SVM_EXIT_WRITE_DR7, "DR_WRITE" }, { SVM_EXIT_EXCP_BASE, "EXCEPTION" },
		{ SVM_EXIT_AVIC_INCOMPLETE_IPI, "AVIC_INCOMPLETE_IPI" },
		{ SVM_EXIT_AVIC_UNACCELERATED_ACCESS, "AVIC_UNACCELERATED_ACCESS" },
		{ SVM_EXIT_VMGEXIT, "VMGEXIT" } };
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_string_equal(
			kernel_exit_name(kernel_exit(KERNEL_EXIT_SVM, all[i].reason)), all[i].name);
}

static void what_they_are(void **state)
{
	static const uint32_t halts[] = { EXIT_REASON_HLT, EXIT_REASON_MWAIT_INSTRUCTION };
	static const uint32_t svm_halts[] = { SVM_EXIT_HLT, SVM_EXIT_MWAIT };
	(void)state;
	for (uint32_t reason = 0; reason < 2000; reason++) {
		uint32_t vmx = kernel_exit(KERNEL_EXIT_VMX, reason);
		uint32_t svm = kernel_exit(KERNEL_EXIT_SVM, reason);
		assert_int_equal(
			kernel_exit_is_halt(vmx), reason == halts[0] || reason == halts[1]);
		assert_int_equal(
			kernel_exit_is_halt(svm), reason == svm_halts[0] || reason == svm_halts[1]);
		assert_int_equal(
			kernel_exit_is_pause(vmx), reason == EXIT_REASON_PAUSE_INSTRUCTION);
		assert_int_equal(kernel_exit_is_pause(svm), reason == SVM_EXIT_PAUSE);
	}
}
#else /* another processor's kernel */
static void of_vmx(void **state)
{
	(void)state;
	skip();
}
#define of_svm of_vmx
#define what_they_are of_vmx
#endif

static void of_none(void **state)
{
	(void)state;
	assert_string_equal(kernel_exit_name(KERNEL_NONE), "-");
	assert_null(kernel_exit_name(kernel_exit(KERNEL_EXIT_VMX, 5)));
	assert_null(kernel_exit_name(kernel_exit(KERNEL_EXIT_VMX, 76)));
	assert_null(kernel_exit_name(kernel_exit(KERNEL_EXIT_SVM, 0x90)));
	assert_null(kernel_exit_name(kernel_exit(KERNEL_EXIT_SVM, 0x404)));
	assert_null(kernel_exit_name(kernel_exit(KERNEL_EXIT_OTHER, 12)));
	assert_null(kernel_exit_name(kernel_exit(7, 12))); /* no such set */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_vmx), cmocka_unit_test(of_svm),
		cmocka_unit_test(what_they_are), cmocka_unit_test(of_none) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
