/* Words: what of a user's text may be part of a command line for a shell, and how.
 *
 * Names of hosts, events, sessions and folders come from the command line, from files and from
 * other hosts. Each is checked here before it is used, and quoted where it stands in a line, so
 * nothing that somebody writes can become another command. */
#ifndef MER_RECORD_WORDS_H
#define MER_RECORD_WORDS_H

#include <stdbool.h>
#include "base/str.h"

enum { RECORD_WORD_MOST = 255 };

/* [USER@]HOST of ssh: letters, digits and . _ - : % [ ], no dash first. */
bool record_is_target(const char *text);
/* Of a session or a folder: letters, digits and . _ -, no dash and no dot first. */
bool record_is_name(const char *text);
/* Of an event: a name, with a provider or a system and : before it, or a pattern with *. */
bool record_is_event(const char *text);
/* A numeric address of IPv4 or IPv6. */
bool record_is_address(const char *text);

/* The word as a shell reads it back: as it is where that is safe, else in single quotes. */
void record_put_word(struct mer_str *out, const char *word);

#endif
