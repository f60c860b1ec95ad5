/* SPDX-License-Identifier: MIT */
/* The words of a disassembled instruction. */
#include "isa/mnemonic.h"

#include <ctype.h>
#include <string.h>

void
mnemonic_read(struct mnemonic *mnemonic, const char *text, size_t n)
{
	size_t used = 0, i = 0;
	while (i < n && isspace((unsigned char)text[i]))
		i++;
	for (; i < n && !isspace((unsigned char)text[i]); i++) {
		if (used < MNEMONIC_SIZE - 1)
			mnemonic->word[used++] = (char)tolower((unsigned char)text[i]);
	}
	mnemonic->word[used] = 0;
	for (used = 0; i < n && used < sizeof mnemonic->operands - 1 && text[i] != ';'; i++) {
		if (!isspace((unsigned char)text[i]))
			mnemonic->operands[used++] = (char)tolower((unsigned char)text[i]);
	}
	mnemonic->operands[used] = 0;
	used = strlen(mnemonic->word);
	if (used > 2 && (strcmp(mnemonic->word + used - 2, ".w") == 0 ||
				strcmp(mnemonic->word + used - 2, ".n") == 0))
		mnemonic->word[used - 2] = 0;
	strcpy(mnemonic->base, mnemonic->word);
	mnemonic->base[strcspn(mnemonic->base, ".")] = 0;
}

bool
mnemonic_is_among(const char *list, const char *word)
{
	char padded[MNEMONIC_SIZE + 2];
	const size_t n = strlen(word);
	if (n == 0 || n >= MNEMONIC_SIZE)
		return false;
	padded[0] = ' ';
	memcpy(padded + 1, word, n);
	memcpy(padded + 1 + n, " ", 2);
	return strstr(list, padded);
}
