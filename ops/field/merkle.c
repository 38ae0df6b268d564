/* orr_poseidon, and Merkle trees with it: a level is one call on the level below.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

enum { MOST = 16, LEVELS = 64 }; /* limit of order */

/* Rows are those of operand 0, (…, n). */
static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, orr__batch_count(&c->out, 0), dim);
}

static orr__workload work(const orr__call *c)
{
    double t = (double)c->in[0].dim[c->in[0].rank - 1] + 1;
    return (orr__workload){ .flops = (double)orr__batch_count(&c->out, 0) * (8 * t * (t + 3) + 60 * (2 * t + 3)) *
                                     ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_hash, 1, space, work, orr__rule_elements);

orr_tensor *orr_poseidon_at(const char *file, int line, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "poseidon");
    orr_tensor *bad;
    orr_shape s;
    if (!orr__field_operand(at, x, "x", ORR_FR254, 0, &s, &bad))
        return bad;
    int64_t n = s.rank > 0 ? s.dim[s.rank - 1] : 0;
    if (n < 1 || n > MOST)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s has no rows (…, n) of 1 to %d elements", orr__str(s).s, MOST);
    orr__attr a = { 0 };
    return orr__field_node(at, &orr__op_field_hash, ORR_FR254, orr__batch(s, 1), 1, &x, &a);
}

orr_tensor *orr_merkle_tree_at(const char *file, int line, orr_tensor *leaves, int arity)
{
    orr__site at = ORR__SITE(file, line, "merkle_tree");
    orr_tensor *bad, *level[LEVELS] = { leaves };
    orr_shape s;
    int levels = 1;
    if (!orr__field_operand(at, leaves, "leaves", ORR_FR254, 0, &s, &bad))
        return bad;
    if (arity < 2 || arity > MOST)
        return orr__poison(at, ORR_EINVAL, "a node has 2 to %d children, not %d", MOST, arity);
    int64_t n = s.rank == 1 ? s.dim[0] : 0, rest = n;
    while (rest > 1 && rest % arity == 0)
        rest /= arity;
    if (rest != 1)
        return orr__poison(at, ORR_ESHAPE, "leaves of shape %s: a tree of arity %d has %d^depth", orr__str(s).s, arity,
                           arity);
    orr_scope *scope = orr__compose_begin(at);
    for (; n > 1; n /= arity, levels++)
        level[levels] =
            orr_poseidon_at(file, line, orr_reshape_at(file, line, level[levels - 1], ORR_SHAPE(n / arity, arity)));
    return orr__compose_end(at, scope, orr_concat_at(file, line, level, levels, 0));
}

orr_tensor *orr_merkle_root_at(const char *file, int line, orr_tensor *tree)
{
    orr__site at = ORR__SITE(file, line, "merkle_root");
    orr_tensor *bad;
    orr_shape s;
    if (!orr__field_operand(at, tree, "the tree", ORR_FR254, 0, &s, &bad))
        return bad;
    if (s.rank != 1 || s.dim[0] < 1)
        return orr__poison(at, ORR_ESHAPE, "%s is no tree (nodes)", orr__str(s).s);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *last = orr_slice_axis_at(file, line, tree, 0, s.dim[0] - 1, s.dim[0], 1);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, last, ORR_SHAPE_0D));
}

/* Elements [from, to) of x but element k. */
static orr_tensor *others(orr__site at, orr_tensor *x, int64_t from, int64_t k, int64_t to)
{
    orr_tensor *part[2];
    int n = 0;
    if (k > from)
        part[n++] = orr_slice_axis_at(at.file, at.line, x, 0, from, k, 1);
    if (k + 1 < to)
        part[n++] = orr_slice_axis_at(at.file, at.line, x, 0, k + 1, to, 1);
    return n == 1 ? part[0] : orr_concat_at(at.file, at.line, part, n, 0);
}

orr_tensor *orr_merkle_proof_at(const char *file, int line, orr_tensor *tree, int arity, int64_t leaf)
{
    orr__site at = ORR__SITE(file, line, "merkle_proof");
    orr_tensor *bad, *level[LEVELS];
    orr_shape s;
    int64_t n = 1, nodes = 1, from = 0;
    int depth = 0;
    if (!orr__field_operand(at, tree, "the tree", ORR_FR254, 0, &s, &bad))
        return bad;
    if (arity < 2 || arity > MOST)
        return orr__poison(at, ORR_EINVAL, "a node has 2 to %d children, not %d", MOST, arity);
    for (; s.rank == 1 && nodes < s.dim[0]; depth++) {
        n *= arity;
        nodes += n;
    }
    if (s.rank != 1 || nodes != s.dim[0])
        return orr__poison(at, ORR_ESHAPE, "%s is no tree of arity %d", orr__str(s).s, arity);
    if (leaf < 0 || leaf >= n)
        return orr__poison(at, ORR_EINDEX, "leaf %lld is out of range for %lld leaves", (long long)leaf, (long long)n);
    if (depth == 0)
        return orr_zeros_at(file, line, ORR_FR254, ORR_SHAPE(0, arity - 1));
    orr_scope *scope = orr__compose_begin(at);
    for (int d = 0; d < depth; d++, from += n, n /= arity, leaf /= arity) {
        int64_t first = from + leaf / arity * arity;
        level[d] =
            orr_reshape_at(file, line, others(at, tree, first, from + leaf, first + arity), ORR_SHAPE(1, arity - 1));
    }
    return orr__compose_end(at, scope, orr_concat_at(file, line, level, depth, 0));
}

orr_tensor *orr_merkle_verify_at(const char *file, int line, orr_tensor *root, orr_tensor *value, int64_t leaf,
                                 orr_tensor *proof)
{
    orr__site at = ORR__SITE(file, line, "merkle_verify");
    orr_tensor *bad;
    orr_shape r, v, p;
    if (!orr__field_operand(at, root, "the root", ORR_FR254, 0, &r, &bad) ||
        !orr__field_operand(at, value, "the value", ORR_FR254, 0, &v, &bad) ||
        !orr__field_operand(at, proof, "the proof", ORR_FR254, 0, &p, &bad))
        return bad;
    if (r.rank != 0 || v.rank != 0 || p.rank != 2 || p.dim[1] < 1 || p.dim[1] >= MOST || p.dim[0] >= LEVELS)
        return orr__poison(at, ORR_ESHAPE, "root %s, value %s and proof %s are not (), () and (depth, arity - 1)",
                           orr__str(r).s, orr__str(v).s, orr__str(p).s);
    int64_t others_of = p.dim[1], arity = others_of + 1, n = leaf;
    for (int64_t d = 0; d < p.dim[0]; d++)
        n /= arity;
    if (leaf < 0 || n > 0)
        return orr__poison(at, ORR_EINDEX, "leaf %lld is out of range for %lld levels of arity %lld", (long long)leaf,
                           (long long)p.dim[0], (long long)arity);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *node = orr_reshape_at(file, line, value, ORR_SHAPE(1));
    for (int64_t d = 0; d < p.dim[0]; d++, leaf /= arity) {
        int64_t k = leaf % arity;
        orr_tensor *row =
            orr_reshape_at(file, line, orr_slice_axis_at(file, line, proof, 0, d, d + 1, 1), ORR_SHAPE(others_of));
        orr_tensor *part[3] = { orr_slice_axis_at(file, line, row, 0, 0, k, 1), node,
                                orr_slice_axis_at(file, line, row, 0, k, others_of, 1) };
        row = orr_reshape_at(file, line, orr_concat_at(file, line, part, 3, 0), ORR_SHAPE(1, arity));
        node = orr_poseidon_at(file, line, row);
    }
    orr_tensor *same = orr_equal_at(file, line, orr_reshape_at(file, line, node, ORR_SHAPE_0D), root);
    return orr__compose_end(at, scope, orr_all_at(file, line, same, ORR_ALL_AXES, false));
}
