/* SPDX-License-Identifier: MIT */
/*
 * Template files: parsing of every part of the language, and the finding for every error. The
 * expected results are written by hand from IBM, trcfmt File Format and AIX
 * trace reference 3 and 4.1.
 */
#include "test_help.h"

#include "polytrace/templates.h"

#include "lang/caret.h"
#include "trcfmt/lang/program.h"
#include "trcfmt/lang/text.h"

static const char *const builtins[] = {
#define BUILTIN(name, spelling, least, max, section, test) spelling,
#include "trcfmt/lang/directives.def"
};

/* ---- what was parsed, as text ---- */

static void
show_code(struct buf *to, const struct format_code *code)
{
	static const char *const letters[] = {
		"A", "B", "X", "D", "U", "o", "F", "S", "T", "E", "P", "HT", "HB", "HD"};
	buf_string(to, letters[code->code]);
	if (code->word)
		buf_string(to, "W");
	else if (code->code == CODE_B)
		buf_printf(to, "%u", code->bits);
	else if (code->code < CODE_HT)
		buf_printf(to, "%u", code->size);
	if (code->sized)
		buf_printf(to, ".%u", code->columns);
}

static void
show_expr(struct buf *to, const struct poly_templates *templates, uint32_t i)
{
	static const char signs[] = "+-*/&.";
	const struct template_expr *expr = &templates->exprs[i];
	switch (expr->op) {
	case EXPR_NUMBER: buf_printf(to, "%llu", (unsigned long long)expr->number); return;
	case EXPR_CODE: show_code(to, &expr->code); return;
	case EXPR_MACRO:
	case EXPR_CAST:
		buf_printf(to, "$%s", intern_text(&templates->macros, expr->macro));
		if (expr->op == EXPR_CAST) {
			buf_string(to, "%");
			show_code(to, &expr->code);
		}
		return;
	default:
		buf_string(to, "(");
		show_expr(to, templates, expr->left);
		buf_byte(to, (uint8_t)signs[expr->op - EXPR_ADD]);
		show_expr(to, templates, expr->right);
		buf_string(to, ")");
	}
}

static void
show_text(struct buf *to, const struct poly_templates *templates,
	const struct template_item *item)
{
	buf_string(to, item->label ? "label \"" : "\"");
	buf_append(to, templates->texts.data + item->text, item->length);
	buf_string(to, "\"");
}

static void
show_case(struct buf *to, const struct poly_templates *templates,
	const struct template_item *item)
{
	buf_string(to, "case ");
	if (item->match == MATCH_NUMBER)
		buf_printf(to, "%lld", (long long)item->number);
	else if (item->match == MATCH_TEXT)
		show_text(to, templates, item);
	else
		buf_string(to, "*");
	buf_string(to, item->direct ? "=" : "");
}

static void
show_call(struct buf *to, const struct poly_templates *templates,
	const struct template_item *item)
{
	buf_string(to, item->number == BUILTIN_UNKNOWN ? "?" : builtins[item->number]);
	buf_string(to, "(");
	for (unsigned i = 0; i < item->arguments; i++) {
		buf_string(to, i ? "," : "");
		show_expr(to, templates, templates->arguments[item->first_argument + i]);
	}
	buf_string(to, ")");
}

static void
show_head(struct buf *to, const struct poly_templates *templates,
	const struct template_item *item)
{
	unsigned long long number = item->number;
	switch (item->item) {
	case ITEM_TEXT: show_text(to, templates, item); break;
	case ITEM_NEWLINE: buf_string(to, "newline"); break;
	case ITEM_TAB: buf_string(to, "tab"); break;
	case ITEM_GO: buf_printf(to, "go %llu", number); break;
	case ITEM_ADVANCE: buf_printf(to, "advance %llu", number); break;
	case ITEM_BACK: buf_printf(to, "back %llu", number); break;
	case ITEM_WORD: buf_printf(to, "word %llu", number); break;
	case ITEM_CODE: show_code(to, &item->code); break;
	case ITEM_VALUE: show_expr(to, templates, item->expr); break;
	case ITEM_SWITCH:
		buf_string(to, "switch ");
		show_expr(to, templates, item->expr);
		break;
	case ITEM_CASE: show_case(to, templates, item); break;
	case ITEM_LOOP:
		buf_string(to, "loop ");
		show_expr(to, templates, item->expr);
		break;
	case ITEM_ASSIGN:
		buf_printf(to, "$%s=", intern_text(&templates->macros, item->macro));
		show_expr(to, templates, item->expr);
		break;
	case ITEM_CALL: show_call(to, templates, item); break;
	case ITEM_LEVEL: buf_printf(to, "level %llu", number); break;
	default: buf_string(to, "!"); break;
	}
}

/* Prints the items from first up to end, separated by blanks; those of an item follow in
 * braces. */
static void
show_items(struct buf *to, const struct poly_templates *templates, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i = templates->items[i].end) {
		const struct template_item *item = &templates->items[i];
		bool opens = item->item == ITEM_SWITCH || item->item == ITEM_LOOP ||
			     (item->item == ITEM_CASE && !item->direct);
		assert_true(item->end > i && item->end <= end);
		buf_string(to, i > first ? " " : "");
		show_head(to, templates, item);
		buf_string(to, opens ? "{" : "");
		show_items(to, templates, i + 1, item->end);
		buf_string(to, opens ? "}" : "");
	}
}

/* ---- findings ---- */

/* The findings, one line each: rule, line:column, hook. */
struct found {
	struct buf list, messages;
};

static void
take_finding(void *user, const struct poly_template_finding *finding)
{
	struct found *found = user;
	buf_printf(&found->list, "%s %llu:%llu %04x\n", finding->rule->code,
		(unsigned long long)finding->line, (unsigned long long)finding->column,
		finding->hook);
	buf_printf(&found->messages, "%s\n", finding->message);
}

static void
free_found(struct found *found)
{
	buf_free(&found->list);
	buf_free(&found->messages);
}

static enum poly_status
parse(const char *text, size_t n, struct found *found, struct poly_templates **templates)
{
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	options.found = take_finding;
	options.user = found;
	return poly_templates_parse(text, n, &options, templates, NULL);
}

/* ---- descriptors ---- */

struct pair {
	const char *descriptor, *expected;
};

/* Parses descriptors as those of hook 010 without a finding, and compares the result. */
static void
compare(const struct pair *pairs, size_t n, bool left_to_right)
{
	for (size_t i = 0; i < n; i++) {
		struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
		struct found found = {0};
		struct poly_templates *templates;
		struct poly_error error;
		struct buf text = {0}, shown = {0};
		options.left_to_right = left_to_right;
		options.found = take_finding;
		options.user = &found;
		buf_printf(&text, "010 1.0 %s\n", pairs[i].descriptor);
		if (poly_templates_parse(
			    buf_text(&text), text.size, &options, &templates, &error) < 0)
			fail_msg("%s: %s", pairs[i].descriptor, error.message);
		assert_int_equal(templates->count, 1);
		show_items(&shown, templates, templates->templates[0].first,
			templates->templates[0].end);
		assert_string_equal(buf_text(&found.messages), "");
		assert_string_equal(buf_text(&shown), pairs[i].expected);
		poly_templates_free(templates);
		free_found(&found);
		buf_free(&text);
		buf_free(&shown);
	}
}

#define COMPARE(pairs) compare(pairs, sizeof pairs / sizeof *pairs, false)

static void
the_published_stanza_is_parsed(void **state)
{
	(void)state;
	/* AIX, Examples of coding and formatting events. */
	static const struct pair pairs[] = {
		{"L=APPL \"USER EVENT - HKWD_USER1\" O2.0           \\n\\\n"
		 "              \"The # of loop iterations =\" U4           \\n\\\n"
		 "              \"The elapsed time of the last loop = \"    \\\n"
		 "              endtimer(0x010,0x010) starttimer(0x010,0x010)",
			"label \"USER EVENT - HKWD_USER1\" advance 16 newline "
			"\"The # of loop iterations =\" U4 newline "
			"\"The elapsed time of the last loop = \" endtimer(16,16) "
			"starttimer(16,16)"},
	};
	COMPARE(pairs);
}

static void
strings_may_hold_escapes_and_the_first_is_the_label(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"\"a  b\"\t\"c\"", "label \"a  b\" \"c\""},
		{"\"say \\\"x\\\" \\\\ \\q\"", "label \"say \"x\" \\ q\""},
		{"\"a\\nb\\tc\"", "label \"a\nb\tc\""},
		{"\"\"\"a\"", "label \"\" \"a\""},
		{"\"@hidden\" \"shown\"", "label \"@hidden\" \"shown\""},
		{"X2 \"no label\"", "X2 \"no label\""},
		{"L=KERN \"label\"", "label \"label\""},
		{"\"# no comment\" \"* nor this\"", "label \"# no comment\" \"* nor this\""},
		{"\"{{ $x , } LOOP\"", "label \"{{ $x , } LOOP\""},
		{"\"\xc3\xa4\x01\"", "label \"\xc3\xa4\x01\""},
	};
	COMPARE(pairs);
}

static void
lines_and_tabs_are_items(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"\\n\\t\\n", "newline tab newline"},
		{"\\nX2\\t\"a\"", "newline X2 tab \"a\""},
	};
	COMPARE(pairs);
}

static void
positions_are_bits(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"G0 G4 G2.3 G65535", "go 0 go 32 go 19 go 524280"},
		{"O2.0 O1 O0.4 O1.12", "advance 16 advance 8 advance 4 advance 20"},
		{"R4 R0", "back 32 back 0"},
		{"W1 W5", "word 1 word 5"},
	};
	COMPARE(pairs);
}

static void
codes_have_their_sizes(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"A8 A8.16 A0.5 A3.0", "A8 A8.16 A0.5 A3.0"},
		{"B2.3 B0.4 B1 B1.0 B0.19", "B19 B4 B8 B8 B19"},
		{"X0 X1 X16 XW", "X0 X1 X16 XW"},
		{"D2 D4 D8 DW U2 U4 U8 UW o2 o4 o8 oW", "D2 D4 D8 DW U2 U4 U8 UW o2 o4 o8 oW"},
		{"F4 F8 S1 S2 S4 SW T4 E1 E2 E4 EW P4 PW",
			"F4 F8 S1 S2 S4 SW T4 E1 E2 E4 EW P4 PW"},
		{"HT HB HD", "HT HB HD"},
	};
	COMPARE(pairs);
}

static void
macros_print_with_or_without_a_cast(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"$D1 $d1 $pid $LogID0 $LOGIDX0", "$D1 $D1 $PID $LOGID0 $LOGIDX0"},
		{"$D1%B2.3 $D1%D4 $HD%X2 $L1 % XW", "$D1%B19 $D1%D4 $HD%X2 $L1%XW"},
		{"{{ $Own = 1 }} $Own", "$Own=1 $Own"},
		{"{{ $d1 = 5 }} $D1", "$D1=5 $D1"},
		{"{{ $dog = 1 }} {{ $Dog = 2 }} $dog $Dog", "$dog=1 $Dog=2 $dog $Dog"},
		{"$BREAK $SKIP $STOP $DEFAULT $ERROR", "$BREAK $SKIP $STOP $DEFAULT $ERROR"},
	};
	COMPARE(pairs);
}

static void
operators_have_the_precedence_of_c(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"{{ $x = 1 + 2 * 3 }}", "$x=(1+(2*3))"},
		{"{{$x=1*2+3}}", "$x=((1*2)+3)"},
		{"{{ $x = 8 / 4 / 2 - 1 - 1 }}", "$x=((((8/4)/2)-1)-1)"},
		{"{{ $x = 1 & 2 + 3 & 4 }}", "$x=((1&(2+3))&4)"},
		{"{{ $x = (1 + 2) * ((3)) }}", "$x=((1+2)*3)"},
		{"{{ $x = 0x10 + 0xfF + 18446744073709551615 }}",
			"$x=((16+255)+18446744073709551615)"},
		{"{{ $x = X2 + $D1%D4 - B0.3 }}", "$x=((X2+$D1%D4)-B3)"},
		{"{{ $dog = 7 + 6 }} {{ $cat = $dog * 2 }} $dog $cat",
			"$dog=(7+6) $cat=($dog*2) $dog $cat"},
		{"{{ $BASEPOINTER = $DATAPOINTER }}", "$BASEPOINTER=$DATAPOINTER"},
		{"{{ $x = 2 \\\n - 1 }}", "$x=(2-1)"},
	};
	COMPARE(pairs);
}

static void
operators_may_go_from_left_to_right(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"{{ $x = 1 + 2 * 3 }}", "$x=((1+2)*3)"},
		{"{{ $x = 1 & 2 + 3 & 4 }}", "$x=(((1&2)+3)&4)"},
		{"{{ $x = 1 + (2 * 3 - 4) }}", "$x=(1+((2*3)-4))"},
	};
	compare(pairs, sizeof pairs / sizeof *pairs, true);
}

static void
switches_hold_cases_of_strings_and_braces(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"X2, 0001 \"one\", 0002 { \"two\" X4 }, \\* { \"other err=\" E4 }",
			"switch X2{case 1=\"one\" case 2{\"two\" X4} case *{\"other err=\" "
			"E4}}"},
		{"X1,1\"a\" \"next\"", "switch X1{case 1=\"a\"} \"next\""},
		{"X1, 1 { } X2", "switch X1{case 1{}} X2"},
		{"X1, 1 { X1, 2 { X1, 3 \"c\" }} X8",
			"switch X1{case 1{switch X1{case 2{switch X1{case 3=\"c\"}}}}} X8"},
		{"X1, 1 { {{ $a = 1 }}} X2", "switch X1{case 1{$a=1}} X2"},
		{"X1, 1 {{{ $a = 1 }}}", "switch X1{case 1{$a=1}}"},
		{"X1, \\* \"any\"", "switch X1{case *=\"any\"}"},
		{"$HT, 9 \"x\" $D1%D4, 10 \"y\"",
			"switch $HT{case 9=\"x\"} switch $D1%D4{case 10=\"y\"}"},
		{"HT & 0x07, 1 \"a\", 6 \"b\"", "switch (HT&7){case 1=\"a\" case 6=\"b\"}"},
		{"($D1 + 1) * 2, 10 \"a\"", "switch (($D1+1)*2){case 16=\"a\"}"},
		{"2 * $D1, 10 \"a\"", "switch (2*$D1){case 16=\"a\"}"},
		{"S1, \"text\" \"a\", \"\" { X1 }",
			"switch S1{case \"text\"=\"a\" case \"\"{X1}}"},
	};
	COMPARE(pairs);
}

static void
numbers_of_cases_have_the_radix_of_the_selector(void **state)
{
	(void)state;
	/* X, B and macros hexadecimal, D and U decimal, 0x everywhere. */
	static const struct pair pairs[] = {
		{"X2, 10 \"a\", fF \"b\", 0x10 \"c\"",
			"switch X2{case 16=\"a\" case 255=\"b\" case 16=\"c\"}"},
		{"B1, 10 \"a\"", "switch B8{case 16=\"a\"}"},
		{"$D1, 10 \"a\"", "switch $D1{case 16=\"a\"}"},
		{"D4, 10 \"a\", -1 \"b\", 0x10 \"c\"",
			"switch D4{case 10=\"a\" case -1=\"b\" case 16=\"c\"}"},
		{"U4, 10 \"a\", 010 \"b\"", "switch U4{case 10=\"a\" case 10=\"b\"}"},
		{"$D1%U4, 10 \"a\"", "switch $D1%U4{case 10=\"a\"}"},
		{"$D1%X4, 10 \"a\"", "switch $D1%X4{case 16=\"a\"}"},
		{"o2, 10 \"a\", 0x10 \"b\"", "switch o2{case 8=\"a\" case 16=\"b\"}"},
		{"E4, 13 \"a\"", "switch E4{case 13=\"a\"}"},
		{"HT, A \"a\", E \"b\"", "switch HT{case 10=\"a\" case 14=\"b\"}"},
		{"X8, ffffffffffffffff \"a\"", "switch X8{case -1=\"a\"}"},
	};
	COMPARE(pairs);
}

static void
loops_repeat_by_a_code_or_a_macro(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"LOOP D4 { X0 }", "loop D4{X0}"},
		{"LOOP $HB{X1 LOOP X1 { \"a\" \\n } }", "loop $HB{X1 loop X1{\"a\" newline}}"},
		{"LOOP $D1%D2 { }", "loop $D1%D2{}"},
		{"LOOP X2 {{{ $a = 1 }} X1 }", "loop X2{$a=1 X1}"},
	};
	COMPARE(pairs);
}

static void
built_ins_are_called_with_and_without_parentheses(void **state)
{
	(void)state;
	/* trcfmt File Format, Built-in Macros; AIX trace reference 3 (23), (32), (33). */
	static const struct pair pairs[] = {
		{"lookuppninstall1 A16 lookuppninstall2 X4",
			"lookuppninstall1() A16 lookuppninstall2() X4"},
		{"lookuppninstall1()", "lookuppninstall1()"},
		{"fdinstall ( ) fdtofilename\t( )", "fdinstall() fdtofilename()"},
		{"flih() resume ( ) setdelim() slihlookup ( ) vmbufinstall()",
			"flih() resume() setdelim() slihlookup() vmbufinstall()"},
		{"v-nodetofilename ($D1) vnodetofilename(X4)",
			"v-nodetofilename($D1) vnodetofilename(X4)"},
		{"buftofilename(D4) sidtofilename(X4) vpagetofilename(X4, X4)",
			"buftofilename(D4) sidtofilename(X4) vpagetofilename(X4,X4)"},
		{"pfsrdwrinstall1($D2) pfsrdwrinstall2(X4.X4, D4)",
			"pfsrdwrinstall1($D2) pfsrdwrinstall2((X4.X4),D4)"},
		{"pfsrdwrinstall2 (X4 . X4, D4)", "pfsrdwrinstall2((X4.X4),D4)"},
		{"pfsrdwrinstall2 ($D1+1.$D2*2, B2.3)",
			"pfsrdwrinstall2((($D1+1).($D2*2)),B19)"},
		{"pfsrdwrinstall2 (B2.3.B0.4, A8.$D1)", "pfsrdwrinstall2((B19.B4),(A8.$D1))"},
		{"starttimer(0x010,$TID) endtimer(16,$TID)",
			"starttimer(16,$TID) endtimer(16,$TID)"},
	};
	COMPARE(pairs);
}

static void
the_level_may_change_within(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"L=SVC \"a\" L=INT X1, 1 { L=APPL \"b\" }",
			"label \"a\" level 3 switch X1{case 1{level 0 \"b\"}}"},
		{"X1 L=KERN X1", "X1 level 2 X1"},
	};
	COMPARE(pairs);
}

/* ---- files ---- */

static struct poly_templates *
parse_sound(const char *text)
{
	struct found found = {0};
	struct poly_templates *templates;
	assert_int_equal(parse(text, strlen(text), &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.messages), "");
	free_found(&found);
	return templates;
}

static void
a_template_has_an_id_a_version_a_level_and_a_label(void **state)
{
	(void)state;
	struct poly_template_info info;
	struct poly_templates *templates = parse_sound("134 10.20 L=KERN \"@EXEC\" X2\n"
						       "010 1.0\n"
						       "  1342\t4294967295.0 \"x\"");
	assert_true(poly_template_at(templates, 0, &info));
	assert_int_equal(info.hook, 0x0100);
	assert_string_equal(info.level, "APPL");
	assert_string_equal(info.label, "");
	assert_string_equal(info.source, "010 1.0\n");
	assert_int_equal(info.line, 2);
	assert_true(poly_template_at(templates, 1, &info));
	assert_int_equal(info.hook, 0x1340);
	assert_int_equal(info.version, 10);
	assert_int_equal(info.release, 20);
	assert_string_equal(info.level, "KERN");
	assert_string_equal(info.label, "@EXEC");
	assert_true(poly_template_at(templates, 2, &info));
	assert_int_equal(info.hook, 0x1342);
	assert_int_equal(info.version, 4294967295);
	assert_string_equal(info.source, "  1342\t4294967295.0 \"x\"");
	assert_false(poly_template_at(templates, 3, &info));
	assert_false(templates->templates[0].wide_id);
	assert_true(templates->templates[2].wide_id);
	assert_ptr_equal(trcfmt_template(templates, 0x1342), &templates->templates[2]);
	assert_null(trcfmt_template(templates, 0x1341));
	poly_templates_free(templates);
}

static void
three_digits_of_an_id_are_four_with_a_zero(void **state)
{
	(void)state;
	struct poly_template_info info;
	struct poly_templates *templates =
		parse_sound("0aA0 1.0\n15A 1.0\nfff 1.0\nFFFF 1.0\n");
	static const uint16_t hooks[] = {0x0aa0, 0x15a0, 0xfff0, 0xffff};
	for (size_t i = 0; i < 4; i++) {
		assert_true(poly_template_at(templates, i, &info));
		assert_int_equal(info.hook, hooks[i]);
	}
	poly_templates_free(templates);
}

static void
comments_and_blank_lines_are_skipped(void **state)
{
	(void)state;
	struct poly_template_info info;
	struct poly_templates *templates = parse_sound("# one \\\n* two\n\n \t\r\n"
						       "010 1.0 \\\n"
						       "# in between\n"
						       "* and again \\\n"
						       "X2 \\\r\n"
						       "\n"
						       "#\n"
						       "020 1.0\n*");
	assert_true(poly_template_at(templates, 0, &info));
	assert_int_equal(info.line, 5);
	assert_string_equal(
		info.source, "010 1.0 \\\n# in between\n* and again \\\nX2 \\\r\n\n");
	assert_int_equal(templates->item_count, 1);
	assert_int_equal(templates->items[0].line, 8);
	assert_true(poly_template_at(templates, 1, &info));
	assert_int_equal(info.line, 11);
	poly_templates_free(templates);
}

static void
lines_are_joined_by_a_blank_and_in_strings_by_nothing(void **state)
{
	(void)state;
	static const struct pair pairs[] = {
		{"X2\\\nX4", "X2 X4"},
		{"\"one \\\ntwo\" X1", "label \"one two\" X1"},
		{"\"a\" \\  \r\n \"b\"", "label \"a\" \"b\""},
		{"\"\\\"\\\n\" X1", "label \"\"\" X1"},
		{"\\n\\\nX1", "newline X1"},
		{"X1, \\\n 1 \\\n { \\\n } \\\n", "switch X1{case 1{}}"},
	};
	COMPARE(pairs);
}

static void
the_last_of_several_templates_applies(void **state)
{
	(void)state;
	struct found found = {0};
	struct poly_templates *templates;
	struct poly_template_info info;
	static const char text[] = "010 1.0 \"first\"\n020 1.0\n0100 0.5 \"second\"\n"
				   "010 1.0 \"third\"\n";
	assert_int_equal(parse(text, strlen(text), &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.list), "T08 3:1 0100\nT08 4:1 0100\n");
	assert_non_null(strstr(buf_text(&found.messages), "already has a template in line 1"));
	assert_non_null(strstr(buf_text(&found.messages), "already has a template in line 3"));
	assert_int_equal(templates->count, 2);
	assert_true(poly_template_at(templates, 0, &info));
	assert_string_equal(info.label, "third");
	poly_templates_free(templates);
	free_found(&found);
}

/* ---- rules ---- */

/* Files, and their findings. */
static const struct {
	const char *text, *found, *message;
} faults[] = {
	/* T01, T02, T03: the beginning of a template. */
	{"01 1.0\n", "T01 1:1 0000\n", "'01' is not a hook id of 3 or 4 hexadecimal digits"},
	{"01000 1.0\n", "T01 1:1 0000\n", "'01000'"},
	{"0x1 1.0\n", "T01 1:1 0000\n", "'0x1'"},
	{"\n  01G 1.0\n", "T01 2:3 0000\n", "'01G'"},
	{"0AAA 1.0\n", "T01 1:1 0000\n", "begins with 0: its last digit must be 0"},
	{"010 1.0 \"a\"\n   \"b\" X2\n", "T01 2:4 0000\n", "must end in '\\'"},
	{"010\n", "T02 1:4 0100\n", "found ''"},
	{"010 1\n", "T02 1:5 0100\n", "found '1'"},
	{"010 1. X2\n", "T02 1:5 0100\n", "found '1.'"},
	{"010 .1\n", "T02 1:5 0100\n", "found '.1'"},
	{"010 1.0.0\n", "T02 1:5 0100\n", "found '1.0.0'"},
	{"010 4294967296.0\n", "T02 1:5 0100\n", "found '4294967296.0'"},
	{"010 L=APPL\n", "T02 1:5 0100\n", "found 'L=APPL'"},
	{"010 1.0 L=USER X2\n", "T03 1:11 0100\n", "'USER' is none of APPL, SVC, KERN and INT"},
	{"010 1.0 L=KERNEL\n", "T03 1:11 0100\n", "'KERNEL'"},
	{"010 1.0 L=appl\n", "T03 1:11 0100\n", "'appl'"},
	{"010 1.0 L= KERN\n", "T03 1:11 0100\n", "''"},
	{"010 1.0 X2 \\\n  L=\n", "T03 2:5 0100\n", "''"},
	/* T04: codes. */
	{"010 1.0 Q4\n", "T04 1:9 0100\n", "unknown format code 'Q4'"},
	{"010 1.0 X\n", "T04 1:9 0100\n", "'X' takes 0 to 16 bytes, or W"},
	{"010 1.0 X17\n", "T04 1:9 0100\n", "'X' takes"},
	{"010 1.0 X2.1\n", "T04 1:9 0100\n", "'X' takes"},
	{"010 1.0 X2U4\n", "T04 1:9 0100\n", "'X' takes"},
	{"010 1.0 \"a\" D3\n", "T04 1:13 0100\n", "'D' takes 2, 4, 8 or W"},
	{"010 1.0 U\n", "T04 1:9 0100\n", "'U' takes"},
	{"010 1.0 B0.0\n", "T04 1:9 0100\n", "'B' takes"},
	{"010 1.0 A\n", "T04 1:9 0100\n", "'A' takes"},
	{"010 1.0 R1.4\n", "T04 1:9 0100\n", "'R' takes"},
	{"010 1.0 G\n", "T04 1:9 0100\n", "'G' takes"},
	{"010 1.0 O2.\n", "T04 1:9 0100\n", "'O' takes"},
	{"010 1.0 W\n", "T04 1:9 0100\n", "'W' takes"},
	{"010 1.0 FW\n", "T04 1:9 0100\n", "'F' takes 4 or 8"},
	{"010 1.0 x4\n", "T04 1:9 0100\n", "unknown format code 'x4'"},
	{"010 1.0 $D1%Q2\n", "T04 1:13 0100\n", "unknown format code 'Q2'"},
	{"010 1.0 $D1%\n", "T04 1:13 0100\n", "expected a format code after '%'"},
	{"010 1.0 $D1%G2\n", "T04 1:15 0100\n", "expected a format code after '%'"},
	{"010 1.0 $\n", "T04 1:9 0100\n", "'$' without a name"},
	{"010 1.0 ;\n", "T04 1:9 0100\n", "unexpected ';'"},
	{"010 1.0 \x01\n", "T04 1:9 0100\n", "unexpected byte 01"},
	{"010 1.0 \\q\n", "T04 1:9 0100\n", "after '\\'"},
	{"010 1.0 {{ $x = G2 }}\n", "T04 1:17 0100\n", "has no value"},
	/* T05: missing closing delimiters. */
	{"010 1.0 \"abc\n020 1.0\n", "T05 1:9 0100\n", "string without a closing quote"},
	{"010 1.0 \"abc\\\"\n", "T05 1:9 0100\n", "string without a closing quote"},
	{"010 1.0 X1, 1 { \"a\"\n", "T05 1:15 0100\n", "'{' without '}'"},
	{"010 1.0 LOOP X1 { X1\n", "T05 1:17 0100\n", "'{' without '}'"},
	{"010 1.0 X1 }\n", "T05 1:12 0100\n", "'}' without '{'"},
	{"010 1.0 { X1 }\n", "T05 1:9 0100\n", "'{' follows neither LOOP nor"},
	{"010 1.0 {{ $x = 1\n", "T05 1:9 0100\n", "'}}' to end '{{'"},
	{"010 1.0 {{ $x = 1 } }\n", "T05 1:19 0100\n", "'}}'"},
	{"010 1.0 {{ x = 1 }}\n", "T05 1:12 0100\n", "expected a macro after '{{'"},
	{"010 1.0 {{ $x 1 }}\n", "T05 1:15 0100\n", "expected '='"},
	{"010 1.0 {{ $x = }}\n", "T05 1:17 0100\n", "expected a code, a macro, a number"},
	{"010 1.0 {{ $x = 1 + }}\n", "T05 1:21 0100\n", "expected a code, a macro, a number"},
	{"010 1.0 {{ $x = (1 + 2 }}\n", "T05 1:24 0100\n", "expected an operator or ')'"},
	{"010 1.0 {{ $x = 1A }}\n", "T05 1:17 0100\n", "'1A' is not a 64-bit number"},
	{"010 1.0 {{ $x = 18446744073709551616 }}\n", "T05 1:17 0100\n",
		"is not a 64-bit number"},
	{"010 1.0 {{ $x = 1.2 }}\n", "T05 1:18 0100\n", "expected an operator or '}}'"},
	{"010 1.0 $x = 1\n", "T10 1:9 0100\nT05 1:9 0100\n", "an assignment without '{{'"},
	{"010 1.0 setdelim(\n", "T05 1:18 0100\n", "expected a code, a macro"},
	{"010 1.0 buftofilename(X4\n", "T05 1:22 0100\n", "expected ',' or ')'"},
	{"010 1.0 buftofilename(X4 X4)\n", "T05 1:26 0100\n", "expected ',' or ')'"},
	{"010 1.0 pfsrdwrinstall2((X4.X4),1)\n", "T04 1:26 0100\n", "'X' takes"},
	{"010 1.0 pfsrdwrinstall2($D1.$D2.$D3,1)\n", "T05 1:32 0100\n", "expected ',' or ')'"},
	/* T06: loops. */
	{"010 1.0 LOOP { X1 }\n", "T06 1:14 0100\n", "expected a code or a macro"},
	{"010 1.0 LOOP 4 { X1 }\n", "T06 1:14 0100\n", "expected a code or a macro"},
	{"010 1.0 LOOP\n", "T06 1:13 0100\n", "expected a code or a macro"},
	{"010 1.0 LOOP G2 { }\n", "T06 1:14 0100\n", "expected a code or a macro"},
	{"010 1.0 LOOP X2\n", "T06 1:16 0100\n", "expected '{'"},
	{"010 1.0 LOOP X2 \"a\"\n", "T06 1:17 0100\n", "expected '{'"},
	{"010 1.0 LOOP Q2 { }\n", "T04 1:14 0100\n", "unknown format code 'Q2'"},
	/* T07: switches. */
	{"010 1.0 X2, 1 \"a\", 2 \"b\",\n", "T07 1:26 0100\n",
		"no case follows the last comma"},
	{"010 1.0 X1, 1 { X1, 1 \"a\", }\n", "T07 1:28 0100\n", "no case follows"},
	{"010 1.0 X2,\n", "T07 1:12 0100\n", "no case follows the last comma"},
	{"010 1.0 X2, 1, 2 \"b\"\n", "T07 1:14 0100\n", "expected a string or '{'"},
	{"010 1.0 X2, 1\n", "T07 1:14 0100\n", "expected a string or '{'"},
	{"010 1.0 X2, 1 X2, 1 \"a\"\n", "T07 1:15 0100\n", "a nested switch"},
	{"010 1.0 X2, \"a\"\n", "T07 1:16 0100\n", "expected a string or '{'"},
	{"010 1.0 X2, { X1 }\n", "T07 1:13 0100\n", "expected the value of a case"},
	{"010 1.0 X2, 1G \"a\"\n", "T07 1:13 0100\n",
		"'1G' is not a 64-bit hexadecimal number"},
	{"010 1.0 D2, 1A \"a\"\n", "T07 1:13 0100\n", "'1A' is not a 64-bit decimal number"},
	{"010 1.0 o2, 8 \"a\"\n", "T07 1:13 0100\n", "'8' is not a 64-bit octal number"},
	{"010 1.0 X2, -1 \"a\"\n", "T07 1:13 0100\n", "expected the value of a case"},
	{"010 1.0 X8, 10000000000000000 \"a\"\n", "T07 1:13 0100\n", "64-bit"},
	{"010 1.0 X2, 1 \"a\" 2 \"b\"\n", "T07 1:19 0100\n",
		"the comma before a case is missing"},
	{"010 1.0 \"a\", 1 \"b\"\n", "T07 1:12 0100\n", "unexpected comma"},
	{"010 1.0 G2, 1 \"b\"\n", "T07 1:9 0100\n", "cannot select a case"},
	{"010 1.0 \\* \"b\"\n", "T07 1:9 0100\n", "outside of a switch"},
	{"010 1.0 X2 + 1 X4\n", "T07 1:9 0100\n", "expected a comma after a selector"},
	/* T08 to T13, T16: no errors. */
	{"010 1.0\n010 1.0\n", "T08 2:1 0100\n", "hook 010 already has a template in line 1"},
	{"1342 1.0\n1342 1.0\n", "T08 2:1 1342\n", "hook 1342 already has"},
	{"010 1.0 X1, \\* \"a\", 1 \"b\", \\\n 2 { X1 }\n", "T09 1:21 0100\nT09 2:2 0100\n",
		"never reached"},
	{"010 1.0 $x {{ $x = $y }} $x $y\n", "T10 1:9 0100\nT10 1:20 0100\n", "it is 0"},
	{"010 1.0 {{ $x = 1 }}\n020 1.0 $x\n", "T10 2:9 0200\n", "it is 0"},
	{"010 1.0 {{ $x = 1 }} $X\n", "T10 1:22 0100\n", "it is 0"},
	{"010 1.0 frob frob2 (1, X2) Loop\n", "T11 1:9 0100\nT11 1:14 0100\nT11 1:28 0100\n",
		"unknown built-in 'frob2'"},
	{"010 1.0 fdinstall(1) sidtofilename\n", "T11 1:9 0100\nT11 1:22 0100\n",
		"(found 1, expected 0)"},
	{"00A 1.0\n000 1.0\n00F0 1.0\n010 1.0\n", "T12 1:1 00a0\nT12 2:1 0000\nT12 3:1 00f0\n",
		"hook 00A belongs to the trace facility"},
	{"010 1.0 X2 \\", "T13 1:12 0100\n", "the file ends after '\\'"},
	{"010 1.0 X2 \\\n# end\n", "T13 1:12 0100\n", "the file ends after '\\'"},
	{"010 1.0 X2, * \"a\"\n", "T16 1:13 0100\n", "without '\\' before it"},
};

static void
every_fault_has_its_rule_and_its_position(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct found found = {0};
		struct poly_templates *templates;
		enum poly_status status =
			parse(faults[i].text, strlen(faults[i].text), &found, &templates);
		bool error =
			strcmp(faults[i].found, "T08") < 0 || strstr(faults[i].found, "T05");
		if (strcmp(buf_text(&found.list), faults[i].found) != 0 ||
			!strstr(buf_text(&found.messages), faults[i].message))
			fail_msg("%s%s%s", faults[i].text, buf_text(&found.list),
				buf_text(&found.messages));
		assert_int_equal(status, error ? POLY_ERR_FORMAT : POLY_OK);
		assert_int_equal(templates == NULL, error);
		poly_templates_free(templates);
		free_found(&found);
	}
}

/* Every letter with every small size, W and none: what AIX trace reference 4.4 has is right. */
static void
other_sizes_of_a_code_are_rejected(void **state)
{
	(void)state;
	static const char *const right[] = {"D2", "D4", "D8", "DW", "U2", "U4", "U8", "UW",
		"o2", "o4", "o8", "oW", "F4", "F8", "S1", "S2", "S4", "SW", "T4", "E1", "E2",
		"E4", "EW", "P4", "PW", "XW", NULL};
	static const char *const ends[] = {"", "W", "0", "1", "2", "3", "4", "5", "6", "7", "8",
		"9", "10", "16", "17", "20", NULL};
	for (int letter = 'A'; letter <= 'z'; letter++) {
		if (letter > 'Z' && letter < 'a')
			continue;
		for (size_t i = 0; ends[i]; i++) {
			struct poly_templates *templates;
			char text[40], *word = text + sizeof "010 1.0 " - 1;
			int size = *ends[i] && *ends[i] != 'W' ? atoi(ends[i]) : -1;
			snprintf(text, sizeof text, "010 1.0 %c%s", letter, ends[i]);
			bool known = size >= 0 &&
				     (strchr("AGORW", letter) || (letter == 'B' && size > 0) ||
					     (letter == 'X' && size <= 16));
			for (size_t k = 0; right[k]; k++)
				known = known || strcmp(right[k], word) == 0;
			enum poly_status status = poly_templates_parse(
				text, strlen(text), NULL, &templates, NULL);
			if ((status == POLY_OK) != known)
				fail_msg("%s: %d", text, status);
			poly_templates_free(templates);
		}
	}
}

static void
messages_have_the_line_and_a_caret(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} shown[] = {
		{"010 1.0 L=KERN \"x\" Q4 X2\n",
			"unknown format code 'Q4'\n  010 1.0 L=KERN \"x\" Q4 X2\n"
			"                     ^"},
		/* Tabs are expanded to stops of 8. */
		{"010 1.0 \\\n\t\"x\"\tD3\n", "'D' takes 2, 4, 8 or W\n          \"x\"     D3\n"
					      "                  ^"},
		/* A character of two bytes is one column. */
		{"010 1.0 \"\xc3\xa4\" D3\n",
			"'D' takes 2, 4, 8 or W\n  010 1.0 \"\xc3\xa4\" D3\n              ^"},
		/* Other bytes and control characters are printed safely. */
		{"010 1.0 \"\xff\x1b\" D3\n",
			"'D' takes 2, 4, 8 or W\n  010 1.0 \"? \" D3\n               ^"},
		/* After the end of the line. */
		{"010 1.0 X2,", "no case follows the last comma\n  010 1.0 X2,\n"
				"             ^"},
	};
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		struct poly_templates *templates;
		struct poly_error error;
		assert_int_equal(poly_templates_parse(shown[i].text, strlen(shown[i].text),
					 NULL, &templates, &error),
			POLY_ERR_FORMAT);
		assert_null(templates);
		assert_string_equal(error.message, shown[i].message);
	}
}

static void
a_long_line_is_printed_around_the_position(void **state)
{
	(void)state;
	char line[1000], shown[CARET_ROOM];
	memset(line, 'a', sizeof line);
	line[500] = 'X';
	for (size_t place = 0; place <= sizeof line; place++) {
		caret_show(shown, line, sizeof line, place);
		char *caret = strrchr(shown, '\n'), *first = shown + 1;
		assert_true(caret - first <= 2 + 72);
		size_t column = strspn(caret + 1, " ");
		assert_string_equal(caret + 1 + column, "^");
		if (place == 500)
			assert_int_equal(first[column], 'X');
	}
	memset(line, '\t', sizeof line);
	line[500] = 'X';
	caret_show(shown, line, sizeof line, 500);
	assert_int_equal(shown[1 + strspn(strrchr(shown, '\n') + 1, " ")], 'X');
	/* Only nearby bytes are read: the rest of the line need not exist. */
	caret_show(shown, line, 0, 0);
	assert_string_equal(shown, "\n  \n  ^");
}

static void
the_first_error_is_returned_and_all_are_reported(void **state)
{
	(void)state;
	static const char text[] = "010 1.0 X2\n020 1.0 frob Q4\n030 1.0\n040 1.0 L=X\n0 1.0\n";
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	struct found found = {0};
	struct poly_templates *templates;
	struct poly_error error;
	options.found = take_finding;
	options.user = &found;
	assert_int_equal(poly_templates_parse(text, strlen(text), &options, &templates, &error),
		POLY_ERR_FORMAT);
	assert_string_equal(buf_text(&found.list),
		"T11 2:9 0200\nT04 2:14 0200\nT03 4:11 0400\nT01 5:1 0000\n");
	assert_int_equal(error.line, 2);
	assert_int_equal(error.offset, 11 + 13);
	assert_int_equal(strncmp(error.message, "unknown format code 'Q4'\n", 25), 0);
	free_found(&found);
}

/* ---- limits ---- */

/* Parses a repeated part between a head and a tail. */
static enum poly_status
parse_repeated(const char *head, const char *piece, size_t times, const char *tail)
{
	struct buf text = {0};
	struct poly_templates *templates;
	buf_string(&text, head);
	for (size_t i = 0; i < times; i++)
		buf_string(&text, piece);
	buf_string(&text, tail);
	struct found found = {0};
	enum poly_status status = parse(buf_text(&text), text.size, &found, &templates);
	poly_templates_free(templates);
	free_found(&found);
	buf_free(&text);
	return status;
}

static void
nesting_has_a_limit(void **state)
{
	(void)state;
	struct buf closing = {0};
	for (int i = 0; i < TRCFMT_DEPTH; i++)
		buf_string(&closing, "}");
	assert_int_equal(
		parse_repeated("010 1.0 ", "LOOP X1 {", TRCFMT_DEPTH, buf_text(&closing)),
		POLY_OK);
	assert_int_equal(
		parse_repeated("010 1.0 ", "X1,1{", TRCFMT_DEPTH, buf_text(&closing)), POLY_OK);
	buf_string(&closing, "}");
	assert_int_equal(
		parse_repeated("010 1.0 ", "X1,1{", TRCFMT_DEPTH + 1, buf_text(&closing)),
		POLY_ERR_LIMIT);
	assert_int_equal(parse_repeated("010 1.0 ", "X1,1{", 1000000, ""), POLY_ERR_LIMIT);
	assert_int_equal(parse_repeated("010 1.0 {{ $x = ", "(", 1000000, "1"), POLY_ERR_LIMIT);
	assert_int_equal(
		parse_repeated("010 1.0 {{ $x = 1", "+1", TRCFMT_DEPTH - 1, "}}"), POLY_OK);
	assert_int_equal(
		parse_repeated("010 1.0 {{ $x = 1", "+1", TRCFMT_DEPTH, "}}"), POLY_ERR_LIMIT);
	assert_int_equal(
		parse_repeated("010 1.0 {{ $x = 1", "*1", 1000000, "}}"), POLY_ERR_LIMIT);
	buf_free(&closing);
}

static void
counts_have_limits(void **state)
{
	(void)state;
	assert_int_equal(parse_repeated("010 1.0 ", "X1 ", 1 << 20, ""), POLY_OK);
	assert_int_equal(parse_repeated("010 1.0 ", "X1 ", (1 << 20) + 1, ""), POLY_ERR_LIMIT);
	assert_int_equal(parse_repeated("010 1.0 ", "$D1 ", 1 << 20, ""), POLY_OK);
	assert_int_equal(parse_repeated("010 1.0 frob(1", ",1", 254, ")"), POLY_OK);
	assert_int_equal(parse_repeated("010 1.0 frob(1", ",1", 255, ")"), POLY_ERR_LIMIT);
	assert_int_equal(parse_repeated("#", "a", ((size_t)16 << 20) - 1, ""), POLY_OK);
	assert_int_equal(parse_repeated("#", "a", (size_t)16 << 20, ""), POLY_ERR_LIMIT);
}

static void
names_of_macros_have_limits(void **state)
{
	(void)state;
	struct buf text = {0};
	struct found found = {0};
	struct poly_templates *templates;
	buf_string(&text, "010 1.0");
	for (int i = 0; i < 255; i++)
		buf_printf(&text, " {{ $m%d = 1 }} {{ $m%d = 2 }}", i, i);
	assert_int_equal(parse(buf_text(&text), text.size, &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.list), "");
	poly_templates_free(templates);
	buf_string(&text, " \\\n{{ $one = 1 }} {{ $more = 1 }}");
	assert_int_equal(parse(buf_text(&text), text.size, &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.list), "T10 2:4 0100\n");
	poly_templates_free(templates);
	for (int i = 0; i < 66000; i++)
		buf_printf(&text, " $a%d", i);
	assert_int_equal(parse(buf_text(&text), text.size, &found, &templates), POLY_ERR_LIMIT);
	free_found(&found);
	buf_free(&text);
}

/* ---- hostile input ---- */

static const char sample[] =
	"# comment\n134 1.0 L=KERN \"exec\\\"\" O2.0 \\n \\t X2, 1 \"a\", \\\n"
	"  2 { LOOP D4 { X0 \"b\" } }, \\* { {{ $x = ($D1 + 2) * X2 & 0x7 }} $x%B2.3 } \\\n"
	"  lookuppninstall1 pfsrdwrinstall2 (X4.X4, $x) L=INT A8.16 G4 R2 W1\n"
	"0100 2.1 S1, \"text\" { U4 }\n";

static void
truncation_at_any_byte_is_handled(void **state)
{
	(void)state;
	size_t sound = 0;
	for (size_t n = 0; n < sizeof sample; n++) {
		/* In memory of exact size, so that a read past the end is detected. */
		char *text = malloc(n ? n : 1);
		struct poly_templates *templates;
		struct poly_error error = {0};
		memcpy(text, sample, n);
		enum poly_status status =
			poly_templates_parse(text, n, NULL, &templates, &error);
		assert_int_equal(status == POLY_OK, templates != NULL);
		assert_true(status == POLY_OK || *error.message);
		sound += status == POLY_OK;
		poly_templates_free(templates);
		free(text);
	}
	assert_in_range(sound, 10, sizeof sample - 50);
}

static void
any_byte_at_any_position_is_handled(void **state)
{
	(void)state;
	/* Every byte with a meaning, and some others. */
	static const char bytes[] = "\0\n\t\r \\\"#*+-/&%$,.{}()=0179AXLWghv_;\x7f\x80\xff";
	char text[sizeof sample];
	for (size_t at = 0; at + 1 < sizeof sample; at++)
		for (size_t i = 0; i < sizeof bytes; i++) {
			struct poly_templates *templates;
			struct found found = {0};
			memcpy(text, sample, sizeof sample);
			text[at] = bytes[i];
			enum poly_status status =
				parse(text, sizeof sample - 1, &found, &templates);
			assert_int_equal(status == POLY_OK, templates != NULL);
			poly_templates_free(templates);
			free_found(&found);
		}
}

static void
nuls_do_not_end_a_file(void **state)
{
	(void)state;
	static const char text[] = "010 1.0 \"a\0b\" X2 \0\n020 1.0 Q4\n";
	struct found found = {0};
	struct poly_templates *templates;
	assert_int_equal(parse(text, sizeof text - 1, &found, &templates), POLY_ERR_FORMAT);
	assert_string_equal(buf_text(&found.list), "T04 1:18 0100\nT04 2:9 0200\n");
	free_found(&found);
}

static void
endless_repetition_is_an_error(void **state)
{
	(void)state;
	static const char *const pieces[] = {"{", "}", "{{", "(", "\"", "\\", "\\\n", "$", "%",
		",", "LOOP ", "X1, ", "G", "010 1.0\n", "1", ".", "#\n", "\n", "*", "\t",
		"X1,1\"\"", "L=", "frob(", "\xff", "- ", "$a,1{"};
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		parse_repeated("", pieces[i], 300000, "");
		parse_repeated("010 1.0 ", pieces[i], 300000, "");
		parse_repeated("010 1.0 \"a\" \\\n {{ $x = ", pieces[i], 300000, "");
	}
}

static enum poly_status
parse_sample(void *context)
{
	struct poly_templates *templates;
	struct poly_error error;
	(void)context;
	const enum poly_status status =
		poly_templates_parse(sample, sizeof sample - 1, NULL, &templates, &error);
	assert_int_equal(templates != NULL, status == POLY_OK);
	poly_templates_free(templates);
	return status;
}

static void
any_allocation_may_fail(void **state)
{
	(void)state;
	law_memory_as(&(struct memory_law){.run = parse_sample, .is_sampled = true});
}

/* ---- the library's own templates, and files ---- */

static void
the_librarys_own_templates_are_valid(void **state)
{
	(void)state;
	/* AIX Trace Hook IDs. */
	static const struct {
		uint16_t hook;
		const char *label;
	} known[] = {{0x0010, "TRACE ON"}, {0x0020, "TRACE OFF"}, {0x0030, "@TRACE HEADER"},
		{0x0040, "TRACEID IS ZERO"}, {0x0050, "@LOGFILE WRAPAROUND"},
		{0x0060, "@TRACEBUFFER WRAPAROUND"}, {0x0070, "UNDEFINED TRACE ID"},
		{0x0080, "DEFAULT TEMPLATE"}, {0x00a0, "@TRACE_UTIL"}, {0x0100, "USER1"},
		{0x0f00, "USERF"}, {0x1000, "FLIH"}, {0x1010, "@SYSTEM CALL"}, {0x1020, "SLIH"},
		{0x1030, "RETURN FROM SLIH"}, {0x1040, "@RETURN FROM SYSTEM CALL"},
		{0x1050, "LVM EVENTS"}, {0x1060, "DISPATCH"},
		{0x1070, "FILENAME TO VNODE (lookuppn)"},
		{0x1080, "FILE ORIENTED SYSTEM CALLS"}, {0x10a0, "KERN_PFS"}};
	static const uint16_t kernel[] = {0x100, 0x101, 0x102, 0x103, 0x104, 0x106, 0x107,
		0x10b, 0x10c, 0x112, 0x113, 0x119, 0x11e, 0x11f, 0x134, 0x135, 0x139, 0x14e,
		0x15b, 0x163, 0x19c, 0x1b0, 0x1b1, 0x1bf, 0x200, 0x20e, 0x20f, 0x210, 0x234,
		0x38f, 0x419, 0x465, 0x47f, 0x492, 0x4b0, 0x605, 0x609};
	struct found found = {0};
	struct poly_templates *templates;
	assert_int_equal(parse(NULL, 0, &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.messages), "");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct hook_template *template =
			trcfmt_template(templates, known[i].hook);
		if (!template)
			fail_msg("%04x", known[i].hook);
		else
			assert_string_equal((char *)templates->texts.data + template->label,
				known[i].label);
	}
	for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
		assert_non_null(trcfmt_template(templates, (uint16_t)(kernel[i] << 4)));
	for (unsigned hook = 0x100; hook < 0x1000; hook += 0x100)
		assert_non_null(trcfmt_template(templates, (uint16_t)hook));
	poly_templates_free(templates);
	/* As a user's file, they violate the rule on hooks below 010. */
	assert_int_equal(
		parse(trcfmt_default, strlen(trcfmt_default), &found, &templates), POLY_OK);
	assert_int_equal(strncmp(buf_text(&found.list), "T12 ", 4), 0);
	poly_templates_free(templates);
	free_found(&found);
}

static void
files_are_loaded_also_compressed(void **state)
{
	(void)state;
	static const char *const endings[] = {"", ".gz"};
	for (size_t i = 0; i < 2; i++) {
		struct poly_templates *templates;
		struct poly_template_info info;
		struct poly_error error;
		char path[60];
		snprintf(path, sizeof path, "test_templates%s", endings[i]);
		enum poly_status status =
			poly_template_text_save(path, sample, sizeof sample - 1, &error);
		if (status == POLY_ERR_UNSUPPORTED)
			continue;
		assert_int_equal(status, POLY_OK);
		assert_int_equal(poly_templates_load(path, NULL, &templates, &error), POLY_OK);
		assert_true(poly_template_at(templates, 1, &info));
		assert_int_equal(info.hook, 0x1340);
		assert_string_equal(templates->name, path);
		poly_templates_free(templates);
		remove(path);
	}
}

static void
load_errors_are_reported(void **state)
{
	(void)state;
	struct poly_templates *templates;
	struct poly_error error;
	assert_int_equal(
		poly_templates_load("no/such/file", NULL, &templates, &error), POLY_ERR_IO);
	assert_null(templates);
	assert_int_equal(
		poly_templates_load("/dev/zero", NULL, &templates, &error), POLY_ERR_LIMIT);
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	options.size = 0;
	assert_int_equal(
		poly_templates_parse("", 0, &options, &templates, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_templates_parse("", 0, NULL, &templates, &error), POLY_OK);
	assert_false(poly_template_at(templates, 0, &(struct poly_template_info){0}));
	poly_templates_free(templates);
	poly_templates_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_stanza_is_parsed),
		cmocka_unit_test(strings_may_hold_escapes_and_the_first_is_the_label),
		cmocka_unit_test(lines_and_tabs_are_items),
		cmocka_unit_test(positions_are_bits),
		cmocka_unit_test(codes_have_their_sizes),
		cmocka_unit_test(macros_print_with_or_without_a_cast),
		cmocka_unit_test(operators_have_the_precedence_of_c),
		cmocka_unit_test(operators_may_go_from_left_to_right),
		cmocka_unit_test(switches_hold_cases_of_strings_and_braces),
		cmocka_unit_test(numbers_of_cases_have_the_radix_of_the_selector),
		cmocka_unit_test(loops_repeat_by_a_code_or_a_macro),
		cmocka_unit_test(built_ins_are_called_with_and_without_parentheses),
		cmocka_unit_test(the_level_may_change_within),
		cmocka_unit_test(a_template_has_an_id_a_version_a_level_and_a_label),
		cmocka_unit_test(three_digits_of_an_id_are_four_with_a_zero),
		cmocka_unit_test(comments_and_blank_lines_are_skipped),
		cmocka_unit_test(lines_are_joined_by_a_blank_and_in_strings_by_nothing),
		cmocka_unit_test(the_last_of_several_templates_applies),
		cmocka_unit_test(every_fault_has_its_rule_and_its_position),
		cmocka_unit_test(other_sizes_of_a_code_are_rejected),
		cmocka_unit_test(messages_have_the_line_and_a_caret),
		cmocka_unit_test(a_long_line_is_printed_around_the_position),
		cmocka_unit_test(the_first_error_is_returned_and_all_are_reported),
		cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(counts_have_limits),
		cmocka_unit_test(names_of_macros_have_limits),
		cmocka_unit_test(truncation_at_any_byte_is_handled),
		cmocka_unit_test(any_byte_at_any_position_is_handled),
		cmocka_unit_test(nuls_do_not_end_a_file),
		cmocka_unit_test(endless_repetition_is_an_error),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(the_librarys_own_templates_are_valid),
		cmocka_unit_test(files_are_loaded_also_compressed),
		cmocka_unit_test(load_errors_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
