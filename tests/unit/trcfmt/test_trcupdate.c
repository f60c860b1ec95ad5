/* SPDX-License-Identifier: MIT */
/*
 * Changes to template files, and what undoes them. What is expected follows AIX trace
 * reference 4.2 and 3 (6).
 */
#include "test_help.h"

#include "polytrace/templates.h"

enum { PLAIN, ANY_VERSION, LATER };

static enum poly_status
update_text(const char *master, const char *changes, int how, struct poly_updated **updated,
	struct poly_error *error)
{
	struct poly_update update = POLY_UPDATE_INIT;
	update.master = master;
	update.master_size = strlen(master);
	update.changes = changes;
	update.changes_size = strlen(changes);
	update.any_version = how == ANY_VERSION;
	update.later = how == LATER;
	return poly_templates_update(&update, updated, error);
}

/* Makes changes that are right. */
static struct poly_updated *
change(const char *master, const char *changes, int how)
{
	struct poly_updated *updated;
	struct poly_error error;
	if (update_text(master, changes, how, &updated, &error) != POLY_OK)
		fail_msg("%s: line %llu: %s", changes, (unsigned long long)error.line,
			error.message);
	return updated;
}

static const char *
text_of(const struct poly_updated *updated)
{
	size_t n;
	const char *text = poly_updated_text(updated, &n);
	assert_int_equal(strlen(text), n);
	return text;
}

static const char *
undo_of(const struct poly_updated *updated)
{
	size_t n;
	const char *text = poly_updated_undo(updated, &n);
	assert_int_equal(strlen(text), n);
	return text;
}

static const struct {
	const char *master, *changes;
	int how;
	const char *text;
	const char *steps; /* a letter for each: Added, Replaced, Kept, Deleted, aBsent */
} updates[] = {
	/* The example of AIX trace reference 4.2. */
	{"010 1.0\n1B3 1.0 X2\n", "* /etc/trcfmt\n+ 15A 1.0 new_fmt\n- 1B3\n- A14\n", PLAIN,
		"010 1.0\n15A 1.0 new_fmt\n", "ADB"},
	/* The version decides. */
	{"010 1.5 \"old\"\n", "* /etc/trcfmt\n+ 010 1.5 \"new\"\n", PLAIN, "010 1.5 \"new\"\n",
		"R"},
	{"010 1.5 \"old\"\n", "* /etc/trcfmt\n+ 010 1.5 \"new\"\n", LATER, "010 1.5 \"old\"\n",
		"K"},
	{"010 1.5 \"old\"\n", "* /etc/trcfmt\n+ 010 1.6 \"new\"\n", LATER, "010 1.6 \"new\"\n",
		"R"},
	{"010 1.5 \"old\"\n", "* /etc/trcfmt\n+ 010 1.4 \"new\"\n", PLAIN, "010 1.5 \"old\"\n",
		"K"},
	{"010 1.5 \"old\"\n", "* /etc/trcfmt\n+ 010 1.10 \"new\"\n", PLAIN,
		"010 1.10 \"new\"\n", "R"},
	{"010 2.0 \"old\"\n", "* /etc/trcfmt\n+ 010 1.9 \"new\"\n", PLAIN, "010 2.0 \"old\"\n",
		"K"},
	{"010 2.0 \"old\"\n", "* /etc/trcfmt\n+ 010 1.9 \"new\"\n", ANY_VERSION,
		"010 1.9 \"new\"\n", "R"},
	/* 15A is 15A0. */
	{"15A0 1.0 \"old\"\n", "* /etc/trcfmt\n+15A 1.0 \"new\"\n", PLAIN, "15A 1.0 \"new\"\n",
		"R"},
	{"15A 1.0\n15A2 1.0\n", "* /etc/trcfmt\n- 15A0\n", PLAIN, "15A2 1.0\n", "D"},
	/* Versions of what is deleted. */
	{"010 1.0\n", "* /etc/trcfmt\n- 010 2.0 3.1\n", PLAIN, "010 1.0\n", "B"},
	{"010 1.0\n", "* /etc/trcfmt\n- 010 2.0 1.0\n", PLAIN, "", "D"},
	{"010 1.0\n# c\n010 2.0\n010 1.0\n", "* /etc/trcfmt\n-\t010 1.0\n", PLAIN,
		"# c\n010 2.0\n", "DD"},
	{"010 1.0\n010 2.0\n", "* /etc/trcfmt\n- 010\n", PLAIN, "", "DD"},
	/* In order. */
	{"", "* /etc/trcfmt\n+ 010 1.0\n- 010\n+ 010 0.1 \"x\"\n", PLAIN, "010 0.1 \"x\"\n",
		"ADA"},
	/* What stands around stays as it is; a template may have several lines. */
	{"# a\n\n010 1.0 \\\n  X2\n# b\n020 1.0",
		"* /etc/trcfmt\n\n# c\n+ 010 1.0 X4 \\\n  X6\n", PLAIN,
		"# a\n\n010 1.0 X4 \\\n  X6\n# b\n020 1.0", "R"},
	{"010 1.0\n# a\n010 1.0\n", "* /etc/trcfmt\n* /etc/trcfmt line 3\n- 010 1.0\n", PLAIN,
		"010 1.0\n# a\n", "D"},
	{"010 1.0\n010 1.0\n", "* /etc/trcfmt\n* /etc/trcfmt line 2\n- 010 1.0\n", PLAIN,
		"010 1.0\n", "D"},
	{"010 1.0\n", "* /etc/trcfmt\n* /etc/trcfmt line 1\n+ 010 1.0\n", PLAIN,
		"010 1.0\n010 1.0\n", "A"},
	{"010 1.0", "* /etc/trcfmt\n+ 020 1.0\n- 010\n- 020\n", PLAIN, "", "ADD"},
	{"", "* /etc/trcfmt\n+ 020 1.0", PLAIN, "020 1.0\n", "A"},
	{"010 1.0\n\n020 1.0", "* /etc/trcfmt\n- 020\n", PLAIN, "010 1.0\n\n", "D"},
	{"010 1.0\n", "* /etc/trcfmt\n* /etc/trcfmt ends without a new line\n", PLAIN,
		"010 1.0", ""},
	/* Without a new line at the end it stays without one. */
	{"010 1.0\n# end", "* /etc/trcfmt\n+ 020 1.0 X2", PLAIN, "010 1.0\n# end\n020 1.0 X2",
		"A"},
	{"010 1.0\r\n", "* /etc/trcfmt\r\n+ 020 1.0\r\n", PLAIN, "010 1.0\r\n020 1.0\r\n", "A"},
	/* Invalid templates match no hook, and stay. */
	{"01 1.0\n010 1\nnonsense \"\n", "* /etc/trcfmt\n+ 010 1.0\n", PLAIN,
		"01 1.0\n010 1\nnonsense \"\n010 1.0\n", "A"},
	/* Of several the last one counts. */
	{"010 3.0\n010 1.0\n", "* /etc/trcfmt\n+ 010 2.0\n", PLAIN, "010 3.0\n010 2.0\n", "R"},
	/* A line may be requested. */
	{"010 1.0\n# a\n# b\n020 1.0\n", "* /etc/trcfmt\n* /etc/trcfmt line 3\n+ 010 0.1\n",
		PLAIN, "010 1.0\n# a\n010 0.1\n# b\n020 1.0\n", "A"},
	{"010 1.0\n", "* /etc/trcfmt\n", PLAIN, "010 1.0\n", ""},
};

static void
check_steps(const struct poly_updated *updated, const char *expected)
{
	struct poly_update_step step;
	char steps[20] = "";
	for (size_t i = 0; poly_updated_step(updated, i, &step); i++)
		steps[i] = "ARKDB"[step.action];
	assert_string_equal(steps, expected);
}

static void
changes_are_applied_in_order_and_undone_byte_for_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
		struct poly_updated *updated =
			change(updates[i].master, updates[i].changes, updates[i].how);
		assert_string_equal(text_of(updated), updates[i].text);
		check_steps(updated, updates[i].steps);
		struct poly_updated *undone =
			change(text_of(updated), undo_of(updated), ANY_VERSION);
		assert_string_equal(text_of(undone), updates[i].master);
		struct poly_updated *redone =
			change(text_of(undone), undo_of(undone), ANY_VERSION);
		assert_string_equal(text_of(redone), updates[i].text);
		poly_updated_free(redone);
		poly_updated_free(undone);
		poly_updated_free(updated);
	}
}

static void
undoing_is_written_as_changes(void **state)
{
	(void)state;
	struct poly_updated *updated = change("# a\n010 1.0 \\\n \"x\"\n020 1.0\n0302 1.0\n",
		"* /etc/trcfmt\n- 010\n+ 020 1.1\n+ 1342 1.0\n", PLAIN);
	assert_string_equal(undo_of(updated), "* /etc/trcfmt\n"
					      "- 1342 1.0\n"
					      "+ 020 1.0\n"
					      "* /etc/trcfmt line 2\n"
					      "+ 010 1.0 \\\n \"x\"\n");
	poly_updated_free(updated);
}

static void
steps_have_hook_and_line(void **state)
{
	(void)state;
	struct poly_update_step step;
	struct poly_updated *updated =
		change("", "* /etc/trcfmt\n# c\n+ \\\n 1342 1.0\n- 15A\n", PLAIN);
	assert_true(poly_updated_step(updated, 0, &step));
	assert_int_equal(step.hook, 0x1342);
	assert_int_equal(step.line, 4);
	assert_true(poly_updated_step(updated, 1, &step));
	assert_int_equal(step.hook, 0x15a0);
	assert_int_equal(step.line, 5);
	assert_false(poly_updated_step(updated, 2, &step));
	poly_updated_free(updated);
}

/* Changes that are wrong, and what is found first. */
static const struct {
	const char *changes;
	uint64_t line;
	const char *message;
} faults[] = {
	{"", 1, "the first line is not '* /etc/trcfmt'"},
	{"# /etc/trcfmt\n+ 010 1.0\n", 1, "the first line is not"},
	{" * /etc/trcfmt\n", 1, "the first line is not"},
	{"* /etc/trcfmt2\n", 1, "the first line is not"},
	{"+ 010 1.0\n", 1, "the first line is not"},
	{"* /etc/trcfmt\n= 010 1.0\n", 2, "expected '+' or '-'"},
	{"* /etc/trcfmt\n010 1.0\n", 2, "expected '+' or '-'"},
	{"* /etc/trcfmt\n+ 010 1.0\n+\n", 3, "'' is not a hook id"},
	{"* /etc/trcfmt\n+ 010 1.0 \\\n  Q4\n", 3, "unknown format code 'Q4'"},
	{"* /etc/trcfmt\n- 01\n", 2, "'01' is not a hook id"},
	{"* /etc/trcfmt\n- 010 1\n", 2, "expected a version"},
	{"* /etc/trcfmt\n- 010 1.0 x\n", 2, "expected a version"},
	{"* /etc/trcfmt\n+ 010 1.0 \\\n", 2, "the file ends after '\\'"},
};

static void
invalid_changes_change_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct poly_updated *updated;
		struct poly_error error;
		assert_int_equal(
			update_text("010 1.0\n", faults[i].changes, PLAIN, &updated, &error),
			POLY_ERR_FORMAT);
		assert_null(updated);
		assert_int_equal(error.line, faults[i].line);
		if (!strstr(error.message, faults[i].message))
			fail_msg("%s: %s", faults[i].changes, error.message);
	}
}

static void
take_finding(void *user, const struct poly_template_finding *finding)
{
	buf_printf(user, "%s %llu:%llu\n", finding->rule->code,
		(unsigned long long)finding->line, (unsigned long long)finding->column);
}

static void
every_error_is_reported_with_its_position(void **state)
{
	(void)state;
	static const char changes[] = "* /etc/trcfmt\n+ 005 1.0 X\n= 010\n+ 010 1.0 frob\n"
				      "+ 010 1.0 X2,\n";
	struct buf found = {0};
	struct poly_update update = POLY_UPDATE_INIT;
	struct poly_updated *updated;
	update.master = "";
	update.changes = changes;
	update.changes_size = sizeof changes - 1;
	update.found = take_finding;
	update.user = &found;
	assert_int_equal(poly_templates_update(&update, &updated, NULL), POLY_ERR_FORMAT);
	assert_string_equal(
		buf_text(&found), "T12 2:3\nT04 2:11\nT14 3:1\nT11 4:11\nT07 5:14\n");
	buf_free(&found);
}

static void
a_master_with_trailing_text_is_rejected(void **state)
{
	(void)state;
	struct poly_updated *updated;
	struct poly_error error;
	assert_int_equal(update_text("010 1.0 \\\n", "* /etc/trcfmt\n+ 020 1.0\n", PLAIN,
				 &updated, &error),
		POLY_ERR_FORMAT);
	assert_int_equal(error.line, 0);
	struct poly_update update = {0};
	assert_int_equal(poly_templates_update(&update, &updated, &error), POLY_ERR_USAGE);
	poly_updated_free(NULL);
}

/* ---- at random, against a model that knows nothing of files ---- */

static uint32_t
draw(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

enum { HOOKS = 5 };

/* The version of the only template of each hook; -1: none. */
struct model {
	int version[HOOKS];
};

static const char *const bodies[] = {
	"", " X2", " \\\n\tL=KERN \"a\"", " \"x\\\"\" \\\n# c\n \\n"};
static const char *const gaps[] = {"# c\n", "\n", "* /etc/trcfmt line 2\n", " \t\n"};

static void
put_template(struct buf *to, uint32_t hook, int version, uint32_t *seed)
{
	buf_printf(to, "%s%x 1.%d%s\n", draw(seed, 2) ? "" : " ", hook + 0x101, version,
		bodies[draw(seed, 4)]);
}

static void
make_master(struct buf *to, struct model *model, uint32_t *seed)
{
	for (uint32_t hook = 0; hook < HOOKS; hook++) {
		model->version[hook] = -1;
		while (draw(seed, 2))
			buf_string(to, gaps[draw(seed, 4)]);
		if (draw(seed, 3)) {
			model->version[hook] = (int)draw(seed, 4);
			put_template(to, hook, model->version[hook], seed);
		}
	}
	if (draw(seed, 2))
		buf_string(to, draw(seed, 2) ? "# end" : "# end\n");
	else if (to->size && draw(seed, 2))
		to->size--;
}

static void
make_changes(struct buf *to, struct model *model, uint32_t *seed)
{
	buf_string(to, "* /etc/trcfmt\n");
	for (uint32_t n = draw(seed, 8); n > 0; n--) {
		uint32_t hook = draw(seed, HOOKS);
		int version = (int)draw(seed, 4), *held = &model->version[hook];
		buf_string(to, draw(seed, 2) ? "#\n" : "");
		switch (draw(seed, 3)) {
		case 0:
			buf_printf(to, "- %X0\n", hook + 0x101);
			*held = -1;
			break;
		case 1:
			buf_printf(to, "- %x 2.0 1.%d\n", hook + 0x101, version);
			*held = *held == version ? -1 : *held;
			break;
		default:
			buf_string(to, "+ ");
			put_template(to, hook, version, seed);
			*held = version >= *held ? version : *held;
			break;
		}
	}
}

static void
check_model(const char *text, const struct model *model)
{
	struct poly_templates *templates;
	struct poly_template_info info;
	size_t i = 0;
	assert_int_equal(
		poly_templates_parse(text, strlen(text), NULL, &templates, NULL), POLY_OK);
	for (uint32_t hook = 0; hook < HOOKS; hook++) {
		if (model->version[hook] < 0)
			continue;
		assert_true(poly_template_at(templates, i++, &info));
		assert_int_equal(info.hook, (hook + 0x101) << 4);
		assert_int_equal(info.release, model->version[hook]);
	}
	assert_false(poly_template_at(templates, i, &info));
	poly_templates_free(templates);
}

static void
any_changes_are_those_of_a_model_and_can_be_undone(void **state)
{
	(void)state;
	uint32_t seed = 1;
	for (int round = 0; round < 3000; round++) {
		struct buf master = {0}, changes = {0};
		struct model model;
		make_master(&master, &model, &seed);
		check_model(buf_text(&master), &model);
		make_changes(&changes, &model, &seed);
		struct poly_updated *updated =
			change(buf_text(&master), buf_text(&changes), PLAIN);
		check_model(text_of(updated), &model);
		struct poly_updated *undone =
			change(text_of(updated), undo_of(updated), ANY_VERSION);
		assert_string_equal(text_of(undone), buf_text(&master));
		poly_updated_free(undone);
		poly_updated_free(updated);
		buf_free(&master);
		buf_free(&changes);
	}
}

static void
many_changes_end_in_time(void **state)
{
	(void)state;
	struct buf master = {0}, changes = {0};
	struct poly_updated *updated;
	struct poly_error error;
	for (int i = 0; i < 60000; i++)
		buf_printf(&master, "#\n%04x 1.0\n", 0x1000 + i % 0xe000);
	buf_string(&changes, "* /etc/trcfmt\n");
	for (int i = 0; i < 4000; i++)
		buf_string(&changes, "- 010\n+ 010 1.0\n");
	assert_int_equal(
		update_text(buf_text(&master), buf_text(&changes), PLAIN, &updated, &error),
		POLY_OK);
	poly_updated_free(updated);
	for (int i = 0; i < 200; i++)
		buf_string(&changes, "- 010\n+ 010 1.0\n");
	assert_int_equal(
		update_text(buf_text(&master), buf_text(&changes), PLAIN, &updated, &error),
		POLY_ERR_LIMIT);
	for (int i = 0; i < 6000; i++)
		buf_string(&master, "#\n3000 1.0\n");
	assert_int_equal(
		update_text(buf_text(&master), "* /etc/trcfmt\n", PLAIN, &updated, &error),
		POLY_ERR_LIMIT);
	buf_free(&master);
	buf_free(&changes);
}

static void
truncated_changes_are_survived(void **state)
{
	(void)state;
	static const char changes[] =
		"* /etc/trcfmt\n* /etc/trcfmt line 2\n+ 134 1.0 L=KERN \\\n"
		"\"a\" X2, 1 { X4 }\n- 010 1.0\n- 010\n";
	static const char master[] = "# c\n010 1.0 \\\n X2\n134 0.9\n";
	for (size_t n = 0; n < sizeof changes; n++)
		for (size_t m = 0; m < sizeof master; m++) {
			if (!sample_takes())
				continue;
			struct poly_update update = POLY_UPDATE_INIT;
			struct poly_updated *updated;
			char *text = malloc(n + m + 1);
			memcpy(text, changes, n);
			memcpy(text + n, master, m);
			update.changes = text;
			update.changes_size = n;
			update.master = text + n;
			update.master_size = m;
			enum poly_status status =
				poly_templates_update(&update, &updated, NULL);
			assert_int_equal(status == POLY_OK, updated != NULL);
			poly_updated_free(updated);
			free(text);
		}
}

static enum poly_status
update_first(void *context)
{
	struct poly_updated *updated;
	struct poly_error error;
	(void)context;
	const enum poly_status status =
		update_text(updates[0].master, updates[0].changes, PLAIN, &updated, &error);
	assert_int_equal(updated != NULL, status == POLY_OK);
	poly_updated_free(updated);
	return status;
}

static void
memory_may_fail_anywhere(void **state)
{
	(void)state;
	law_memory_as(&(struct memory_law){.run = update_first, .is_sampled = true});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_applied_in_order_and_undone_byte_for_byte),
		cmocka_unit_test(undoing_is_written_as_changes),
		cmocka_unit_test(steps_have_hook_and_line),
		cmocka_unit_test(invalid_changes_change_nothing),
		cmocka_unit_test(every_error_is_reported_with_its_position),
		cmocka_unit_test(a_master_with_trailing_text_is_rejected),
		cmocka_unit_test(any_changes_are_those_of_a_model_and_can_be_undone),
		cmocka_unit_test(many_changes_end_in_time),
		cmocka_unit_test(truncated_changes_are_survived),
		cmocka_unit_test(memory_may_fail_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
