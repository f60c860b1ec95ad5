/* SPDX-License-Identifier: MIT */
/* The whole public interface. */
#ifndef POLYTRACE_POLYTRACE_H
#define POLYTRACE_POLYTRACE_H

#include "polytrace/arrow.h"
#include "polytrace/batch.h"
#include "polytrace/byte_output.h"
#include "polytrace/byte_stream.h"
#include "polytrace/diff.h"
#include "polytrace/disasm.h"
#include "polytrace/extend.h"
#include "polytrace/filter.h"
#include "polytrace/format.h"
#include "polytrace/grade.h"
#include "polytrace/merge.h"
#include "polytrace/powerpc.h"
#include "polytrace/reader.h"
#include "polytrace/recording.h"
#include "polytrace/report.h"
#include "polytrace/selection.h"
#include "polytrace/source.h"
#include "polytrace/stats.h"
#include "polytrace/parts.h"
#include "polytrace/status.h"
#include "polytrace/symbols.h"
#include "polytrace/templates.h"
#include "polytrace/trace.h"
#include "polytrace/trcrpt.h"
#include "polytrace/version.h"
#include "polytrace/writer.h"

#endif
