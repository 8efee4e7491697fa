/* Messages: what the program says on stderr; a progress line is taken away before. Notes and
 * warnings wait for the result. */
#ifndef MER_CLI_MESSAGES_H
#define MER_CLI_MESSAGES_H

#include "ask/program.h"

/* Where messages are wrapped: at the terminal's width, else at $COLUMNS; SIZE_MAX: nowhere. A
 * message that goes to a file or a program stays one line, which can be searched for. */
size_t cli_message_width(void);

/* For struct ask_program. */
void cli_say(struct ask *ask, enum ask_said kind, const char *text);
/* What is wrong with the command line: ask->err. */
void cli_usage(struct ask *ask);
/* After the result. */
void cli_say_notes(struct ask *ask);
/* The same where there will be no result: what was only to be noted of it is dropped. */
void cli_say_warnings(struct ask *ask);

#endif
