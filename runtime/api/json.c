/* JSON (RFC 8259): output of strings, input in one pass.
 * Must not know: the content. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/api/json.h"
#include "runtime/base/decimal.h"
#include "runtime/base/text.h"

void orr__json_put(FILE *to, const char *s)
{
    (void)putc('"', to);
    orr__text_json(to, s);
    (void)putc('"', to);
}

bool orr__json_take(orr__json *j, char c)
{
    if (j->bad)
        return false;
    j->at += strspn(j->at, " \t\r\n");
    if (*j->at != c)
        return false;
    j->at += c != 0;
    return true;
}

void orr__json_want(orr__json *j, char c)
{
    if (!orr__json_take(j, c))
        j->bad = true;
}

/* True if one more element follows an opening bracket or an element. */
static bool more(orr__json *j, char open, char end)
{
    const char *p = j->at;
    bool first;

    if (orr__json_take(j, end) || j->bad)
        return false;
    while (strchr(" \t\r\n", p[-1])) /* ends at the bracket at the latest */
        p--;
    first = p[-1] == open;
    if (!first)
        orr__json_want(j, ',');
    return !j->bad;
}

bool orr__json_element(orr__json *j)
{
    return more(j, '[', ']');
}

bool orr__json_member(orr__json *j, char *name, size_t size)
{
    if (!more(j, '{', '}'))
        return false;
    orr__json_string(j, name, size);
    orr__json_want(j, ':');
    return !j->bad;
}

/* Parses the four digits after the position; 0, which no string may contain, is bad. */
static unsigned four_digits(orr__json *j)
{
    unsigned v = 0;

    for (int i = 0; i < 4 && !j->bad; i++) {
        const char *hex = "0123456789abcdef", *k = *++j->at ? strchr(hex, *j->at | (*j->at >= 'A' ? 0x20 : 0)) : NULL;
        j->bad = !k;
        v = k ? v << 4 | (unsigned)(k - hex) : 0;
    }
    j->bad = j->bad || v == 0;
    return v;
}

/* Decodes a \u escape, of two halves beyond 16 bits, to UTF-8; the position is at the u. */
static size_t unicode(orr__json *j, char to[4])
{
    unsigned v = four_digits(j), low = 0;

    if (v >= 0xd800 && v < 0xe000 && !j->bad) {
        j->bad = v >= 0xdc00 || j->at[1] != '\\' || j->at[2] != 'u';
        j->at += j->bad ? 0 : 2;
        low = j->bad ? 0 : four_digits(j);
        j->bad = j->bad || low < 0xdc00 || low >= 0xe000;
        v = 0x10000 + ((v & 0x3ff) << 10 | (low & 0x3ff));
    }
    if (v < 0x80) {
        to[0] = (char)v;
        return 1;
    }
    size_t n = v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; v >>= 6)
        to[i] = (char)(0x80 | (v & 0x3f));
    to[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | v);
    return n;
}

void orr__json_string(orr__json *j, char *to, size_t size)
{
    static const char code[] = "\"\\/bfnrtu", means[] = "\"\\/\b\f\n\r\t?";
    size_t n = 0;

    orr__json_want(j, '"');
    for (; !j->bad && *j->at != '"'; j->at++) {
        char c = *j->at;
        if ((unsigned char)c < 0x20) {
            j->bad = true;
            break;
        }
        if (c == '\\') {
            const char *k = *++j->at ? strchr(code, *j->at) : NULL;
            if (!k) {
                j->bad = true;
                break;
            }
            c = means[k - code];
            if (*k == 'u') {
                char letter[4];
                size_t more = unicode(j, letter);
                if (j->bad)
                    break;
                for (size_t i = 0; to && n + more < size && i < more; i++)
                    to[n + i] = letter[i];
                n += to && n + more < size ? more : 0;
                continue;
            }
        }
        if (to && n + 1 < size)
            to[n++] = c;
    }
    if (to && size > 0)
        to[n] = 0;
    orr__json_want(j, '"');
}

double orr__json_number(orr__json *j)
{
    char *end;

    if (!j->bad)
        j->at += strspn(j->at, " \t\r\n");
    if (j->bad || !*j->at || !strchr("-0123456789", *j->at)) {
        j->bad = true;
        return 0;
    }
    double v = orr__decimal(j->at, &end);
    j->bad = end == j->at;
    j->at = end;
    return v;
}

static void skip(orr__json *j, int depth)
{
    if (depth > 32) /* limit of a format */
        j->bad = true;
    if (orr__json_take(j, '{')) {
        while (orr__json_member(j, NULL, 0))
            skip(j, depth + 1);
    } else if (orr__json_take(j, '[')) {
        while (orr__json_element(j))
            skip(j, depth + 1);
    } else if (!j->bad && *j->at == '"') {
        orr__json_string(j, NULL, 0);
    } else if (!j->bad && strncmp(j->at, "true", 4) == 0) {
        j->at += 4;
    } else if (!j->bad && strncmp(j->at, "false", 5) == 0) {
        j->at += 5;
    } else if (!j->bad && strncmp(j->at, "null", 4) == 0) {
        j->at += 4;
    } else {
        (void)orr__json_number(j);
    }
}

void orr__json_skip(orr__json *j)
{
    skip(j, 0);
}
