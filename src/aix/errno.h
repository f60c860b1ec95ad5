/* SPDX-License-Identifier: MIT */
/* Names of AIX's errno values, which are not those of the machine that polytrace runs on. */
#ifndef AIX_ERRNO_H
#define AIX_ERRNO_H

#include <stdint.h>

/* The name of an errno value ("EACCES"); NULL where there is none. Static. */
const char *aix_errno_name(uint64_t number);

#endif
