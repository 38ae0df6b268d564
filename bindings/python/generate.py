#!/usr/bin/env python3
"""Writes the extension module's functions from include/orrery/api.json.

It must not know any function: it maps roles of arguments to conversions.

usage: generate.py api.json FUNCTIONS.C STUBS.PYI
"""
import ast
import json
import keyword
import os
import re
import sys

# Functions of which Python has another form, and where.
ELSEWHERE = [(re.compile("orr_(%s)$" % names), why) for names, why in (
    (r"scope_\w+|keep|free|\w+_free", "memory is released with its last reference"),
    (r"eval_brief", "eval, which calls it before it releases the interpreter's lock"),
    (r"init|shutdown", "the first call starts the library, and init(**config); it ends with the process"),
    (r"from|wrap|wrap_bytes|to_dlpack\w*|from_dlpack\w*", "asarray, from_dlpack, __dlpack__ and the buffer protocol (src/exchange.c)"),
    (r"read|data|item\w*|print|tensor_\w+|shape_format", "attributes and conversions of Tensor (src/objects.c)"),
    (r"error_\w+|error_print|status_name", "exceptions"),
    (r"dtype_\w+|isdtype", "attributes of DType; isdtype in the form of the standard"),
    (r"bytes_free|\w+_names_free", "bytes and lists of Python"),
    (r"scan", "scan in orrery/_training.py: its steps are recorded by Python; a loop's function would have to live as long as its results"),
)]
OPERATORS = {  # of Python's data model
    "add": ("nb_add", "add"), "subtract": ("nb_subtract", "sub"), "multiply": ("nb_multiply", "mul"),
    "divide": ("nb_true_divide", "div"), "floor_divide": ("nb_floor_divide", "floor_divide"),
    "remainder": ("nb_remainder", "remainder"), "bitwise_and": ("nb_and", "and"), "bitwise_or": ("nb_or", "or"),
    "bitwise_xor": ("nb_xor", "xor"), "bitwise_left_shift": ("nb_lshift", "lshift"),
    "bitwise_right_shift": ("nb_rshift", "rshift"), "matmul": ("nb_matrix_multiply", "matmul"),
    "pow": ("nb_power", "pow"), "negative": ("nb_negative", "neg"), "positive": ("nb_positive", "pos"),
    "abs": ("nb_absolute", "abs"), "bitwise_invert": ("nb_invert", "invert"),
}
TRUTHS = {"orr_add": "orr_logical_or_at", "orr_mul": "orr_logical_and_at"}  # of two truth values, as in NumPy
COMPARISONS = {"less": "Py_LT", "less_equal": "Py_LE", "equal": "Py_EQ", "not_equal": "Py_NE", "greater": "Py_GT",
               "greater_equal": "Py_GE"}
NUMBERS = {"int": "PyLong_FromLong(%s)", "int64_t": "PyLong_FromLongLong(%s)", "size_t": "PyLong_FromSize_t(%s)",
           "uint64_t": "PyLong_FromUnsignedLongLong(%s)", "unsigned": "PyLong_FromUnsignedLong(%s)",
           "orr_shape": "from_shape(%s)", "double": "PyFloat_FromDouble(%s)", "bool": "PyBool_FromLong(%s)", "orr_dtype": "from_dtype(%s)",
           "const char *": "from_text(%s)", "orr_tensor *": "from_tensor(&c, %s)"}

# The exception of a status and the classes of Python that are nearest; another status has a name of its own.
EXCEPTIONS = {
    "ORR_EINVAL": ("InvalidError", "ValueError"), "ORR_ESHAPE": ("ShapeError", "ValueError"),
    "ORR_EDTYPE": ("DtypeError", "TypeError"), "ORR_EAXIS": ("AxisError", "IndexError ValueError"),
    "ORR_EINDEX": ("IndexRangeError", "IndexError"), "ORR_ENOMEM": ("OutOfMemoryError", "MemoryError"),
    "ORR_EIO": ("FileError", "OSError"), "ORR_EFORMAT": ("FormatError", "ValueError"),
    "ORR_ESTATE": ("StateError", "RuntimeError"), "ORR_EHANDLE": ("HandleError", "ReferenceError"),
    "ORR_EENV": ("EnvironmentVariableError", "ValueError"), "ORR_ENUMERIC": ("NumericError", "ArithmeticError ValueError"),
    "ORR_EINTERNAL": ("InternalError", "SystemError"),
}


def exception(status):
    return EXCEPTIONS.get(status, (status[len("ORR_E"):].capitalize() + "Error", "RuntimeError"))


def elsewhere(f):
    return next((why for names, why in ELSEWHERE if names.match(f["name"])), None)


class Unsupported(Exception):
    pass


def c_text(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("??", "?\\?") + '"'


def camel(name):
    return "".join(w.capitalize() for w in name[4:].split("_"))


def operands(f, params):
    """A bit for each parameter whose tensors take the common dtype, as the text of the function says ("x and edges promoted", "for y and
    z, promoted", "promoted": all tensors), and whether that is one of floats: "true" or "false". Layers and what is written to (updates)
    have dtypes of their own."""
    if f["header"] not in ("elementwise.h", "ops.h", "array.h", "linalg.h", "fft.h") or any(a["name"] == "updates" for a in f["arguments"]):
        return 0, "false"
    said = re.search(r"dtypes:\s*([^.;]*)", f["doc"] or "")
    text = said.group(1).strip() if said else ""
    floats = re.match(r"(floats|f16|f32)\b", text) is not None
    named = re.search(r"\b(\w+) and (\w+),? promoted", text)
    if "promoted" not in text and not (floats and f["header"] in ("ops.h", "linalg.h", "fft.h")):
        return 0, "false"
    tensors = [a["name"] for a in f["arguments"] if a["role"] == "tensor" or a["role"] == "list" and a.get("of") == "orr_tensor *"]
    own = [n for n in named.groups() if n in tensors] if named else []
    return sum(1 << k for k, p in enumerate(params) if p[0].rstrip("_") in (own or tensors)), str(floats).lower()


def short(name):
    return name[4:]


def prefix_of(names):
    """The common beginning of enumerators, at a word's end."""
    parts = [n.split("_") for n in names]
    k = 0
    while all(len(p) > k + 1 for p in parts) and len({p[k] for p in parts}) == 1:
        k += 1
    return k


class Generator:
    def __init__(self, api):
        self.api = api
        self.enums = {e["name"]: e for e in api["enums"] if e["name"]}
        self.structs = {s["name"]: s for s in api["structs"]}
        self.opaque = {o["name"]: o for o in api["opaque"] if o["name"] != "orr_tensor"}
        self.standard = {}
        for row in api["standard"]["rows"]:
            self.standard.setdefault(row["name"], row["standard"])
        self.fillers = set()
        self.out, self.records, self.fills, self.left_out, self.bound = [], {}, {}, [], []
        self.trampolines, self.deferred = {}, []
        self.callbacks = {c["name"] + " *" for c in api["callbacks"]} | {c["name"] for c in api["callbacks"]}
        self.states = [name for f in api["functions"] if not elsewhere(f) and f["result"] not in ("orr_status", "void") for a in f["arguments"]
                       if a["role"] == "out" and (name := a.get("of")) in self.structs and name != "orr_bytes"]
        for name in self.states:
            self.opaque[name] = {"name": name, "doc": self.structs[name]["doc"], "threads": "one"}
        for f in api["functions"]:
            for a in f["arguments"]:
                if a.get("of") in self.states and a["role"] == "out":
                    a["role"] = "handle"

    # -- results ---------------------------------------------------------------------------------------------

    def record(self, name):
        """The conversion of a struct: a function of its own, made once."""
        if name in self.records:
            return "from_%s(&c, NULL, &%%s)" % name
        s = self.structs[name]
        fields = []
        for f in s["fields"]:
            t = f["type"]
            if t == "orr_tensor *" and "orrowed" in s["doc"]:
                fields.append("from_borrowed(c, s->%s, keep)" % f["name"])
            elif re.fullmatch(r"char\[\d+\]", t):
                fields.append("from_text(s->%s)" % f["name"])
            elif t in NUMBERS:
                fields.append(NUMBERS[t].replace("&c", "c") % ("s->" + f["name"]))
            elif t in self.enums:
                fields.append("PyLong_FromLong((long)s->%s)" % f["name"])
            elif re.fullmatch(r"(size_t|int64_t|double)\[\d+\]", t):
                base, n = t[:-1].split("[")
                one = ", ".join(NUMBERS[base] % ("s->%s[%d]" % (f["name"], k)) for k in range(int(n)))
                fields.append("from_record(NULL, (PyObject *[]){ %s }, %s)" % (one, n))
            elif re.fullmatch(r"\w+\[\d+\]", t) and t.split("[")[0] in self.structs:
                base, n = t[:-1].split("[")
                self.record(base)
                one = ", ".join("from_%s(c, NULL, &s->%s[%d])" % (base, f["name"], k) for k in range(int(n)))
                fields.append("from_record(NULL, (PyObject *[]){ %s }, %s)" % (one, n))
            elif t in self.callbacks or t == "void *" or t.rstrip(" *") in self.opaque:
                fields.append("from_text(NULL)")  # functions and objects of C
            else:
                raise Unsupported("a struct with %s" % t)
        self.records[name] = (s, fields)
        self.out.append("static PyTypeObject *%s_type;\nstatic PyObject *from_%s(call *c, PyObject *keep, const %s *s)\n{\n"
                        "    (void)c, (void)keep;\n    return from_record(%s_type, (PyObject *[]){ %s }, %d);\n}\n"
                        % (name, name, name, name, ",\n        ".join(fields), len(fields)))
        return "from_%s(&c, NULL, &%%s)" % name

    def value(self, t):
        if t in NUMBERS:
            return NUMBERS[t]
        if t in self.enums:
            return "PyLong_FromLong((long)%s)"
        if t in self.structs and t not in ("orr_bytes", "orr_axes", "orr_number"):
            return self.record(t)
        raise Unsupported("a result of type %s" % t)

    # -- option structs ---------------------------------------------------------------------------------------

    def enum_names(self, name):
        values = [v for v in self.enums[name]["values"]]
        k = prefix_of([v["name"] for v in values])
        return [("_".join(v["name"].split("_")[k:]).lower(), v["value"]) for v in values]

    def fill(self, name):
        if name in self.fills:
            return
        s = self.structs[name]
        lines, known = [], []
        first = s["fields"][0]["type"]
        for f in s["fields"]:
            t, n = f["type"], f["name"]
            to = "&to->%s" % n
            if t == "double":
                get = "to_real(c, v, %s, %s)"
            elif t in ("int",):
                get = "to_i32(c, v, %s, %s)"
            elif t == "int64_t":
                get = "to_int(c, v, %s, %s)"
            elif t in ("uint64_t", "size_t"):
                get, to = "to_u64(c, v, %s, %s)", "(uint64_t *)&to->%s" % n
            elif t == "bool":
                get = "to_bool(c, v, %s, %s)"
            elif t == "const char *":
                get = "to_text(c, v, %s, %s)"
            elif t == "orr_tensor *":
                get = "to_tensor(c, v, %s, %s)"
            elif t in self.enums:
                get, to = "to_enum(c, v, %%s, %s_names, %d, %%s)" % (t, len(self.enums[t]["values"])), "(int *)&to->%s" % n
            elif re.fullmatch(r"int64_t\[\d+\]", t):
                get, to = "to_numbers_field(c, v, %%s, %%s, %s)" % t[8:-1], "to->%s" % n
            elif t.rstrip(" *") in self.opaque:
                get, to = "to_handle(c, v, %%s, &kind_of_%s, %%s)" % t.rstrip(" *"), "(void **)&to->%s" % n
            elif t in self.structs:
                self.fill(t)
                get = "(void)%%s, fill_%s(c, v, %%s)" % t
                get = "fill_%s(c, v, %%.0s%%s)" % t
            else:
                continue  # callbacks and plain memory have no form in Python
            if "%.0s" in get:
                code = get.replace("%.0s", "") % to
            else:
                code = get % (c_text(n), to)
            known.append(n)
            lines.append("    v = field(options, %s);\n    if (v && !%s)\n        return false;" % (c_text(n), code))
        alone = ""
        if first in self.enums:
            alone = ("    if (PyUnicode_Check(options))\n        return to_enum(c, options, %s, %s_names, %d, (int *)&to->%s);\n"
                     % (c_text(s["fields"][0]["name"]), first, len(self.enums[first]["values"]), s["fields"][0]["name"]))
        self.fills[name] = known
        self.out.append(
            "bool fill_%s(call *c, PyObject *options, %s *to)\n{\n    static const char *const names[] = { %s, NULL };\n"
            "    PyObject *v;\n%s    if (!only_fields(c, options, names))\n        return false;\n%s\n    return true;\n}\n"
            % (name, name, ", ".join(c_text(k) for k in known), alone, "\n".join(lines)))

    # -- functions ----------------------------------------------------------------------------------------------

    def function(self, f):
        args = f["arguments"]
        lists = [a for a in args if a["role"] in ("list", "in out list")]
        params, decls, gets, call, outs, after = [], [], [], {}, [], []
        sized = user = None
        lengths = {}
        for a in args:
            if a["role"] in ("list", "in out list") and a.get("length"):
                lengths.setdefault(a["length"], []).append(a["name"])
        named = {a["name"] for a in args}

        def length_of(a):
            """The C expression of a list's length, with the variables of the arguments."""
            return re.sub(r"\b(%s)\b" % "|".join(named), r"a_\1", a["length"])

        def param(a, name=None, optional=False):
            name = name or a["name"]
            params.append((name + "_" if keyword.iskeyword(name) else name, optional or "default" in a or a["role"] == "enum"))
            return "v[%d]" % (len(params) - 1)

        for a in args:
            n, role, t = a["name"], a["role"], a["type"]
            var = "a_" + n
            call[n] = var
            q = c_text(n)
            if a.get("given"):
                call[n] = a["given"]
            elif role == "tensor":
                v = param(a)
                decls.append("orr_tensor *%s = NULL;" % var)
                gets.append("%s(&c, %s, %s, &%s)" % ("to_tensor_or_null" if a.get("optional") else "to_tensor", v, q, var))
            elif role == "integer" and n == "bytes" and sized:
                call[n] = sized
            elif role in ("integer", "length", "axis"):
                if role == "length" and n in lengths:
                    decls.append("int64_t %s = 0;" % var)
                    call[n] = "(%s)%s" % (t, var)
                    continue
                if role == "length" and n == "max":
                    continue
                v = param(a)
                if role == "axis" and t == "int":
                    decls.append("int %s = 0;" % var)
                    gets.append("to_axis(&c, %s, %s, &%s)" % (v, q, var))
                elif t == "int":
                    decls.append("int %s = 0;" % var)
                    gets.append(self.maybe(a, v, "to_i32(&c, %s, %s, &%s)" % (v, q, var)))
                elif t in ("uint64_t", "size_t", "unsigned", "uint32_t"):
                    decls.append("uint64_t %s = 0;" % var)
                    call[n] = "(%s)%s" % (t, var)
                    gets.append(self.maybe(a, v, "to_u64(&c, %s, %s, &%s)" % (v, q, var)))
                elif re.fullmatch(r"(unsigned )?char\[\d+\]", t):
                    params.pop()
                    decls.append("%schar %s[%s] = { 0 };" % (t.partition("char")[0], var, t.split("[")[1][:-1]))
                    outs.append("PyBytes_FromStringAndSize((const char *)%s, %s)" % (
                        var, "(Py_ssize_t)r" if f["result"] == "size_t" else "sizeof " + var)
                        if f["result"] == "size_t" or t.startswith("unsigned") else "from_text(%s)" % var)
                elif re.fullmatch(r"const uint64_t\[\d+\]", t):
                    words = int(t.split("[")[1][:-1])
                    decls.append("uint64_t %s[%d] = { 0 };" % (var, words))
                    gets.append("to_words(&c, %s, %s, %s, %d)" % (v, q, var, words))
                elif t in ("int64_t", "char"):
                    decls.append("int64_t %s = 0;" % var)
                    call[n] = "(%s)%s" % (t, var)
                    gets.append(self.maybe(a, v, "to_int(&c, %s, %s, &%s)" % (v, q, var)))
                else:
                    raise Unsupported("an argument of type " + t)
            elif role == "real":
                v = param(a)
                decls.append("double %s = 0;" % var)
                gets.append("to_real(&c, %s, %s, &%s)" % (v, q, var))
            elif role == "bool":
                v = param(a)
                decls.append("bool %s = false;" % var)
                gets.append("(!%s || to_bool(&c, %s, %s, &%s))" % (v, v, q, var))
            elif role == "text":
                v = param(a)
                decls.append("const char *%s = NULL;" % var)
                gets.append(self.maybe(a, v, "to_text(&c, %s, %s, &%s)" % (v, q, var)))
            elif role in ("shape", "dtype", "number"):
                v = param(a)
                decls.append("orr_%s %s = { 0 };" % (role, var) if role != "dtype" else "orr_dtype %s = ORR_F64;" % var)
                gets.append("to_%s(&c, %s, %s, &%s)" % (role, v, q, var))
            elif role in ("axes", "index"):
                name = "axis" if role == "axes" and n == "axes" and any(b["name"] == "keepdims" for b in args) else n
                v = param(a, name)
                decls.append("orr_%s %s;" % (role, var))
                gets.append("to_%s(&c, %s, %s, &%s)" % (role, v, c_text(name), var))
            elif role == "enum":
                v = param(a)
                decls.append("int %s = 0;" % var)
                call[n] = "(%s)%s" % (t, var)
                gets.append("(!%s || to_enum(&c, %s, %s, %s_names, %d, &%s))"
                            % (v, v, q, t, len(self.enums[t]["values"]), var))
            elif role == "handle":
                v = param(a)
                kind = a["of"]
                decls.append("void *%s = NULL;" % var)
                check = "consumable(&c, %s) && " % v if a.get("consumed") else ""
                gets.append(check + "to_handle(&c, %s, %s, &kind_of_%s, &%s)" % (v, q, kind, var))
            elif role == "options" or role == "struct":
                of = a["of"]
                self.fill(of)
                v = param(a, optional=role == "options")
                decls.append("%s %s = { 0 };" % (of, var))
                gets.append("(!%s || fill_%s(&c, %s, &%s))" % (v, of, v, var))
                if role == "options":
                    call[n] = "%s ? &%s : NULL" % (v, var)
            elif role in ("list", "in out list"):
                v = param(a)
                of = a["of"].strip()
                base = of.rstrip(" *")
                counted = a["length"] in named and lengths[a["length"]][0] == n
                length = "a_" + a["length"] if counted else "n_" + n
                if not counted:
                    decls.append("int64_t %s = 0;" % length)
                    after.append("%ssame_length(&c, %s, %s, %s)" % (
                        "!%s || " % v if a.get("optional") else "", q, length, length_of(a)))
                if base == "unsigned char":
                    decls.append("orr_bytes %s = { 0 };" % var)
                    gets.append("(!%s || to_bytes(&c, %s, %s, &%s))" % (v, v, q, var))
                    after.insert(len(after) - 1, "(%s = (int64_t)%s.size, true)" % (length, var))
                    call[n] = var + ".data"
                    continue
                if base == "orr_tensor":
                    kind, ctype, cast = "to_tensors", "orr_tensor **", ""
                elif base in self.opaque:
                    kind, ctype, cast = "to_handles", "void **", "(%s *const *)" % base
                elif base == "int64_t":
                    kind, ctype, cast = "to_ints", "int64_t *", ""
                elif base == "double":
                    kind, ctype, cast = "to_reals", "double *", ""
                elif base == "char":
                    kind, ctype, cast = "to_texts", "const char **", ""
                elif base == "orr_dtype":
                    kind, ctype, cast = "to_dtypes", "orr_dtype *", ""
                elif base == "orr_bytes":
                    kind, ctype, cast = "to_bytes_list", "orr_bytes *", ""
                elif base == "orr_buffer":
                    kind, ctype, cast = "to_buffers", "orr_buffer *", ""
                elif base in self.structs:
                    self.list_of(base)
                    kind, ctype, cast = "to_%s_list" % base, base + " *", ""
                else:
                    raise Unsupported("a list of " + of)
                decls.append("%s%s = NULL;" % (ctype, var))
                more = "&kind_of_%s, " % base if kind == "to_handles" else ""
                check = "consumable(&c, %s) && " % v if a.get("consumed") else ""
                get = check + "%s(&c, %s, %s, %s&%s, &%s)" % (kind, v, q, more, var, length)
                gets.append("(!%s || (%s))" % (v, get) if a.get("optional") else get)
                call[n] = cast + var
                if role == "in out list":
                    outs.append("from_tensors(&c, %s, %s)" % (var, length))
            elif role == "out list" and a["of"].startswith("orr_tensor"):
                if not a.get("length"):
                    raise Unsupported("a list of unknown length")
                decls.append("orr_tensor **%s = NULL;" % var)
                length = "(%s + %d)" % (length_of(a), a.get("extra", 0))
                after.append("(%s = memory(&c, (size_t)(%s < 0 ? 0 : %s) * sizeof *%s)) != NULL" % (var, length, length, var))
                outs.append("from_tensors(&c, %s, %s)" % (var, length))
            elif role == "out list" and a.get("length") == "max":
                return self.listing(f, a)
            elif role == "out list" and a["of"] == "unsigned char":
                decls.append("unsigned char %s[%s] = { 0 };" % (var, a["length"]))
                outs.append("PyBytes_FromStringAndSize((const char *)%s, sizeof %s)" % (var, var))
            elif role == "out list" and a["of"] in ("int", "int64_t", "double"):
                decls.append("%s *%s = NULL;" % (a["of"], var))
                after.append("(%s = memory(&c, (size_t)(%s) * sizeof *%s)) != NULL" % (var, length_of(a), var))
                outs.append("from_%ss(%s, %s)" % (a["of"], var, length_of(a)))
            elif role == "out":
                of = a["of"]
                if of == "names":
                    decls.append("char **%s = NULL;" % var)
                    call[n] = "&" + var
                    outs.append(("names", var))
                elif outs and isinstance(outs[-1], tuple) and t == "int *":
                    decls.append("int %s = 0;" % var)
                    call[n] = "&" + var
                    outs[-1] = "from_names(%s, %s)" % (outs[-1][1], var)
                elif of.rstrip(" *") in self.opaque and of.endswith("*"):
                    if a.get("optional"):
                        call[n] = "NULL"
                        continue
                    decls.append("%s %s = NULL;" % (of, var))
                    call[n] = "&" + var
                    outs.append("from_handle(&c, %s, &kind_of_%s, v, %d, true)" % (var, of.rstrip(" *"), len(params)))
                else:
                    if of == "orr_bytes" and f["result"] == "orr_status":
                        decls.append("orr_bytes %s = { 0 };" % var)
                        call[n] = "&" + var
                        outs.append("from_bytes_made(&%s)" % var)
                        continue
                    if of in self.structs and f["result"] != "orr_status":
                        raise Unsupported("a struct of the caller's")
                    if re.search(r"\b%s\b.{0,90}replaced" % n, f["doc"], re.S):
                        raise Unsupported("a tensor that is replaced")
                    conversion = self.value(of)
                    decls.append("%s %s%s;" % (of, var, " = { 0 }" if of in self.structs else " = 0"
                                               if not of.endswith("*") else " = NULL"))
                    call[n] = "&" + var
                    outs.append(conversion % var)
            elif role == "callback":
                if a["signature"] == "void (*)(void *)":
                    call[n] = "NULL"  # the handle keeps the function
                    continue
                lasting = re.search(r"the (former|previous) function is not called any more", f["doc"])
                v = param(a, optional=bool(lasting))
                name, deferred = self.trampoline(a["signature"])
                if deferred != bool(lasting):
                    raise Unsupported("a callback that outlives the call")
                if lasting:
                    slot = f["name"] + "_slot"
                    self.deferred.append((slot, f))
                    self.out.append("static slot %s;" % slot)
                    call[n] = "%s ? %s : NULL" % (v, name)
                    gets.append("(!%s || callable(&c, %s, %s))" % (v, v, q))
                    gets.append("slot_next(&c, &%s, %s)" % (slot, v))
                    user = "c.next"
                else:
                    call[n] = name
                    gets.append("callable(&c, %s, %s)" % (v, q))
                    user = v
            elif role == "user":
                call[n] = "(void *)%s" % user if user else "NULL"
            elif role == "stream":
                decls.append("char *text = NULL;")
                decls.append("size_t text_size = 0;")
                decls.append("FILE *%s = NULL;" % var)
                after.append("(%s = open_memstream(&text, &text_size)) != NULL" % var)
                outs.append("text_of(%s, &text, &text_size)" % var)
            elif role == "memory" and n == "data" and t == "const void *" and any(b["name"] == "bytes" for b in args):
                v = param(a)
                decls.append("orr_bytes %s = { 0 };" % var)
                gets.append("to_bytes(&c, %s, %s, &%s)" % (v, q, var))
                call[n], sized = var + ".data", var + ".size"
            elif role == "memory" and t == "void *" and any(b["name"] == "bytes" for b in args):
                v = param(a)
                decls.append("orr_buffer %s = { 0 };" % var)
                gets.append("to_buffer(&c, &%s, %s, &%s)" % (v, q, var))
                call[n], sized = var + ".data", var + ".bytes"
                if args[0]["role"] == "handle":
                    gets.append("kept_by(v[0], %s)" % v)
            elif role == "bytes":
                v = param(a)
                decls.append("orr_bytes %s = { 0 };" % var)
                gets.append("to_bytes(&c, %s, %s, &%s)" % (v, q, var))
                call[n] = "&" + var if t.endswith("*") else var
            else:
                raise Unsupported("an argument with the role " + role)
        return self.emit(f, params, decls, gets, after, call, outs, args)

    def trampoline(self, signature):
        """The C function that calls the one of Python, which is its last argument; whether it does so later."""
        if signature in self.trampolines:
            return self.trampolines[signature]
        result, _, rest = signature.partition("(*)(")
        types = [t.strip() for t in rest.rstrip(")").split(",")]
        result = result.strip()
        if result not in ("orr_tensor *", "int", "void") or types[-1] != "void *":
            raise Unsupported("a callback of another form")
        name = "call_back_%d" % len(self.trampolines)
        params = ", ".join("%s%sp%d" % (t, "" if t.endswith("*") else " ", k) for k, t in enumerate(types[:-1]))
        if result == "void":
            self.later(name, params, types[:-1])
            self.trampolines[signature] = name, True
            return self.trampolines[signature]
        values, skip, made = [], False, None
        for k, t in enumerate(types[:-1]):
            if skip:
                skip = False
            elif t == "orr_tensor *":
                values.append("argument_tensor(p%d)" % k)
            elif t == "int64_t":
                values.append("PyLong_FromLongLong(p%d)" % k)
            elif t == "orr_tensor *const *" and types[k + 1] == "int":
                values.append("argument_tensors(p%d, p%d)" % (k, k + 1))
                skip = True
            elif t == "orr_tensor **" and types[k + 1] == "int" and result == "int":
                made, skip = k, True
            elif t == "const orr_module *":
                values.append("from_handle(&c, (void *)(uintptr_t)p%d, &kind_of_orr_module, NULL, 0, false)" % k)
            else:
                raise Unsupported("a callback with " + t)
        if (result == "int") != (made is not None):
            raise Unsupported("a callback of another form")
        self.trampolines[signature] = name, False
        call = ("called(user, (PyObject *[]){ %s }, %d)" if made is None else
                "called_for_all(user, (PyObject *[]){ %%s }, %%d, p%d, p%d)" % (made, made + 1)) % (", ".join(values), len(values))
        self.out.append("static %s%s%s(%s, void *user)\n{\n    PyGILState_STATE state = PyGILState_Ensure();\n"
                        "    call c = { .name = \"callback\" };\n    (void)c;\n"
                        "    %s%sr = %s;\n    PyGILState_Release(state);\n    return r;\n}\n"
                        % (result, "" if result.endswith("*") else " ", name, params, result, "" if result.endswith("*") else " ", call))
        return self.trampolines[signature]

    def later(self, name, params, types):
        """A call that a thread of the library posts, and the thread of core.c makes."""
        pack, unpack, numbers = [], [], 0
        memories = 0
        for k, t in enumerate(types):
            base = t.replace("const ", "").rstrip(" *")
            if t == "const char *":
                pack.append("    p->memory[%d] = strdup(p%d);" % (memories, k))
                unpack.append("from_text(p->memory[%d])" % memories)
                memories += 1
            elif base in self.structs and t.endswith("*") and types[k + 1] == "int":
                self.record(base)
                pack.append("    p->memory[%d] = malloc((size_t)p%d * sizeof *p%d + 1);\n    if (p->memory[%d])\n"
                            "        memcpy(p->memory[%d], p%d, (size_t)p%d * sizeof *p%d);" % (memories, k + 1, k, memories, memories, k, k + 1, k))
                unpack.append("%s_rows(p->memory[%d], p->memory[%d] ? p->number[%d] : 0)" % (name, memories, memories, numbers))
                self.out.append(
                    "static PyObject *%s_rows(const void *from, int64_t n)\n{\n    call c = { .name = \"callback\" };\n"
                    "    const %s *row = from;\n    PyObject *list = PyList_New(0);\n"
                    "    for (int64_t k = 0; list && k < n; k++)\n        append(&list, from_%s(&c, NULL, &row[k]));\n"
                    "    return list;\n}\n" % (name, base, base))
                memories += 1
            elif t in ("int", "int64_t", "unsigned") or t in self.enums:
                pack.append("    p->number[%d] = (int64_t)p%d;" % (numbers, k))
                if not (k and types[k - 1].endswith("*") and t == "int"):
                    unpack.append("PyLong_FromLongLong(p->number[%d])" % numbers)
                numbers += 1
            else:
                raise Unsupported("a callback with " + t)
        self.out.append("static PyObject *%s_values(const posted *p)\n{\n    return from_record(NULL, (PyObject *[]){ %s }, %d);\n}\n"
                        % (name, ", ".join(unpack), len(unpack)))
        self.out.append("static void %s(%s, void *user)\n{\n    posted *p = posted_new(user, %s_values);\n    if (!p)\n        return;\n%s\n"
                        "    post(p);\n}\n" % (name, params, name, "\n".join(pack)))

    def maybe(self, a, v, get):
        return "(!%s || %s)" % (v, get) if "default" in a else get

    def listing(self, f, a):
        """A function that writes up to max structs and returns the number of all: a list."""
        conversion = (NUMBERS[a["of"]] if a["of"] in NUMBERS else self.record(a["of"])).replace("NULL", "v[0]")
        others = [b for b in f["arguments"] if b["name"] not in (a["name"], "max", "count")]
        params, decls, gets = [], [], []
        for b in others:
            params.append((b["name"], False))
            v, q = "v[%d]" % (len(params) - 1), c_text(b["name"])
            if b["role"] == "handle":
                decls.append("void *a_%s = NULL;" % b["name"])
                gets.append("to_handle(&c, %s, %s, &kind_of_%s, &a_%s)" % (v, q, b["of"], b["name"]))
            elif b["role"] == "text":
                decls.append("const char *a_%s = NULL;" % b["name"])
                gets.append("to_text(&c, %s, %s, &a_%s)" % (v, q, b["name"]))
            else:
                raise Unsupported("a listing with " + b["role"])
        head = "c.file, c.line, " if f["here"] else ""
        counted = any(b["name"] == "count" for b in f["arguments"])

        def made(array, most):
            inner = [{a["name"]: array, "max": most, "count": "&count"}.get(b["name"], "a_" + b["name"]) for b in f["arguments"]]
            text = "%s(%s%s)" % (f["symbol"], head, ", ".join(inner))
            return "status = %s" % text if counted else "count = %s" % text
        body = ("    int count = 0, most = 0;\n    orr_status status = ORR_OK;\n    %s *rows = NULL;\n    %s;\n"
                "    most = count > 0 ? count : 0;\n    rows = memory(&c, (size_t)most * sizeof *rows);\n    if (!rows)\n"
                "        return failed(&c);\n    %s;\n    if (!ok(&c, status))\n        return failed(&c);\n"
                "    if (count > most)\n        count = most;\n    PyObject *list = PyList_New(0);\n"
                "    for (int k = 0; list && k < count; k++)\n        append(&list, %s);\n"
                "    ended(&c);\n    return list;\n") % (a["of"], made("NULL", "0"), made("rows", "most"), conversion % "rows[k]")
        self.wrap(f, params, -1, decls, gets, [], body)

    def emit(self, f, params, decls, gets, after, call, outs, args):
        head = ["c.file", "c.line"] if f["here"] else []
        symbol = "(truths(v[0], v[1]) ? %s : %s)" % (TRUTHS[f["name"]], f["symbol"]) if f["name"] in TRUTHS else f["symbol"]
        text = "%s(%s)" % (symbol, ", ".join(head + [call[a["name"]] for a in args]))
        result, body = f["result"], ""
        lasting = any("slot_next" in g for g in gets)
        release = f["blocks"] or lasting  # the call waits for the end of the former function
        guarded = release and any(a["role"] == "handle" for a in args)
        busy = "    busy(v, %d, %%s);\n" % len(params) if guarded else "%.0s"
        begin = busy % "true" + "    Py_BEGIN_ALLOW_THREADS\n" if release else ""
        end = "    Py_END_ALLOW_THREADS\n" + busy % "false" if release else ""
        base = result.replace("const ", "").rstrip(" *")
        if f.get("ownership", "scope") == "scope" and any(
                a["role"] == "callback" or a.get("of", "").rstrip(" *") == "orr_module" for a in args):
            begin = "    open_scope(&c);\n" + begin
        values = list(outs)
        if lasting:
            end += "    slot_set(&c, r_is_ok);\n".replace("r_is_ok", "r == ORR_OK" if result == "orr_status" else "true")
        index = {p[0]: k for k, p in enumerate(params)}
        consumed = [index[a["name"]] for a in args if a.get("consumed")]
        if result == "orr_status":
            body = "    orr_status r;\n%s    r = %s;\n%s" % (begin, text, end)
            if any("text_of" in o for o in outs if isinstance(o, str)):
                body += "    PyObject *printed = %s;\n    if (r != ORR_OK) {\n        Py_XDECREF(printed);\n    }\n" % outs[0]
                values[0] = "printed"
            body += "    if (!ok(&c, r))\n        return failed(&c);\n"
        elif result == "size_t" and any("(Py_ssize_t)r" in o for o in values if isinstance(o, str)):
            body = "    size_t r = %s;\n    if (!r)\n        return raise(&c, orr_error_status());\n" % text
        elif result == "void":
            body = "%s    %s;\n%s" % (begin, text, end)
        elif base in self.opaque and result.endswith("*"):
            owned = f.get("ownership") == "caller"
            body = "    %s r;\n%s    r = %s;\n%s" % (result.replace("const ", ""), begin, text.replace(f["symbol"], f["symbol"], 1), end)
            if consumed:
                kept = "keep_of(v, %d, %d)" % (len(params), consumed[0])
            body += "    PyObject *kept[MOST_ARGS] = { NULL };\n    for (int k = 0; k < %d; k++)\n        kept[k] = %s;\n" % (
                len(params), " || ".join("k == %d" % k for k in consumed) + " ? NULL : v[k]" if consumed else "v[k]")
            body += "    PyObject *o = from_handle(&c, (void *)(uintptr_t)r, &kind_of_%s, kept, %d, %s);\n" % (
                base, len(params), "true" if owned else "false")
            for k in consumed:
                owner = "o" if owned else "v[0]"
                body += "    consume(v[%d], r ? %s : NULL);\n" % (k, owner)
            values = ["o"] + values
        elif result == "orr_tensor *" and f.get("ownership") == "borrowed":
            body = "    orr_tensor *r;\n%s    r = %s;\n%s" % (begin, text, end)
            values = ["from_borrowed(&c, r, v[0])"] + values
        else:
            conversion = self.value(result)
            body = "    %s r;\n%s    r = %s;\n%s" % (result, begin, text, end)
            if result in ("int", "int64_t") and any(o.startswith("from_tensors(") for o in values):
                body += "    if (r < 0)\n        return (void)raise(&c, orr_error_status()), failed(&c);\n"
                values = [o.replace(", (a_", ", r == 0 ? 0 : (a_").replace(", (orr_", ", r == 0 ? 0 : (orr_") for o in values]
            values = [conversion % "r"] + values
        if any("a_" + o[1] == o for o in outs if isinstance(o, tuple)):
            raise Unsupported("names without a count")
        if any(isinstance(o, tuple) for o in values):
            raise Unsupported("names without a count")
        if not values:
            body += "    ended(&c);\n    Py_RETURN_NONE;\n"
        elif len(values) == 1:
            body += "    PyObject *all = %s;\n    ended(&c);\n    return all;\n" % values[0]
        else:
            body += "    PyObject *all[] = { %s };\n    PyObject *tuple = from_record(NULL, all, %d);\n" % (
                ", ".join(values), len(values))
            body += "    ended(&c);\n    return tuple;\n"
        options = [k for k, a in enumerate(params) for x in args if x["name"] == a[0] and x["role"] == "options"]
        self.wrap(f, params, options[0] if options else -1, decls, gets, after, body)

    def wrap(self, f, params, options, decls, gets, after, body):
        n = len(params)
        required = max([k + 1 for k, p in enumerate(params) if not p[1]], default=0)
        name = self.python_name(f)
        test = " ||\n        ".join("!(%s)" % g for g in gets + after)
        mask, floats = operands(f, params)
        self.out.append(
            "static PyObject *f_%s(PyObject *self, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames)\n{\n"
            "    static const char *const names[] = { %s };\n    static const signature s = { %s, %d, %d, %d, %dU, %s, names };\n"
            "    PyObject *v[%d];\n    call c;\n%s    (void)self;\n    if (!begin(&c, &s, argv, argc, kwnames, v))\n"
            "        return NULL;\n%s%s}\n"
            % (name, ", ".join([c_text(p[0]) for p in params] or ["NULL"]), c_text(name), n, required, options, mask, floats, max(n, 1),
               "".join("    %s\n" % d for d in decls),
               "    if (%s)\n        return failed(&c);\n" % test if test else "", body))
        self.bound.append((name, f, params, required))

    def python_name(self, f):
        return short(f["name"])

    def document(self, name, f, params, required):
        parts = [p[0] if k < required else p[0] + "=None" for k, p in enumerate(params)]
        return "%s(%s)\n--\n\n%s" % (name, ", ".join(parts + ["/"][:0]), f["doc"] or "See the function before it in orrery/%s." % f["header"])

    # -- the file -------------------------------------------------------------------------------------------------

    def run(self):
        self.opening()
        for f in self.api["functions"]:
            mark = len(self.out)
            if elsewhere(f):
                self.left_out.append((f["name"], elsewhere(f)))
                continue
            try:
                self.function(f)
            except Unsupported as why:
                kept = [o for o in self.out[mark:] if o.startswith(("bool fill_", "static bool to_", "static PyTypeObject", "static orr_tensor *call_back", "static int call_back"))]
                self.out[mark:] = kept
                self.left_out.append((f["name"], str(why)))
        self.fill("orr_config")
        for name in self.states:
            self.state(name)
        self.tables()
        whole = "\n".join(self.out)
        called = [o for o in self.out if not (o.startswith("static orr_tensor *call_back") and whole.count(o[19:o.index("(")] + "(") +
                                              whole.count(o[19:o.index("(")] + ",") < 2)]
        body = "\n".join(called)
        names = ["static const char *const %s_names[] = { %s };" % (
            name, ", ".join("%s, \"%d\"" % (c_text(n), v) for n, v in self.enum_names(name)))
            for name in self.enums if re.search(r"\b%s_names\b" % name, body)]
        return "\n".join([self.head()] + names + [body]) + "\n"

    def head(self):
        return ("/* Made by generate.py from include/orrery/api.json; do not edit. */\n#include \"core.h\"\n"
                "#include <stdlib.h>\n#include <string.h>\n")

    def opening(self):
        for name, o in self.opaque.items():
            self.out.append("static handle_kind kind_of_%s;" % name)
        for s in self.structs:
            self.out.append("bool fill_%s(call *c, PyObject *options, %s *to);" % (s, s))
        self.out.append("""
static bool same_length(call *c, const char *name, int64_t n, int64_t want)
{
    if (n == want)
        return true;
    PyErr_Format(PyExc_ValueError, "%s(): '%s' has %lld elements, and the other list %lld", c->name, name, (long long)n,
                 (long long)want);
    return false;
}

static PyObject *text_of(FILE *f, char **text, size_t *size)
{
    (void)fclose(f);
    PyObject *o = *text ? PyUnicode_DecodeUTF8(*text, (Py_ssize_t)*size, "replace") : PyErr_NoMemory();
    free(*text);
    *text = NULL;
    return o;
}

/* Appends a new object, or drops the list. */
static void append(PyObject **list, PyObject *one)
{
    if (!one || PyList_Append(*list, one) < 0)
        Py_CLEAR(*list);
    Py_XDECREF(one);
}

#define LISTED(function, T, made)                                                                                      \\
    static PyObject *function(const T *v, int64_t n)                                                                   \\
    {                                                                                                                  \\
        PyObject *list = PyList_New(0);                                                                                \\
        for (int64_t k = 0; list && k < n; k++)                                                                        \\
            append(&list, made(v[k]));                                                                                 \\
        return list;                                                                                                   \\
    }
LISTED(from_ints, int, PyLong_FromLong)
LISTED(from_int64_ts, int64_t, PyLong_FromLongLong)
LISTED(from_doubles, double, PyFloat_FromDouble)

static PyObject *from_names(char **names, int n)
{
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < n; k++)
        append(&list, from_text(names[k]));
    orr_npz_names_free(names);
    return list;
}
""")

    def list_of(self, base):
        """The conversion of a list of dicts to structs, made once."""
        self.fill(base)
        if base not in self.fillers:
            self.fillers.add(base)
            self.out.append(
                "static bool to_%s_one(call *c, PyObject *v, const char *name, %s *to)\n{\n    (void)name;\n"
                "    return fill_%s(c, v, to);\n}\nstatic LIST(to_%s_list, %s, to_%s_one)\n" % (base, base, base, base, base, base))

    def state(self, name):
        """A struct that calls change: an object made of its fields, which are read by state()."""
        self.fill(name)
        self.record(name)
        own, doc = short(name), self.structs[name]["doc"]
        self.out.append("static void %s_release(void *p)\n{\n    free(p);\n}\n" % name)
        made = {"name": name, "doc": doc, "header": "", "result": name + " *",
                "arguments": [{"name": "options", "role": "options", "of": name, "type": "const %s *" % name}]}
        self.wrap(made, [("options", True)], 0, [], [], [],
                  "    %s *p = calloc(1, sizeof *p);\n    if (!p)\n        PyErr_NoMemory();\n"
                  "    if (!p || (v[0] && !fill_%s(&c, v[0], p))) {\n        free(p);\n        return failed(&c);\n    }\n"
                  "    ended(&c);\n    return from_handle(&c, p, &kind_of_%s, v, 0, true);\n" % (name, name, name))
        read = {"name": name + "_state", "doc": "The fields' values now.", "header": "", "result": name,
                "arguments": [{"name": own, "role": "handle", "of": name, "type": name + " *"}]}
        self.wrap(read, [(own, False)], -1, ["void *p = NULL;"], ["to_handle(&c, v[0], %s, &kind_of_%s, &p)" % (c_text(own), name)], [],
                  "    PyObject *all = from_%s(&c, NULL, p);\n    ended(&c);\n    return all;\n" % name)

    def row(self, table_name, c_name, doc):
        return "    { %s, (PyCFunction)(void (*)(void))%s, METH_FASTCALL | METH_KEYWORDS, %s }," % (
            c_text(table_name), c_name, c_text(doc))

    def tables(self):
        functions, methods = [], []
        handles = {name: [] for name in self.opaque}
        tensor_headers = {"ops.h", "array.h", "elementwise.h", "tensor.h", "linalg.h", "eval.h", "explain.h"}
        for name, f, params, required in self.bound:
            doc = self.document(name, f, params, required)
            functions.append(self.row(name, "f_" + name, doc))
            first = f["arguments"][0] if f["arguments"] else {"role": ""}
            of_tensor = first["role"] == "tensor" and f["header"] in tensor_headers
            if not of_tensor and first["role"] != "handle":
                continue
            brief = next((b["symbol"] for b in self.api["functions"] if b["name"] == f["name"] + "_brief"), None)
            self.out.append("static PyObject *m_%s(PyObject *self, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames)\n{\n%s"
                            "    return method(f_%s, self, argv, argc, kwnames);\n}\n" % (
                                name, "    if (!argc && !kwnames && briefly(self, %s))\n        Py_RETURN_NONE;\n" % brief if brief else "",
                                name))
            if of_tensor:
                methods.append(self.row(name, "m_" + name, doc))
            elif first["role"] == "handle":
                kind = first["of"]
                own = name[len(kind) - 4 + 1:] if name.startswith(short(kind) + "_") else name
                handles[kind].append(self.row(own, "m_" + name, doc))
        end = "    { NULL, NULL, 0, NULL }\n};"
        self.out.append("PyMethodDef functions[] = {\n%s\n%s\n" % ("\n".join(functions), end))
        self.out.append("PyMethodDef tensor_methods[] = {\n%s\n%s\n" % ("\n".join(methods), end))
        for name, rows in handles.items():
            self.out.append("static PyMethodDef %s_methods[] = {\n%s\n%s" % (name, "\n".join(rows), end))
            o = self.opaque[name]
            free = o.get("free")
            if free and free != "orr_scope_end":
                f = next(x for x in self.api["functions"] if x["name"] == free)
                here = "\"python\", 0, " if f["here"] else ""
                wait = f["blocks"]
                self.out.append("static void %s_release(void *p)\n{\n%s    (void)%s(%sp);\n%s}" % (
                    name, "    Py_BEGIN_ALLOW_THREADS\n" if wait else "", f["symbol"], here,
                    "    Py_END_ALLOW_THREADS\n" if wait else ""))
                free = name + "_release"
            else:
                free = name + "_release" if name in self.states else "NULL"
            self.out.append("static handle_kind kind_of_%s = { %s, %s, %s, %s, %s_methods, NULL };" % (
                name, c_text(camel(name)), c_text(o["doc"]), free, "true" if o["threads"] == "one" else "false", name))
        self.out.append("handle_kind *const handle_kinds[] = { %s, NULL };" % ", ".join("&kind_of_%s" % n for n in self.opaque))
        self.out.append("slot *const slots[] = { %s };\n" % ", ".join(["&" + s for s, _ in self.deferred] + ["NULL"]))
        self.operators()
        rows = []
        for v in self.enums["orr_status"]["values"]:
            rows.append("{ %d, %s, %s }" % ((v["value"],) + tuple(map(c_text, exception(v["name"])))))
        self.out.append("const char *const dtype_enumerators[] = { %s };" % ", ".join(
            '"%s"' % v["name"] for v in self.enums["orr_dtype"]["values"]))
        self.out.append("const status_row status_rows[] = { %s };\nconst int status_count = %d;\n"
                        % (", ".join(rows[1:]), len(rows) - 1))
        self.out.append("bool make_records(PyObject *module)\n{\n    (void)module;")
        for name, (s, _) in self.records.items():
            fields = ", ".join(c_text(f["name"]) for f in s["fields"])
            self.out.append("    %s_type = record_type(%s, %s, (const char *const[]){ %s }, %d);\n    if (!%s_type)\n        return false;" % (
                name, c_text("orrery." + camel(name)), c_text(s["doc"]), fields, len(s["fields"]), name))
        self.out.append("    return true;\n}\n")
        rows = ", ".join('"%s", "%s", "%s"' % (r["category"], r["standard"], short(r["name"])) for r in self.api["standard"]["rows"])
        self.out.append("PyObject *add_constants(PyObject *module)\n{\n    static const char *const rows[] = { %s };\n"
                        "    PyObject *list = PyList_New(0);\n    for (size_t k = 0; list && k < sizeof rows / sizeof *rows; k += 3) {\n"
                        "        PyObject *row = Py_BuildValue(\"(sss)\", rows[k], rows[k + 1], rows[k + 2]);\n"
                        "        if (!row || PyList_Append(list, row) < 0)\n            Py_CLEAR(list);\n        Py_XDECREF(row);\n    }\n"
                        "    if (!list || PyModule_AddObjectRef(module, \"STANDARD\", list) < 0 ||\n"
                        "        PyModule_AddStringConstant(module, \"VERSION\", %s) < 0) {\n        Py_XDECREF(list);\n        return NULL;\n    }\n"
                        "    Py_DECREF(list);\n    return module;\n}\n" % (rows, c_text(self.api["version"])))

    def operators(self):
        by = {row["standard"]: row["name"] for row in self.api["standard"]["rows"]}
        symbols = {f["name"]: f for f in self.api["functions"]}
        slots = []
        for standard, (slot, short_name) in OPERATORS.items():
            f = symbols[by[standard]]
            count = len(f["arguments"])
            if slot == "nb_power":
                self.out.append("static PyObject *op_pow(PyObject *x, PyObject *y, PyObject *z)\n{\n    if (z != Py_None)\n"
                                "        Py_RETURN_NOTIMPLEMENTED;\n    return power(\"pow\", %s, x, y);\n}" % f["symbol"])
            elif count == 1:
                self.out.append("static PyObject *op_%s(PyObject *x)\n{\n    return unary(%s, %s, x);\n}" % (
                    short_name, c_text(standard), f["symbol"]))
            else:
                symbol = "truths(x, y) ? %s : %s" % (TRUTHS[f["name"]], f["symbol"]) if f["name"] in TRUTHS else f["symbol"]
                self.out.append("static PyObject *op_%s(PyObject *x, PyObject *y)\n{\n    return binary(%s, %s, x, y, %s);\n}" % (
                    short_name, c_text(standard), symbol, operands(f, [("x",), ("y",)])[1]))
            slots.append("    { Py_%s, op_%s }," % (slot, short_name))
        self.out.append("static PyObject *compare(PyObject *x, PyObject *y, int op)\n{\n    switch (op) {")
        for standard, op in COMPARISONS.items():
            self.out.append("    case %s:\n        return comparison(%s, %s, x, y, op);" % (op, c_text(standard), symbols[by[standard]]["symbol"]))
        self.out.append("    default:\n        Py_RETURN_NOTIMPLEMENTED;\n    }\n}")
        slots.append("    { Py_tp_richcompare, compare },")
        self.out.append("PyType_Slot operator_slots[] = {\n%s\n    { 0, NULL }\n};" % "\n".join(slots))

    # -- stubs ----------------------------------------------------------------------------------------------------

    def hint(self, a):
        role = a["role"]
        return {"tensor": "ArrayLike", "integer": "int", "length": "int", "axis": "Optional[int]", "real": "float", "bool": "bool",
                "text": "Union[str, os.PathLike[str]]", "shape": "Shape", "axes": "Optional[Shape]", "index": "Optional[Shape]",
                "number": "Union[int, float]", "bytes": "bytes", "memory": "bytes", "dtype": "DTypeLike", "enum": "Union[str, int]", "options": "Optional[dict[str, Any]]",
                "struct": "Union[str, dict[str, Any]]"}.get(role) or (
                    camel(a["of"]) if role == "handle" else "Callable[..., Any]" if role == "callback" else "Sequence[Any]")

    def stubs(self):
        out = ['"""Made by generate.py from include/orrery/api.json; do not edit."""', "import os",
               "import builtins as _b", "from typing import Any, Callable, Iterator, Optional, Sequence, Union", "", "Shape = Union[int, Sequence[int]]",
               "DTypeLike = Any", "ArrayLike = Any", "VERSION: str", "STANDARD: Any", "def __getattr__(name: str) -> Any: ...", "",
               "class Error(Exception): ...",
               *["class %s(Error, %s): ..." % (n, ", ".join(base.split())) for n, base in map(exception, [v["name"] for v in self.enums["orr_status"]["values"][1:]])], "",
               "class DType:", "    name: str", "    itemsize: int", "    kind: str", "    def __call__(self, x: Any = ...) -> Tensor: ...", "",
               "class Tensor:", "    shape: tuple[int, ...]", "    dtype: DType", "    device: str", "    flat: Any"]
        out += ["    %s: int" % n for n in ("ndim", "size", "itemsize", "nbytes")] + ["    %s: Tensor" % n for n in ("T", "mT", "real", "imag")]
        out += ["    def __%s__(self, other: Any) -> Tensor: ..." % (side + n) for side in ("", "r", "i") for n in (
            "add sub mul matmul truediv floordiv mod pow and or xor lshift rshift").split()]
        out += ["    def __%s__(self, other: Any) -> Tensor: ..." % n for n in ("lt", "le", "gt", "ge")]
        out += ["    def __%s__(self, other: Any) -> Any: ..." % n for n in ("eq", "ne", "divmod", "rdivmod")]
        out += ["    def __%s__(self) -> %s: ..." % p for p in (
            ("neg", "Tensor"), ("pos", "Tensor"), ("abs", "Tensor"), ("invert", "Tensor"), ("len", "int"), ("bool", "_b.bool"), ("int", "int"),
            ("float", "float"), ("complex", "_b.complex"), ("index", "int"), ("iter", "Iterator[Tensor]"), ("reversed", "Iterator[Tensor]"))]
        out += ["    def __getitem__(self, key: Any) -> Tensor: ...", "    def __setitem__(self, key: Any, value: Any) -> None: ...",
                "    def __contains__(self, value: Any) -> _b.bool: ...", "    def __round__(self, digits: Any = ...) -> Any: ...",
                "    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...", "    def item(self, *place: Any) -> Any: ...",
                "    def tobytes(self) -> bytes: ...", "    def tolist(self) -> Any: ...", "    def sort(self, axis: int = ..., kind: Any = ..., *, "
                "descending: _b.bool = ..., stable: _b.bool = ...) -> None: ...", "    def __getattr__(self, name: str) -> Any: ..."]
        more = {"module": ["__call__(self, *inputs: Any, **fields: Any) -> Any"],
                "loader": ["__iter__(self) -> Iterator[Any]", "__next__(self) -> Any", "__len__(self) -> int"]}
        for name in self.opaque:
            out += ["", "class %s:" % camel(name)] + ["    def %s: ..." % m for m in more.get(name.replace("orr_", ""), [])] + [
                "    def __getattr__(self, name: str) -> Any: ..."]
        out += [""] + ["%s: DType" % n for n in (
            "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 fr254 fq254".split())]
        for name, f, params, required in self.bound:
            by_name = {a["name"]: a for a in f["arguments"]}
            parts = []
            for k, (p, _) in enumerate(params):
                a = by_name.get(p) or by_name.get(p.rstrip("_")) or by_name.get("axes")
                hint = self.hint(a)
                parts.append("%s: %s%s" % (p, hint, "" if k < required else " = ..."))
            if any(a["role"] == "options" for a in f["arguments"]):
                parts.append("**fields: Any")
            result = f["result"]
            base = result.replace("const ", "").rstrip(" *")
            hint = {"orr_tensor": "Tensor", "void": "None", "bool": "_b.bool", "int": "int", "int64_t": "int", "double": "float"}.get(base)
            hint = hint or (camel(base) if base in self.opaque else "Any")
            outs = [a for a in f["arguments"] if a["role"] in ("out", "out list", "in out list", "stream")]
            if result == "orr_status" and not outs:
                hint = "None"
            elif outs:
                hint = "Any"
            out.append("def %s(%s) -> %s: ..." % (name, ", ".join(parts), hint))
        return "\n".join(out) + "\n"


def assigned(module):
    """The public names of a module of the package: those of __all__ if it is plain, otherwise those that it defines."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "orrery", module + ".py"), encoding="utf-8") as f:
        tree = ast.parse(f.read())
    names, values = [], {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        found = [e.id for t in targets for e in (t.elts if isinstance(t, ast.Tuple) else [t]) if isinstance(e, ast.Name)]
        names += found + ([node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else [])
        values.update({n: node.value for n in found if isinstance(node, ast.Assign)})
    listed = values.get("__all__")
    if isinstance(listed, ast.List):
        return [e.value for e in listed.elts], values
    if isinstance(listed, ast.Call) and isinstance(listed.func, ast.Attribute) and isinstance(listed.func.value, ast.Constant):
        return listed.func.value.value.split(), values
    return [n for n in names if not n.startswith("_")], values


def package_stubs(g, core):
    """Which module has each name of the package, in the order of __init__.py."""
    where = {n: ("_core", n) for n in re.findall(r"^(?:def |class )?([a-zA-Z]\w*)(?=[:(])", core, re.M) if n not in ("STANDARD", "VERSION")}
    own = assigned("_standard")[0]
    where.update({n: ("_standard", n) if n in own else ("_core", of) for c, n, of in [(r["category"], r["standard"], short(r["name"])) for r in g.api["standard"]["rows"]] if not c.startswith("Extension")})
    for module in ("_standard", "_convert", "_training", "_numpy"):
        names, values = assigned(module)
        where.update({n: (module, n) for n in names})
    for pair in values["_ALIASES"].value.split():
        new, old = pair.split("=")
        where[new] = where[old]
    out = ['"""Made by generate.py; do not edit."""', "from . import fft as fft, linalg as linalg, random as random", "__version__: str",
           "__array_api_version__: str"] + ["%s: float" % n for n in ("e", "inf", "nan", "pi")] + ["newaxis: None"]
    out += ["from . import _convert, _core, _numpy, _standard, _training"]
    for n, (m, of) in sorted(where.items()):
        if n not in ("fft", "linalg", "random", "install"):  # a name is public in a stub if it is imported as itself
            out.append("from .%s import %s as %s" % (m, of, n) if n == of else "%s = %s.%s" % (n, m, of))
    return "\n".join(out) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        g = Generator(json.load(f))
    text = g.run()
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(text)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w", encoding="utf-8") as f:
            f.write(g.stubs())
        with open(os.path.join(os.path.dirname(sys.argv[3]), "__init__.pyi"), "w", encoding="utf-8") as f:
            f.write(package_stubs(g, g.stubs()))
    if len(sys.argv) > 4:
        for name, why in g.left_out:
            print("%s: %s" % (name, why))


main()
