#!/usr/bin/env python3
"""Writes the calls of C, C++ or Fortran that replay a file of calls (golden.py), from include/orrery/api.json.

It must not know any function: it maps roles of arguments to what the drivers replay.c, .cpp and .f90 read.

usage: replay.py api.json CALLS c|cxx|fortran     of the functions that CALLS names
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bindings"))
from description import Description, Unsupported, array_type  # noqa: E402

WHOLE = ("integer", "length", "axis", "enum", "dtype", "bool")


class Call:
    """The arguments that a line of the file has, each with its type and the word by which the drivers read it; the results."""

    def __init__(self, d, f):
        self.f, self.reads, self.outs = f, [], []
        lengths = d.lengths(f)
        for a in f["arguments"]:
            role, of = a["role"], a.get("of", "").rstrip(" *")
            if a.get("given") or role == "length" and a["name"] in lengths:
                continue
            if role in WHOLE and not array_type(a["type"]):
                self.reads.append((a, "whole"))
            elif role in ("tensor", "real", "text", "shape", "axes", "index"):
                self.reads.append((a, role))
            elif role == "list" and of in ("orr_tensor", "double", "int", "int64_t"):
                self.reads.append((a, {"orr_tensor": "tensors", "double": "reals", "int": "ints", "int64_t": "int64s"}[of]))
            elif role in ("out", "out list") and of == "orr_tensor":
                self.outs.append(a)
            else:
                raise Unsupported("%s: an argument with the role %s" % (f["name"], role))
        self.lengths = lengths
        self.result = d.results.get(f["result"])
        self.name = f["name"][4:]


def in_c(call):
    f, lines = call.f, []
    types = {"tensor": "orr_tensor *", "real": "double", "text": "const char *", "shape": "orr_shape", "axes": "orr_axes", "index": "orr_index"}
    for a, how in call.reads:
        n = a["name"]
        if how == "whole":
            lines.append("%s a_%s = (%s)read_whole();" % (a["type"], n, a["type"]))
        elif how in types:
            lines.append("%s a_%s = read_%s();" % (types[how], n, how))
        else:
            element = {"tensors": "orr_tensor *", "reals": "double", "ints": "int", "int64s": "int64_t"}[how]
            lines.append("%s l_%s[MOST];" % (element, n))
            lines.append("int n_%s = read_count();" % n)
            lines.append("%s *a_%s = n_%s < 0 ? NULL : l_%s;" % (element, n, n, n))
            lines.append("for (int k = 0; k < n_%s; k++) l_%s[k] = read_%s();" % (n, n, {"tensors": "tensor", "reals": "real"}.get(how, "whole")))
    for a in call.outs:
        lines.append("orr_tensor *o_%s[MOST] = { NULL };" % a["name"])
    args = ["__FILE__, __LINE__"] if f["here"] else []
    by_name = {a["name"] for a, _ in call.reads}
    for a in f["arguments"]:
        n = a["name"]
        args.append(a["given"] if a.get("given") else "n_" + call.lengths[n] + " < 0 ? 0 : n_" + call.lengths[n] if n in call.lengths else
                    "a_" + n if n in by_name else "o_" + n)
    text = "%s(%s)" % (f["symbol"], ", ".join(args))
    if f["result"] == "orr_tensor *":
        lines.append("put(%s);" % text)
    elif call.result:
        lines.append("%s r = %s;" % (f["result"], text))
        lines += ["put(r.%s);" % x["name"] for x in call.result["fields"] if x["type"] == "orr_tensor *"]
    else:
        lines.append("%s;" % text if f["result"] == "void" else "settle(%s);" % text)
    for a in call.outs:
        lines.append("put_all(o_%s, %d);" % (a["name"], a["role"] == "out"))
    return "    if (strcmp(name, \"%s\") == 0) {\n        %s\n        return;\n    }\n" % (call.name, "\n        ".join(lines))


def in_cxx(call):
    f, lines, args = call.f, [], []
    for a, how in call.reads:
        n = "a_" + a["name"]
        args.append(n)
        if how == "whole":
            lines.append("const auto %s = static_cast<%s>(in.whole());" % (n, a["type"]))
        elif how == "tensor":
            lines.append("const Tensor t_%s = in.tensor();" % n)
            args[-1] = "t_" + n
        else:
            lines.append("const auto %s = in.%s();" % (n, how))
    if call.result:
        lines.append("const auto r = orrery::%s(%s);" % (call.name, ", ".join(args)))
        lines += ["put(r.%s);" % x["name"] for x in call.result["fields"] if x["type"] == "orr_tensor *"]
        return "    if (name == \"%s\") {\n        %s\n        return;\n    }\n" % (call.name, "\n        ".join(lines))
    safe = call.name + "_" if call.name in ("and", "or", "xor", "not", "switch", "union") else call.name
    lines.append(("orrery::%s(%s);" if f["result"] == "void" else "put(orrery::%s(%s));") % (safe, ", ".join(args)))
    return "    if (name == \"%s\") {\n        %s\n        return;\n    }\n" % (call.name, "\n        ".join(lines))


def in_fortran(call):
    f, lines, args, declared = call.f, [], [], []
    plain = {"whole": "integer(c_int64_t)", "real": "real(c_double)"}
    for k, (a, how) in enumerate(call.reads):
        n = "a%d" % (k + 1)
        if not any(o["role"] == "out list" and o.get("length") == a["name"] for o in call.outs):  # else the array has it
            args.append("%s=%s" % (a["name"], n))
        if how == "whole":
            t = a["role"] in ("enum", "dtype") and "integer" or a["role"] == "bool" and "logical" or a["type"] == "char" and "character" or plain[how]
            declared.append("%s :: %s" % (t, n))
            lines.append("%s = %s" % (n, {"integer": "int(read_whole())", "logical": "read_whole() /= 0", "character": "achar(read_whole())"}.get(t, "read_whole()")))
        elif how == "real":
            declared.append("real(c_double) :: " + n)
            lines.append("%s = read_real()" % n)
        elif how == "tensor":
            declared.append("type(orr_tensor), pointer :: " + n)
            lines.append("%s => read_tensor()" % n)
        elif how == "text":
            declared.append("character(:), allocatable :: " + n)
            lines.append("%s = word()" % n)
        elif how in ("shape", "axes", "index", "int64s", "ints"):
            declared.append("integer(%s), allocatable :: %s(:)" % ("c_int" if how == "ints" else "c_int64_t", n))
            lines.append("call read_%s(%s)" % ("ints" if how == "ints" else "wholes", n))
        elif how == "reals":
            declared.append("real(c_double), allocatable :: %s(:)" % n)
            lines.append("call read_reals(%s)" % n)
        elif how == "tensors":
            declared.append("type(orr_tensor), allocatable :: %s(:)" % n)
            lines.append("call read_tensors(%s)" % n)
    outs = []
    if call.result:
        outs = [(x["name"], None) for x in call.result["fields"] if x["type"] == "orr_tensor *"]
    outs += [(a["name"], a if a["role"] == "out list" else None) for a in call.outs]
    puts = []
    for k, (name, listed) in enumerate(outs):
        n = "o%d" % (k + 1)
        args.append("%s=%s" % (name, n))
        if listed:
            declared.append("type(orr_tensor) :: %s(64)" % n)
            length = next((i for i, (a, _) in enumerate(call.reads) if a["name"] == listed.get("length")), None)
            text = "%s(1:%s)" % (n, "int(a%d)" % (length + 1) if length is not None else
                                 "size(a%d)" % (1 + next(i for i, (a, _) in enumerate(call.reads) if a["name"] == call.lengths.get(listed.get("length"))))
                                 if listed.get("length") in call.lengths else "64")
            if listed.get("extra"):
                text = text[:-1] + " + %d)" % listed["extra"]
            args[-1] = "%s=%s" % (name, text)
            puts.append("call put_all(%s)" % text)
        else:
            declared.append("type(orr_tensor) :: " + n)
            puts.append("call put(%s)" % n)
    joined = ", ".join(args)
    if f["result"] == "orr_tensor *":
        lines.append("call put(%s(%s))" % (f["name"], joined))
    else:
        lines.append("call %s(%s)" % (f["name"], joined))
    lines += puts
    return ("  subroutine call_%s()\n    %s\n    %s\n  end subroutine\n"
            % (call.name, "\n    ".join(declared), "\n    ".join(lines)))


def wrapped(text):
    out = []
    for line in text.split("\n"):
        while len(line) > 120:
            cut = line.rfind(", ", 0, 118)
            out.append(line[:cut + 2] + "&")
            line = "      " + line[cut + 2:]
        out.append(line)
    return "\n".join(out)


def main():
    d = Description(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as f:
        named = {line.split(None, 2)[1] for line in f if line.startswith("do ")}
    calls = [Call(d, f) for f in d.functions if f["name"][4:] in named]
    if sys.argv[3] == "c":
        print("static void call(const char *name)\n{\n%s    fail(name);\n}" % "".join(in_c(c) for c in calls))
    elif sys.argv[3] == "cxx":
        print("static void call(Reader &in, const std::string &name)\n{\n%s    fail(\"no function \" + name);\n}" % "".join(in_cxx(c) for c in calls))
    else:
        print(wrapped("  subroutine call_by_name(name)\n    character(*), intent(in) :: name\n    select case (name)\n%s"
                      "    case default\n      call fail('no function ' // name)\n    end select\n  end subroutine\n\n%s" % (
                          "".join("    case ('%s')\n      call call_%s()\n" % (c.name, c.name) for c in calls),
                          "\n".join(in_fortran(c) for c in calls))))


main()
