/* SPDX-License-Identifier: MIT */
/*
 * What the library's own templates print. The lines of hooks 001 to 006, 101, 119, 134 and 1B1
 * are those of AIX trace reference 4.8 and 7.2; the data words after them are assumed.
 */
#include "trcfmt_help.h"

#include "trcfmt/lang/text.h"

/* Events with a hook word of 32 bits. */
static const struct {
	uint32_t word;
	const char *data, *text;
} events[] = {
	{0x00190003, "", "TRACE ON channel 3"},
	{0x001a0000, "381850CD", "TRACE ON channel 0\nThu Oct 28 13:34:05 1999"},
	{0x00290000, "", "TRACE OFF channel 0"},
	{0x00380003, "000000026C7300", "TRACE HEADER command hd=0003 data=00000002 6C 73 00"},
	{0x003a0001, "0000000F", "TRACE HEADER system hd=0001 data=0000000F"},
	{0x00490000, "", "TRACEID IS ZERO hookword=00490000 file=trc.log index=0028"},
	{0x00590007, "", "LOGFILE WRAPAROUND 7"},
	{0x006a0002, "00000005", "TRACEBUFFER WRAPAROUND 2 5 missed entries"},
	{0x0079002a, "", "UNDEFINED TRACE ID id=0070 hd=002A"},
	{0x00880001, "0000000741", "hd=0001 data=00000007 41"},
	{0x00ae0003, "00001C2E", "TRACE_UTIL current process hd=0003 data=00001C2E"},
	{0x00a80002, "000000164142",
		"TRACE_UTIL long process name hd=0002 data=00000016 41 42"},
	{0x00a90099, "", "TRACE_UTIL 0099 hd=0099"},
	{0x01090005, "", "USER1 hd=0005"},
	{0x1019ffff, "0000000AD0040AF8", "kfork LR = D0040AF8"},
	{0x106e0001, "00001C2E00006089", "DISPATCH hd=0001 data=00001C2E 00006089"},
	{0x119e0000, "00F400120000000F000E5D44",
		"pidsig:   pid=15990802 signal=SIGTERM lr=E5D44"},
	{0x119e0000, "00F4001200000021000E5D44", "pidsig:   pid=15990802 signal=33 lr=E5D44"},
	{0x134e0000, "", "exec: cmd=cp pid=7214 tid=24713"},
	{0x1b1e0000, "000000000000150E00001F7F00000003",
		"VMM page delete: V.S=0000.150E ppage=1F7F flags=0003"},
};

static void
the_librarys_own_templates_print_the_published_lines(void **state)
{
	(void)state;
	struct scene *scene = scene_new(trcfmt_default, NULL);
	scene->who = (struct aix_context){true, true, true, 7214, 24713, 3, "cp", "kfork", 0};
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		scene_hook32(scene, events[i].word, events[i].data);
		assert_string_equal(scene_text(scene), events[i].text);
		assert_int_equal(scene->result.faults, 0);
	}
	scene_hook64(
		scene, 0x8000001800a0025c, "000000000000000100000000000000020000000000000002");
	assert_string_equal(scene_text(scene),
		"TRACE_UTIL conversion of time hd=025C data=0000000000000001 0000000000000002 "
		"0000000000000002");
	scene_hook64(scene, 0xc000000300a00010, "0000000000000007414243");
	assert_string_equal(scene_text(scene),
		"TRACE_UTIL cpu file hd=0010 data=0000000000000007 41 42 43");
	/* 0x100000001: none of its digits is lost */
	scene->who.pid = scene->who.tid = 4294967297;
	scene_hook64(scene, 0x8000000013400000, "");
	assert_string_equal(scene_text(scene), "exec: cmd=cp pid=4294967297 tid=4294967297");
	scene_hook64(
		scene, 0x8000001811900000, "0000000100000001000000000000000F00000000000E5D44");
	assert_string_equal(
		scene_text(scene), "pidsig:   pid=4294967297 signal=SIGTERM lr=E5D44");
	scene_hook64(scene, 0x8000000800600002, "0000000100000001");
	assert_string_equal(
		scene_text(scene), "TRACEBUFFER WRAPAROUND 2 4294967297 missed entries");
	scene_free(scene);
}

/* Every template with every type of hook and only the data that it has: no template reads past
 * it. */
static void
the_librarys_own_templates_read_no_further_than_the_entry(void **state)
{
	(void)state;
	static const struct {
		uint32_t type;
		const char *data;
	} kinds[] = {{9, ""}, {0xa, "00000001"}, {0xe, "0000000100000002"},
		{0xe, "0000000100000002000000030000000400000005"}, {8, "0000000141"}, {0, ""},
		{8, "00"}};
	struct scene *scene = scene_new(trcfmt_default, NULL);
	for (size_t i = 0; i < scene->templates->count; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			uint32_t hook = scene->templates->templates[i].hook;
			scene_hook32(
				scene, hook << 16 | kinds[k].type << 16 | 1, kinds[k].data);
			scene_text(scene);
			assert_int_equal(scene->result.faults, 0);
			scene_hook64(scene, 0x8000000000000001 | (uint64_t)hook << 16, "");
			scene_text(scene);
			assert_int_equal(scene->result.faults, 0);
		}
	scene_free(scene);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_librarys_own_templates_print_the_published_lines),
		cmocka_unit_test(the_librarys_own_templates_read_no_further_than_the_entry),
	};
	return cmocka_run_group_tests_name("trcfmt_default", tests, NULL, NULL);
}
