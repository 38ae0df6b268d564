dnl Libraries: by pkg-config where they have it, by header and symbol otherwise.

dnl ORR_TRY_LINK(CFLAGS, LIBS, INCLUDES, BODY, IF-YES, IF-NO, WITH-THE-PROGRAM)
AC_DEFUN([ORR_TRY_LINK],
[orr_save_CPPFLAGS=$CPPFLAGS
orr_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $1"
LIBS="$2 $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([$3], [$4])], [orr_link_ok=yes
$7], [orr_link_ok=no])
CPPFLAGS=$orr_save_CPPFLAGS
LIBS=$orr_save_LIBS
AS_IF([test $orr_link_ok = yes], [m4_default([$5], [:])], [m4_default([$6], [:])])])

dnl ORR_SYSTEM_INCLUDES(VARIABLE) — others' headers do not have to pass our warnings: -I becomes -isystem.
AC_DEFUN([ORR_SYSTEM_INCLUDES],
[$1=$(printf '%s\n' " $$1" | $SED 's| -I *| -isystem |g; s|^ ||')])

dnl ORR_LIB_OPTIONAL(NAME, PKG, HEADER, LIB, FUNCTION) — a library that Orrery uses: ORR_LIB_FIND, and HAVE_NAME in
dnl config.h.
AC_DEFUN([ORR_LIB_OPTIONAL],
[ORR_LIB_FIND($@)
AS_IF([test $have_$1 = yes], [AC_DEFINE([HAVE_$1], [1], [Define if $2 is there.])])])

dnl ORR_LIB_OPENED(NAME, PKG, HEADER, LIB, FUNCTION) — a library that Orrery opens when it first needs it (runtime/base/library.h):
dnl ORR_LIB_OPTIONAL, and NAME_FILE in config.h, the shared object with which a program would be linked. NAME_LIBS is not for
dnl programs.
AC_DEFUN([ORR_LIB_OPENED],
[ORR_LIB_OPTIONAL($@)
orr_file=lib$4.so
AS_IF([test $have_$1 = yes],
  [AC_MSG_CHECKING([which shared object $2 is])
   ORR_TRY_LINK([$$1_CFLAGS], [$$1_LIBS], [[#include <$3>]], [[void *volatile f = (void *)&$5; return f == 0;]],,,
     [orr_needed=$(${READELF:-readelf} -d conftest$EXEEXT 2>/dev/null | $SED -n 's/.*(NEEDED).*\@<:@\(lib$4@<:@^@:>@@:>@*\)\@:>@.*/\1/p' | head -n 1)
      AS_IF([test -n "$orr_needed"], [orr_file=$orr_needed])])
   AC_MSG_RESULT([$orr_file])
   AC_DEFINE_UNQUOTED([$1_FILE], ["$orr_file"], [The shared object that is $2.])])])

dnl ORR_LIB_HIGHWAY — HIGHWAY_CFLAGS, HIGHWAY_LIBS, HAVE_HIGHWAY: Highway's vqsort, and a compiler for the C++ of its interface.
dnl --with-highway, --without-highway.
AC_DEFUN([ORR_LIB_HIGHWAY],
[AC_ARG_WITH([highway], [AS_HELP_STRING([--without-highway], [do not use libhwy])], [], [with_highway=auto])
have_HIGHWAY=no
orr_HIGHWAY_found=no
AS_IF([test "x$with_highway" != xno],
  [PKG_CHECK_MODULES([HIGHWAY], [libhwy-contrib], [orr_HIGHWAY_found=$($PKG_CONFIG --modversion libhwy-contrib)],
                     [HIGHWAY_CFLAGS=; HIGHWAY_LIBS=-lhwy_contrib; orr_HIGHWAY_found=found])
   AC_MSG_CHECKING([whether libhwy-contrib links])
   AC_LANG_PUSH([C++])
   ORR_TRY_LINK([$HIGHWAY_CFLAGS], [$HIGHWAY_LIBS], [[#include <hwy/contrib/sort/vqsort.h>]],
     [[uint64_t keys@<:@1@:>@ = { 0 };
       hwy::Sorter sort;
       sort(keys, 1, hwy::SortAscending());
       return (int)keys@<:@0@:>@;]], [have_HIGHWAY=yes])
   AC_LANG_POP([C++])
   AC_MSG_RESULT([$have_HIGHWAY])
   AS_IF([test $have_HIGHWAY = no && test "x$with_highway" = xyes],
         [AC_MSG_ERROR([libhwy-contrib was asked for and not found, or there is no C++ compiler])])])
AS_IF([test $have_HIGHWAY = yes],
  [AC_DEFINE([HAVE_HIGHWAY], [1], [Define if Highway's vqsort is there.])],
  [HIGHWAY_CFLAGS=; HIGHWAY_LIBS=; orr_HIGHWAY_found=no])
ORR_SYSTEM_INCLUDES([HIGHWAY_CFLAGS])
AC_SUBST([HIGHWAY_CFLAGS])
AC_SUBST([HIGHWAY_LIBS])
AM_CONDITIONAL([HAVE_HIGHWAY], [test $have_HIGHWAY = yes])])

dnl ORR_LIB_OF_TESTS(NAME, PKG, HEADER, LIB, FUNCTION) — a library that tests alone use: ORR_LIB_FIND, and -DHAVE_NAME in
dnl NAME_CFLAGS. config.h stays as it is, so that its installation does not build Orrery anew.
AC_DEFUN([ORR_LIB_OF_TESTS],
[ORR_LIB_FIND($@)
AS_IF([test $have_$1 = yes], [$1_CFLAGS="$$1_CFLAGS -DHAVE_$1"])])

dnl ORR_LIB_FIND(NAME, PKG, HEADER, LIB, FUNCTION) — sets have_NAME, orr_NAME_found, NAME_CFLAGS, NAME_LIBS and the
dnl conditional HAVE_NAME. --without-NAME leaves it out.
AC_DEFUN([ORR_LIB_FIND],
[AC_ARG_WITH(m4_tolower([$1]),
  [AS_HELP_STRING([--without-]m4_tolower([$1]), [do not use $2])], [], [AS_VAR_SET([with_]m4_tolower([$1]), [auto])])
have_$1=no
orr_$1_found=no
AS_VAR_COPY([orr_with], [with_]m4_tolower([$1]))
AS_IF([test "x$orr_with" != xno],
  [PKG_CHECK_MODULES([$1], [$2], [orr_$1_found=$($PKG_CONFIG --modversion $2 2>/dev/null || echo found)],
                     [$1_CFLAGS=; $1_LIBS=-l$4; orr_$1_found=found])
   AC_MSG_CHECKING([whether $2 links])
   ORR_TRY_LINK([$$1_CFLAGS], [$$1_LIBS], [[
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <$3>]], [[void *volatile f = (void *)&$5; return f == 0;]], [have_$1=yes])
   AC_MSG_RESULT([$have_$1])
   AS_IF([test $have_$1 = no && test "x$orr_with" = xyes], [AC_MSG_ERROR([$2 was asked for and not found])])])
AS_IF([test $have_$1 = no], [$1_CFLAGS=; $1_LIBS=; orr_$1_found=no])
ORR_SYSTEM_INCLUDES([$1_CFLAGS])
AC_SUBST([$1_CFLAGS])
AC_SUBST([$1_LIBS])
AM_CONDITIONAL([HAVE_$1], [test $have_$1 = yes])])

dnl ORR_LIB_BLAS — BLAS_CFLAGS, BLAS_LIBS; HAVE_OPENBLAS when its threads can be set. Required.
AC_DEFUN([ORR_LIB_BLAS],
[AC_ARG_VAR([BLAS_CFLAGS], [C flags for cblas.h, overriding pkg-config])
AC_ARG_VAR([BLAS_LIBS], [linker flags for a BLAS with the cblas interface, overriding pkg-config])
orr_blas_found=no
orr_blas_note=
m4_define([orr_blas_include], [[#include <cblas.h>]])
AC_MSG_CHECKING([for a BLAS with the cblas interface])
orr_try_blas() {
  test "$orr_blas_found" = no || return 0
  orr_blas_name=$[]1 orr_blas_c=$[]2 orr_blas_l=$[]3
  ORR_TRY_LINK([$orr_blas_c], [$orr_blas_l], [orr_blas_include],
    [[float x = 1; return (int)cblas_sdot(1, &x, 1, &x, 1) != 1;]],
    [orr_blas_found=$orr_blas_name; BLAS_CFLAGS=$orr_blas_c; BLAS_LIBS=$orr_blas_l])
}
AS_IF([test -n "$BLAS_LIBS"], [orr_try_blas "as given" "$BLAS_CFLAGS" "$BLAS_LIBS"])
for orr_pc in openblas cblas blas; do
  AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists $orr_pc],
        [orr_try_blas "$orr_pc $($PKG_CONFIG --modversion $orr_pc)" \
                      "$($PKG_CONFIG --cflags $orr_pc)" "$($PKG_CONFIG --libs $orr_pc)"])
done
orr_try_blas openblas "" -lopenblas
orr_try_blas cblas "" -lcblas
orr_try_blas blas "" -lblas
AC_MSG_RESULT([$orr_blas_found])
AS_IF([test "$orr_blas_found" = no],
  [AC_MSG_ERROR([no BLAS with the cblas interface (cblas.h): install OpenBLAS, on Debian and Ubuntu libopenblas-dev, or set BLAS_CFLAGS and BLAS_LIBS])])
AC_MSG_CHECKING([whether its threads can be set])
have_openblas=no
ORR_TRY_LINK([$BLAS_CFLAGS], [$BLAS_LIBS], [[void openblas_set_num_threads(int); int openblas_get_num_threads(void);]],
  [[openblas_set_num_threads(1); return openblas_get_num_threads() != 1;]], [have_openblas=yes])
AC_MSG_RESULT([$have_openblas])
AS_IF([test $have_openblas = yes],
  [AC_DEFINE([HAVE_OPENBLAS], [1], [Define if BLAS is OpenBLAS, whose threads can be set.])
   orr_blas_note="matrix products; one thread inside each task"],
  [orr_blas_note="not OpenBLAS: its own threads cannot be held to one per task, set them yourself"])
AC_MSG_CHECKING([for LAPACK])
orr_lapack=no
for orr_l in "" -llapack; do
  AS_IF([test "$orr_lapack" = no],
    [ORR_TRY_LINK([$BLAS_CFLAGS], [$orr_l $BLAS_LIBS], [[void dgesdd_(void); void sgelsd_(void);]],
      [[dgesdd_(); sgelsd_();]], [orr_lapack=yes; BLAS_LIBS="$orr_l $BLAS_LIBS"])])
done
AC_MSG_RESULT([$orr_lapack])
AS_IF([test $orr_lapack = yes],
  [AC_DEFINE([HAVE_LAPACK], [1], [Define if LAPACK's Fortran routines can be called.])
   orr_blas_note="$orr_blas_note; with LAPACK"],
  [orr_blas_note="$orr_blas_note; without LAPACK: no linear algebra beyond Cholesky factors"])
ORR_SYSTEM_INCLUDES([BLAS_CFLAGS])
AM_CONDITIONAL([HAVE_OPENBLAS], [test $have_openblas = yes])])

dnl ORR_LIB_STARPU — STARPU_CPPFLAGS, STARPU_CFLAGS, STARPU_LIBS. 1.4 before 1.3; --with-starpu=PREFIX;
dnl what './bootstrap starpu' built in .deps/starpu comes first when nothing was asked.
AC_DEFUN([ORR_LIB_STARPU],
[AC_ARG_WITH([starpu],
  [AS_HELP_STRING([--with-starpu=PREFIX], [use the StarPU in PREFIX; "no" builds without, "system" ignores .deps/starpu])],
  [], [with_starpu=auto])
have_starpu=no
orr_starpu_found=no
orr_starpu_features=
STARPU_PREFIX=
STARPU_CPPFLAGS=
orr_src=$(cd "$srcdir" && pwd)
AS_CASE([$with_starpu],
  [no|system], [],
  [auto|yes], [AS_IF([test -d "$orr_src/.deps/starpu/lib/pkgconfig"], [STARPU_PREFIX=$orr_src/.deps/starpu])],
  [AS_IF([test ! -d "$with_starpu/lib/pkgconfig"],
         [AC_MSG_ERROR([--with-starpu=$with_starpu: no $with_starpu/lib/pkgconfig])])
   STARPU_PREFIX=$(cd "$with_starpu" && pwd)])
AS_IF([test "x$with_starpu" != xno && test -n "$PKG_CONFIG"],
  [orr_save_path=$PKG_CONFIG_PATH
   AS_IF([test -n "$STARPU_PREFIX"],
         [PKG_CONFIG_PATH="$STARPU_PREFIX/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"])
   export PKG_CONFIG_PATH
   AS_IF([$PKG_CONFIG --exists starpu-1.4], [orr_starpu_pc=starpu-1.4],
         [$PKG_CONFIG --exists starpu-1.3], [orr_starpu_pc=starpu-1.3], [orr_starpu_pc=])
   AS_IF([test -n "$orr_starpu_pc"],
     [PKG_CHECK_MODULES([STARPU], [$orr_starpu_pc],
        [have_starpu=yes; orr_starpu_found=$($PKG_CONFIG --modversion $orr_starpu_pc)], [have_starpu=no])
      dnl a macro whose quotes do not survive a second shell; nobody here uses it
      STARPU_CFLAGS=$(printf '%s\n' "$STARPU_CFLAGS" | $SED 's|-DSTARPU_OPENCL_DATADIR=[[^ ]]*||')])
   PKG_CONFIG_PATH=$orr_save_path])
AS_IF([test $have_starpu = yes && test -n "$STARPU_PREFIX"],
  [STARPU_LIBS="$STARPU_LIBS -Wl,-rpath,$STARPU_PREFIX/lib"
   orr_starpu_found="$orr_starpu_found in $(echo "$STARPU_PREFIX" | $SED "s|^$orr_src/||")"])
AS_IF([test $have_starpu = yes],
  [AC_MSG_CHECKING([whether StarPU links])
   ORR_TRY_LINK([$STARPU_CFLAGS], [$STARPU_LIBS], [[#include <starpu.h>]],
     [[struct starpu_conf c; return starpu_conf_init(&c);]], [],
     [AS_IF([test "x$with_starpu" != xauto], [AC_MSG_ERROR([StarPU was asked for and does not link (see config.log)])])
      have_starpu=no])
   AC_MSG_RESULT([$have_starpu])])
AS_IF([test $have_starpu = no && test "x$with_starpu" != xno && test "x$with_starpu" != xauto],
      [AC_MSG_ERROR([StarPU was asked for and not found])])
AS_IF([test $have_starpu = yes],
  [AC_DEFINE([HAVE_STARPU], [1], [Define if StarPU is there.])
   orr_save_CPPFLAGS=$CPPFLAGS
   CPPFLAGS="$CPPFLAGS $STARPU_CFLAGS"
   AC_CHECK_DECL([STARPU_USE_CUDA], [orr_f=CUDA], [orr_f="no CUDA"], [[#include <starpu.h>]])
   AC_CHECK_DECL([STARPU_USE_OPENCL], [orr_f="$orr_f, OpenCL"], [orr_f="$orr_f, no OpenCL"], [[#include <starpu.h>]])
   AC_COMPUTE_INT([orr_n], [STARPU_MAXCPUS], [[#include <starpu.h>]], [orr_n=0])
   orr_f="$orr_f, at most $orr_n CPU workers"
   orr_starpu_features=$orr_f
   CPPFLAGS=$orr_save_CPPFLAGS],
  [STARPU_CFLAGS=; STARPU_LIBS=; orr_starpu_found=no])
ORR_SYSTEM_INCLUDES([STARPU_CFLAGS])
AC_SUBST([STARPU_CPPFLAGS])
AC_SUBST([STARPU_CFLAGS])
AC_SUBST([STARPU_LIBS])
AC_SUBST([STARPU_PREFIX])
AM_CONDITIONAL([HAVE_STARPU], [test $have_starpu = yes])])

dnl ORR_LIB_MPI — MPI_CFLAGS, MPI_LIBS, HAVE_MPI for the module of MPI; STARPUMPI_CFLAGS, STARPUMPI_LIBS where StarPU has that
dnl part; MPIEXEC for the tests. --with-mpi, --without-mpi.
AC_DEFUN([ORR_LIB_MPI],
[AC_ARG_WITH([mpi], [AS_HELP_STRING([--without-mpi], [do not use MPI; --with-mpi: it must be there])], [], [with_mpi=auto])
have_mpi=no
orr_mpi_found=no
MPI_CFLAGS= MPI_LIBS=
orr_try_mpi() {
  test $have_mpi = no || return 0
  orr_mpi_name=$[]1 orr_mpi_c=$[]2 orr_mpi_l=$[]3
  ORR_TRY_LINK([$orr_mpi_c], [$orr_mpi_l], [[#include <mpi.h>]],
    [[int level = MPI_THREAD_MULTIPLE; return MPI_Query_thread(&level);]],
    [have_mpi=yes; orr_mpi_found=$orr_mpi_name; MPI_CFLAGS=$orr_mpi_c; MPI_LIBS=$orr_mpi_l])
}
AS_IF([test "x$with_mpi" != xno],
  [AC_MSG_CHECKING([for MPI])
   for orr_pc in ompi mpi-c mpich; do
     AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists $orr_pc],
           [orr_try_mpi "$orr_pc $($PKG_CONFIG --modversion $orr_pc)" \
                        "$($PKG_CONFIG --cflags $orr_pc)" "$($PKG_CONFIG --libs $orr_pc)"])
   done
   AS_IF([mpicc --showme:compile >/dev/null 2>&1],
         [orr_try_mpi "mpicc" "$(mpicc --showme:compile)" "$(mpicc --showme:link)"])
   AC_MSG_RESULT([$orr_mpi_found])
   AS_IF([test $have_mpi = no && test "x$with_mpi" = xyes], [AC_MSG_ERROR([MPI was asked for and not found])])])
have_starpumpi=no
STARPUMPI_CFLAGS= STARPUMPI_LIBS=
AS_IF([test $have_mpi = yes && test $have_starpu = yes],
  [orr_save_path=$PKG_CONFIG_PATH
   AS_IF([test -n "$STARPU_PREFIX"],
         [PKG_CONFIG_PATH="$STARPU_PREFIX/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"])
   export PKG_CONFIG_PATH
   orr_pc=$(echo "$orr_starpu_pc" | $SED 's/starpu/starpumpi/')
   AS_IF([$PKG_CONFIG --exists $orr_pc],
     [STARPUMPI_CFLAGS=$($PKG_CONFIG --cflags $orr_pc | $SED 's|-DSTARPU_OPENCL_DATADIR=[[^ ]]*||')
      STARPUMPI_LIBS=$($PKG_CONFIG --libs $orr_pc)
      AS_IF([test -n "$STARPU_PREFIX"], [STARPUMPI_LIBS="$STARPUMPI_LIBS -Wl,-rpath,$STARPU_PREFIX/lib"])
      ORR_TRY_LINK([$STARPUMPI_CFLAGS $MPI_CFLAGS], [$STARPUMPI_LIBS $MPI_LIBS], [[#include <starpu_mpi.h>]],
        [[return starpu_mpi_world_rank();]], [have_starpumpi=yes], [STARPUMPI_CFLAGS=; STARPUMPI_LIBS=])])
   PKG_CONFIG_PATH=$orr_save_path])
AS_IF([test $have_starpumpi = yes],
  [AC_DEFINE([HAVE_STARPUMPI], [1], [Define if StarPU's MPI library is there.])
   orr_starpumpi_note="tiles by StarPU-MPI"], [orr_starpumpi_note="no StarPU-MPI"])
ORR_SYSTEM_INCLUDES([MPI_CFLAGS])
ORR_SYSTEM_INCLUDES([STARPUMPI_CFLAGS])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
AC_SUBST([STARPUMPI_CFLAGS])
AC_SUBST([STARPUMPI_LIBS])
AM_CONDITIONAL([HAVE_MPI], [test $have_mpi = yes])
AM_CONDITIONAL([HAVE_STARPUMPI], [test $have_starpumpi = yes])])
