/* SPDX-License-Identifier: MIT */
/* Random reports, which parsers of Python read. */
#include "report_help.h"

static const char *const random_keys[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static void
random_text(uint64_t *seed, char *text)
{
	size_t n = draw(seed, 12);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(1 + draw(seed, draw(seed, 2) ? 255 : 126));
	text[n] = 0;
}

static void
random_value(struct poly_report *r, uint64_t *seed, const char *key)
{
	char text[16], title[16];
	random_text(seed, text);
	random_text(seed, title);
	switch (draw(seed, 6)) {
	case 0: poly_report_text(r, key, text); break;
	case 1:
		poly_report_count(r, key, UINT64_MAX >> draw(seed, 64));
		poly_report_unit(r, "units ");
		break;
	case 2: poly_report_address(r, key, *seed, draw(seed, 20)); break;
	case 3: poly_report_real(r, key, 0.5 + draw(seed, 1000), 1); break;
	case 4: poly_report_bool(r, key, draw(seed, 2)); break;
	case 5: poly_report_text(r, key, NULL); break;
	}
	poly_report_heading(r, title);
}

static void
random_table(struct poly_report *r, uint64_t *seed, const char *key)
{
	uint32_t columns = 1 + draw(seed, 8), rows = draw(seed, 5);
	char text[16];
	random_text(seed, text);
	poly_report_table(r, key);
	poly_report_heading(r, text);
	for (uint32_t i = 0; i < columns; i++) {
		poly_report_column(r, random_keys[i], draw(seed, 2));
		poly_report_heading(r, text);
	}
	for (uint32_t i = 0; i < rows * columns; i++) {
		random_text(seed, text);
		switch (draw(seed, 4)) {
		case 0: poly_report_cell_text(r, text); break;
		case 1: poly_report_cell_count(r, *seed); break;
		case 2: poly_report_cell_address(r, *seed, 5); break;
		case 3: poly_report_cell_text(r, NULL); break;
		}
	}
	poly_report_end(r);
}

static void
random_section(struct poly_report *r, uint64_t *seed, unsigned depth)
{
	uint32_t children = draw(seed, 8);
	for (uint32_t i = 0; i < children; i++) {
		uint32_t what = draw(seed, depth < 6 ? 8 : 5);
		if (what < 4) {
			random_value(r, seed, random_keys[i]);
		} else if (what == 4) {
			random_table(r, seed, random_keys[i]);
		} else if (what < 7) {
			poly_report_section(r, random_keys[i]);
			random_section(r, seed, depth + 1);
			poly_report_end(r);
		} else {
			poly_report_list(r, random_keys[i]);
			poly_report_section(r, "element");
			random_section(r, seed, depth + 2);
			poly_report_end(r);
			poly_report_end(r);
		}
	}
}

static struct poly_report *
random_report(uint64_t seed, unsigned sections)
{
	struct poly_report *r = poly_report_new();
	poly_report_list(r, "all");
	for (unsigned i = 0; i < sections; i++) {
		poly_report_section(r, "one");
		random_section(r, &seed, 2);
		poly_report_end(r);
	}
	poly_report_end(r);
	return r;
}

/* Runs a command on input and reads its output; returns false if the command fails. */
static bool
filter_through(const char *command, struct buf *input, struct buf *out)
{
	char path[] = "report-XXXXXX", line[200], piece[4096];
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
	assert_non_null(file);
	fwrite(input->data, 1, input->size, file);
	fclose(file);
	snprintf(line, sizeof line, "%s <%s", command, path);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	for (size_t n; (n = fread(piece, 1, sizeof piece, pipe)) > 0;)
		buf_append(out, piece, n);
	int rc = pclose(pipe);
	remove(path);
	return rc == 0;
}

static void
pythons_parser_reads_json_and_prints_the_same(void **state)
{
	(void)state;
	if (system("python3 -c 'import json' 2>/dev/null") != 0)
		skip();
	struct poly_report *r = random_report(20, 400);
	struct buf ours = {0}, theirs = {0};
	assert_int_equal(render(r, POLY_RENDER_JSON, &ours), POLY_OK);
	assert_true(ours.size > 200000);
	assert_true(filter_through("python3 -c 'import json, sys; "
				   "print(json.dumps(json.loads(sys.stdin.buffer.read()), "
				   "indent=2, ensure_ascii=False))'",
		&ours, &theirs));
	assert_int_equal(ours.size, theirs.size);
	assert_memory_equal(ours.data, theirs.data, ours.size);
	poly_report_free(r);
	buf_free(&ours);
	buf_free(&theirs);
}

/* Compares a JSON line with the indented JSON without its line breaks and indentation. */
static void
a_line_of_json_equals_the_indented_object(void **state)
{
	(void)state;
	struct poly_report *r = random_report(20, 400);
	struct buf indented = {0}, line = {0}, joined = {0};
	assert_int_equal(render(r, POLY_RENDER_JSON, &indented), POLY_OK);
	assert_int_equal(render(r, POLY_RENDER_JSON_LINE, &line), POLY_OK);
	for (size_t i = 0; i + 1 < indented.size; i++) {
		size_t before = i;
		while (i + 1 < indented.size && indented.data[i] == '\n')
			for (i++; indented.data[i] == ' '; i++)
				;
		if (i > before && indented.data[before - 1] == ',')
			buf_byte(&joined, ' ');
		buf_byte(&joined, indented.data[i]);
	}
	buf_byte(&joined, '\n');
	assert_int_equal(line.size, joined.size);
	assert_memory_equal(line.data, joined.data, line.size);
	poly_report_free(r);
	buf_free(&indented);
	buf_free(&line);
	buf_free(&joined);
}

static void
pythons_csv_reader_finds_the_values_of_the_json(void **state)
{
	(void)state;
	if (system("python3 -c 'import csv' 2>/dev/null") != 0)
		skip();
	struct poly_report *r = random_report(21, 100);
	struct buf ours = {0}, verdict = {0};
	render(r, POLY_RENDER_JSON, &ours);
	buf_byte(&ours, 0);
	render(r, POLY_RENDER_CSV, &ours);
	/* The path of every line leads to a value in the JSON, and their numbers are equal. */
	static const char program[] =
		"import sys, json, csv, io\n"
		"data = sys.stdin.buffer.read().decode().split(chr(0))\n"
		"rows = list(csv.reader(io.StringIO(data[1], newline=\"\"), strict=True))\n"
		"def field(v):\n"
		"    if v is None: return \"\"\n"
		"    if isinstance(v, bool): return str(v).lower()\n"
		"    return str(v)\n"
		"doc = json.loads(data[0])\n"
		"blank = rows.index([])\n"
		"got = rows[1:blank]\n"
		"assert rows[0] == [\"section\", \"key\", \"value\"]\n"
		"def find(path):\n"
		"    o = doc\n"
		"    for part in path.split(\".\"):\n"
		"        o = o[int(part)] if isinstance(o, list) else o[part]\n"
		"    return o\n"
		"for s, k, v in got: assert field(find(s)[k]) == v, (s, k, v)\n"
		"header, seen = None, {}\n"
		"for r in rows[blank:]:\n"
		"    if not r: header = None\n"
		"    elif header is None:\n"
		"        header = r\n"
		"        assert r[0] == \"table\"\n"
		"    else:\n"
		"        i = seen.setdefault(r[0], 0)\n"
		"        row = find(r[0])[i]\n"
		"        assert list(row) == header[1:] and "
		"[field(v) for v in row.values()] == r[1:], r\n"
		"        seen[r[0]] += 1\n"
		"for p, n in seen.items(): assert len(find(p)) == n\n"
		"def count(o):\n"
		"    if isinstance(o, list): return sum(map(count, o))\n"
		"    if isinstance(o, dict): return sum(map(count, o.values()))\n"
		"    return 1\n"
		"cells = sum(len(r) - 1 for r in rows[blank:] if r and r[0] != \"table\")\n"
		"assert count(doc) == len(got) + cells, (count(doc), len(got), cells)\n"
		"print(len(got))\n";
	FILE *file = fopen("report-check.py", "wb");
	assert_non_null(file);
	fwrite(program, 1, sizeof program - 1, file);
	fclose(file);
	assert_true(filter_through("python3 report-check.py", &ours, &verdict));
	assert_true(strtoul(buf_text(&verdict), NULL, 10) > 500);
	remove("report-check.py");
	poly_report_free(r);
	buf_free(&ours);
	buf_free(&verdict);
}

static void
lines_of_text_never_end_in_a_blank(void **state)
{
	(void)state;
	struct poly_report *r = random_report(22, 200);
	struct buf out = {0};
	assert_int_equal(render(r, POLY_RENDER_TEXT, &out), POLY_OK);
	assert_true(out.size > 10000);
	assert_null(strstr(buf_text(&out), " \n"));
	assert_int_equal(out.data[out.size - 1], '\n');
	buf_free(&out);
	poly_report_free(r);
}

struct pieces {
	size_t count, largest, all;
};

static int
measure(void *user, const void *data, size_t size)
{
	struct pieces *pieces = user;
	(void)data;
	pieces->count++;
	pieces->all += size;
	pieces->largest = size > pieces->largest ? size : pieces->largest;
	return 0;
}

/* The output is never held in memory completely. */
static void
large_reports_are_written_in_chunks(void **state)
{
	(void)state;
	struct poly_report *report = poly_report_new();
	poly_report_table(report, "table");
	poly_report_column(report, "column", true);
	for (uint64_t i = 0; i < 300000; i++)
		poly_report_cell_count(report, i);
	poly_report_end(report);
	for (int rendering = POLY_RENDER_TEXT; rendering <= POLY_RENDER_CSV; rendering++) {
		struct pieces pieces = {0};
		const struct poly_sink sink = {measure, &pieces};
		assert_int_equal(
			poly_report_render(report, (enum poly_rendering)rendering, &sink, NULL),
			POLY_OK);
		assert_true(pieces.all > 2000000);
		assert_true(pieces.largest < 200000);
	}
	poly_report_free(report);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pythons_parser_reads_json_and_prints_the_same),
		cmocka_unit_test(a_line_of_json_equals_the_indented_object),
		cmocka_unit_test(pythons_csv_reader_finds_the_values_of_the_json),
		cmocka_unit_test(lines_of_text_never_end_in_a_blank),
		cmocka_unit_test(large_reports_are_written_in_chunks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
