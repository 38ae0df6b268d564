;; Guix's definition of the package: "guix build -f packaging/guix/orrery.scm" in an unpacked tarball or a clone.
;; Must not know: other packages' builds.
(use-modules (gnu packages)
             (guix build-system gnu)
             (guix gexp)
             ((guix licenses) #:prefix license:)
             (guix packages))

;; Packages by name, wherever their module is; StarPU is in the channel Guix-HPC.
(define named (lambda names (map specification->package names)))

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
  (native-inputs (named "autoconf" "automake" "cunit" "libtool" "mpfr" "pkg-config"))
  (inputs (cons (list (specification->package "hwloc") "lib")
                (named "gmp" "google-highway" "hdf5" "jansson" "libjpeg-turbo" "libmicrohttpd" "libpng" "libsodium"
                       "oneapi-dnnl" "ocl-icd" "openblas" "opencl-headers" "openmpi" "starpu" "zlib")))
  (home-page "")
  (synopsis "Lazy tensors in C, fused and scheduled over CPUs and GPUs")
  (description "Calls record a graph; nothing runs until a value is asked for.  Element-wise work is then
fused into kernels, which are compiled in the background, and StarPU schedules the result over processor cores
and devices.")
  (license license:bsd-3))
