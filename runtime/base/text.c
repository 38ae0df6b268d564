/* Checks and escapes texts from outside.
 * Must not know: the things that they name. */
#include "config.h"
#include "runtime/base/text.h"

#include <string.h>
#include <unistd.h>

/* Bytes of the UTF-8 character (RFC 3629) at s, 0: none. */
static size_t character(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool longer = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool outside = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f); /* surrogates; beyond U+10FFFF */
    return longer || outside ? 0 : n;
}

void orr__text_json(FILE *to, const char *s)
{
    while (*s) {
        unsigned char c = (unsigned char)*s;
        size_t n = character(s);
        if (c == '"' || c == '\\')
            (void)fprintf(to, "\\%c", c);
        else if (c < 0x20)
            (void)fprintf(to, "\\u%04x", c);
        else if (n)
            (void)fwrite(s, 1, n, to);
        else
            (void)fputs("\xef\xbf\xbd", to);
        s += n ? n : 1;
    }
}

static size_t append(char *to, size_t size, size_t n, const char *s)
{
    while (*s && n + 1 < size)
        to[n++] = *s++;
    return n;
}

void orr__text_numbered(char *to, size_t size, const char *before, int i, const char *after)
{
    char digits[12], *d = digits + sizeof digits - 1;
    unsigned left = i < 0 ? 0u - (unsigned)i : (unsigned)i;
    *d = '\0';
    do
        *--d = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (i < 0)
        *--d = '-';
    to[append(to, size, append(to, size, append(to, size, 0, before), d), after)] = '\0';
}

const char *orr__text_line(char *to, size_t size, const char *s)
{
    size_t at = 0;
    while (*s) {
        size_t n = character(s);
        bool good = n > 1 || (n == 1 && (unsigned char)*s >= 0x20 && *s != 0x7f);
        if (at + (good ? n : 1) >= size)
            break;
        if (good)
            memcpy(to + at, s, n);
        else
            to[at] = '?';
        at += good ? n : 1;
        s += n ? n : 1;
    }
    to[at] = '\0';
    return to;
}

bool orr__text_path(char *to, size_t size, const char *path)
{
    size_t n = 0;
    for (; *path && n + 24 < size; path++)
        if (path[0] == '%' && path[1] == 'p') {
            n += (size_t)snprintf(to + n, size - n, "%ld", (long)getpid());
            path++;
        } else {
            to[n++] = *path;
        }
    to[n] = '\0';
    return !*path;
}
