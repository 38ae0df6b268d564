/* JSON (RFC 8259): strings out, one pass in.
 * Must not know: the content. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/api/json.h"
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

/* After an opening bracket or an element: is there one more? */
static bool more(orr__json *j, char open, char end)
{
    const char *p = j->at;
    bool first;

    if (orr__json_take(j, end) || j->bad)
        return false;
    while (strchr(" \t\r\n", p[-1])) /* there is a bracket before */
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
            for (int i = 0; *k == 'u' && i < 4 && !j->bad; i++)
                j->bad = !*++j->at || !strchr("0123456789abcdefABCDEF", *j->at);
            if (j->bad)
                break;
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
    double v = strtod(j->at, &end);
    j->bad = end == j->at;
    j->at = end;
    return v;
}

static void skip(orr__json *j, int depth)
{
    if (depth > 32)
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
