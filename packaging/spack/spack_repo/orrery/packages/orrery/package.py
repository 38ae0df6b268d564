# Spack's recipe, for Spack 1.0 or later: "spack repo add packaging/spack/spack_repo/orrery", then "spack install orrery".
# Must not know: other packages' builds.
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Orrery(AutotoolsPackage):
    """Lazy tensors in C: fused kernels, scheduled over CPUs and GPUs by StarPU."""

    # The tarball of a release is made by "make dist"; its place and sum are those of the release page:
    # spack checksum orrery
    license("BSD-3-Clause")
    manual_download = True
    version("0.2.0")

    variant("starpu", default=True, description="Tasks on several cores and devices by StarPU")
    variant("mpi", default=True, description="Programs of several processes")
    variant("opencl", default=False, description="OpenCL devices")
    variant("onednn", default=True, description="Convolutions by oneDNN")
    variant("hdf5", default=True, description="HDF5 files")
    variant("privacy", default=True, description="Secret sharing (libsodium) and Paillier encryption (GMP)")
    variant("images", default=True, description="PNG and JPEG files")
    variant("serve", default=True, description="orrery-serve, the HTTP service")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmake", type="build")

    depends_on("openblas")
    depends_on("hwloc@2:")
    depends_on("highway@1.0.3:")
    depends_on("zlib-api")
    depends_on("starpu@1.3:1.4", when="+starpu")
    depends_on("mpi", when="+mpi")
    depends_on("opencl", when="+opencl")
    depends_on("onednn", when="+onednn")
    depends_on("hdf5~mpi", when="+hdf5~mpi")
    depends_on("hdf5", when="+hdf5+mpi")
    depends_on("libsodium", when="+privacy")
    depends_on("gmp", when="+privacy")
    depends_on("libpng", when="+images")
    depends_on("libjpeg-turbo", when="+images")
    depends_on("libmicrohttpd", when="+serve")
    depends_on("jansson", when="+serve")
    depends_on("cunit", type="test")
    depends_on("mpfr", type="test")

    def configure_args(self):
        spec = self.spec
        args = ["--with-highway"]
        args += ["--with-starpu=" + spec["starpu"].prefix if "+starpu" in spec else "--with-starpu=no"]
        args += self.with_or_without("mpi")
        for name, variant in [("opencl", "opencl"), ("onednn", "onednn"), ("hdf5", "hdf5"), ("sodium", "privacy"),
                              ("gmp", "privacy"), ("png", "images"), ("jpeg", "images"), ("microhttpd", "serve"),
                              ("jansson", "serve")]:
            args.append(("--with-" if "+" + variant in spec else "--without-") + name)
        return args
