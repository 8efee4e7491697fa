/* Known events: their names, and templates of the text after them.
 *
 *   "comm=<s:comm> pid=<i:pid> prio=<i:prio> target_cpu=<i:target_cpu>"
 *
 * <KIND:FIELD> is a value, the rest stands as it is; a blank is one or more. Kinds:
 *
 *   s  text, as short as the rest of the template allows     w  text without blanks
 *   i  signed, 32 bits   l  signed, 64 bits   x  hexadecimal, 64 bits   p  pointer
 *   n  unsigned, 32 bits   u  unsigned, 64 bits: also where the text has -1 for the largest one
 *   S  state of a task, by the kernel's letters   K  the same by those of libtraceevent
 *   D  device, "8,0"   A  six hexadecimal numbers in brackets   H  "handled" or "unhandled"
 *   *  a value that is not kept (without a field's name) */
#ifndef MER_FTRACE_TEXT_KNOWN_H
#define MER_FTRACE_TEXT_KNOWN_H

#include <stdint.h>

struct ftrace_known {
	const char *system, *name, *text;
};

extern const struct ftrace_known ftrace_known[];
extern const uint32_t ftrace_n_known;

/* Systems of events that have no template here, by a prefix of their names. */
struct ftrace_known_system {
	const char *system, *prefix;
};
extern const struct ftrace_known_system ftrace_known_systems[];
extern const uint32_t ftrace_n_known_systems;

/* Our own probes, whose group (mer) the kernel's text leaves out: the name, and a field that
 * identifies them. */
struct ftrace_known_probe {
	const char *name, *field;
};
extern const struct ftrace_known_probe ftrace_known_probes[];
extern const uint32_t ftrace_n_known_probes;

#endif
