/* SPDX-License-Identifier: MIT */
/* Unknown digits of values. spec: QEMU4V / MicroTESK and ARM Tarmac text traces 2.3 and 4.1
 * (hexv) */
#include "effects/partial_value.h"

#include "base/num.h"

#include <string.h>

/* Parses a word as digits; false if a character is not one, or no digit is unknown. */
static bool
parse_word(const uint8_t *word, size_t n, struct partial_value *value)
{
	*value = (struct partial_value){0, 0, 0};
	bool lacks = false;
	for (size_t i = 0; i < n; i++) {
		int digit = num_hex_digit((char)word[i]);
		bool unknown = word[i] && strchr("xX-?#", word[i]);
		if (word[i] == '_' || word[i] == ':')
			continue;
		if ((digit < 0 && !unknown) || value->digits == 16)
			return false;
		value->value = value->value << 4 | (uint64_t)(unknown ? 0 : digit);
		value->known = value->known << 4 | (unknown ? 0 : 15);
		value->digits++;
		lacks |= unknown;
	}
	return lacks;
}

static bool
is_blank(uint8_t c)
{
	return c <= ' ';
}

bool
partial_value_find(const uint8_t *line, size_t n, struct partial_value *value)
{
	while (n) {
		while (n && is_blank(line[n - 1]))
			n--;
		size_t end = n;
		while (n && !is_blank(line[n - 1]))
			n--;
		size_t prefix = end - n > 2 && memcmp(line + n, "0x", 2) == 0 ? 2 : 0;
		if (end > n && parse_word(line + n + prefix, end - n - prefix, value))
			return true;
	}
	return false;
}
