/* The topic "view": the language of view files (views/parse.c). docs/views.md has the same with
 * measurements, and what it reads of Trace Compass's XML. */
#include "cli/topic.h"

const struct cli_topic cli_topic_view = {
	.name = "view",
	.help = "files that say which events of a program are its states",
	.sections = {
		{ "Description",
			"The kernel's events say whether a thread runs or waits. A program's own events say "
			"what it was doing: which MPI call, which callback, which phase. A view is a small "
			"text file that says which events begin and end such states.\n"
			"\n"
			"  meridian top view --view mpi client/ server/   # time in each state\n"
			"  meridian log view --view my.view client/       # each state\n"
			"  meridian stats view --view mpi client/         # durations; freq\n"
			"  meridian path --view mpi --tid 4711 client/    # cut by states\n"
			"  meridian serve --view mpi client/              # as rows\n"
			"\n"
			"diff and requests cut times by states, too, and report has the rows.\n"
			"\n"
			"--view takes a file, or the name of a view below. It may be repeated." },
		{ "Views that belong to meridian",
			"  callstack      stacks that were recorded with events: LTTng's\n"
			"                 contexts callstack-user and callstack-kernel,\n"
			"                 callchains of perf\n"
			"  cyg-profile    functions by name: liblttng-ust-cyg-profile.so\n"
			"  libc-memory    bytes that each program holds:\n"
			"                 liblttng-ust-libc-wrapper.so\n"
			"  meridian-work  steps of meridian's own programs\n"
			"                 (meridian-work --ust)\n"
			"  mpi            calls of each rank, messages as arrows: events of\n"
			"                 libmeridian-mpi, or mpi:CALL_begin, mpi:CALL_end\n"
			"  mpi-imbalance  events mpi_imbalance:* of an unbalanced program\n"
			"  ros2           ROS 2: callbacks by their names, publications\n"
			"                 as marks\n"
			"\n"
			"Their files are in share/meridian/views, as examples." },
		{ "A view file",
			"Each line is a declaration, or a comment that begins with #:\n"
			"\n"
			"  view mpi \"MPI ranks\"\n"
			"  row rank \"Rank {rank}\" under \"{$host}\" key rank\n"
			"    begin mpi:*_begin as \"{*}\"\n"
			"    end mpi:*_end as \"{*}\"\n"
			"    arrow to mpi:send_begin -> mpi:recv_end key rank=peer peer=rank tag ordered\n"
			"  colour \"compute\" green\n"
			"\n"
			"The declarations are:\n"
			"\n"
			"  view NAME [\"TITLE\"]\n"
			"  row NAME \"TEXT\" [under \"TEXT\"] [unit bytes|ns|count] [async]\n"
			"      [thread-id FIELD] [key FIELD...]\n"
			"  RULE EVENT [as \"TEXT\"] [colour COLOUR] [key FIELD...]\n"
			"      [amount FIELD|NUMBER] [by FIELD...] [if EXPR]\n"
			"  arrow NAME EVENT -> EVENT key FIELD[=FIELD]... [ordered]\n"
			"  names TABLE EVENT key FIELD... as \"TEXT\" [if EXPR]\n"
			"  colour \"PATTERN\" COLOUR\n"
			"\n"
			"A row declares rows: one for each host and each different value of the key. The rules "
			"and arrows below it belong to it. States of rows with async are not what a thread does "
			"itself, such as requests that overlap. Mistakes are reported with file, line and column." },
		{ "Rules",
			"  begin, end  a state starts; it ends. States nest: an end with a\n"
			"              text ends the innermost state of that text, and those\n"
			"              within it; without a text the innermost one\n"
			"  set, clear  the row is in this state until the next set or clear\n"
			"  toggle      starts the state, or ends it if the row is in it\n"
			"  stack       as \"{FIELD}\" is an array of addresses, the innermost\n"
			"              first: the row is in these states, nested, until its\n"
			"              next stack\n"
			"  mark        an instant with a text\n"
			"  label       the text is the row's name from now on\n"
			"  add, take   the row has a value over time: an amount is added or\n"
			"              taken away; add by F remembers the amount, take by F\n"
			"              without an amount takes back what was added\n"
			"  level       the row has this value from now on" },
		{ "Events, fields and texts",
			"EVENT is a name, in which * stands for anything. EXPR is in the language of 'meridian events "
			"--filter', and the rest of the line. Fields are named as in filters: a.b, context.vtid.\n"
			"\n"
			"  {field}            the value; {field:x}: in hexadecimal\n"
			"  {field:symbol}     the name of the function at that address\n"
			"  {*}                what the (first) * of the event stands for\n"
			"  {$host}            or {$cpu}, {$event}\n"
			"  {TABLE(field)}     the text that names TABLE recorded for these fields\n"
			"\n"
			"An arrow leads from the row of one event to the row of another one, on any host: "
			"rank=peer means that rank of the first equals peer of the second. With ordered, equal "
			"keys arrive in the order of sending; without it each key counts once.\n"
			"\n"
			"COLOUR is red, green, blue, yellow, orange, purple, cyan, pink, brown, grey, black, white "
			"or #rrggbb. A state without one gets a colour that follows from its text." },
		{ "States",
			"A state is one of the thread whose event started it: context vtid or tid, or the field "
			"that thread-id names. Its inclusive time is the time with all states within it, its "
			"exclusive time that in which it was the innermost one. The other columns say what the "
			"kernel did with the thread meanwhile; where the kernel was not recorded that is unknown.\n"
			"\n"
			"A state is cut where the recording starts or ends and where events were lost; "
			"log view says of which that is so, and stats and freq leave those out." },
		{ "Trace Compass's XML",
			"--view FILE.xml reads data-driven analyses of Trace Compass, where meridian was built "
			"with expat; docs/views.md lists what it understands." },
	},
};
