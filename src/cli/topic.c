#include "cli/topic.h"

#include <string.h>

extern const struct cli_topic cli_topic_view;

const struct cli_topic *const cli_topics[] = { &cli_topic_view, NULL };

const struct cli_topic *cli_topic_find(const char *name)
{
	for (size_t i = 0; cli_topics[i]; i++)
		if (strcmp(cli_topics[i]->name, name) == 0)
			return cli_topics[i];
	return NULL;
}
