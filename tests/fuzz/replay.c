/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on files: inputs that once broke something stay mended. TAP. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
main(int argc, char **argv)
{
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		if (!file)
			return 2;
		uint8_t *data = malloc(1 << 20);
		size_t size = data ? fread(data, 1, 1 << 20, file) : 0;
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
		printf("ok %d - %s\n", i, argv[i]);
		fflush(stdout);
	}
	return 0;
}
