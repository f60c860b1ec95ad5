/* SPDX-License-Identifier: MIT */
/*
 * Built-in macros. Where the documents leave open which values a built-in uses, this file
 * assumes:
 *
 * - The value just read (fdinstall, fdtofilename, slihlookup) is the last number that a code
 *   read in this event, whether it was printed, a selector or part of an expression, or that a
 *   macro printed. Without such a number the built-in does nothing.
 * - vmbufinstall() has no arguments: page, segment id and buffer are the last three such
 *   numbers, in this order.
 * - The next string (lookuppninstall1) is that of the next S or A, the next word
 *   (lookuppninstall2) is the next number as above, both in this event.
 * - The current file and v-node are those of the process that runs, so that path names that are
 *   looked up at the same time do not mix. fdinstall() uses the v-node "from lookuppn", not
 *   that of pfsrdwrinstall1(), since a look-up reads directories.
 * - pfsrdwrinstall2(VA.S,count): VA is the address of a byte in segment S; vpagetofilename()
 *   and vmbufinstall() use page numbers. A segment's file is that of its latest range.
 *
 * spec: IBM, trcfmt File Format (Built-in Macros); AIX trace reference 4.5 (timers), 4.6, 3
 * (20, 32, 33).
 */
#include "trcfmt/eval/eval_state.h"

#include "base/num.h"

#include <string.h>

#define PAGE_BITS 12

static struct files_key
process_key(const struct trcfmt_eval *eval, enum files_relation relation)
{
	const struct aix_context *who = eval->context->who;
	return (struct files_key){relation, who->has_pid ? who->pid : 0, who->has_pid, 0};
}

static void
remember(struct trcfmt_eval *eval, const struct files_key *key, uint64_t value)
{
	if (!files_set(&eval->files, key, value))
		eval_fault(eval, FAULT_MEMORY);
}

/* Gets the number read `back` numbers before the last; false: none. */
static bool
just_read(const struct trcfmt_eval *eval, unsigned back, uint64_t *number)
{
	if (eval->read_count <= back)
		return false;
	*number = eval->latest[(eval->read_count - 1 - back) % 4];
	return true;
}

/* Links the v-node that was looked up to the name that was looked up. */
static void
install_vnode(struct trcfmt_eval *eval, uint64_t vnode)
{
	const struct files_key looked_up = process_key(eval, FILES_LOOKED_UP);
	const struct files_key current = process_key(eval, FILES_CURRENT_FILE);
	uint64_t name;
	eval->awaited &= ~(unsigned)AWAIT_VNODE;
	remember(eval, &looked_up, vnode);
	if (files_get(&eval->files, &current, &name))
		remember(eval, &(struct files_key){FILES_NAME_OF, vnode, 0, 0}, name);
}

void
builtin_number_read(struct trcfmt_eval *eval, uint64_t number)
{
	eval->latest[eval->read_count++ % 4] = number;
	if (eval->awaited & AWAIT_VNODE)
		install_vnode(eval, number);
}

void
builtin_text_read(struct trcfmt_eval *eval, const void *bytes, size_t n)
{
	if (!(eval->awaited & AWAIT_NAME))
		return;
	const struct files_key current = process_key(eval, FILES_CURRENT_FILE);
	eval->awaited &= ~(unsigned)AWAIT_NAME;
	if (!files_set_name(&eval->files, &current, bytes, n))
		eval_fault(eval, FAULT_MEMORY);
}

/* Returns argument i, from 0, as a number. */
static uint64_t
argument(struct trcfmt_eval *eval, const struct template_item *item, unsigned i)
{
	if (i >= item->arguments)
		return 0;
	return expr_number(eval, eval->templates->arguments[item->first_argument + i]);
}

static void
print_name(struct trcfmt_eval *eval, const char *name)
{
	if (!name || eval->flow == FLOW_END)
		return;
	size_t begin = text_datum(eval);
	text_clean(eval, name, strlen(name));
	text_datum_end(eval, begin, true);
}

static void
print_vnode(struct trcfmt_eval *eval, bool known, uint64_t vnode)
{
	if (known)
		print_name(eval, files_vnode_name(&eval->files, vnode));
}

static void
fd_install(struct trcfmt_eval *eval)
{
	const struct files_key looked_up = process_key(eval, FILES_LOOKED_UP);
	struct files_key descriptor = process_key(eval, FILES_DESCRIPTOR);
	uint64_t vnode;
	if (!just_read(eval, 0, &descriptor.c) || !files_get(&eval->files, &looked_up, &vnode))
		return;
	remember(eval, &descriptor, vnode);
}

static void
fd_name(struct trcfmt_eval *eval)
{
	struct files_key descriptor = process_key(eval, FILES_DESCRIPTOR);
	uint64_t vnode = 0;
	bool known = just_read(eval, 0, &descriptor.c) &&
		     files_get(&eval->files, &descriptor, &vnode);
	print_vnode(eval, known, vnode);
}

/* VA.S is one argument: the operands of EXPR_JOIN. Without ".", S is 0. */
static void
range_install(struct trcfmt_eval *eval, const struct template_item *item)
{
	const struct poly_templates *templates = eval->templates;
	const struct template_expr *where =
		&templates->exprs[templates->arguments[item->first_argument]];
	const struct files_key in_use = process_key(eval, FILES_IN_USE);
	struct files_range range = {0};
	uint64_t address = argument(eval, item, 0);
	if (where->op == EXPR_JOIN)
		range.segment = expr_number(eval, where->right);
	uint64_t count = argument(eval, item, 1);
	if (count == 0 || !files_get(&eval->files, &in_use, &range.vnode))
		return;
	range.first = address >> PAGE_BITS;
	range.last = (count - 1 > UINT64_MAX - address ? UINT64_MAX : address + count - 1) >>
		     PAGE_BITS;
	if (!files_add_range(&eval->files, &range))
		eval_fault(eval, FAULT_MEMORY);
}

static void
buffer_install(struct trcfmt_eval *eval)
{
	uint64_t page, segment, buffer, vnode;
	if (just_read(eval, 2, &page) && just_read(eval, 1, &segment) &&
		just_read(eval, 0, &buffer) &&
		files_get_page(&eval->files, segment, page, &vnode))
		remember(eval, &(struct files_key){FILES_BUFFER, buffer, 0, 0}, vnode);
}

static void
buffer_name(struct trcfmt_eval *eval, uint64_t buffer)
{
	uint64_t vnode = 0;
	const struct files_key key = {FILES_BUFFER, buffer, 0, 0};
	bool known = files_get(&eval->files, &key, &vnode);
	print_vnode(eval, known, vnode);
}

static void
segment_name(struct trcfmt_eval *eval, uint64_t segment)
{
	uint64_t vnode = 0;
	bool known = files_get_segment(&eval->files, segment, &vnode);
	print_vnode(eval, known, vnode);
}

static void
page_name(struct trcfmt_eval *eval, const struct template_item *item)
{
	uint64_t page = argument(eval, item, 0), segment = argument(eval, item, 1), vnode = 0;
	bool known = files_get_page(&eval->files, segment, page, &vnode);
	print_vnode(eval, known, vnode);
}

static void
handler_name(struct trcfmt_eval *eval)
{
	struct files_key key = {FILES_HANDLER, 0, 0, 0};
	if (just_read(eval, 0, &key.a))
		print_name(eval, files_get_name(&eval->files, &key));
}

/* A timer belongs to a thread: overlapping system calls of different threads do not mix. */
static struct files_key
timer_key(struct trcfmt_eval *eval, const struct template_item *item)
{
	const struct trcfmt_context *context = eval->context;
	uint64_t a = argument(eval, item, 0), b = argument(eval, item, 1);
	return (struct files_key){FILES_TIMER, a, b,
		context->who->has_tid ? context->who->tid : context->event->thread};
}

static void
timer_print(struct trcfmt_eval *eval, const struct files_key *key)
{
	uint64_t then;
	if (!files_get(&eval->files, key, &then) || eval->flow == FLOW_END)
		return;
	const uint64_t now = eval->context->ns;
	char digits[20];
	size_t n = num_decimal(digits, now > then ? (now - then) / 1000 : 0);
	size_t begin = text_datum(eval);
	text_string(eval, "[");
	text_append(eval, digits, n);
	text_string(eval, " usec]");
	text_datum_end(eval, begin, true);
}

static void
interrupt(struct trcfmt_eval *eval, int by)
{
	if (eval->context->attribution)
		aix_attribution_interrupt(eval->context->attribution, by);
}

/* Evaluates the arguments of an unknown built-in (T11). */
static void
unknown(struct trcfmt_eval *eval, const struct template_item *item)
{
	for (unsigned i = 0; i < item->arguments; i++)
		argument(eval, item, i);
}

void
builtin_call(struct trcfmt_eval *eval, const struct template_item *item)
{
	struct files_key key;
	switch (item->number) {
	case BUILTIN_buftofilename: buffer_name(eval, argument(eval, item, 0)); break;
	case BUILTIN_fdinstall: fd_install(eval); break;
	case BUILTIN_fdtofilename: fd_name(eval); break;
	case BUILTIN_flih: interrupt(eval, 1); break;
	case BUILTIN_lookuppninstall1: eval->awaited |= AWAIT_NAME; break;
	case BUILTIN_lookuppninstall2: eval->awaited |= AWAIT_VNODE; break;
	case BUILTIN_pfsrdwrinstall1:
		key = process_key(eval, FILES_IN_USE);
		remember(eval, &key, argument(eval, item, 0));
		break;
	case BUILTIN_pfsrdwrinstall2: range_install(eval, item); break;
	case BUILTIN_resume: interrupt(eval, -1); break;
	case BUILTIN_setdelim: eval->text.tight = true; break;
	case BUILTIN_slihlookup: handler_name(eval); break;
	case BUILTIN_sidtofilename: segment_name(eval, argument(eval, item, 0)); break;
	case BUILTIN_vmbufinstall: buffer_install(eval); break;
	case BUILTIN_vnodetofilename:
	case BUILTIN_v_nodetofilename: print_vnode(eval, true, argument(eval, item, 0)); break;
	case BUILTIN_vpagetofilename: page_name(eval, item); break;
	case BUILTIN_starttimer:
		key = timer_key(eval, item);
		remember(eval, &key, eval->context->ns);
		break;
	case BUILTIN_endtimer:
		key = timer_key(eval, item);
		timer_print(eval, &key);
		break;
	default: unknown(eval, item); break;
	}
}
