/* Topics: what 'meridian help' explains besides verbs, each with a manual page of section 5. */
#ifndef MER_CLI_TOPIC_H
#define MER_CLI_TOPIC_H

#include <stdbool.h>
#include <stdio.h>

struct cli_topic {
	const char *name; /* of the page, too: meridian-NAME */
	const char *help; /* one line, lower case, no full stop */
	/* Paragraphs are separated by empty lines; lines that begin with blanks are kept. */
	struct cli_topic_section {
		const char *title, *text;
	} sections[8]; /* ends with {0} */
};

/* All of them; ends with NULL. */
extern const struct cli_topic *const cli_topics[];
const struct cli_topic *cli_topic_find(const char *name);
void cli_help_topic(const struct cli_topic *topic, FILE *out, bool bold);

#endif
