/* A Merkle tree of Poseidon hashes over 4096 numbers: its root, and a proof that one of them is in the tree.
 * Must not know: anything but the public headers. */
#include <orrery.h>

int main(void)
{
    enum { LEAVES = 4096, ARITY = 2, LEAF = 1234 };
    static uint64_t number[LEAVES][4];
    char root_text[ORR_FIELD_TEXT];
    double yes = 0, no = 1;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    for (uint64_t i = 0; i < LEAVES; i++)
        number[i][0] = i * i; /* the lowest of four limbs; the others are 0 */
    orr_tensor *leaves = orr_from(ORR_FR254, ORR_SHAPE(LEAVES), number);
    orr_tensor *tree = orr_merkle_tree(leaves, ARITY), *root = orr_merkle_root(tree);
    orr_tensor *proof = orr_merkle_proof(tree, ARITY, LEAF);

    orr_tensor *value = orr_from(ORR_FR254, ORR_SHAPE_0D, number[LEAF]);
    orr_tensor *other = orr_from(ORR_FR254, ORR_SHAPE_0D, number[LEAF + 1]);
    if (orr_field_text(root, 0, root_text) != ORR_OK ||
        orr_item(orr_merkle_verify(root, value, LEAF, proof), &yes) != ORR_OK ||
        orr_item(orr_merkle_verify(root, other, LEAF, proof), &no) != ORR_OK)
        return orr_error_print(stderr);
    printf("root of %d leaves: %s\n", LEAVES, root_text);
    printf("leaf %d is %llu: %s, by %d hashes\n", LEAF, (unsigned long long)number[LEAF][0], yes == 1 ? "yes" : "no",
           (int)orr_tensor_shape(proof).dim[0]);
    printf("leaf %d is %llu: %s\n", LEAF, (unsigned long long)number[LEAF + 1][0], no == 1 ? "yes" : "no");
    (void)orr_scope_end(s);
    if (orr_shutdown() != ORR_OK)
        return orr_error_print(stderr);
    return yes == 1 && no == 0 ? 0 : 1;
}
