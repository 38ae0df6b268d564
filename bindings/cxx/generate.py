#!/usr/bin/env python3
"""Writes include/orrery.hpp from include/orrery/api.json, head.hpp and tail.hpp.

It must not know any function: it maps roles of arguments to types of C++.

usage: generate.py api.json >orrery.hpp        the header
       generate.py api.json list               the functions of C without a form of their own, with the reasons
"""
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(FOLDER))
from description import Description, Unsupported, array_type, camel, signature  # noqa: E402

# What C++ has in another form, by pattern: the hand-written part has it.
ELSEWHERE = (
    (r"orr_(scope_\w+|keep)", "class Scope"),
    (r"orr_init", "class Library"),
    (r"orr_(free|\w+_free|wait)", "the destructor; wait() of an Event"),
    (r"orr_(from|wrap)", "Tensor::from, Tensor::wrap"),
    (r"orr_(read|data|item|item_number|item_complex)", "Tensor::read, to_vector, data, item"),
    (r"orr_tensor_\w+", "Tensor::status, shape, dtype, size"),
    (r"orr_error_\w+", "last_status, last_message, class Error"),
)
OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "remainder": "%", "bitwise_and": "&",
             "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<", "bitwise_right_shift": ">>",
             "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="}
UNARY = {"negative": "-", "positive": "+", "bitwise_invert": "~"}
TENSOR_HEADERS = {"ops.h", "array.h", "elementwise.h", "tensor.h", "linalg.h", "eval.h", "explain.h", "fft.h"}
RESERVED = set("and or xor not bool int char double float long short union switch default new delete this class struct "
               "enum operator template typename namespace export register public private protected friend signed unsigned void auto const".split())


def safe(name):
    return name + "_" if name in RESERVED or name in ("file", "line") else name


def indented(text, by="    "):
    return "\n".join(by + line if line else line for line in text.split("\n"))


class Function:
    """One function of C as one of C++: parameters, the lines before and after the call, the result."""

    def __init__(self, d, f):
        self.d, self.f = d, f
        self.params, self.before, self.call, self.after, self.values = [], [], [], [], []
        self.types, self.templates, self.callback, self.texts = [], [], False, None
        self.lengths = d.lengths(f)
        self.listing = d.listing(f)
        for k, a in enumerate(f["arguments"]):
            self.argument(k, a)
        self.finish()

    def param(self, type_, name, default=None):
        space = "" if type_[-1] in "&*" else " "
        self.params.append([type_ + space + name, name, default])
        return name

    def argument(self, k, a):
        d, f, role, t = self.d, self.f, a["role"], a["type"]
        name = safe(a["name"])
        of = a.get("of", "")
        base = of.rstrip(" *")
        if a.get("given"):
            self.call.append(a["given"])
        elif role == "tensor":
            self.param("const Operand &", name, "{}" if a.get("default") else None)
            self.call.append(name + ".get()")
        elif role == "length" and a["name"] in self.lengths:
            sizes = [safe(b["name"]) + ".size()" for b in f["arguments"]
                     if b["role"] in ("list", "in out list") and b.get("length") == a["name"]]
            self.call.append("static_cast<%s>(%s)" % (t, sizes[0]) if len(sizes) == 1 else
                             "detail::same<%s>(%s)" % (t, ", ".join(sizes)))
        elif role == "length" and self.listing and a["name"] == "max":
            self.call.append("most")
        elif role in ("integer", "length", "axis", "real", "enum"):
            if array_type(t):
                element, n = array_type(t)
                self.param("%s (&%s)[%d]" % (element, name, n), name)
                self.params[-1][0] = "%s (&%s)[%d]" % (element, name, n)
                self.call.append(name)
            else:
                self.param(t, name, a.get("default") if a.get("default") != "NULL" else None)
                self.call.append(name)
        elif role == "bool":
            self.param("bool", name, a.get("default"))
            self.call.append(name)
        elif role == "text":
            if a.get("optional"):
                self.param("const char *", name, "nullptr")
                self.call.append(name)
            else:
                self.param("const std::string &", name)
                self.call.append(name + ".c_str()")
        elif role in ("shape", "axes", "index", "number"):
            self.param("const %s &" % role.capitalize(), name, "{}" if a.get("default") else None)
            self.call.append(name)
        elif role == "dtype":
            self.param("orr_dtype", name)
            self.call.append(name)
        elif role == "handle":
            if a.get("consumed"):
                self.param(camel(of), name)
                self.call.append(name + ".let_go()")
            else:
                self.param("%s%s &" % ("const " if t.startswith("const") else "", camel(of)), name)
                self.call.append(name + ".get()")
        elif role == "options":
            self.param("const std::optional<%s> &" % of, name, "{}")
            self.call.append("%s ? &*%s : nullptr" % (name, name))
        elif role == "struct":
            self.param("const %s &" % of, name)
            self.call.append(name)
        elif role == "bytes":
            self.param("const View<const unsigned char> &", name)
            self.before.append("const orr_bytes c_%s{ const_cast<unsigned char *>(%s.data()), %s.size() };" % (name, name, name))
            self.call.append(("&" if t.endswith("*") else "") + "c_" + name)
        elif role in ("list", "in out list"):
            self.list_argument(a, name, of, base)
        elif role == "out list":
            self.out_list(a, name, of)
        elif role == "out":
            self.out(k, a, name, of, base)
        elif role == "callback":
            self.callback_argument(a, name)
        elif role == "user" and self.callback:
            self.call.append("user")
        elif role in ("memory", "stream", "user"):
            self.param(t, name)
            self.call.append(name)
        else:
            raise Unsupported("an argument with the role " + role)

    def list_argument(self, a, name, of, base):
        default = "{}" if a.get("optional") else None
        if a["role"] == "in out list":
            self.param("std::vector<Tensor> &", name)
            self.before.append("std::vector<orr_tensor *> c_%s;" % name)
            self.before.append("for (const Tensor &one : %s)\n    c_%s.push_back(one.get());" % (name, name))
            self.before.append("const std::vector<orr_tensor *> former_%s = c_%s;" % (name, name))
            self.after.append("for (size_t k = 0; k < c_%s.size(); k++)\n    if (c_%s[k] != former_%s[k])\n        %s[k] = Tensor(c_%s[k]);"
                              % (name, name, name, name, name))
            self.call.append("c_%s.data()" % name)
        elif base == "orr_tensor":
            self.param("const List &", name, default)
            self.call.append(name + ".data()")
        elif base in self.d.opaque:
            if not a.get("consumed"):
                raise Unsupported("a list of objects that stay the caller's")
            self.param("std::vector<%s>" % camel(base), name)
            self.before.append("std::vector<%s *> c_%s;" % (base, name))
            self.before.append("for (%s &one : %s)\n    c_%s.push_back(one.let_go());" % (camel(base), name, name))
            self.call.append("c_%s.data()" % name)
        elif base == "char":
            self.param("const std::vector<std::string> &", name, default)
            self.before.append("const std::vector<const char *> c_%s = detail::texts(%s);" % (name, name))
            self.call.append("c_%s.data()" % name)
        else:
            self.param("const View<const %s> &" % base, name, default)
            if a.get("length") and not re.fullmatch(r"[a-z_]\w*", a["length"]):
                self.before.append("const std::vector<%s> c_%s = detail::filled(%s, %s);" % (base, name, name, self.size_of(a["length"])))
                self.call.append("%s.empty() ? nullptr : c_%s.data()" % (name, name))
            else:
                self.call.append(name + ".data()")

    def size_of(self, length):
        """A list's length, which another list has, a number, an argument, or a call with objects."""
        if length in self.lengths:
            return safe(self.lengths[length]) + ".size()"
        if length.isdigit():
            return length
        objects = {b["name"] for b in self.f["arguments"] if b["role"] in ("handle", "tensor")}
        return "detail::count(%s)" % re.sub(r"\b\w+\b", lambda m: m[0] + ".get()" if m[0] in objects else m[0], safe(length))

    def out_list(self, a, name, of):
        if a is self.listing:
            self.call.append("rows")
            return
        if not a.get("length"):
            raise Unsupported("a list whose length only the caller knows")
        plain = not of.startswith("orr_tensor")
        if plain and a["length"] not in self.lengths and re.fullmatch(r"[a-z_]\w*", a["length"]):
            raise Unsupported("a list whose length only the caller knows")
        size = self.size_of(a["length"])
        extra = " + %d" % a["extra"] if a.get("extra") else ""
        if plain:
            self.before.append("std::vector<%s> c_%s(%s%s);" % (of, name, size, extra))
            self.call.append("c_%s.data()" % name)
            self.types.append("std::vector<%s>" % of)
            self.values.append("std::move(c_%s)" % name)
            return
        self.before.append("std::vector<orr_tensor *> c_%s(%s%s);" % (name, size, extra))
        self.call.append("c_%s.data()" % name)
        self.types.append("std::vector<Tensor>")
        self.values.append("detail::adopted(c_%s)" % name)

    def out(self, k, a, name, of, base):
        pointer = of.endswith("*")
        if self.listing and a["name"] == "count":
            self.call.append("&count")
        elif of == "names":
            self.before.append("char **c_%s = nullptr;" % name)
            self.call.append("&c_" + name)
            self.texts = name
        elif self.texts and a["type"] == "int *":
            self.before.append("int c_%s = 0;" % name)
            self.call.append("&c_" + name)
            self.types.append("std::vector<std::string>")
            self.values.append("detail::names_of(c_%s, c_%s)" % (self.texts, name))
        elif pointer and base == "orr_tensor":
            self.before.append("orr_tensor *c_%s = nullptr;" % name)
            self.call.append("&c_" + name if not a.get("optional") else "%s ? &c_%s : nullptr" % (name, name))
            self.given_back(a, name, "Tensor", "Tensor(c_%s)" % name, "detail::put(%s, c_%s);" % (name, name))
        elif pointer and base in self.d.opaque:
            self.before.append("%s *c_%s = nullptr;" % (base, name))
            self.call.append("&c_" + name if not a.get("optional") else "%s ? &c_%s : nullptr" % (name, name))
            self.given_back(a, name, camel(base), "%s(c_%s)" % (camel(base), name),
                            "if (%s)\n    *%s = %s(c_%s);" % (name, name, camel(base), name))
        elif of in self.d.results:
            self.before.append("%s c_%s{};" % (of, name))
            self.call.append("&c_" + name)
            self.types.append(camel(of))
            self.values.append("detail::result_of(c_%s)" % name)
        elif of == "orr_bytes":
            self.before.append("orr_bytes c_%s{};" % name)
            self.call.append("&c_" + name)
            self.types.append("std::vector<unsigned char>")
            self.values.append("detail::taken(&c_%s)" % name)
        elif of in self.d.structs:
            self.param(of + " &", name)
            self.call.append("&" + name)
        elif pointer or base not in ("double", "int", "int64_t", "size_t", "bool", "orr_dtype"):
            self.before.append("%s%sc_%s{};" % (of, "" if pointer else " ", name))
            self.call.append("&c_" + name)
            self.types.append(of)
            self.values.append("c_" + name)
        elif a.get("optional"):
            self.param(a["type"], name, "nullptr")
            self.call.append(name)
        else:
            self.before.append("%s c_%s{};" % (base, name))
            self.call.append("&c_" + name)
            self.types.append(base)
            self.values.append("c_" + name)

    def given_back(self, a, name, type_, value, put):
        if a.get("optional"):
            self.param(type_ + " *", name, "nullptr")
            self.after.append(put)
        else:
            self.types.append(type_)
            self.values.append(value)

    def callback_argument(self, a, name):
        result, types = signature(a["signature"])
        if types[-1] != "void *":
            raise Unsupported("a callback without an object of the caller's")
        args = self.f["arguments"]
        if types == ["void *"]:  # releases the function before it, which is kept by value
            self.call.append("[](void *u) { delete static_cast<F *>(u); }")
            self.before[self.before.index("void *user = &fn;")] = "void *user = new F(fn);"
            return
        if not any(b["role"] == "user" for b in args):
            raise Unsupported("a callback whose object is in another argument")
        if result == "void" and types == ["void *", "void *"]:
            raise Unsupported("memory of the caller: Tensor::wrap, load_bytes")
        self.callback = True
        self.templates.append("F")
        self.param("F &", "fn")
        self.before.append("void *user = &fn;")
        params, values, skip = [], [], False
        for k, t in enumerate(types[:-1]):
            params.append("%s%sp%d" % (t, "" if t.endswith("*") else " ", k))
            if skip:
                skip = False
            elif t == "orr_tensor *":
                values.append("Tensor(p%d, false)" % k)
            elif t == "orr_tensor *const *" and types[k + 1] == "int":
                values.append("detail::borrowed(p%d, p%d)" % (k, k + 1))
                skip = True
            else:
                values.append("p%d" % k)
        self.call.append("[](%s, void *u) -> %s {\n    return detail::called<%s>(*static_cast<F *>(u), %s);\n}"
                         % (", ".join(params), result, result, ", ".join(values)))

    def finish(self):
        d, f = self.d, self.f
        result = f["result"]
        base = re.sub(r"^const ", "", result).rstrip(" *")
        self.checked = False
        if result == "orr_tensor *":
            borrowed = f.get("ownership") == "borrowed"
            self.types.insert(0, "Tensor")
            self.values.insert(0, "Tensor(r, false)" if borrowed else "detail::made(r, file, line)")
        elif base in d.opaque and result.endswith("*"):
            owned = f.get("ownership") == "caller"
            self.types.insert(0, camel(base))
            self.values.insert(0, "%s(r%s)" % (camel(base), "" if owned else ", false"))
            self.checked = f["here"]
        elif result in d.results:
            self.types.insert(0, camel(result))
            self.values.insert(0, "detail::result_of(r)")
        elif self.listing:
            self.types.insert(0, "std::vector<%s>" % self.listing["of"])
        elif result == "orr_shape":
            self.types.insert(0, "Shape")
            self.values.insert(0, "r")
        elif result not in ("void", "orr_status"):
            self.types.insert(0, "std::string" if result == "const char *" else result)
            self.values.insert(0, "r ? r : \"\"" if result == "const char *" else "r")
        plain = result in ("void", "orr_status")
        self.result = (result if plain and not self.types else self.types[0] if len(self.types) == 1 else
                       "std::tuple<%s>" % ", ".join(self.types))
        defaults = True
        for p in reversed(self.params):
            defaults = defaults and p[2] is not None
            if not defaults:
                p[2] = None
        self.place = f["here"] or result == "orr_status" or "detail::made(r, file, line)" in self.values

    def parameters(self, defaults=True, first=0):
        parts = [p[0] + (" = " + p[2] if p[2] and defaults else "") for p in self.params[first:]]
        if self.place:
            parts.append("ORRERY_CALLER" if defaults else "const char *file, int line")
        return ", ".join(parts)

    def names(self):
        return [p[1] for p in self.params] + (["file", "line"] if self.place else [])

    def body(self):
        f = self.f
        lines = list(self.before)
        args = (["file", "line"] if f["here"] else []) + self.call
        call = "%s(%s)" % (f["symbol"], ", ".join(args))
        plain = f["result"] in ("void", "orr_status")
        if self.listing:
            return self.listing_body(call)
        if not self.types and not self.after and not self.callback:
            if f["result"] == "void":
                return "\n".join(lines + [call + ";"])
            return "\n".join(lines + ["return detail::check(%s, file, line);" % call])
        if not plain and self.values == ["detail::made(r, file, line)"] and not self.after and not self.callback:
            return "\n".join(lines + ["return detail::made(%s, file, line);" % call])
        if f["result"] == "void":
            lines.append(call + ";")
        elif f["result"] == "orr_status":
            lines.append("const orr_status status = %s;" % call)
        else:
            lines.append("auto r = %s;" % call)
        if self.callback:
            lines.append("detail::passed();")
        lines += self.after
        if self.checked:
            lines.append("if (!r)\n    detail::fail(orr_error_status(), file, line);")
        if self.values:
            if len(self.values) == 1 and f["result"] != "orr_status":
                lines.append("return %s;" % self.values[0])
            else:
                lines += ["%s v%d = %s;" % (t, k, v) for k, (t, v) in enumerate(zip(self.types, self.values))]
                if f["result"] == "orr_status":
                    lines.append("(void)detail::check(status, file, line);")
                vs = ", ".join("std::move(v%d)" % k if t[0].isupper() or t.startswith("std::") else "v%d" % k
                               for k, t in enumerate(self.types))
                lines.append("return v0;" if len(self.values) == 1 else "return { %s };" % vs)
        elif f["result"] == "orr_status":
            lines.append("return detail::check(status, file, line);")
        return "\n".join(lines)

    def listing_body(self, call):
        first = call.replace("rows", "nullptr").replace("most", "0")
        second = call.replace("rows", "all.data()").replace("most", "static_cast<int>(all.size())")
        counted = "&count" in call
        lines = ["int count = 0;"] if counted else []
        if counted:
            lines.append("(void)detail::check(%s, file, line);" % first)
        else:
            lines.append("int count = %s;" % first)
        lines.append("std::vector<%s> all(count > 0 ? static_cast<size_t>(count) : 0);" % self.listing["of"])
        lines.append("(void)detail::check(%s, file, line);" % second if counted else "count = %s;" % second)
        lines.append("if (count >= 0 && static_cast<size_t>(count) < all.size())\n    all.resize(static_cast<size_t>(count));\nreturn all;")
        return "\n".join(lines)

    def head(self):
        return "template <%s>\n" % ", ".join("class " + t for t in self.templates) if self.templates else ""


def comment(f, by=""):
    doc = f["doc"] or "As the function before it in orrery/%s." % f["header"]
    return "\n".join("%s/// %s" % (by, line) if line else by + "///" for line in doc.split("\n"))


class Header:
    def __init__(self, path):
        self.d = Description(path)
        self.made, self.left_out = [], []
        for f in self.d.functions:
            why = next((w for p, w in ELSEWHERE if re.fullmatch(p, f["name"])), None)
            try:
                if why:
                    raise Unsupported(why)
                self.made.append((f["name"][4:], Function(self.d, f)))
            except Unsupported as reason:
                self.left_out.append((f["name"], str(reason)))

    def free_functions(self, templates):
        out = []
        for name, g in self.made:
            out.append("%s\n%sinline %s %s(%s)\n{\n%s\n}\n" % (
                comment(g.f), g.head(), g.result, safe(name), g.parameters(), indented(g.body())))
        return "\n".join(out)

    def method_of(self, name, g):
        """(class, method) of a function whose first argument is a tensor or an object; None."""
        args = g.f["arguments"]
        if not args or g.templates or not g.params:
            return None
        a = args[0]
        if a["role"] == "tensor" and g.f["header"] in TENSOR_HEADERS and not a.get("optional"):
            return "Tensor", name
        if a["role"] == "handle" and not a.get("consumed"):
            short = a["of"][4:]
            return camel(a["of"]), name[len(short) + 1:] if name.startswith(short + "_") else name
        return None

    def methods(self):
        declared, defined = {}, []
        for name, g in self.made:
            place = self.method_of(name, g)
            if not place:
                continue
            owner, own = place
            constant = owner == "Tensor" or g.f["arguments"][0]["type"].startswith("const")
            tail = " const" if constant else ""
            declared.setdefault(owner, []).append("    /// orrery::%s.\n    %s %s(%s)%s;" % (
                safe(name), g.result, safe(own), g.parameters(first=1), tail))
            inner = "Operand(*this, file, line)" if owner == "Tensor" and g.place else "*this"
            call = "orrery::%s(%s)" % (safe(name), ", ".join([inner] + g.names()[1:]))
            for p in g.params[1:]:  # what is moved into the call
                if re.match(r"(std::vector<\w+> \w|[A-Z]\w+ \w)", p[0]) and "&" not in p[0] and "*" not in p[0]:
                    call = re.sub(r"\b%s\b" % p[1], "std::move(%s)" % p[1], call)
            defined.append("inline %s %s::%s(%s)%s\n{\n    %s%s;\n}" % (
                g.result, owner, safe(own), g.parameters(defaults=False, first=1), tail,
                "" if g.result == "void" else "return ", call))
        return declared, "\n".join(defined)

    def classes(self, declared):
        out = []
        for name, o in self.d.opaque.items():
            if name == "orr_scope":
                continue
            extra = ""
            if name == "orr_event":
                extra = ("    /** Waits for the evaluation. The object is empty afterwards. */\n"
                         "    orr_status wait(ORRERY_CALLER)\n    {\n"
                         "        return detail::check(orr_wait_at(file, line, let_go()), file, line);\n    }\n")
            doc = "\n".join("/// " + x for x in (o["doc"] or "See orrery/%s." % o["header"]).split("\n"))
            one = "One thread at a time." if o["threads"] == "one" else "Safe from any thread; moving an object is not."
            out.append("%s\n/// Threads: %s\nclass %s : public detail::Handle<%s> {\n  public:\n    using Handle::Handle;\n%s%s\n};\n" % (
                doc, one, camel(name), name, extra, "\n".join(declared.get(camel(name), []))))
        return "\n".join(out)

    def releases(self):
        by_name = {f["name"]: f for f in self.d.functions}
        out = []
        for name, o in self.d.opaque.items():
            if name == "orr_scope":
                continue
            f = by_name.get(o.get("free"))
            body = "    (void)file, (void)line;\n"
            body += "    (void)%s(%sp);\n" % (f["symbol"], "file, line, " if f["here"] else "") if f else "    (void)p; /* the library's */\n"
            out.append("template <> inline void release<%s>(%s *p, const char *file, int line)\n{\n%s}" % (name, name, body))
        return "\n".join(out)

    def results(self):
        types, makers = [], []
        for name, s in self.d.results.items():
            fields, values = [], []
            for x in s["fields"]:
                tensor = x["type"] == "orr_tensor *"
                at = array_type(x["type"])
                if at:
                    raise SystemExit("%s has an array" % name)
                fields.append("    %s %s%s;" % ("Tensor" if tensor else x["type"], x["name"], "" if tensor else "{}"))
                values.append("Tensor(c.%s)" % x["name"] if tensor else "c." + x["name"])
            types.append("/// %s\nstruct %s {\n%s\n};\n" % (s["doc"].replace("\n", "\n/// ") or "Results.", camel(name), "\n".join(fields)))
            makers.append("inline %s result_of(const %s &c)\n{\n    return { %s };\n}" % (camel(name), name, ", ".join(values)))
        checks = []
        for name, s in self.d.results.items():
            checks.append(name)
        return types, makers

    def operators(self):
        by = {r["standard"]: r["name"][4:] for r in self.d.api["standard"]["rows"]}
        out = []
        for standard, symbol in OPERATORS.items():
            out.append("/** orrery::%s. */\ninline Tensor operator%s(const Operand &x, const Operand &y)\n{\n"
                       "    return orrery::%s(x, y, x.file(), x.line());\n}" % (by[standard], symbol, safe(by[standard])))
            if symbol in "+-*/%&|^":
                out.append("inline Tensor &operator%s=(Tensor &x, const Operand &y)\n{\n    x = orrery::%s(x, y, y.file(), y.line());\n"
                           "    return x;\n}" % (symbol, safe(by[standard])))
        for standard, symbol in UNARY.items():
            out.append("inline Tensor operator%s(const Operand &x)\n{\n    return orrery::%s(x, x.file(), x.line());\n}"
                       % (symbol, safe(by[standard])))
        return "\n".join(out) + "\n"

    def text(self):
        declared, defined = self.methods()
        types, makers = self.results()
        with open(os.path.join(FOLDER, "head.hpp"), encoding="utf-8") as f:
            head = f.read()
        with open(os.path.join(FOLDER, "tail.hpp"), encoding="utf-8") as f:
            tail = f.read()
        dtypes = "\n".join("inline constexpr orr_dtype %s = %s;" % (
            {"bool": "boolean"}.get(v["name"][4:].lower(), v["name"][4:].lower()), v["name"])
            for v in self.d.enums["orr_dtype"]["values"] if not v["name"].endswith("COUNT"))
        forward = "\n".join("class %s;" % camel(n) for n in self.d.opaque if n != "orr_scope")
        head = head.replace("@DTYPES@", dtypes).replace("@CLASSES_DECLARED@", forward)
        head = head.replace("@RESULTS_DECLARED@", "\n".join("struct %s;" % camel(n) for n in self.d.results))
        head = head.replace("@METHODS_DECLARED@", "\n".join(declared.get("Tensor", [])))
        # A sentence of a docstring is the text of C: results belong to a scope there, and to the object here.
        return ("/* Orrery for C++17: header-only, over the functions of orrery.h (docs/cxx.md).\n"
                " * Made by bindings/cxx/generate.py from orrery/api.json (make api); do not edit it.\n"
                " * Must not know: anything but the public headers. */\n" + head +
                "\n/* -- the objects of C ------------------------------------------------------------------------------------------ */\n\n"
                "namespace detail {\n" + self.releases() + "\n} // namespace detail\n\n" + self.classes(declared) +
                "\n".join(types) + "\nnamespace detail {\n" + "\n".join(makers) + "\n} // namespace detail\n\n"
                "/* -- the functions of C: texts are those of its headers, where a result belongs to a scope; here it belongs to the\n"
                " *    object that is returned, and an error is an exception ---------------------------------------------------- */\n\n" +
                self.free_functions(False) + "\n" + defined + "\n" + tail.replace("@OPERATORS@", self.operators()))


def main():
    header = Header(sys.argv[1])
    if len(sys.argv) > 2:
        for name, why in header.left_out:
            print("%s: %s" % (name, why))
    else:
        sys.stdout.write(header.text())


main()
