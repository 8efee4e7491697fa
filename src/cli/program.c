#include "cli/program.h"

#include "cli/messages.h"
#include "cli/output.h"
#include "cli/places.h"
#include "cli/progress.h"
#include "cli/verbs.h"

const struct ask_program cli_program = {
	.verbs = cli_verbs,
	.say = cli_say,
	.output_file = cli_output_file,
	.progress_begin = cli_progress_begin,
	.progress_end = cli_progress_end,
	.cache_folder = cli_cache_folder,
	.spill_options = cli_spill_options,
};
