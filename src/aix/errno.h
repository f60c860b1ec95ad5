/* SPDX-License-Identifier: MIT */
/* Names of AIX's errno values, which differ from those of the host. */
#ifndef AIX_ERRNO_H
#define AIX_ERRNO_H

#include <stdint.h>

/* Returns the name of an errno value ("EACCES"); NULL if unknown. Static. */
const char *aix_errno_name(uint64_t number);

#endif
