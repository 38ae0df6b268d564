"""pip install ./bindings/python: the package against the clone's build folder, or an installed library."""
import json
import os
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build as package  # noqa: E402


class Build(build_py):
    def run(self):
        package.build(self.build_lib)


class Binary(Distribution):
    def has_ext_modules(self):
        return True


commands = {"build_py": Build}
try:
    from wheel.bdist_wheel import bdist_wheel

    class Wheel(bdist_wheel):
        """One wheel for Python 3.11 and later: the extension uses the limited API."""

        def get_tag(self):
            return ("cp311", "abi3", super().get_tag()[2])
    commands["bdist_wheel"] = Wheel
except ImportError:
    pass

with open(package.library()[2], encoding="utf-8") as api:
    version = json.load(api)["version"]
setup(version=version, cmdclass=commands, distclass=Binary)
