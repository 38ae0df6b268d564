/* Macros by which the other headers write values and lists in place: compound literals in C, and their replacement in
 * C++.
 * Must not know: the elements' types. */
#ifndef ORRERY_LISTS_H
#define ORRERY_LISTS_H

#ifdef __cplusplus
#include <initializer_list>

/* A struct of a length and eight elements. A longer list keeps its length, and its reader refuses it. */
template <class L, class E> inline L orr__list(std::initializer_list<E> e)
{
    const int n = static_cast<int>(e.size());
    E v[8] = {};
    for (int k = 0; k < n && k < 8; k++)
        v[k] = e.begin()[k];
    return L{ n, { v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7] } };
}
/* An array with one byte per argument; no argument is evaluated. */
template <class... A> char (&orr__count(const A &...))[sizeof...(A)];

#define ORR__VALUE(T) T
#define ORR__LIST(L, E, ...) (orr__list<L, E>({ __VA_ARGS__ }))
#define ORR__ARRAY(E, ...)                                                                                             \
    std::initializer_list<E>{ __VA_ARGS__ }.begin(), static_cast<int>(sizeof(orr__count(__VA_ARGS__)))
#else
#define ORR__VALUE(T) (T)
#define ORR__LIST(L, E, ...) ((L){ (int)(sizeof((E[]){ __VA_ARGS__ }) / sizeof(E)), { __VA_ARGS__ } })
/* Two arguments of a call: the elements and their number. */
#define ORR__ARRAY(E, ...) (E const[]){ __VA_ARGS__ }, (int)(sizeof((E const[]){ __VA_ARGS__ }) / sizeof(E))
#endif
#endif
