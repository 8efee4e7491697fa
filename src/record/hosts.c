#include "record/hosts.h"

#include <string.h>
#include <sys/stat.h>
#include "base/file.h"

static int add_file(struct mer_arena *arena, const char *path, const char **hosts, size_t *n,
	size_t most, struct mer_err *err)
{
	struct mer_file f;
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	char *text =
		f.size < 1 << 20 ? mer_arena_strndup(arena, (const char *)f.data, f.size) : NULL;
	mer_file_close(&f);
	if (!text)
		return mer_fail(err, MER_ERR_INPUT, "%s: too long for a list of hosts", path);
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, "#\r")] = '\0';
		char *end = NULL, *word = strtok_r(line, " \t", &end);
		if (!word)
			continue;
		if (*n >= most)
			return mer_fail(err, MER_ERR_LIMIT, "%s: more than %zu hosts", path, most);
		hosts[(*n)++] = word;
	}
	return 0;
}

/* A host has no slash, but behind a colon: HOST:FOLDER. */
static bool is_file(const char *word)
{
	struct stat st;
	return word[strcspn(word, "/:")] == '/' || (stat(word, &st) == 0 && S_ISREG(st.st_mode));
}

int record_hosts_add(struct mer_arena *arena, const struct session_texts *words, const char **hosts,
	size_t *n, size_t most, struct mer_err *err)
{
	int rc = 0;
	for (size_t i = 0; i < words->n && rc == 0; i++) {
		if (is_file(words->item[i]))
			rc = add_file(arena, words->item[i], hosts, n, most, err);
		else if (*n < most)
			hosts[(*n)++] = words->item[i];
	}
	return rc;
}
