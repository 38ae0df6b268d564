;; Guix's definition of the package: "guix build -f packaging/guix/orrery.scm" in an unpacked tarball or a clone.
;; Must not know: other packages' builds.
(use-modules (guix build-system gnu)
             (guix gexp)
             ((guix licenses) #:prefix license:)
             (guix packages)
             (gnu packages algebra)
             (gnu packages autotools)
             (gnu packages check)
             (gnu packages compression)
             (gnu packages cpp)
             (gnu packages crypto)
             (gnu packages image)
             (gnu packages machine-learning)
             (gnu packages maths)
             (gnu packages mpi)
             (gnu packages multiprecision)
             (gnu packages opencl)
             (gnu packages parallel)
             (gnu packages pkg-config)
             (gnu packages web))

(package
  (name "orrery")
  (version "0.2.0")
  (source (local-file "../.." "orrery-checkout"
                      #:recursive? #t
                      #:select? (lambda (file stat)
                                  (not (member (basename file) '("build" ".git" ".deps"))))))
  (build-system gnu-build-system)
  (arguments
   (list #:configure-flags #~(list "--with-starpu=system" "--with-mpi")
         ;; One room's tests; the whole suite takes the better part of an hour.
         #:make-flags #~(list "T=base_")))
  (native-inputs (list autoconf automake cunit libtool mpfr pkg-config))
  (inputs (list gmp hdf5 `(,hwloc "lib") jansson libjpeg-turbo libmicrohttpd libpng libsodium
                ocl-icd oneapi-dnnl openblas opencl-headers openmpi starpu zlib))
  (home-page "")
  (synopsis "Lazy tensors in C, fused and scheduled over CPUs and GPUs")
  (description "Calls record a graph; nothing runs until a value is asked for.  Element-wise work is then
fused into kernels, which are compiled in the background, and StarPU schedules the result over processor cores
and devices.")
  (license license:bsd-3))
