#!/usr/bin/env python3
"""Generates, compiles and lays out the package; needs a C compiler, Python's headers and the library.

usage: build.py FOLDER [BUILD_FOLDER_OF_THE_LIBRARY]
The library is that of BUILD_FOLDER, of $ORRERY_BUILD, of the clone's build folder, or the one that pkg-config finds. With
ORRERY_RPATH=no, as packages need it, the extension does not say where the library is.
Exit status 77: Python's headers or the compiler are absent.
"""
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SUFFIX = ".abi3.so"


def library(build=None):
    """Flags for the compiler, flags for the linker, and the description of the API."""
    def rpath(folder):
        return [] if os.environ.get("ORRERY_RPATH") == "no" else ["-Wl,-rpath," + folder]

    for folder in (build, os.environ.get("ORRERY_BUILD"), os.path.join(TOP, "build"), TOP):
        if folder and os.path.exists(os.path.join(folder, ".libs", "liborrery.so")):
            libs = os.path.abspath(os.path.join(folder, ".libs"))
            return (["-I" + os.path.join(TOP, "include"), "-I" + os.path.join(folder, "include")],
                    ["-L" + libs, "-lorrery"] + rpath(libs), os.path.join(TOP, "include/orrery/api.json"))

    def ask(*args):
        return subprocess.run(["pkg-config", *args, "orrery"], check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    try:
        libs = ask("--variable=libdir")
        return (shlex.split(ask("--cflags")), shlex.split(ask("--libs")) + rpath(libs),
                os.path.join(ask("--variable=includedir"), "orrery/api.json"))
    except (OSError, subprocess.CalledProcessError):
        sys.exit("build.py: no liborrery: build the clone (./bootstrap build), or install the library where pkg-config finds it")


def build(folder, build_folder=None, optimise="-O2"):
    cflags, ldflags, api = library(build_folder)
    include = sysconfig.get_path("include")
    cc = shlex.split(os.environ.get("CC") or "cc")
    if not os.path.exists(os.path.join(include, "Python.h")) or not shutil.which(cc[0]):
        print("build.py: no %s/Python.h (Debian: python3-dev), or no compiler '%s'" % (include, cc[0]), file=sys.stderr)
        sys.exit(77)
    package = os.path.join(folder, "orrery")
    os.makedirs(package, exist_ok=True)
    generated = os.path.join(folder, "functions.c")
    subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), api, generated, os.path.join(package, "_core.pyi")],
                   check=True)
    sources = [os.path.join(HERE, "src", s) for s in ("core.c", "exchange.c", "later.c", "objects.c")] + [generated]
    flags = ["-std=gnu11", optimise] + shlex.split(os.environ.get("CFLAGS", ""))
    subprocess.run(cc + flags + ["-fPIC", "-shared", "-fvisibility=hidden", "-I" + os.path.join(HERE, "src"),
                                 "-I" + include] + cflags + sources + ["-o", os.path.join(package, "_core" + SUFFIX)] + ldflags,
                   check=True)
    os.remove(generated)
    for name in sorted(os.listdir(os.path.join(HERE, "orrery"))):
        if name.endswith((".py", ".pyi", ".typed")):
            shutil.copyfile(os.path.join(HERE, "orrery", name), os.path.join(package, name))


if __name__ == "__main__":
    build(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, os.environ.get("ORRERY_OPTIMISE", "-O2"))
