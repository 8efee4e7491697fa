#include "kernel/vm/exits.h"

#include <stddef.h>

#include "kernel/span.h"

/* arch/x86/include/uapi/asm/vmx.h */
static const char *const vmx[] = {
	[0] = "EXCEPTION_NMI",
	[1] = "EXTERNAL_INTERRUPT",
	[2] = "TRIPLE_FAULT",
	[3] = "INIT_SIGNAL",
	[4] = "SIPI_SIGNAL",
	[7] = "INTERRUPT_WINDOW",
	[8] = "NMI_WINDOW",
	[9] = "TASK_SWITCH",
	[10] = "CPUID",
	[12] = "HLT",
	[13] = "INVD",
	[14] = "INVLPG",
	[15] = "RDPMC",
	[16] = "RDTSC",
	[18] = "VMCALL",
	[19] = "VMCLEAR",
	[20] = "VMLAUNCH",
	[21] = "VMPTRLD",
	[22] = "VMPTRST",
	[23] = "VMREAD",
	[24] = "VMRESUME",
	[25] = "VMWRITE",
	[26] = "VMOFF",
	[27] = "VMON",
	[28] = "CR_ACCESS",
	[29] = "DR_ACCESS",
	[30] = "IO_INSTRUCTION",
	[31] = "MSR_READ",
	[32] = "MSR_WRITE",
	[33] = "INVALID_STATE",
	[34] = "MSR_LOAD_FAIL",
	[36] = "MWAIT_INSTRUCTION",
	[37] = "MONITOR_TRAP_FLAG",
	[39] = "MONITOR_INSTRUCTION",
	[40] = "PAUSE_INSTRUCTION",
	[41] = "MCE_DURING_VMENTRY",
	[43] = "TPR_BELOW_THRESHOLD",
	[44] = "APIC_ACCESS",
	[45] = "EOI_INDUCED",
	[46] = "GDTR_IDTR",
	[47] = "LDTR_TR",
	[48] = "EPT_VIOLATION",
	[49] = "EPT_MISCONFIG",
	[50] = "INVEPT",
	[51] = "RDTSCP",
	[52] = "PREEMPTION_TIMER",
	[53] = "INVVPID",
	[54] = "WBINVD",
	[55] = "XSETBV",
	[56] = "APIC_WRITE",
	[57] = "RDRAND",
	[58] = "INVPCID",
	[59] = "VMFUNC",
	[60] = "ENCLS",
	[61] = "RDSEED",
	[62] = "PML_FULL",
	[63] = "XSAVES",
	[64] = "XRSTORS",
	[67] = "UMWAIT",
	[68] = "TPAUSE",
	[74] = "BUS_LOCK",
	[75] = "NOTIFY",
};

/* arch/x86/include/uapi/asm/svm.h, from SVM_FIRST on */
enum { SVM_FIRST = 0x60, SVM_EXCEPTIONS = 0x40, SVM_WRITE_DR = 0x30, SVM_READ_DR = 0x20 };
enum { SVM_WRITE_CR = 0x10, SVM_FAR = 0x400 };
static const char *const svm[] = { "INTR", "NMI", "SMI", "INIT", "VINTR", "CR0_SEL_WRITE",
	"IDTR_READ", "GDTR_READ", "LDTR_READ", "TR_READ", "IDTR_WRITE", "GDTR_WRITE", "LDTR_WRITE",
	"TR_WRITE", "RDTSC", "RDPMC", "PUSHF", "POPF", "CPUID", "RSM", "IRET", "SWINT", "INVD",
	"PAUSE", "HLT", "INVLPG", "INVLPGA", "IOIO", "MSR", "TASK_SWITCH", "FERR_FREEZE",
	"SHUTDOWN", "VMRUN", "VMMCALL", "VMLOAD", "VMSAVE", "STGI", "CLGI", "SKINIT", "RDTSCP",
	"ICEBP", "WBINVD", "MONITOR", "MWAIT", "MWAIT_COND", "XSETBV", "RDPRU", "EFER_WRITE_TRAP" };
static const char *const svm_far[] = { "NPF", "AVIC_INCOMPLETE_IPI", "AVIC_UNACCELERATED_ACCESS",
	"VMGEXIT" };
enum { N_VMX = sizeof(vmx) / sizeof(vmx[0]), N_SVM = sizeof(svm) / sizeof(svm[0]) };
enum { N_FAR = sizeof(svm_far) / sizeof(svm_far[0]), SVM_INVPCID = 0xa2 };

static const char *svm_name(uint32_t reason)
{
	if (reason >= SVM_FAR)
		return reason < SVM_FAR + N_FAR ? svm_far[reason - SVM_FAR] : NULL;
	if (reason >= SVM_FIRST)
		return reason < SVM_FIRST + N_SVM ? svm[reason - SVM_FIRST]
		       : reason == SVM_INVPCID	  ? "INVPCID"
						  : NULL;
	return reason >= SVM_EXCEPTIONS ? "EXCEPTION"
	       : reason >= SVM_WRITE_DR ? "DR_WRITE"
	       : reason >= SVM_READ_DR	? "DR_READ"
	       : reason >= SVM_WRITE_CR ? "CR_WRITE"
					: "CR_READ";
}

const char *kernel_exit_name(uint32_t exit)
{
	uint32_t isa = exit >> 16, reason = exit & UINT16_MAX;
	if (exit == KERNEL_NONE)
		return "-";
	if (isa == KERNEL_EXIT_VMX)
		return reason < N_VMX ? vmx[reason] : NULL;
	return isa == KERNEL_EXIT_SVM ? svm_name(reason) : NULL;
}

bool kernel_exit_is_halt(uint32_t exit)
{
	return exit == kernel_exit(KERNEL_EXIT_VMX, 12) ||
	       exit == kernel_exit(KERNEL_EXIT_VMX, 36) ||
	       exit == kernel_exit(KERNEL_EXIT_SVM, 0x78) ||
	       exit == kernel_exit(KERNEL_EXIT_SVM, 0x8b);
}

bool kernel_exit_is_pause(uint32_t exit)
{
	return exit == kernel_exit(KERNEL_EXIT_VMX, 40) ||
	       exit == kernel_exit(KERNEL_EXIT_SVM, 0x77);
}
