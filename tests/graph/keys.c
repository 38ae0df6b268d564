/* Keys of nodes: each attribute of each operation is in the key, and no node has an attribute outside of its operation's description.
 * Must not know: what an operation means. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "ops/ops.h"
#include "runtime/distribute/agree.h"
#include "runtime/graph/structure_key.h"
#include "tests/harness/harness.h"
#include "tests/harness/ops_help.h"
#include "tests/harness/option_cases.h"

enum { WORDS = sizeof(orr__attr) };

/* The bytes of orr__attr that the operation's row names, one by one. */
static void described(const orr__op *op, bool byte[WORDS])
{
    memset(byte, 0, WORDS);
#define ATTR(bit, type, field, length)                                                                                 \
    for (size_t i = 0; i < sizeof((orr__attr *)0)->field && op->attrs & ORR__ATTR_##bit; i++)                          \
        byte[offsetof(orr__attr, field) + i] = true;
    ORR__ATTRS(ATTR)
#undef ATTR
}

typedef struct {
    uint8_t byte[ORR__KEY_NODE];
    size_t size;
} key;

static key key_of(const orr__op *op, const orr__attr *attr)
{
    orr__node n = { .op = op, .dtype = ORR_F32, .shape = ORR_SHAPE(2, 3), .attr = *attr };
    key k = { { 0 }, 0 };
    k.size = (size_t)(orr__key_node(k.byte, &n, 1) - k.byte);
    return k;
}

static bool begins(const key *a, const key *b)
{
    return a->size <= b->size && !memcmp(a->byte, b->byte, a->size);
}

static void each_bit_of_each_attribute_is_in_the_key(void)
{
    for (int i = 0; i < orr__structural_count(); i++) {
        const orr__op *op = orr__structural[i];
        const orr__attr none = { 0 };
        const key plain = key_of(op, &none);
        bool byte[WORDS];
        described(op, byte);
        for (size_t b = 0; b < WORDS; b++)
            for (int bit = 0; bit < 8 && byte[b]; bit++) {
                orr__attr a = none;
                ((unsigned char *)&a)[b] = (unsigned char)(1u << bit);
                key k = key_of(op, &a);
                ORR_CHECK_MSG(!begins(&k, &plain) && !begins(&plain, &k), "%s: bit %d of byte %zu", op->name, bit, b);
            }
    }
}

/* Keys are read from left to right: none begins another. */
static void no_key_begins_another_of_the_same_operation(void)
{
    unsigned long long state = 37;
    for (int i = 0; i < orr__structural_count(); i++) {
        const orr__op *op = orr__structural[i];
        enum { SOME = 24 };
        orr__attr a[SOME];
        key k[SOME];
        bool byte[WORDS];
        described(op, byte);
        memset(a, 0, sizeof a);
        for (int j = 0; j < SOME; j++) {
            for (size_t b = 0; b < WORDS; b++)
                if (byte[b] && orr_test_rand(&state) % 4 == 0)
                    ((unsigned char *)&a[j])[b] = (unsigned char)(orr_test_rand(&state) % 3);
            k[j] = key_of(op, &a[j]);
            for (int l = 0; l < j; l++) {
                bool same = !memcmp(&a[j], &a[l], sizeof a[j]);
                ORR_CHECK_MSG(same == begins(&k[j], &k[l]) && same == begins(&k[l], &k[j]), "%s: %d and %d", op->name,
                              j, l);
            }
        }
    }
}

static void an_attribute_outside_of_the_description_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr__node *n =
        orr__handle_node(orr_matmul(orr_zeros(ORR_F32, ORR_SHAPE(2, 2)), orr_zeros(ORR_F32, ORR_SHAPE(2, 2))));
    orr__site at = ORR__SITE(__FILE__, __LINE__, "test");
    orr__capture p;
    ORR_REQUIRE(n && n->op->attrs == 0);
    n->attr.step[5] = 1;
    ORR_REQUIRE(orr__capture_make(at, &n, 1, &p) == ORR_OK);
    ORR_CHECK(orr__capture_verify(&p) == ORR_EINTERNAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "does not describe") != NULL, "%s", orr_error_message());
    orr__capture_free(&p);
    n->attr.step[5] = 0;
    orr_error_clear();
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void the_printer_shows_all_attributes(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_zeros(ORR_F32, ORR_SHAPE(1, 1, 7));
    orr__node *n = orr__handle_node(orr_max_pool(x, &(orr_pool_options){ .window = { 3 }, .stride = { 2 } }));
    char text[ORR__ATTR_TEXT];
    ORR_REQUIRE(n && n->op->attrs == (ORR__ATTR_START | ORR__ATTR_STEP));
    (void)orr__attr_text(n, text, sizeof text);
    int words = 0;
    for (int i = 0; i < ORR_MAX_RANK; i++)
        words += n->attr.start[i] == 3;
    ORR_CHECK(words == 1);
    ORR_CHECK_MSG(strstr(text, " start=") && strchr(strstr(text, " start="), '3') && strstr(text, " step="), "%s",
                  text);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

/* The capture of t, NULL if it has a value already. */
static bool capture(orr_tensor *t, orr__capture *p)
{
    orr__node *n = orr__handle_node(t);
    return n && !orr__node_value(n) && orr__capture_make(ORR__SITE(__FILE__, __LINE__, "test"), &n, 1, p) == ORR_OK;
}

static bool same_leaves(const orr__capture *p, const orr__capture *q)
{
    bool same = p->nleaf == q->nleaf;
    for (int i = 0; i < p->nleaf && same; i++)
        same = orr__buffer_sync(p->leaf[i]) == ORR_OK && orr__buffer_sync(q->leaf[i]) == ORR_OK &&
               !memcmp(p->leaf[i]->host, q->leaf[i]->host, orr__node_bytes(p->node[p->leaf_node[i]]));
    return same;
}

static bool same_keys(const orr__capture *p, const orr__capture *q)
{
    return p->key_size == q->key_size && (!p->key_size || !memcmp(p->key, q->key, p->key_size));
}

/* Equal for an evaluation: the same key, and the same values of leaves and scalars. */
static bool taken_for_each_other(const orr__capture *p, const orr__capture *q)
{
    return same_keys(p, q) && p->nscalar == q->nscalar &&
           (!p->nscalar || !memcmp(p->scalar, q->scalar, (size_t)p->nscalar * sizeof *p->scalar)) && same_leaves(p, q);
}

/* Values by the reference evaluation, which has no plans. */
static bool same_values(orr_tensor *t, orr_tensor *u)
{
    orr_shape s = orr_tensor_shape(t), r = orr_tensor_shape(u);
    if (orr_tensor_dtype(t) != orr_tensor_dtype(u) || !orr__shape_equal(&s, &r))
        return false;
    int64_t n = orr_tensor_size(t) * help_parts(orr_tensor_dtype(t));
    orr__scalar *v = help_reference(t), *w = help_reference(u);
    bool same = v && w && !memcmp(v, w, (size_t)n * sizeof *v);
    free(v);
    free(w);
    return same;
}

/* By the structure the ranks of a program agree. */
static bool same_structures(const orr__capture *p, const orr__capture *q)
{
    orr__structure a, b;
    return orr__agree_structure(p, &a) == ORR_OK && orr__agree_structure(q, &b) == ORR_OK && a.a == b.a && a.b == b.b;
}

/* The place of a node that can fail is in the key, and no matter of the structure. */
static bool same_places(const orr__capture *p, const orr__capture *q)
{
    bool same = p->n == q->n;
    for (int i = 0; i < p->n && same; i++) {
        const orr__node *a = p->node[i], *b = q->node[i];
        same = !(a->op->flags & ORR__OP_MAY_FAIL) || (a->line == b->line && a->as == b->as);
    }
    return same;
}

static void calls_that_differ_in_an_option_differ_in_the_key_and_over_ranks(void)
{
    enum { OPTIONS = 32, N = 5 };
    int pairs = 0;
    for (const option_case *c = option_cases; c->name; c++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t[OPTIONS];
        orr__capture p[OPTIONS];
        bool there[OPTIONS];
        for (int o = 0; o < c->options; o++) {
            there[o] = capture(t[o] = c->make(o, N), &p[o]);
            if (there[o])
                ORR_CHECK_MSG(orr__capture_verify(&p[o]) == ORR_OK, "%s: %s", c->name, orr_error_message());
            for (int k = 0; k < o && there[o]; k++, pairs++) {
                ORR_CHECK_MSG(!there[k] || !taken_for_each_other(&p[k], &p[o]) || same_values(t[k], t[o]),
                              "%s: options %d and %d", c->name, k, o);
                ORR_CHECK_MSG(!there[k] || same_keys(&p[k], &p[o]) ==
                                               (same_structures(&p[k], &p[o]) && same_places(&p[k], &p[o])),
                              "%s: options %d and %d, over ranks", c->name, k, o);
            }
        }
        for (int o = 0; o < c->options; o++)
            if (there[o])
                orr__capture_free(&p[o]);
        ORR_CHECK(orr_scope_end(s) == ORR_OK);
    }
    printf("    %d pairs\n", pairs);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(each_bit_of_each_attribute_is_in_the_key),
                                      ORR_TEST(no_key_begins_another_of_the_same_operation),
                                      ORR_TEST(an_attribute_outside_of_the_description_is_refused),
                                      ORR_TEST(calls_that_differ_in_an_option_differ_in_the_key_and_over_ranks),
                                      ORR_TEST(the_printer_shows_all_attributes),
                                      { 0 } };
    return help_main(argc, argv, "graph.keys", tests);
}
