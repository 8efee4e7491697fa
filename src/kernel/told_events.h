/* Told events: those that say all by themselves. The model knows nothing more of them; observers
 * that want one (KERNEL_WANT_EVENT, observer.h) get it as it comes, and analyses make facts of it.
 *
 * A row is all that there is to such an event: what it is called, and its fields. How a row is
 * written is in events.h (struct kernel_event_row) and events.c (NAMES, IS). Slots of fields are
 * counted from 1 on; a text takes two. */
#ifndef MER_KERNEL_TOLD_EVENTS_H
#define MER_KERNEL_TOLD_EVENTS_H

enum { PAGE_ORDER = 1 /* see kernel_page_bytes */ };
enum { SLAB_ADDRESS = 1, SLAB_BYTES };
enum { FAULT_ADDRESS = 1 };
enum { FREQUENCY_KHZ = 1, FREQUENCY_CPU };
enum { SIGNAL_NUMBER = 1, SIGNAL_TID };

/* The first name is what current tracers call it, and what one types to record it. */
/* clang-format off */
#define KERNEL_TOLD_EVENTS(X) \
	X(PAGE_ALLOC, .any_task = true, \
		NAMES("kmem_mm_page_alloc mm_page_alloc", "kmem:mm_page_alloc"), \
		.fields = { [PAGE_ORDER] = IS("order") }) \
	X(PAGE_FREE, .any_task = true, \
		NAMES("kmem_mm_page_free mm_page_free", "kmem:mm_page_free"), \
		.fields = { [PAGE_ORDER] = IS("order") }) \
	X(SLAB_ALLOC, .any_task = true, \
		NAMES("kmem_kmalloc kmem_kmalloc_node kmem_cache_alloc kmem_cache_alloc_node", \
			"kmem:kmalloc kmem:kmem_cache_alloc"), \
		.fields = { [SLAB_ADDRESS] = IS("ptr"), [SLAB_BYTES] = IS("bytes_alloc") }) \
	X(SLAB_FREE, .any_task = true, \
		NAMES("kmem_kfree kmem_cache_free", "kmem:kfree kmem:kmem_cache_free"), \
		.fields = { [SLAB_ADDRESS] = IS("ptr") }) \
	X(FAULT_USER, .any_task = true, \
		NAMES("x86_exceptions_page_fault_user page_fault_user page_fault_user_entry", \
			"exceptions:page_fault_user"), \
		.fields = { [FAULT_ADDRESS] = IS("address") }) \
	X(FAULT_KERNEL, .any_task = true, \
		NAMES("x86_exceptions_page_fault_kernel page_fault_kernel page_fault_kernel_entry", \
			"exceptions:page_fault_kernel"), \
		.fields = { [FAULT_ADDRESS] = IS("address") }) \
	X(FREQUENCY, .any_task = true, \
		NAMES("power_cpu_frequency", "power:cpu_frequency"), \
		.fields = { [FREQUENCY_KHZ] = IS("state"), [FREQUENCY_CPU] = IS("cpu_id") }) \
	X(SIGNAL, \
		NAMES("signal_generate", "signal:signal_generate"), \
		.fields = { [SIGNAL_NUMBER] = IS("sig"), [SIGNAL_TID] = IS("pid") })
/* clang-format on */

#endif
