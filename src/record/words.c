#include "record/words.h"

#include <arpa/inet.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static bool has_only(const char *text, const char *allowed)
{
	size_t len = strlen(text);
	return len > 0 && len <= RECORD_WORD_MOST && strspn(text, allowed) == len;
}

bool record_is_target(const char *text)
{
	const char *at = strchr(text, '@');
	return has_only(text, LETTERS "._-:%[]@") && text[0] != '-' && at != text &&
	       (!at || (at[1] && at[1] != '-' && !strchr(at + 1, '@')));
}

bool record_is_name(const char *text)
{
	return has_only(text, LETTERS "._-") && text[0] != '-' && text[0] != '.';
}

bool record_is_event(const char *text)
{
	return has_only(text, LETTERS "_:*-") && text[0] != '-';
}

bool record_is_address(const char *text)
{
	unsigned char bytes[16];
	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

void record_put_word(struct mer_str *out, const char *word)
{
	if (has_only(word, LETTERS "._-:/,=+@%")) {
		mer_str_puts(out, word);
		return;
	}
	mer_str_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			mer_str_puts(out, "'\\''");
		else
			mer_str_putc(out, *word);
	}
	mer_str_putc(out, '\'');
}

const char *record_shell_line(struct mer_arena *arena, const char *line)
{
	struct mer_str s = { 0 };
	mer_str_puts(&s, "sh -c ");
	record_put_word(&s, line);
	const char *whole = s.failed ? NULL : mer_arena_strdup(arena, s.data);
	mer_str_fini(&s);
	return whole;
}

char *record_name_of_target(struct mer_arena *arena, const char *target)
{
	const char *at = strchr(target, '@');
	char *name = mer_arena_strdup(arena, at ? at + 1 : target);
	for (char *c = name; c && *c; c++)
		if (strchr("[]%:", *c))
			*c = '_';
	if (name && (name[0] == '.' || name[0] == '_'))
		name[0] = 'h';
	return name;
}
