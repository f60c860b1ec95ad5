/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of templates: parsing of every part of the language, as text. The expected
 * results are written by hand from IBM, trcfmt File Format and AIX trace reference 3 and 4.1.
 */
#include "templates_help.h"

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
		cmocka_unit_test(lines_are_joined_by_a_blank_and_in_strings_by_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
