/* SPDX-License-Identifier: MIT */
/*
 * Errors of template files: the finding for each, limits, and hostile input. Rules are those of
 * IBM, trcfmt File Format and AIX trace reference 3 and 4.1.
 */
#include "templates_help.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
