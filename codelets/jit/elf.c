/* Checks that bytes are a complete shared object. The loader maps the ranges in the headers, and a read beyond the end
 * of a file raises SIGBUS; the check precedes loading.
 * Must not know: where the bytes come from. */
#include "config.h"
#include "codelets/jit/internal.h"

#include <link.h>
#include <string.h>

static bool holds(size_t size, uint64_t at, uint64_t n)
{
    return at <= size && n <= size - at;
}

/* Checks the pointers that the loader follows unchecked. */
static bool names_its_symbols(const unsigned char *code, const ElfW(Phdr) * dynamic)
{
    bool text = false, symbols = false, hash = false;
    for (size_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic->p_filesz; at += sizeof(ElfW(Dyn))) {
        ElfW(Dyn) d;
        memcpy(&d, code + dynamic->p_offset + at, sizeof d);
        if (d.d_tag == DT_NULL)
            break;
        text = text || d.d_tag == DT_STRTAB;
        symbols = symbols || d.d_tag == DT_SYMTAB;
        hash = hash || d.d_tag == DT_HASH || d.d_tag == DT_GNU_HASH;
    }
    return text && symbols && hash;
}

bool orr__elf_whole(const unsigned char *code, size_t size)
{
    ElfW(Ehdr) head;
    bool dynamic = false;
    if (size < sizeof head)
        return false;
    memcpy(&head, code, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_type != ET_DYN || head.e_phentsize != sizeof(ElfW(Phdr)) ||
        !holds(size, head.e_phoff, (uint64_t)head.e_phnum * sizeof(ElfW(Phdr))))
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) p;
        memcpy(&p, code + head.e_phoff + i * sizeof p, sizeof p);
        if ((p.p_type == PT_LOAD || p.p_type == PT_DYNAMIC) && !holds(size, p.p_offset, p.p_filesz))
            return false;
        dynamic = dynamic || (p.p_type == PT_DYNAMIC && names_its_symbols(code, &p));
    }
    return dynamic;
}
