dnl Compiler flags: used when the compiler takes them.

dnl ORR_CHECK_FLAG(FLAGS, [IF-YES], [IF-NO]) — compiles with FLAGS (all together)?
AC_DEFUN([ORR_CHECK_FLAG],
[orr_flag="$1"
AC_MSG_CHECKING([whether $CC takes $orr_flag])
orr_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $orr_flag"
AC_COMPILE_IFELSE([AC_LANG_SOURCE([int orr_flag_test; int main(void) { return orr_flag_test; }])],
                  [orr_flag_ok=yes], [orr_flag_ok=no])
CFLAGS=$orr_save_CFLAGS
AC_MSG_RESULT([$orr_flag_ok])
AS_IF([test $orr_flag_ok = yes], [m4_default([$2], [:])], [m4_default([$3], [:])])])

dnl ORR_CHECK_LINK_FLAG(FLAGS, [IF-YES], [IF-NO]) — compiles and links with FLAGS?
AC_DEFUN([ORR_CHECK_LINK_FLAG],
[AC_MSG_CHECKING([whether $CC links with $1])
orr_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $1"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [orr_flag_ok=yes], [orr_flag_ok=no])
CFLAGS=$orr_save_CFLAGS
AC_MSG_RESULT([$orr_flag_ok])
AS_IF([test $orr_flag_ok = yes], [m4_default([$2], [:])], [m4_default([$3], [:])])])

dnl ORR_ADD_FLAGS(VARIABLE, FLAGS) — adds each of FLAGS that the compiler takes; substitutes VARIABLE.
AC_DEFUN([ORR_ADD_FLAGS],
[for orr_one in $2; do
  ORR_CHECK_FLAG([$orr_one], [$1="${$1-}${$1:+ }$orr_one"])
done
AC_SUBST([$1])])
