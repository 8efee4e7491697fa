/* The CTF 2 metadata parser: what the schema holds afterwards, and how errors are told.
 *
 * In the texts below ' stands for ", and in those that must fail @ stands before the place that the
 * error must name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "ctf/metadata.h"

#define PRE "{'type':'preamble','version':2}\n"
#define UUID "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"
#define PRE_UUID "{'type':'preamble','version':2,'uuid':" UUID "}\n"
#define DSC "{'type':'data-stream-class'}\n"
#define U(LEN)                                                                                     \
	"{'type':'fixed-length-unsigned-integer','length':" LEN ",'byte-order':'little-endian'}"
#define S(LEN)                                                                                     \
	"{'type':'fixed-length-signed-integer','length':" LEN ",'byte-order':'little-endian'}"
#define BOOL "{'type':'fixed-length-boolean','length':8,'byte-order':'little-endian'}"
#define NUL "{'type':'null-terminated-string'}"
#define STRUCT(MEMBERS) "{'type':'structure','member-classes':[" MEMBERS "]}"
#define M(NAME, CLASS) "{'name':'" NAME "','field-class':" CLASS "}"
#define TEXT_BY(LOC) "{'type':'dynamic-length-string','length-field-location':" LOC "}"
#define EVENT(MEMBERS)                                                                             \
	"{'type':'event-record-class','name':'e','payload-field-class':" STRUCT(MEMBERS) "}\n"
#define PAYLOAD(MEMBERS) PRE DSC EVENT(MEMBERS)
#define ROLE(LEN, ROLES)                                                                           \
	"{'type':'fixed-length-unsigned-integer','length':" LEN                                    \
	",'byte-order':'little-endian','roles':[" ROLES "]}"
#define VARIANT(LOC, OPTIONS)                                                                      \
	"{'type':'variant','selector-field-location':" LOC ",'options':[" OPTIONS "]}"
#define OPTION(RANGES, CLASS) "{'selector-field-ranges':" RANGES ",'field-class':" CLASS "}"

struct parsed {
	char *text;
	size_t len, at; /* at: of the mark, SIZE_MAX: none */
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct mer_err err;
	struct ctf_schema *schema;
	int rc;
};

static void parse_bytes(struct parsed *p, const char *text, size_t len)
{
	mer_arena_init(&p->arena);
	mer_arena_init(&p->diag_arena);
	mer_diags_init(&p->diags, &p->diag_arena);
	p->schema = NULL;
	p->err = (struct mer_err){ 0 };
	p->rc = ctf_json_parse(text, len, "m", &p->arena, &p->diags, &p->schema, &p->err);
}

static void parse(struct parsed *p, const char *text)
{
	/* Exactly as long as the text, so that a sanitizer sees what reads past it. */
	size_t n = strlen(text), len = 0;
	p->text = malloc(n + 1);
	p->at = SIZE_MAX;
	assert_non_null(p->text);
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '@')
			p->at = len;
		else
			p->text[len++] = text[i] == '\'' ? '"' : text[i];
	}
	p->len = len;
	char *exact = realloc(p->text, len ? len : 1);
	assert_non_null(exact);
	p->text = exact;
	parse_bytes(p, p->text, p->len);
}

static void parse_ok(struct parsed *p, const char *text)
{
	parse(p, text);
	if (p->rc)
		print_error("%s\n", p->err.text);
	assert_int_equal(p->rc, 0);
}

static void fini(struct parsed *p)
{
	mer_diags_fini(&p->diags);
	mer_arena_fini(&p->diag_arena);
	mer_arena_fini(&p->arena);
	free(p->text);
}

static const struct ctf_field *member(const struct ctf_fc *fc, const char *name)
{
	for (uint32_t i = 0; i < fc->u.record.n; i++)
		if (strcmp(fc->u.record.fields[i].name, name) == 0)
			return &fc->u.record.fields[i];
	fail_msg("no member %s", name);
	return NULL;
}

static const struct ctf_fc *payload(const struct parsed *p)
{
	return p->schema->streams[0].events[0].payload;
}

static void test_fragments(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		"{'type':'preamble','version':2,'uuid':[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255]}\n"
		"{'type':'trace-class','name':'t','uid':'u','environment':{'host':'a','n':-3}}\n"
		"{'type':'clock-class','id':'c0','name':'mono','frequency':1000,'origin':'unix-"
		"epoch',"
		"'offset-from-origin':{'seconds':-5,'cycles':999},'precision':3,'accuracy':1,"
		"'description':'d','uid':'00010203-0405-0607-0809-0a0b0c0d0eFF'}\n"
		"{'type':'clock-class','id':'c1','frequency':18446744073709551615,"
		"'origin':{'name':'x','uid':'y'}}\n"
		"{'type':'data-stream-class','id':7,'name':'seven','default-clock-class-id':'c1'}\n"
		"{'type':'data-stream-class','id':2,'default-clock-class-id':'c0'}\n"
		"{'type':'event-record-class','id':9,'data-stream-class-id':2}\n"
		"{'type':'event-record-class','id':18446744073709551615,'data-stream-class-id':2,"
		"'name':'big','attributes':{'lttng.org,2009':{'log-level':'warning','emf-uri':'"
		"http'}}}\n"
		"{'type':'event-record-class','data-stream-class-id':2}\n");
	const struct ctf_schema *s = p.schema;
	assert_int_equal(s->major, 2);
	assert_int_equal(s->minor, 0);
	assert_true(s->has_uuid);
	assert_int_equal(s->uuid[15], 255);
	assert_string_equal(s->name, "t");
	assert_string_equal(s->uid, "u");
	assert_string_equal(ctf_env_find(s, "host")->text, "a");
	assert_int_equal(ctf_env_find(s, "n")->number, -3);
	assert_int_equal(s->n_clocks, 2);
	const struct ctf_clock *c = &s->clocks[0];
	assert_string_equal(c->name, "mono");
	assert_string_equal(c->description, "d");
	assert_true(c->is_absolute && c->has_uuid);
	assert_int_equal(c->uuid[15], 255);
	assert_int_equal(c->freq_hz, 1000);
	assert_int_equal(c->offset_s, -5);
	assert_int_equal(c->offset_cycles, 999);
	assert_int_equal(c->precision_cycles, 3);
	assert_string_equal(s->clocks[1].name, "c1");
	assert_false(s->clocks[1].is_absolute);
	assert_true(s->clocks[1].freq_hz == UINT64_MAX);
	assert_int_equal(s->n_streams, 2);
	assert_int_equal(s->streams[0].id, 2);
	assert_int_equal(s->streams[0].clock, 0);
	assert_string_equal(s->streams[1].name, "seven");
	assert_int_equal(s->streams[1].clock, 1);
	assert_int_equal(s->streams[0].n_events, 3);
	assert_string_equal(s->streams[0].events[0].name, "event 0");
	assert_string_equal(s->streams[0].events[1].name, "event 9");
	assert_int_equal(s->streams[0].events[1].log_level, -1);
	assert_int_equal(s->streams[0].events[2].log_level, 4);
	assert_string_equal(s->streams[0].events[2].emf_uri, "http");
	fini(&p);
}

static void test_separators(void **state)
{
	(void)state;
	static const char *const texts[] = { PRE, ("\x1E" PRE "\x1E" DSC),
		("\xEF\xBB\xBF" PRE " \t\r\n\x1E\x1E" DSC "\x1E\n"),
		"{'type':'preamble','version':2}{'type':'data-stream-class'}",
		("\x1E\xEF\xBB\xBF" PRE) };
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct parsed p;
		parse_ok(&p, texts[i]);
		assert_int_equal(p.diags.n, 0);
		fini(&p);
	}
	struct parsed p;
	parse_ok(&p, "{'type':'preamble','version':2,}");
	assert_int_equal(p.diags.n, 1);
	assert_string_equal(p.diags.rows[0].code, "trailing-comma");
	fini(&p);
}

static void test_bits(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		PAYLOAD(M("a",
			"{'type':'fixed-length-bit-array','length':3,'byte-order':'big-endian',"
			"'bit-order':'first-to-last','alignment':4}") "," M("b",
			"{'type':'fixed-length-bit-map','length':8,"
			"'byte-order':'little-endian','bit-order':'first-to-last',"
			"'flags':{'f':[[0,1],[7,7]],'g':[[2,2]]}}") "," M("c", BOOL) "," M("d",
			"{'type':'fixed-length-signed-integer','length':64,"
			"'byte-order':'little-endian','preferred-display-base':16,"
			"'mappings':"
			"{'x':[[-9223372036854775808,-1]],'y':[[0,"
			"9223372036854775807]]}}") "," M("e",
			"{'type':'fixed-length-unsigned-integer','length':64,"
			"'byte-order':'little-endian','mappings':"
			"{'all':[[0,18446744073709551615]],'cut':[[-10,3]]}}") "," M("f",
			"{'type':'fixed-length-floating-point-number','length':16,"
			"'byte-order':'big-endian'}") "," M("g",
			"{'type':'variable-length-signed-integer','mappings':{}}") "," M("h",
			"{'type':'variable-length-unsigned-integer','mappings':{'m':[[1,2]]}}")));
	const struct ctf_fc *a = member(payload(&p), "a")->fc;
	assert_int_equal(a->kind, CTF_BIT_ARRAY);
	assert_int_equal(a->u.bits.len_bits, 3);
	assert_int_equal(a->u.bits.order, CTF_BE);
	assert_true(a->u.bits.reversed);
	assert_int_equal(a->align_bits, 4);
	const struct ctf_fc *b = member(payload(&p), "b")->fc;
	assert_int_equal(b->kind, CTF_BIT_MAP);
	assert_false(b->u.bits.reversed);
	assert_int_equal(b->u.bits.n_mappings, 2);
	assert_string_equal(b->u.bits.mappings[0].label, "f");
	assert_int_equal(b->u.bits.mappings[0].n_ranges, 2);
	assert_int_equal(b->u.bits.mappings[0].ranges[1].hi, 7);
	assert_false(b->u.bits.is_enum);
	assert_int_equal(member(payload(&p), "c")->fc->kind, CTF_BOOL);
	const struct ctf_fc *d = member(payload(&p), "d")->fc;
	assert_int_equal(d->kind, CTF_INT);
	assert_true(d->u.bits.is_signed && d->u.bits.is_enum);
	assert_int_equal(d->u.bits.base, 16);
	assert_true(d->u.bits.mappings[0].ranges[0].lo == (uint64_t)1 << 63);
	const struct ctf_fc *e = member(payload(&p), "e")->fc;
	assert_true(e->u.bits.mappings[0].ranges[0].hi == UINT64_MAX);
	assert_true(e->u.bits.mappings[1].ranges[0].lo == 0);
	const struct ctf_fc *f = member(payload(&p), "f")->fc;
	assert_int_equal(f->kind, CTF_FLOAT);
	assert_int_equal(f->u.bits.len_bits, 16);
	const struct ctf_fc *g = member(payload(&p), "g")->fc;
	assert_int_equal(g->kind, CTF_VARINT);
	assert_true(g->u.bits.is_signed && !g->u.bits.is_enum);
	assert_int_equal(g->align_bits, 8);
	assert_int_equal(g->u.bits.len_bits, 0);
	assert_true(member(payload(&p), "h")->fc->u.bits.is_enum);
	fini(&p);
}

static void test_text_and_compounds(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p, PAYLOAD(M("n", U("8")) "," M("a", NUL) "," M("b",
			     "{'type':'static-length-string','length':6,'encoding':'utf-16le'"
			     "}") "," M("c", TEXT_BY("{'path':['n']}")) "," M("d",
			     "{'type':'static-length-blob','"
			     "length':3,'media-type':'image/"
			     "png'}") "," M("e",
			     "{'type':'dynamic-length-blob','length-field-location':"
			     "{'origin':'event-record-payload','path':['n']}}") "," M("f",
			     "{'type':'static-length-array','length':0,'minimum-alignment':64,"
			     "'element-field-class':" U("8") "}") "," M("g",
			     "{'type':'structure','minimum-alignment':32}")));
	const struct ctf_fc *s = payload(&p);
	assert_int_equal(s->align_bits, 64);
	uint16_t reg = member(s, "n")->reg;
	assert_int_not_equal(reg, CTF_NO_REG);
	assert_int_equal(p.schema->n_regs, 1);
	assert_int_equal(member(s, "a")->fc->kind, CTF_STRING);
	const struct ctf_fc *b = member(s, "b")->fc;
	assert_int_equal(b->kind, CTF_TEXT);
	assert_int_equal(b->u.text.encoding, CTF_UTF16LE);
	assert_int_equal(b->u.text.len_bytes, 6);
	const struct ctf_fc *c = member(s, "c")->fc;
	assert_int_equal(c->u.text.ref.reg, reg);
	assert_string_equal(c->u.text.ref.path, "n");
	const struct ctf_fc *d = member(s, "d")->fc;
	assert_int_equal(d->kind, CTF_BLOB);
	assert_string_equal(d->u.text.media_type, "image/png");
	const struct ctf_fc *e = member(s, "e")->fc;
	assert_int_equal(e->u.text.ref.reg, reg);
	assert_string_equal(e->u.text.ref.path, "event-record-payload/n");
	assert_int_equal(member(s, "f")->fc->align_bits, 64);
	assert_int_equal(member(s, "g")->fc->align_bits, 32);
	assert_int_equal(member(s, "g")->fc->u.record.n, 0);
	fini(&p);
}

static void test_selectors(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p, PAYLOAD(M("u", U("8")) "," M("s", S("8")) "," M("b", BOOL) "," M("v",
			     VARIANT("{'path':['s']}",
				     OPTION("[[-5,-1],[10,20]]",
					     NUL) ",{'name':'z','selector-field-ranges':"
						  "[[0,0]],'field-class':" U("3") "}")) "," M("o",
			     "{'type':'optional','selector-field-location':{'path':['b']},"
			     "'field-class':" NUL "}") "," M("q",
			     "{'type':'optional','selector-field-location':{'path':['u']},"
			     "'selector-field-ranges':[[1,255]],'field-class':" NUL "}")));
	const struct ctf_fc *v = member(payload(&p), "v")->fc;
	assert_int_equal(v->kind, CTF_VARIANT);
	assert_true(v->u.variant.ref.is_signed);
	assert_int_equal(v->u.variant.ref.reg, member(payload(&p), "s")->reg);
	assert_int_equal(v->u.variant.n, 2);
	assert_string_equal(v->u.variant.options[0].field.name, "");
	assert_true((int64_t)v->u.variant.options[0].ranges[0].lo == -5);
	assert_string_equal(v->u.variant.options[1].field.name, "z");
	const struct ctf_fc *o = member(payload(&p), "o")->fc;
	assert_int_equal(o->u.optional.n_ranges, 0);
	assert_int_equal(o->u.optional.ref.reg, member(payload(&p), "b")->reg);
	const struct ctf_fc *q = member(payload(&p), "q")->fc;
	assert_int_equal(q->u.optional.n_ranges, 1);
	assert_int_equal(q->u.optional.ref.reg, member(payload(&p), "u")->reg);
	assert_int_equal(p.schema->n_regs, 3);
	fini(&p);
}

/* Parents, elements of arrays, options of variants, other scopes. */
static void test_locations(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		PRE "{'type':'data-stream-class','packet-context-field-class':" STRUCT(M(
			"pc", U("8"))) ",'event-record-common-context-field-class':" STRUCT(M("in",
			STRUCT(M("cc",
				U("8"))))) "}\n"
					   "{'type':'event-record-class','specific-context-"
					   "field-class':" STRUCT(M("sc",
						   U("8"))) ",'payload-field-class':" STRUCT(M("n",
						   U("8")) "," M("t", U("8")) "," M("arr",
						   "{'type':'static-length-array','length':2,'"
						   "element-field-class':"
						   "{'type':'static-length-array','length':3,'"
						   "element-field-class':" STRUCT(
							   M("n", U("8")) "," M(
								   "in", TEXT_BY("{'path':['n']"
										 "}")) "," M("u"
											     "p",
								   TEXT_BY("{'path':[null,'n']"
									   "}")) "," M("abs",
								   TEXT_BY("{'origin':'event-"
									   "record-payload',"
									   "'path':['arr','n']"
									   "}"))) "}}") "," M("v",
						   VARIANT("{'path':['t']}",
							   OPTION("[[0,0]]",
								   STRUCT(M("len",
									   U("8")))) "," OPTION("[["
												"1,"
												"1]"
												"]",
								   STRUCT(M("len", U("16")) "," M(
									   "own",
									   TEXT_BY("{'path':['"
										   "len']"
										   "}")))))) "," M("both",
						   TEXT_BY("{'path':['v','len']}")) "," M("odd",
						   TEXT_BY("{'path':['arr',null,'zz',null,'n']"
							   "}")) "," M("far",
						   TEXT_BY("{'origin':'packet-context','path':["
							   "'pc']}")) "," M("com",
						   TEXT_BY("{'origin':'event-record-common-"
							   "context',"
							   "'path':['in','cc']}")) "," M("spec",
						   TEXT_BY("{'origin':'event-record-specific-"
							   "context',"
							   "'path':['sc']}"))) "}\n");
	const struct ctf_stream_class *sc = &p.schema->streams[0];
	const struct ctf_fc *s = payload(&p);
	const struct ctf_fc *arr = member(s, "arr")->fc;
	const struct ctf_fc *el = arr->u.array.element.fc->u.array.element.fc;
	assert_int_equal(member(el, "in")->fc->u.text.ref.reg, member(el, "n")->reg);
	assert_int_equal(member(el, "abs")->fc->u.text.ref.reg, member(el, "n")->reg);
	assert_int_equal(member(el, "up")->fc->u.text.ref.reg, member(s, "n")->reg);
	assert_string_equal(member(el, "up")->fc->u.text.ref.path, "../n");
	assert_int_equal(member(s, "odd")->fc->u.text.ref.reg, member(s, "n")->reg);
	const struct ctf_fc *v = member(s, "v")->fc;
	const struct ctf_fc *o0 = v->u.variant.options[0].field.fc;
	const struct ctf_fc *o1 = v->u.variant.options[1].field.fc;
	assert_int_equal(member(o0, "len")->reg, member(o1, "len")->reg);
	assert_int_equal(member(o1, "own")->fc->u.text.ref.reg, member(o1, "len")->reg);
	assert_int_equal(member(s, "both")->fc->u.text.ref.reg, member(o0, "len")->reg);
	assert_int_equal(
		member(s, "far")->fc->u.text.ref.reg, member(sc->packet_context, "pc")->reg);
	assert_int_equal(member(s, "com")->fc->u.text.ref.reg,
		member(member(sc->event_context, "in")->fc, "cc")->reg);
	assert_int_equal(member(s, "spec")->fc->u.text.ref.reg,
		member(sc->events[0].specific_context, "sc")->reg);
	/* All of these are different ones, and none is beyond the last. */
	uint16_t regs[] = { member(s, "n")->reg, member(s, "t")->reg, member(el, "n")->reg,
		member(o0, "len")->reg, member(sc->packet_context, "pc")->reg,
		member(member(sc->event_context, "in")->fc, "cc")->reg,
		member(sc->events[0].specific_context, "sc")->reg };
	for (size_t i = 0; i < 7; i++) {
		assert_in_range(regs[i], 1, p.schema->n_regs);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(regs[i], regs[k]);
	}
	fini(&p);
}

/* Event record classes share their registers; those of the packet stay apart from them. */
static void test_shared_registers(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		PRE "{'type':'data-stream-class','packet-context-field-class':" STRUCT(M("pc",
			U("8"))) "}\n"
				 "{'type':'event-record-class','id':0,'payload-field-class'"
				 ":" STRUCT(M("a", U("8")) "," M("x",
					 TEXT_BY("{'path':['a']}"))) "}\n"
								     "{'type':'event-record-class',"
								     "'id':1,'payload-field-class'"
								     ":" STRUCT(M(
									     "b", U("8")) "," M("x",
									     TEXT_BY("{'path':['b']"
										     "}")) "," M("y",
									     TEXT_BY("{'origin':'"
										     "packet-"
										     "context','"
										     "path':['pc']"
										     "}"))) "}\n");
	const struct ctf_stream_class *s = &p.schema->streams[0];
	uint16_t a = member(s->events[0].payload, "a")->reg;
	uint16_t b = member(s->events[1].payload, "b")->reg;
	uint16_t pc = member(s->packet_context, "pc")->reg;
	assert_int_equal(a, b);
	assert_int_not_equal(a, pc);
	assert_int_equal(p.schema->n_regs, 2);
	assert_int_equal(member(s->events[0].payload, "x")->fc->u.text.ref.reg, a);
	assert_int_equal(member(s->events[1].payload, "y")->fc->u.text.ref.reg, pc);
	fini(&p);
}

static void test_aliases(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		PRE "{'type':'field-class-alias','name':'byte','field-class':" U(
			"8") "}\n"
			     "{'type':'field-class-alias','name':'same','field-class':'byte'}\n"
			     "{'type':'field-class-alias','name':'pair','field-class':" STRUCT(
				     M("n", "'same'") "," M(
					     "s", TEXT_BY("{'path':['n']}"))) "}\n" DSC EVENT(M("x",
				     "'pair'") "," M("y", "'pair'") "," M("z", "'byte'")));
	const struct ctf_fc *x = member(payload(&p), "x")->fc, *y = member(payload(&p), "y")->fc;
	assert_ptr_not_equal(x, y);
	assert_int_equal(member(x, "s")->fc->u.text.ref.reg, member(x, "n")->reg);
	assert_int_equal(member(y, "s")->fc->u.text.ref.reg, member(y, "n")->reg);
	assert_int_not_equal(member(x, "n")->reg, member(y, "n")->reg);
	assert_int_equal(member(payload(&p), "z")->reg, CTF_NO_REG);
	fini(&p);
}

static void test_roles(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		PRE_UUID "{'type':'trace-class','packet-header-field-class':" STRUCT(M(
			"magic", ROLE("32", "'packet-magic-number'")) "," M("uuid",
			"{'type':'static-length-blob','length':16,"
			"'roles':['metadata-stream-uuid']}") "," M("c",
			ROLE("8", "'data-stream-class-id'")) "," M("s",
			"{'type':'variable-length-unsigned-integer',"
			"'roles':['data-stream-id']}")) "}\n"
							"{'type':'clock-class','id':'k','frequency'"
							":1}\n"
							"{'type':'data-stream-class','default-"
							"clock-class-id':'k',"
							"'packet-context-field-class':" STRUCT(M(
								"a",
								ROLE("8", "'packet-total-length'"
									  ",'packet-content-"
									  "length'")) "," M("b",
								ROLE("8", "'default-clock-"
									  "timestamp'")) "," M("c",
								ROLE("8",
									"'packet-end-default-clock-"
									"timestamp'")) "," M("d",
								ROLE("8", "'packet-sequence-"
									  "number'")) "," M("e",
								ROLE("8", "'discarded-event-"
									  "record-counter-"
									  "snapshot'")) "," M("c"
											      "p"
											      "u"
											      "_"
											      "i"
											      "d",
								U("32"))) ",'event-record-header-"
									  "field-class':" STRUCT(M(
										  "id",
										  ROLE("8",
											  "'event-"
											  "record-"
											  "class-"
											  "id'")) "," M("t",
										  ROLE("8",
											  "'default"
											  "-clock-"
											  "timestam"
											  "p'"))) "}\n" EVENT(M("x",
										  ROLE("8",
											  "'defau"
											  "lt-"
											  "clock-"
											  "timest"
											  "amp','"
											  "no-"
											  "such-"
											  "role"
											  "'")) "," M("cpu_id",
										  U("32"))));
	const struct ctf_fc *h = p.schema->packet_header;
	assert_int_equal(member(h, "magic")->roles, CTF_ROLE_MAGIC);
	assert_int_equal(member(h, "uuid")->roles, CTF_ROLE_TRACE_UUID);
	assert_int_equal(member(h, "c")->roles, CTF_ROLE_STREAM_CLASS_ID);
	assert_int_equal(member(h, "s")->roles, CTF_ROLE_STREAM_ID);
	const struct ctf_fc *c = p.schema->streams[0].packet_context;
	assert_int_equal(member(c, "a")->roles, CTF_ROLE_PACKET_SIZE | CTF_ROLE_CONTENT_SIZE);
	assert_int_equal(member(c, "b")->roles, CTF_ROLE_TIMESTAMP);
	assert_int_equal(member(c, "c")->roles, CTF_ROLE_TIMESTAMP_END);
	assert_int_equal(member(c, "d")->roles, CTF_ROLE_SEQ_NUM);
	assert_int_equal(member(c, "e")->roles, CTF_ROLE_DISCARDED);
	assert_int_equal(member(c, "cpu_id")->roles, CTF_ROLE_CPU_ID);
	const struct ctf_fc *e = p.schema->streams[0].event_header;
	assert_int_equal(member(e, "id")->roles, CTF_ROLE_EVENT_ID);
	assert_int_equal(member(e, "t")->roles, CTF_ROLE_TIMESTAMP);
	assert_int_equal(member(payload(&p), "x")->roles, 0);
	assert_int_equal(member(payload(&p), "cpu_id")->roles, 0);
	assert_int_equal(p.diags.n, 2);
	assert_string_equal(p.diags.rows[0].code, "role-without-meaning");
	assert_string_equal(p.diags.rows[1].code, "unknown-role");
	fini(&p);
}

/* What was written before CTF 2.0. */
static void test_older_dialect(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p, PRE
		"{'type':'trace-class','uuid':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"
		"'environment':{'tracer_name':'lttng-ust'},'packet-header-field-class':" STRUCT(M(
			"u",
			"{'type':'static-length-array','length':16,"
			"'roles':['metadata-stream-uuid'],'element-field-class':" U(
				"8") "}")) "}\n"
					   "{'type':'clock-class','name':'mono','frequency':10,'"
					   "offset':{'seconds':1,'cycles':2},"
					   "'uuid':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}\n"
					   "{'type':'data-stream-class','default-clock-class-name':"
					   "'mono'}\n"
					   "{'type':'event-record-class','name':'e','user-"
					   "attributes':"
					   "{'babeltrace.org,2020':{'log-level':'debug:line'}},'"
					   "payload-field-class':" STRUCT(M("tag",
						   "{'type':'fixed-length-unsigned-enumeration','"
						   "length':8,"
						   "'byte-order':'big-endian','mappings':{'A':[[0,"
						   "1]]}}") "," M("st",
						   STRUCT(M("v",
							   VARIANT("['event-record-payload','tag']",
								   OPTION("[[0,0]]",
									   NUL))) "," M("w",
							   VARIANT("[null,'tag']",
								   OPTION("[[0,0]]",
									   NUL)))))) "}\n");
	assert_int_equal(p.schema->uuid[15], 16);
	assert_int_equal(member(p.schema->packet_header, "u")->roles, CTF_ROLE_TRACE_UUID);
	assert_string_equal(p.schema->clocks[0].name, "mono");
	assert_int_equal(p.schema->clocks[0].offset_cycles, 2);
	assert_true(p.schema->clocks[0].has_uuid && p.schema->clocks[0].is_absolute);
	assert_int_equal(p.schema->streams[0].clock, 0);
	assert_int_equal(p.schema->streams[0].events[0].log_level, 13);
	const struct ctf_field *tag = member(payload(&p), "tag");
	const struct ctf_fc *st = member(payload(&p), "st")->fc;
	assert_true(tag->fc->u.bits.is_enum);
	assert_int_equal(member(st, "v")->fc->u.variant.ref.reg, tag->reg);
	assert_int_equal(member(st, "w")->fc->u.variant.ref.reg, tag->reg);
	fini(&p);
}

static const struct {
	const char *text, *message;
} refused[] = {
	{ "@", "the metadata has no preamble" },
	{ "@[]", "a fragment must be an object, found an array" },
	{ "@{}", "fragment: the property `type` is missing" },
	{ PRE "{'type':@'x'}", "there is no fragment type \"x\"" },
	{ "@" DSC PRE, "the first fragment must be the preamble" },
	{ PRE "@" PRE, "a second preamble" },
	{ "{'type':'preamble','version':@3}", "property `version`: expected 2, found 3" },
	{ "@{'type':'preamble'}", "preamble: the property `version` is missing" },
	{ "{'type':'preamble','version':2,'uuid':@[1]}",
		"property `uuid`: expected an array of 16 integers" },
	{ "{'type':'preamble','version':2,'extensions':{'a':{@'b':1}}}",
		"the extension `b` of `a` is not supported, so this trace cannot be decoded" },
	{ PRE "{'type':'trace-class','extensions':{'a':{@'b':null}}}",
		"the extension `b` of `a` is not declared in the preamble (in the trace class)" },
	{ "{'type':'preamble','version':2,@'verison':2}",
		"the preamble has no property `verison`; did you mean `version`?" },
	{ PAYLOAD(M("a", "{'type':'null-terminated-string',@'lenght':3}")),
		"null-terminated-string has no property `lenght`" },
	{ PRE "{'type':'data-stream-class',@'trailer-field-class':{}}",
		"a data stream class has no property `trailer-field-class`" },
	{ PRE "{'type':'trace-class' @'x'}", "not JSON: expected `,` or `}`, found `\"`" },
	{ PRE "{'type':'trace-class'@\x1E", "not JSON: expected `,` or `}`, found the byte 0x1E" },
	{ PRE "{'type':'trace-class','environment':{'a':@1.5}}",
		"an environment entry: expected an integer or a string" },
	{ PRE "{'type':'trace-class','name':@'a\\u0000'}", "a name or text with a NUL character" },
	{ PRE "{'type':'trace-class'}@{'type':'trace-class'}", "a second trace class" },
	{ PRE DSC "@{'type':'trace-class'}",
		"the trace class must come before the data stream classes" },
	{ PRE "@{'type':'clock-class','frequency':1}",
		"clock class: the property `id` is missing" },
	{ PRE "{'type':'clock-class','id':'c','frequency':@0}",
		"property `frequency`: must not be 0 (in the clock class `c`)" },
	{ PRE "{'type':'clock-class','id':'c','frequency':5,'offset-from-origin':{'cycles':@5}}",
		"property `cycles`: must be less than the frequency, 5, found 5" },
	{ PRE "{'type':'clock-class','id':'c','frequency':5,'origin':@'utc'}",
		"property `origin`: expected \"unix-epoch\" or an object" },
	{ PRE "{'type':'clock-class','id':'c','frequency':5}"
	      "{'type':'clock-class','id':@'c','frequency':5}",
		"a second clock class of this id" },
	{ PRE "{'type':'data-stream-class','default-clock-class-id':@'c'}",
		"there is no clock class `c`" },
	{ PRE "{'type':'data-stream-class','id':@-1}",
		"property `id`: expected an unsigned integer, found a negative integer" },
	{ PRE DSC "{'type':'data-stream-class','id':@0}",
		"a second data stream class of the id 0" },
	{ PRE "@{'type':'event-record-class'}", "there is no data stream class of the id 0" },
	{ PRE DSC EVENT("") "{'type':'event-record-class','id':@0}",
		"a second event record class of the id 0 in the data stream class 0" },
	{ PRE DSC "{'type':'event-record-class','payload-field-class':@" U("8") "}",
		"the field class of the payload must be a structure" },
	{ PRE "{'type':'field-class-alias','name':'a','field-class':@'a'}",
		"there is no field class alias `a`" },
	{ PRE "{'type':'field-class-alias','name':'a','field-class':" U("@0") "}",
		"property `length`: must be at least 1 bit (in the field class alias `a`)" },
	{ PRE "{'type':'field-class-alias','name':'a','field-class':" NUL "}"
	      "{'type':'field-class-alias','name':@'a','field-class':" NUL "}",
		"a second field class alias of this name" },
	{ PAYLOAD(M("a", "@7")), "a field class must be an object or the name of an alias" },
	{ PAYLOAD(M("a", "@{}")), "field class: the property `type` is missing" },
	{ PAYLOAD(M("a", "{'type':@'int'}")), "there is no field class type \"int\"" },
	{ PAYLOAD(M("a", U("@65"))), "property `length`: fields of 65 bits are not supported" },
	{ PAYLOAD(M("s", STRUCT(M("a", U("@'8'"))))), "property `length`: expected an unsigned "
						      "integer, found a string (in the payload of "
						      "the event record class `e`, at `s/a`)" },
	{ PAYLOAD(M("a", "@{'type':'fixed-length-boolean','length':1}")),
		"fixed-length field class: the property `byte-order` is missing" },
	{ PAYLOAD(M("a", "{'type':'fixed-length-boolean','length':1,'byte-order':@'le'}")),
		"property `byte-order`: expected \"little-endian\" or \"big-endian\"" },
	{ PAYLOAD(M("a", "{'type':'fixed-length-boolean','length':1,'byte-order':'big-endian',"
			 "'alignment':@3}")),
		"property `alignment`: expected a power of two, found 3" },
	{ PAYLOAD(M("a", "{'type':'fixed-length-boolean','length':1,'byte-order':'big-endian',"
			 "'bit-order':@'x'}")),
		"property `bit-order`: expected" },
	{ PAYLOAD(M("a", "{'type':'fixed-length-floating-point-number','length':@80,"
			 "'byte-order':'big-endian'}")),
		"property `length`: floating point numbers of 80 bits are not supported" },
	{ PAYLOAD(M("a", "{'type':'fixed-length-bit-map','length':8,'byte-order':'big-endian',"
			 "'flags':@{}}")),
		"property `flags`: expected at least one flag" },
	{ PAYLOAD(M("a", "{'type':'variable-length-unsigned-integer',"
			 "'preferred-display-base':@3}")),
		"property `preferred-display-base`: expected 2, 8, 10 or 16" },
	{ PAYLOAD(M("a", "{'type':'variable-length-unsigned-integer','mappings':{'m':[[@2,1]]}}")),
		"an integer range: the lower bound is greater than the upper one" },
	{ PAYLOAD(M("a", "{'type':'variable-length-unsigned-integer','mappings':{'m':[@[2]]}}")),
		"an integer range: expected two integers" },
	{ PAYLOAD(M("a", "{'type':'variable-length-unsigned-integer','mappings':{'m':@[]}}")),
		"a set of integer ranges must have at least one range" },
	{ PAYLOAD(M(
		  "a", "{'type':'variable-length-unsigned-integer','mappings':{'m':[[-2,@-1]]}}")),
		"an integer range: a negative value of an unsigned field" },
	{ PAYLOAD(M("a", "{'type':'variable-length-signed-integer',"
			 "'mappings':{'m':[[0,@9223372036854775808]]}}")),
		"an integer range of a signed field: 9223372036854775808 is greater" },
	{ PAYLOAD(M("a", "@{'type':'fixed-length-unsigned-enumeration','length':8,"
			 "'byte-order':'big-endian'}")),
		"enumeration field class: the property `mappings` is missing or empty" },
	{ PAYLOAD(M("a", "{'type':'null-terminated-string','encoding':@'latin-1'}")),
		"property `encoding`: expected \"utf-8\"" },
	{ PAYLOAD("@{'field-class':" NUL "}"),
		"structure member class: the property `name` is missing" },
	{ PAYLOAD(M("a", "{'type':'null-terminated-string',@'roles':[]}")),
		"null-terminated-string has no property `roles`" },
	{ PAYLOAD(M("a", TEXT_BY("{'path':[@'b']}"))), "there is no field `b`" },
	{ PAYLOAD(M("a", TEXT_BY("{'path':[@'b']}")) "," M("b", U("8"))),
		"the field `b` comes later than the field that needs it" },
	{ PAYLOAD(M("a", TEXT_BY("{'path':[@'a']}"))), "a field cannot refer to itself" },
	{ PAYLOAD(M("b", S("8")) "," M("a", TEXT_BY("{'path':[@'b']}"))),
		"a length must be an unsigned integer field" },
	{ PAYLOAD(M("b", STRUCT("")) "," M("a", TEXT_BY("@{'path':['b']}"))),
		"the location ends at a structure" },
	{ PAYLOAD(M("b", U("8")) "," M("a", TEXT_BY("{'path':['b',@'c']}"))),
		"the field before this is no structure" },
	{ PAYLOAD(M("a", TEXT_BY("{'path':@[]}"))),
		"the path of a field location must end with a name" },
	{ PAYLOAD(M("a", TEXT_BY("{'path':@['a',null]}"))),
		"the path of a field location must end with a name" },
	{ PAYLOAD(M("b", U("8")) "," M("a", TEXT_BY("@{'path':[null,'b']}"))),
		"the root of a scope has no parent" },
	{ PAYLOAD(M("a", TEXT_BY("{'origin':'event-record-payload','path':[@null,'b']}"))),
		"the root of a scope has no parent" },
	{ PAYLOAD(M("a", TEXT_BY("{'origin':@'payload','path':['b']}"))),
		"property `origin`: expected \"packet-header\"" },
	{ PAYLOAD(M("a", TEXT_BY("@{'origin':'packet-context','path':['b']}"))),
		"the location is in a scope that this event or packet has not" },
	{ PRE "{'type':'data-stream-class','packet-context-field-class':" STRUCT(
		  M("a", TEXT_BY("@{'origin':'event-record-payload','path':['b']}"))) "}",
		"the location is in a scope that comes later (in the packet context of the data "
		"stream class, at `a`)" },
	{ PAYLOAD(M(
		  "arr", "{'type':'static-length-array','length':2,'element-field-class':" STRUCT(
				 M("n", U("8"))) "}") "," M("a", TEXT_BY("{'path':[@'arr','n']}"))),
		"an element of an array cannot be reached from outside of it" },
	{ PAYLOAD(M("b", BOOL) "," M("o", "{'type':'optional','selector-field-location':"
					  "{'path':['b']},'field-class':" U("8") "}") "," M("a",
		  TEXT_BY("{'path':[@'o']}"))),
		"an optional field cannot be reached from outside of it" },
	{ PAYLOAD(M("t", U("8")) "," M("v",
		  VARIANT("{'path':['t']}", OPTION("[[0,0]]", STRUCT(M("n", U("8")))) "," OPTION(
						    "[[1,1]]", STRUCT(M("m", U("8")))))) "," M("a",
		  TEXT_BY("{'path':['v',@'n']}"))),
		"there is no field `n`" },
	{ PAYLOAD(M("b", U("8")) "," M("o", "@{'type':'optional','selector-field-location':"
					    "{'path':['b']},'field-class':" NUL "}")),
		"optional field class: the selector is an integer field, so the property "
		"`selector-field-ranges` is needed" },
	{ PAYLOAD(M("b", BOOL) "," M("o",
		  "{'type':'optional','selector-field-location':"
		  "{'path':['b']},'selector-field-ranges':@[[1,1]],'field-class':" NUL "}")),
		"property `selector-field-ranges`: the selector is a boolean field" },
	{ PAYLOAD(M("t", BOOL) "," M("v", VARIANT("{'path':[@'t']}", OPTION("[[0,0]]", NUL)))),
		"the selector of a variant must be an integer field" },
	{ PAYLOAD(M("t", U("8")) "," M(
		  "v", VARIANT("{'path':['t']}",
			       OPTION("[[0,9]]", NUL) ",@" OPTION("[[20,30],[9,9]]", NUL)))),
		"options 1 and 2 of the variant have overlapping selector ranges" },
	{ PAYLOAD(M("t", S("8")) "," M("v",
		  VARIANT("{'path':['t']}", OPTION("[[5,9]]", NUL) ",@" OPTION("[[-5,5]]", NUL)))),
		"options 1 and 2 of the variant have overlapping selector ranges" },
	{ PAYLOAD(M("t", U("8")) "," M("v", "{'type':'variant','selector-field-location':"
					    "{'path':['t']},'options':@[]}")),
		"property `options`: expected at least one option" },
	{ PRE "{'type':'trace-class','packet-header-field-class':" STRUCT(
		  M("x", U("8")) "," M("m", ROLE("32", "@'packet-magic-number'"))) "}",
		"a field with the role \"packet-magic-number\" must be the first member of the "
		"packet "
		"header (in the packet header of the trace class, at `m`)" },
	{ PRE "{'type':'trace-class','packet-header-field-class':" STRUCT(
		  M("m", ROLE("16", "@'packet-magic-number'"))) "}",
		"a field with the role \"packet-magic-number\" must be a fixed-length unsigned "
		"integer of 32 bits" },
	{ PRE "{'type':'trace-class','packet-header-field-class':" STRUCT(
		  M("u", "{'type':'static-length-blob','length':15,"
			 "'roles':[@'metadata-stream-uuid']}")) "}",
		"a field with the role \"metadata-stream-uuid\" must be a static-length blob" },
	{ PRE "{'type':'trace-class','packet-header-field-class':" STRUCT(
		  M("u", "{'type':'static-length-blob','length':16,"
			 "'roles':[@'metadata-stream-uuid']}")) "}",
		"a field with the role \"metadata-stream-uuid\" must be in a trace whose preamble "
		"has" },
	{ PRE "{'type':'data-stream-class','packet-context-field-class':" STRUCT(
		  M("t", ROLE("16", "@'default-clock-timestamp'"))) "}",
		"the role \"default-clock-timestamp\" needs a data stream class with a default "
		"clock" },
};

/* The text of the error: place, message, the line, and a caret under the very character. */
static void check_error(const struct parsed *p, const char *message)
{
	size_t line = 1, bol = 0;
	char head[64];
	for (size_t i = 0; i < p->at; i++)
		if (p->text[i] == '\n') {
			line++;
			bol = i + 1;
		}
	int n = snprintf(head, sizeof(head), "m:%zu:%zu: ", line, p->at - bol + 1);
	if (strncmp(p->err.text, head, (size_t)n) != 0 ||
		strncmp(p->err.text + n, message, strlen(message)) != 0)
		fail_msg("expected %s%s\nfound %s", head, message, p->err.text);
	const char *source = strchr(p->err.text, '\n');
	assert_non_null(source);
	const char *caret = strchr(++source, '\n');
	assert_non_null(caret);
	size_t column = strspn(++caret, " ");
	assert_string_equal(caret + column, "^");
	if (p->at < p->len && (unsigned char)p->text[p->at] > 0x20)
		assert_int_equal(source[column], p->text[p->at]);
}

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct parsed p;
		parse(&p, refused[i].text);
		if (p.rc == 0)
			fail_msg("accepted: %s", refused[i].text);
		assert_true(p.rc == MER_ERR_INPUT || p.rc == MER_ERR_LIMIT);
		assert_int_equal(p.rc, p.err.code);
		check_error(&p, refused[i].message);
		fini(&p);
	}
}

/* Not right, but it can be read. */
static void test_survived(void **state)
{
	(void)state;
	struct parsed p;
	parse_ok(&p,
		PAYLOAD(M("a", U("8")) "," M("a", U("16")) "," M("s", TEXT_BY("{'path':['a']}"))));
	assert_int_equal(p.diags.n, 1);
	assert_string_equal(p.diags.rows[0].code, "duplicate-field");
	assert_string_equal(p.diags.rows[0].path, "m");
	assert_int_equal(payload(&p)->u.record.fields[0].reg, 1);
	assert_int_equal(payload(&p)->u.record.fields[1].reg, CTF_NO_REG);
	fini(&p);
	/* Somebody's additions, on which the layout does not depend. */
	parse_ok(&p, PRE
		"{'type':'trace-class','x-color':'red'}" DSC
		"{'type':'event-record-class','my-note':{'a':[1]},'payload-field-class':"
		"{'type':'structure','member-classes':[{'name':'a','unit':'ns','field-class':"
		"{'type':'static-length-string','length':6,'encoding':'utf-32be','tint':1}}]}}");
	assert_int_equal(p.diags.n, 4);
	for (size_t i = 0; i < p.diags.n; i++)
		assert_string_equal(p.diags.rows[i].code, "unknown-property");
	assert_int_equal(payload(&p)->u.record.fields[0].fc->u.text.len_bytes, 6);
	fini(&p);
	/* Null for an object without members. */
	parse_ok(&p, PRE "{'type':'trace-class','extensions':{'a':{}},'environment':null}\n");
	assert_int_equal(p.diags.n, 0);
	fini(&p);
}

/* Names that stand for twice as much at every step must not take long, nor much memory. */
static void test_alias_bomb(void **state)
{
	(void)state;
	struct {
		char text[16384];
		size_t n;
	} s = { .n = 0 };
	s.n += (size_t)snprintf(s.text, sizeof(s.text),
		PRE "{'type':'field-class-alias','name':'a0','field-class':" NUL "}");
	for (int i = 1; i < 60; i++)
		s.n += (size_t)snprintf(s.text + s.n, sizeof(s.text) - s.n,
			"{'type':'field-class-alias','name':'a%d','field-class':" STRUCT(
				M("x", "'a%d'") "," M("y", "'a%d'")) "}",
			i, i - 1, i - 1);
	assert_true(s.n < sizeof(s.text));
	struct parsed p;
	parse(&p, s.text);
	assert_int_equal(p.rc, MER_ERR_LIMIT);
	fini(&p);
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	if (f && fseek(f, 0, SEEK_END) == 0) {
		*len = (size_t)ftell(f);
		rewind(f);
		data = malloc(*len ? *len : 1);
		if (data && fread(data, 1, *len, f) != *len)
			*len = 0;
	}
	if (f)
		fclose(f);
	return data;
}

/* The cases of the public suite whose metadata itself is wrong. */
static bool must_fail(const char *name)
{
	static const char *const names[] = { "optional_int_no_sel_rng_nok",
		"static_len_arr_fld_loc_nok", "variant_future_selector_nok" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* All plain text metadata of the folder whose name begins with prefix; their number. */
static unsigned run_folder(const char *folder, const char *prefix)
{
	unsigned n = 0;
	DIR *dir = opendir(folder);
	if (!dir)
		return 0;
	for (struct dirent *d; (d = readdir(dir));) {
		char path[1024];
		struct parsed p = { 0 };
		size_t len = 0;
		snprintf(path, sizeof(path), "%s/%s/metadata", folder, d->d_name);
		if (d->d_name[0] == '.' || strncmp(d->d_name, prefix, strlen(prefix)) != 0)
			continue;
		p.text = read_file(path, &len);
		if (!p.text || len < 2 || p.text[0] == 'u' || p.text[0] == 'W') { /* in packets */
			free(p.text);
			continue;
		}
		parse_bytes(&p, p.text, len);
		if ((p.rc != 0) != must_fail(d->d_name))
			fail_msg("%s: %s", path, p.rc ? p.err.text : "accepted");
		fini(&p);
		n++;
	}
	closedir(dir);
	return n;
}

static void test_public_metadata(void **state)
{
	(void)state;
	unsigned n = run_folder("../shared/cases/ctf2", "");
	n += run_folder("../shared/traces/public", "CTF2-");
	print_message("%u public metadata files\n", n);
	if (n == 0) {
		print_message("skipped: there is no cases/ctf2\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_separators),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_text_and_compounds),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_shared_registers),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_older_dialect),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_survived),
		cmocka_unit_test(test_alias_bomb),
		cmocka_unit_test(test_public_metadata),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
