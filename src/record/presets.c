/* The presets of the program, which are built into it: what is recorded does not depend on where
 * the program is installed. */
#include <string.h>
#include "record/preset.h"

/* MER_PRESETS: the folder of the presets as they were built. */
#define PRESET(name)                                                                               \
	__asm__(".section .rodata\n"                                                               \
		"record_preset_" #name "_begin:\n"                                                 \
		".incbin \"" MER_PRESETS "/" #name ".preset\"\n"                                   \
		"record_preset_" #name "_end:\n"                                                   \
		".previous\n");                                                                    \
	extern const char record_preset_##name##_begin[], record_preset_##name##_end[];
PRESET(path)
PRESET(cost)
PRESET(clocks)
PRESET(vm)
PRESET(mpi)
PRESET(all)
PRESET(multi)
#undef PRESET

#define PRESET(name)                                                                               \
	{                                                                                          \
#name, record_preset_##name##_begin, record_preset_##name##_end                    \
	}
static const struct {
	const char *name, *begin, *end;
} presets[] = { PRESET(path), PRESET(cost), PRESET(clocks), PRESET(vm), PRESET(mpi), PRESET(all),
	PRESET(multi) };

const char *record_preset_name(size_t i)
{
	return i < sizeof(presets) / sizeof(*presets) ? presets[i].name : NULL;
}

const char *record_preset_text(const char *name, size_t *len)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
		if (strcmp(presets[i].name, name) == 0) {
			*len = (size_t)(presets[i].end - presets[i].begin);
			return presets[i].begin;
		}
	}
	return NULL;
}
