# The options of configure that the recipes name exist: Spack's with all its variants and with none, Guix's, Debian's.
# Must not know: what the options do. usage: recipes.py SOURCE
import itertools
import pathlib
import re
import subprocess
import sys
import types

source = pathlib.Path(sys.argv[1]).resolve()
known = {re.sub("^(without|with|enable|disable)-", "", o)
         for o in re.findall(r"^  --([a-z-]+)", subprocess.check_output([source / "configure", "--help"], text=True), re.M)}


def spack(chosen):
    """What configure_args returns; words of the package language are recorded, not obeyed."""
    said = {"variant": [], "version": [], "depends_on": []}

    class Package:
        def with_or_without(self, name):
            return [("--with-" if name in chosen else "--without-") + name]

    class Spec:
        def __contains__(self, words):
            assert words[0] in "+~" and words[1:] in said["variant"], f"no variant {words}"
            return (words[1:] in chosen) == (words[0] == "+")

        def __getitem__(self, name):
            assert any(re.split("[@~+]", d)[0] == name for d in said["depends_on"]), f"{name} is no dependency"
            return types.SimpleNamespace(prefix="/prefix/" + name)

    names = ["spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems", "spack_repo.builtin.build_systems.autotools", "spack",
             "spack.package"]
    sys.modules.update((name, types.ModuleType(name)) for name in names)
    sys.modules[names[3]].AutotoolsPackage = Package
    for word in [*said, "license"]:
        setattr(sys.modules["spack.package"], word, lambda name, to=said.get(word, []), **_: to.append(name))
    space = {}
    exec((source / "packaging/spack/spack_repo/orrery/packages/orrery/package.py").read_text(), space)
    package = space["Orrery"]()
    package.spec = Spec()
    if chosen is everything:
        everything.update(said["variant"])
    return package.configure_args()


everything = set()
texts = [" ".join(spack(everything)), " ".join(spack(set()))]
texts += [(source / f).read_text() for f in ("packaging/guix/orrery.scm", "debian/rules")]
wrong = [o for o in itertools.chain(*(re.findall(r"--(?:without|with|enable|disable)-([a-z-]+)", t) for t in texts)) if o not in known]
assert len(everything) > 5 and len(texts[0].split()) > 8
sys.exit(f"configure does not know {', '.join(wrong)}" if wrong else 0)
