/* Words: which texts may become part of a shell command line, and how they are quoted.
 *
 * Names of hosts, events, sessions and folders come from the command line, from files and from
 * other hosts. Each is checked here before it is used, and quoted in the command line, so no text
 * can inject a command. */
#ifndef MER_RECORD_WORDS_H
#define MER_RECORD_WORDS_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/str.h"

enum { RECORD_WORD_MOST = 255 };

/* [USER@]HOST for ssh: letters, digits and . _ - : % [ ], no dash first. */
bool record_is_target(const char *text);
/* A name of a session or folder: letters, digits and . _ -, no dash and no dot first. */
bool record_is_name(const char *text);
/* A name of an event: with a provider or system and ":" before it, or a pattern with *. */
bool record_is_event(const char *text);
/* A numeric address of IPv4 or IPv6. */
bool record_is_address(const char *text);

/* Appends the word quoted for a shell: unchanged if that is safe, else in single quotes. */
void record_put_word(struct mer_str *out, const char *word);
/* The line for sh, as a line for whatever shell the user has on a host. NULL: no memory. */
const char *record_shell_line(struct mer_arena *arena, const char *line);
/* The target without the user, as a name of a file; in the arena. NULL: no memory. */
char *record_name_of_target(struct mer_arena *arena, const char *target);

#endif
