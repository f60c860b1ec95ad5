/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbols and the code of ELF files with libelf.
 *
 * spec: System V ABI, chapter 4 (sections, symbol table), and e_machine of the processors'
 * supplements; ELF for the Arm Architecture 5.5 (addresses of Thumb functions).
 */
#include "symbol/symbols.h"

#include "base/err.h"
#include "base/vec.h"

#include <string.h>

#ifdef POLY_WITH_ELF
#include <gelf.h>

static enum poly_status
refuse(struct poly_error *error)
{
	const char *why = elf_errmsg(-1);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"the ELF file cannot be read: %s", why ? why : "corrupt data");
}

/* Returns the symbol section: .symtab or, without it, .dynsym. */
static Elf_Scn *
find_table(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *found = NULL;
	GElf_Shdr candidate;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &candidate) || !candidate.sh_entsize)
			continue;
		if (candidate.sh_type == SHT_SYMTAB ||
			(candidate.sh_type == SHT_DYNSYM && !found)) {
			found = section;
			*header = candidate;
		}
	}
	return found;
}

static unsigned
rank_of(const GElf_Sym *entry, bool is_code)
{
	const unsigned type = GELF_ST_TYPE(entry->st_info);
	const unsigned bind = GELF_ST_BIND(entry->st_info);
	const unsigned scope = bind == STB_LOCAL  ? RANK_LOCAL
			       : bind == STB_WEAK ? RANK_WEAK
						  : RANK_GLOBAL;
	if (type == STT_NOTYPE)
		return RANK_UNTYPED + scope;
	return (is_code ? RANK_CODE : RANK_DATA) + scope;
}

/* Parses an entry of the table; false if it is not a symbol with an address. */
static bool
parse_entry(
	Elf *elf, const GElf_Ehdr *file, const GElf_Sym *entry, struct ranked_symbol *symbol)
{
	const unsigned type = GELF_ST_TYPE(entry->st_info);
	GElf_Shdr header;
	if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC &&
		type != STT_GNU_IFUNC && type != STT_COMMON)
		return false;
	if (entry->st_shndx == SHN_UNDEF || entry->st_shndx >= SHN_LORESERVE)
		return false;
	const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
	*symbol = (struct ranked_symbol){.info = {.address = entry->st_value,
						 .size = entry->st_size,
						 .is_code = is_function}};
	if (gelf_getshdr(elf_getscn(elf, entry->st_shndx), &header)) {
		symbol->info.is_code |= (header.sh_flags & SHF_EXECINSTR) != 0;
		symbol->end = header.sh_addr + header.sh_size;
	}
	if (file->e_machine == EM_ARM && is_function)
		symbol->info.address &= ~(uint64_t)1;
	symbol->rank = rank_of(entry, is_function);
	return true;
}

/* Returns the instruction set of a file; NULL: another one. */
static const char *
isa_of(const GElf_Ehdr *file)
{
	static const struct {
		unsigned machine;
		const char *names[2][2]; /* 32 bits, 64 bits: little, big end first */
	} sets[] = {
		{EM_386, {{"x86", NULL}, {NULL, NULL}}},
		{EM_MIPS, {{"mips32el", "mips32"}, {"mips64el", "mips64"}}},
		{EM_PPC, {{NULL, "powerpc"}, {NULL, NULL}}},
		{EM_PPC64, {{NULL, NULL}, {"powerpc", "powerpc"}}},
		{EM_S390, {{NULL, NULL}, {NULL, "s390x"}}},
		{EM_ARM, {{"arm", "arm"}, {NULL, NULL}}},
		{EM_X86_64, {{NULL, NULL}, {"x86-64", NULL}}},
		{EM_AARCH64, {{NULL, NULL}, {"aarch64", "aarch64"}}},
		{EM_RISCV, {{"riscv32", NULL}, {"riscv64", NULL}}},
	};
	const bool is_wide = file->e_ident[EI_CLASS] == ELFCLASS64,
		   is_big = file->e_ident[EI_DATA] == ELFDATA2MSB;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		if (sets[i].machine == file->e_machine)
			return sets[i].names[is_wide][is_big];
	}
	return NULL;
}

/* Stores the sections of code of a file of size bytes; false: out of memory. Sections of a
 * corrupt file may overlap, which must not multiply its size. */
static bool
add_code(struct poly_symbols *symbols, Elf *elf, size_t size)
{
	GElf_Shdr header;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
			!(header.sh_flags & SHF_EXECINSTR))
			continue;
		const Elf_Data *data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size > size - symbols->code.size)
			continue;
		if (!VEC_ROOM(symbols->sections, symbols->section_capacity,
			    symbols->section_count))
			return false;
		symbols->sections[symbols->section_count++] =
			(struct symbol_code){header.sh_addr, symbols->code.size, data->d_size};
		buf_append(&symbols->code, data->d_buf, data->d_size);
	}
	return !symbols->code.failed;
}

static enum poly_status
add_table(struct poly_symbols *symbols, Elf *elf, size_t size, struct poly_error *error)
{
	GElf_Ehdr file;
	GElf_Shdr header;
	GElf_Sym entry;
	struct ranked_symbol symbol;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &file))
		return refuse(error);
	symbols->isa = isa_of(&file);
	symbols->big_endian = file.e_ident[EI_DATA] == ELFDATA2MSB;
	if (!add_code(symbols, elf, size))
		return err_memory(error);
	Elf_Scn *section = find_table(elf, &header);
	/* The caller reports a file without symbols, such as a stripped one. */
	if (!section)
		return POLY_OK;
	Elf_Data *data = elf_getdata(section, NULL);
	if (!data)
		return refuse(error);
	for (int i = 1; gelf_getsym(data, i, &entry); i++) {
		const char *name = elf_strptr(elf, header.sh_link, entry.st_name);
		if (name && parse_entry(elf, &file, &entry, &symbol) &&
			!symbols_add(symbols, name, strlen(name), &symbol))
			return err_memory(error);
	}
	return POLY_OK;
}

enum poly_status
symbols_add_elf(
	struct poly_symbols *symbols, uint8_t *data, size_t size, struct poly_error *error)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)data, size);
	if (!elf)
		return refuse(error);
	const enum poly_status status = add_table(symbols, elf, size, error);
	elf_end(elf);
	return status;
}
#else
enum poly_status
symbols_add_elf(
	struct poly_symbols *symbols, uint8_t *data, size_t size, struct poly_error *error)
{
	(void)symbols, (void)data, (void)size;
	return err_missing(error, "reading symbols of ELF files", "libelf-dev");
}
#endif
