/* Types of sections. A number is never used again for something else: FORMAT.md has the list. */
#ifndef MER_STORE_TYPES_H
#define MER_STORE_TYPES_H

enum store_type {
	STORE_ABOUT = 1,     /* text for people: what the store was made from */
	STORE_WORLD = 2,     /* struct store_world_head */
	STORE_DIAGS = 3,     /* number: enum store_findings */
	STORE_BRIDGES = 4,   /* rows of struct kernel_bridge: see bridges.c */
	STORE_PLACES = 5,    /* struct sync_place */
	STORE_HOST = 6,	     /* struct store_host_head */
	STORE_TEXT_ENDS = 7, /* for each name: where it ends in STORE_TEXTS, without its NUL */
	STORE_TEXTS = 8,
	STORE_TASKS = 9,     /* struct kernel_task */
	STORE_RENAMES = 10,  /* struct kernel_name */
	STORE_CALLS = 11,    /* struct kernel_call */
	STORE_REQUESTS = 12, /* rows of struct kernel_request: see requests.c */
	STORE_MAP = 13,	     /* number: enum store_map */
	STORE_SPAN_BLOCKS = 14,
	STORE_TASK_PLACES = 15,
	STORE_TASK_FIRSTS = 16,
	STORE_USAGE = 17,
	STORE_FACT_BLOCKS = 18, /* number: of the kind */
	STORE_LEVELS = 19,
	STORE_LEVEL_BLOCKS = 20, /* number: of the level */
	STORE_WAITS = 22,	 /* of packed numbers: see waits.c */
	STORE_RUNNING = 21,	 /* number: 0 where a stretch begins in 1, 1 spans */
	STORE_COUNT_LEVELS = 24, /* number: of the kind, as in 18; see counts.c */
	STORE_COUNTS = 25,	 /* of packed numbers */
	STORE_ABSENCES = 27,	 /* struct kernel_absence; for hosts that are guests */
	STORE_ABSENCE_TEXTS = 28,
	STORE_AWAYS = 29, /* when the guest's CPUs were not running: columns as in guests.c */
	/* Numbers of rows of its kinds: see found_requests.c. (31, 32 were a log of requests.) */
	STORE_FOUND_REQUESTS = 33,
	STORE_REQUEST_COLUMNS = 34, /* of packed numbers; number: of the column */
	STORE_RECEIVERS = 35,	    /* of packed numbers: see receivers.c */
	STORE_MESSAGES = 36,	    /* links, and counts of hosts: see messages.c */
	STORE_MESSAGE_COLUMNS = 37, /* host: number of the link; of packed numbers */
	STORE_PART =
		38, /* of a file of some of the hosts (parts.h): struct store_part_host, of those */
	STORE_REQUEST_LOG = 39, /* numbers of rows of its kinds: see request_log.c */
	STORE_LOG_COLUMNS = 40, /* of packed numbers; number: of the column */
};

enum store_map {
	STORE_MAP_ENDPOINTS, /* of the world */
	STORE_MAP_DEVICES,
	STORE_MAP_IRQS,
	STORE_MAP_PACKAGES,
	STORE_MAP_FIRST_PIECES,
	STORE_MAP_CPUS
};

#endif
