orr_tensor *orr_center_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "center");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad)) /* NULL, stale, poison, not a float: bad says so */
        return bad;
    orr_scope *s = orr__compose_begin(at); /* owns what is made in the middle */
    orr_tensor *mean = orr_mean_at(file, line, x, axes, true);
    return orr__compose_end(at, s, orr_sub_at(file, line, x, mean));
}
