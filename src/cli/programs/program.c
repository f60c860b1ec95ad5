/* SPDX-License-Identifier: MIT */
/*
 * Programs to be recorded.
 *
 * spec: System V ABI, chapters 4 and 5 (ELF header, program header); e_machine numbers of the
 * processors' supplements.
 */
#include "cli/programs/program.h"

#include "cli/print/diagnostics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the file that hold the header and the program headers. */
#define HEAD_SIZE 4096

enum { ELF_32 = 1, ELF_64, ELF_LITTLE = 1, ELF_BIG };
enum { SEGMENT_LOAD = 1, SEGMENT_INTERPRETER = 3, SEGMENT_EXECUTABLE = 1 };

/* The first bytes of an ELF file. */
struct elf_head {
	uint8_t bytes[HEAD_SIZE];
	size_t size;
	unsigned class, order;
};

/* Reads a number at an offset; 0 beyond the bytes. */
static uint64_t
get(const struct elf_head *head, size_t at, unsigned size)
{
	uint64_t value = 0;
	if (at > head->size || size > head->size - at)
		return 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 |
			head->bytes[at + (head->order == ELF_BIG ? i : size - 1 - i)];
	return value;
}

/* Reads an address, whose size is that of the class. */
static uint64_t
get_address(const struct elf_head *head, size_t at32, size_t at64)
{
	return head->class == ELF_64 ? get(head, at64, 8) : get(head, at32, 4);
}

/* Returns QEMU's name of the processor; NULL: none is known. */
static const char *
target_of(const struct elf_head *head)
{
	static const struct {
		unsigned machine, class, order;
		const char *target;
	} targets[] = {
		{.machine = 3, .class = ELF_32, .order = ELF_LITTLE, .target = "i386"},
		{.machine = 8, .class = ELF_32, .order = ELF_BIG, .target = "mips"},
		{.machine = 8, .class = ELF_32, .order = ELF_LITTLE, .target = "mipsel"},
		{.machine = 8, .class = ELF_64, .order = ELF_BIG, .target = "mips64"},
		{.machine = 8, .class = ELF_64, .order = ELF_LITTLE, .target = "mips64el"},
		{.machine = 20, .class = ELF_32, .order = ELF_BIG, .target = "ppc"},
		{.machine = 21, .class = ELF_64, .order = ELF_BIG, .target = "ppc64"},
		{.machine = 21, .class = ELF_64, .order = ELF_LITTLE, .target = "ppc64le"},
		{.machine = 22, .class = ELF_64, .order = ELF_BIG, .target = "s390x"},
		{.machine = 40, .class = ELF_32, .order = ELF_LITTLE, .target = "arm"},
		{.machine = 40, .class = ELF_32, .order = ELF_BIG, .target = "armeb"},
		{.machine = 62, .class = ELF_64, .order = ELF_LITTLE, .target = "x86_64"},
		{.machine = 183, .class = ELF_64, .order = ELF_LITTLE, .target = "aarch64"},
		{.machine = 243, .class = ELF_32, .order = ELF_LITTLE, .target = "riscv32"},
		{.machine = 243, .class = ELF_64, .order = ELF_LITTLE, .target = "riscv64"},
	};
	const unsigned machine = (unsigned)get(head, 18, 2);
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		if (targets[i].machine == machine && targets[i].class == head->class &&
			targets[i].order == head->order)
			return targets[i].target;
	}
	return NULL;
}

/* Reads the program headers. */
static void
read_segments(struct program *program, const struct elf_head *head)
{
	const bool wide = head->class == ELF_64;
	const uint64_t first = get_address(head, 28, 32), each = get(head, wide ? 54 : 42, 2),
		       count = get(head, wide ? 56 : 44, 2);
	size_t at = first < head->size ? (size_t)first : head->size;
	program->code = UINT64_MAX;
	for (uint64_t i = 0; i < count && at < head->size; i++, at += (size_t)each) {
		const uint64_t type = get(head, at, 4),
			       flags = get(head, at + (wide ? 4 : 24), 4),
			       offset = get_address(head, at + 4, at + 8),
			       address = get_address(head, at + 8, at + 16),
			       size = get_address(head, at + 16, at + 32);
		if (type == SEGMENT_LOAD && flags & SEGMENT_EXECUTABLE &&
			address < program->code)
			program->code = address;
		if (type != SEGMENT_INTERPRETER || offset >= head->size ||
			size > head->size - offset || program->interpreter)
			continue;
		program->interpreter = diag_allocate((size_t)size + 1, 1);
		memcpy(program->interpreter, head->bytes + offset, (size_t)size);
	}
}

/* Reads the file of a program; false, after a message: it cannot be recorded. */
static bool
read_program(struct program *program)
{
	struct elf_head head = {.size = 0};
	const int file = open(program->path, O_RDONLY);
	const ssize_t n = file < 0 ? -1 : read(file, head.bytes, sizeof head.bytes);
	const int why = errno;
	if (file >= 0)
		close(file);
	if (n < 0) {
		diag_print(program->path, "the program cannot be read: %s", strerror(why));
		return false;
	}
	head.size = (size_t)n;
	if (n >= 2 && memcmp(head.bytes, "#!", 2) == 0) {
		diag_print(program->path,
			"the program is a script; record its interpreter: polytrace record -- "
			"%.*s %s",
			(int)strcspn((char *)head.bytes + 2, "\n") < 200
				? (int)strcspn((char *)head.bytes + 2, "\n")
				: 200,
			(char *)head.bytes + 2, program->path);
		return false;
	}
	if (n < 52 || memcmp(head.bytes, "\177ELF", 4) != 0) {
		diag_print(program->path, "the file is not a program (expected an ELF file)");
		return false;
	}
	head.class = head.bytes[4];
	head.order = head.bytes[5];
	program->target = target_of(&head);
	if (!program->target) {
		diag_print(program->path,
			"programs of this processor cannot be recorded (found ELF machine %u, "
			"class %u)",
			(unsigned)get(&head, 18, 2), head.class);
		return false;
	}
	read_segments(program, &head);
	return true;
}

/* Returns whether a file can be executed. */
static bool
is_executable(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* Returns the path of a command in PATH; NULL: not found. The caller frees it. */
static char *
search(const char *command)
{
	const char *folders = getenv("PATH");
	for (; folders && *folders; folders += *folders == ':') {
		const size_t n = strcspn(folders, ":");
		const size_t size = n + strlen(command) + 3;
		char *path = diag_allocate(size, 1);
		snprintf(path, size, "%.*s/%s", n ? (int)n : 1, n ? folders : ".", command);
		if (is_executable(path))
			return path;
		free(path);
		folders += n;
	}
	return NULL;
}

bool
program_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
program_is_installed(const char *command)
{
	char *path = search(command);
	free(path);
	return path;
}

static char *
copy_of(const char *text)
{
	const size_t size = strlen(text) + 1;
	return memcpy(diag_allocate(size, 1), text, size);
}

bool
program_find(struct program *program, const char *name)
{
	*program = (struct program){.path = strchr(name, '/') ? copy_of(name) : search(name)};
	struct stat about;
	if (!program->path)
		diag_print(name, "no such program in PATH; name its file, as in ./%s", name);
	else if (stat(program->path, &about) != 0)
		diag_print(name, "the program cannot be opened: %s", strerror(errno));
	else if (!is_executable(program->path))
		diag_print(name, "the file is not an executable program%s",
			S_ISREG(about.st_mode) ? "; make it executable with chmod +x" : "");
	else if (read_program(program))
		return true;
	program_free(program);
	return false;
}

bool
program_is_native(const struct program *program)
{
	struct program self = {.path = copy_of("/proc/self/exe")};
	bool is_native = false;
	if (read_program(&self)) {
		/* Valgrind for x86-64 runs programs of i386, too. */
		is_native = strcmp(program->target, self.target) == 0 ||
			    (strcmp(program->target, "i386") == 0 &&
				    strcmp(self.target, "x86_64") == 0);
		if (!is_native)
			diag_print(program->path,
				"the program is not of this machine's processor (found %s, "
				"expected %s); record it with QEMU",
				program->target, self.target);
	}
	program_free(&self);
	return is_native;
}

char *
program_library_folder(const struct program *program)
{
	static const char *const folders[][2] = {{"aarch64", "aarch64-linux-gnu"},
		{"arm", "arm-linux-gnueabihf"}, {"arm", "arm-linux-gnueabi"},
		{"i386", "i686-linux-gnu"}, {"mips", "mips-linux-gnu"},
		{"mipsel", "mipsel-linux-gnu"}, {"mips64el", "mips64el-linux-gnuabi64"},
		{"ppc", "powerpc-linux-gnu"}, {"ppc64", "powerpc64-linux-gnu"},
		{"ppc64le", "powerpc64le-linux-gnu"}, {"riscv64", "riscv64-linux-gnu"},
		{"s390x", "s390x-linux-gnu"}, {"x86_64", "x86_64-linux-gnu"}};
	char path[PATH_MAX], folder[64];
	if (!program->interpreter || access(program->interpreter, R_OK) == 0)
		return NULL;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (strcmp(folders[i][0], program->target) != 0)
			continue;
		snprintf(folder, sizeof folder, "/usr/%s", folders[i][1]);
		snprintf(path, sizeof path, "%s%s", folder, program->interpreter);
		if (access(path, R_OK) == 0)
			return copy_of(folder);
	}
	return NULL;
}

char *
program_plugin(void)
{
	/* In the folder of the build, and in that of the installation. */
	static const char *const places[] = {"", POLY_PLUGIN_FOLDER "/"};
	char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	char *slash = strrchr(path, '/');
	if (slash)
		slash[1] = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		static const char name[] = "polytrace-qemu.so";
		const size_t size = strlen(path) + strlen(places[i]) + sizeof name;
		char *plugin = diag_allocate(size, 1);
		snprintf(plugin, size, "%s%s%s", path, places[i], name);
		if (access(plugin, R_OK) == 0)
			return plugin;
		free(plugin);
	}
	diag_print("record",
		"the plugin polytrace-qemu.so is not installed beside this command; "
		"install polytrace again");
	return NULL;
}

void
program_free(struct program *program)
{
	free(program->path);
	free(program->interpreter);
	*program = (struct program){.path = NULL};
}
