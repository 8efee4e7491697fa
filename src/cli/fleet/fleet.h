/* meridian fleet: a question to hosts where their traces lie, by ssh.
 *
 *   cmd_fleet.c       options, and the steps one after the other
 *   fleet_hosts.c     from words, or a recording's manifest, to hosts and folders of traces
 *   fleet_question.c  which words of the question are for the hosts, which for the answer
 *   fleet_lines.c     what is run on a host; --dry-run
 *   fleet_steps.c     a line on all hosts, so many at a time; programs here
 *   fleet_kept.c      the folder of parts and answers, and what of it is still true
 *   fleet_full.c      what hosts need of each other for full parts
 *
 * A host that fails is left out, with a sentence, and never ends what the others do. What comes
 * from hosts goes to files. */
#ifndef MER_CLI_FLEET_FLEET_H
#define MER_CLI_FLEET_FLEET_H

#include "ask/context.h"
#include "record/loop.h"

enum { FLEET_MOST_HOSTS = 10000, FLEET_MOST_AT_ONCE = 200 };

struct fleet_options {
	struct session_texts hosts;
	const char *folder, *keep, *ssh, *program, *cpu_quota;
	uint64_t fanout, jobs; /* 0: not given */
	struct ask_amount nice, timeout;
	bool dry_run;
};

/* Parts for the clocks; then parts of the answer, or, where these cannot be merged, full parts, of
 * which the question is asked here. */
enum fleet_step { FLEET_PART, FLEET_ANSWER, FLEET_FULL };

struct fleet_host {
	const char *target; /* for ssh; NULL: this host */
	const char *folder; /* of its traces, as a word of a shell line */
	const char *name;   /* of its files; no other host has it */
	const char *label;  /* in messages */
	const char *failed; /* why it is left out; NULL: it is not */
	struct record_child child;
	int fd;	       /* of the file that the child's output goes to; -1: none */
	int bundle_fd; /* of what it is sent for its full part; -1: none */
	bool is_asked; /* in this step: the child has been started */
	bool has_part; /* for the clocks */
};

struct fleet {
	struct ask *ask;
	const struct fleet_options *o;
	struct fleet_host *hosts; /* in the arena */
	size_t n_hosts;
	const char *recording; /* its folder; NULL: hosts are not those of a manifest */
	/* The question: its verb, and its other words by who is given them. */
	const char *verb;
	const char **asked, **shown;
	size_t n_asked, n_shown;
	struct fleet_peers *peers; /* NULL: they were not looked for */
	bool is_full;		   /* its answers cannot be merged */
	bool has_facts;		   /* and it needs more than the states of tasks */
	char *dir;		   /* of parts and answers; absolute */
	int lock;		   /* of it; -1: none */
	bool is_temporary;
	bool any_lost; /* something that a step here said is not there */
	struct record_loop loop;
};

/* Fills hosts and recording. */
int fleet_read_hosts(struct fleet *f);
/* Fills verb, asked and shown from the words behind "--". */
int fleet_read_question(struct fleet *f);
/* Can answers to its verb be merged? Otherwise MER_ERR_USAGE; so with --help. */
int fleet_check_verb(const struct ask *question, struct mer_err *err);
/* Can it be asked, and can answers be merged (is_full)? sync: where the clocks will be.
 * MER_ERR_USAGE: it cannot be asked. */
int fleet_try_question(struct fleet *f, const char *sync);

/* ---- Lines ---- */

/* What the host's sh runs in this step. n_sent: bytes of what is sent to it first (not of
 * FLEET_PART). In the arena; NULL: no memory. */
const char *fleet_script(
	const struct fleet *f, const struct fleet_host *h, enum fleet_step step, int64_t n_sent);
/* The arguments that run it there. The same. */
const char *const *fleet_argv(
	const struct fleet *f, const struct fleet_host *h, const char *script);
/* A word as in a shell line; a folder or program below ~ stays there. The same. */
const char *fleet_path_word(struct mer_arena *arena, const char *path);
/* --dry-run: all lines, which do the same where they are typed. */
int fleet_print_lines(const struct fleet *f);

/* ---- The folder ---- */

int fleet_open_folder(struct fleet *f);
/* Removes it, if nobody wants to keep it. */
void fleet_close_folder(struct fleet *f);
/* FOLDER/parts/NAME.part, or in answers/ or full/; in the arena; NULL: no memory. */
const char *fleet_file(const struct fleet *f, const struct fleet_host *h, enum fleet_step step);
/* A file of the folder by its name. The same. */
const char *fleet_path(const struct fleet *f, const char *name);
/* Is path there, made from what the key says? */
bool fleet_is_kept(const struct fleet *f, const char *path, const struct mer_str *key);
/* It is not any more, if it was. */
void fleet_forget(const struct fleet *f, const char *path);
/* Now it is. */
int fleet_keep(const struct fleet *f, const char *path, const struct mer_str *key);
/* What the host's file of a step is made from; sent: fleet_key_file of what it is sent first;
 * has_facts: of a full part. */
void fleet_key(const struct fleet *f, const struct fleet_host *h, enum fleet_step step,
	bool has_facts, const struct mer_str *sent, struct mer_str *key);
/* Adds a file's name and what is in it. False: it cannot be read. */
bool fleet_key_file(struct mer_str *key, const char *path);

/* ---- Full parts ---- */

/* Which hosts exchanged messages, by these clocks of all parts: sets peers.
 * fleet_forget_peers in any case. */
int fleet_find_peers(struct fleet *f, const char *sync);
void fleet_forget_peers(struct fleet *f);
/* Did it exchange messages with one that has not failed? */
bool fleet_has_peer(const struct fleet *f, const struct fleet_host *h);
/* Writes what the host needs for its full part to the descriptor, as a gzipped tar: the clocks, and
 * the parts of those that it exchanged messages with, as "pN.part". */
int fleet_bundle(struct fleet *f, const struct fleet_host *h, int fd);
/* Adds what bundles are made of to a key. False: it cannot be read. */
bool fleet_key_parts(const struct fleet *f, const char *sync, struct mer_str *key);

/* ---- Steps ---- */

/* Asks all hosts that have not failed, and whose file is not there yet. sent: the file of clocks,
 * which is sent to them first, for FLEET_FULL in their bundles; NULL: nothing. Failures of hosts
 * are in failed; what is returned concerns all. */
int fleet_step(struct fleet *f, enum fleet_step step, const char *sent);
/* Runs this program with these words, which end with NULL. Its exit status; negative: an error,
 * also of an interrupt. is_shown: it has our standard output and error; otherwise only what it says
 * is shown, or, if said is not NULL, added to it. */
int fleet_run_here(struct fleet *f, const char *const *words, bool is_shown, struct mer_str *said);
/* Adds what a program said of why it failed: its error, else its last line. */
void fleet_put_said(struct mer_str *out, const struct mer_str *errors);

#endif
