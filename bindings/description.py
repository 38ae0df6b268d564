"""include/orrery/api.json as the generators of bindings/cxx and bindings/fortran read it.

It must not know any language, and no function by name.
"""
import json
import re


class Unsupported(Exception):
    """The reason why a function has no form in a language."""


def camel(name):
    return "".join(w.capitalize() for w in name[4:].split("_"))


class Description:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.api = json.load(f)
        self.enums = {e["name"]: e for e in self.api["enums"] if e["name"]}
        self.structs = {s["name"]: s for s in self.api["structs"]}
        self.opaque = {o["name"]: o for o in self.api["opaque"] if o["name"] != "orr_tensor"}
        self.functions = self.api["functions"]
        self.freeing = {o["free"]: name for name, o in self.opaque.items() if o.get("free")}
        used = {f["result"] for f in self.functions}
        used |= {a["of"] for f in self.functions for a in f["arguments"] if a["role"] == "out"}
        # Structs of results, whose tensors a call makes.
        self.results = {n: s for n, s in self.structs.items()
                        if n in used and any(f["type"] == "orr_tensor *" for f in s["fields"])}

    def lengths(self, f):
        """Length arguments that a list gives, each with the first list that has it."""
        given = {}
        for a in f["arguments"]:
            if a["role"] in ("list", "in out list") and re.fullmatch(r"[a-z_]\w*", a.get("length") or ""):
                given.setdefault(a["length"], a["name"])
        return given

    def listing(self, f):
        """The argument that receives up to `max` structs, of a function that returns or sets the number of all."""
        return next((a for a in f["arguments"] if a["role"] == "out list" and a.get("length") == "max"), None)


def signature(text):
    """Result and argument types of a callback."""
    result, _, rest = text.partition("(*)(")
    return result.strip(), [t.strip() for t in rest.rstrip(")").split(",")]


def paragraphs(doc):
    return [line.rstrip() for line in doc.split("\n")]


def array_type(t):
    """(element, length) of `T[n]`, or None."""
    m = re.fullmatch(r"(.*)\[(\d+)\]", t)
    return (m.group(1).strip(), int(m.group(2))) if m else None
