#!/usr/bin/env python3
"""Writes bindings/fortran/orrery.f90 and results.c from include/orrery/api.json, head.f90 and tail.f90.

It must not know any function: it maps roles of arguments to types of Fortran.

usage: generate.py api.json >orrery.f90        the modules orrery_c (the functions of C) and orrery
       generate.py api.json results >results.c  the functions of C that return a struct, with the struct as an argument
       generate.py api.json list               the functions of C without a form in the module orrery, with the reasons
"""
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(FOLDER))
from description import Description, Unsupported, array_type  # noqa: E402

ELSEWHERE = (  # what the hand-written part has in another form, by pattern
    (r"orr_(keep|scope_return|free)", "assignment, orr_free"),
    (r"orr_init", "orr_start"),
    (r"orr_(from|wrap|read|data|wrap_bytes)", "orr_from, orr_wrap, orr_read of arrays"),
    (r"orr_npz_names_free", "names are allocatable"),
)
PLAIN = {"int": "integer(c_int)", "unsigned": "integer(c_int)", "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)",
         "size_t": "integer(c_size_t)", "double": "real(c_double)", "float": "real(c_float)", "bool": "logical(c_bool)",
         "int32_t": "integer(c_int32_t)", "uint32_t": "integer(c_int32_t)", "uint16_t": "integer(c_int16_t)",
         "uint8_t": "integer(c_int8_t)", "char": "character(kind=c_char)", "unsigned char": "integer(c_signed_char)"}
ZERO = {"integer": "0", "real": "0", "logical": ".false.", "character": "c_null_char", "type(c_ptr)": "c_null_ptr",
        "type(c_funptr)": "c_null_funptr"}
# Generic intrinsics of Fortran 2018 that take a tensor too, where an operation has the name.
INTRINSICS = set("abs acos acosh all any asin asinh atan atan2 atanh cos cosh erf erfc exp floor hypot log log10 matmul "
                 "reshape sin sinh sqrt sum tan tanh transpose".split())
OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "pow": "**", "equal": "==", "not_equal": "/=",
             "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "logical_and": ".and.",
             "logical_or": ".or."}
NUMBERS = [("int32", "integer(c_int32_t)"), ("int64", "integer(c_int64_t)"), ("real32", "real(c_float)"),
           ("real64", "real(c_double)"), ("complex32", "complex(c_float)"), ("complex64", "complex(c_double)")]
ARRAYS = [("i8", "integer(c_int8_t)"), ("i16", "integer(c_int16_t)"), ("i32", "integer(c_int32_t)"), ("i64", "integer(c_int64_t)"),
          ("f32", "real(c_float)"), ("f64", "real(c_double)"), ("c64", "complex(c_float)"), ("c128", "complex(c_double)"),
          ("bool", "logical(c_bool)")]


OUT = "orr__fortran_%s"  # the C function of results.c


def wrapped(text, width=124):
    """Lines of at most the width of the standard, continued after commas."""
    out = []
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        while len(line) > width and not line.lstrip().startswith("!"):
            cut = max(line.rfind(", ", 0, width), line.rfind("// ", 0, width))
            if cut <= indent:
                break
            out.append(line[:cut + 2] + "&")
            line = " " * (indent + 4) + line[cut + 2:]
        out.append(line)
    return "\n".join(out)


def comment(doc, by="  "):
    return "\n".join("%s!> %s" % (by, line) if line else by + "!>" for line in doc.split("\n"))


class Module:
    def __init__(self, path):
        self.d = Description(path)
        self.left_out, self.publics, self.interfaces, self.wrappers = [], [], [], []
        for f in self.d.functions:
            self.interfaces.append(self.interface(f))
        for f in self.d.functions:
            why = next((w for p, w in ELSEWHERE if re.fullmatch(p, f["name"])), None)
            try:
                if why:
                    raise Unsupported(why)
                self.wrappers.append(Wrapper(self, f).text())
                self.publics.append(f["name"])
            except Unsupported as reason:
                self.left_out.append((f["name"], str(reason)))

    def c_type(self, t):
        """The type of a component, an argument by value, or a result."""
        bare = re.sub(r"^const ", "", t).strip()
        if "(*)" in bare or bare.rstrip(" *") in {c["name"] for c in self.d.api["callbacks"]}:
            return "type(c_funptr)"
        if bare.endswith("*"):
            return "type(c_ptr)"
        if bare in PLAIN:
            return PLAIN[bare]
        if bare in self.d.enums:
            return "integer(c_int)"
        if bare in self.d.structs:
            return "type(%s)" % self.struct(bare)
        raise SystemExit("no type for " + t)

    def numbers(self):
        """Constants: Fortran has no case, so a name that a function or struct has gets an underscore at its end."""
        taken = {f["name"] for f in self.d.functions} | set(self.d.structs) | set(self.d.opaque)
        rows = [(v["name"], v["value"]) for e in self.d.api["enums"] for v in e["values"]] + list(self.d.api["constants"].items())
        return [(name + "_" if name.lower() in taken else name, value) for name, value in rows]

    def struct(self, name):
        """A struct's name, by the same rule."""
        return name + "_" if any(f["name"] == name for f in self.d.functions) else name

    def constants(self):
        return "\n".join("  integer(c_int), parameter, public :: %s = %d" % row for row in self.numbers())

    def types(self):
        out, done, left = [], set(), [s for s in self.d.api["structs"]]
        while left:
            for s in left:
                inner = {(array_type(f["type"]) or (f["type"],))[0] for f in s["fields"]}
                if not inner & ({x["name"] for x in left} - {s["name"]}):
                    break
            left.remove(s)
            lines = []
            for f in s["fields"]:
                base, n = array_type(f["type"]) or (f["type"], 0)
                t = self.c_type(base)
                zero = ZERO.get(t) or ZERO.get(t.split("(")[0])
                lines.append("    %s :: %s%s%s" % (t, f["name"], "(%d)" % n if n else "", " = " + zero if zero else ""))
            out.append("%s\n  type, bind(c), public :: %s\n%s\n  end type\n" % (
                comment(s["doc"] or "See orrery/%s." % s["header"]), self.struct(s["name"]), "\n".join(lines)))
        return "\n".join(out)

    def handles(self):
        return "\n".join("%s\n  type, public :: %s\n    type(c_ptr) :: p = c_null_ptr\n  end type\n" % (
            comment(o["doc"] or "See orrery/%s." % o["header"]), name) for name, o in self.d.opaque.items())

    def interface(self, f):
        names, lines = [], []
        if f["here"]:
            names += ["file_", "line_"]
            lines += ["type(c_ptr), value :: file_", "integer(c_int), value :: line_"]
        for a in f["arguments"]:
            name = a["name"] + "_"
            names.append(name)
            if array_type(a["type"]):
                t = "type(c_ptr)"
            else:
                t = "integer(c_signed_char)" if a["type"] == "char" else self.c_type(a["type"])  # gfortran 12 passes another character
            lines.append("%s, value :: %s" % (t, name))
        c_name, symbol = "c_" + f["name"][4:], f["symbol"]
        if f["result"] in self.d.structs:  # flang 19 and C return small structs in different registers
            names.insert(0, "r_")
            lines.insert(0, "%s, intent(out) :: r_" % self.c_type(f["result"]))
            f, symbol = dict(f, result="void"), OUT % f["name"][4:]
        kind = "subroutine" if f["result"] == "void" else "function"
        result = "" if kind == "subroutine" else " result(r_)"
        if result:
            lines.append("%s :: r_" % self.c_type(f["result"]))
        return "    %s %s(%s) bind(c, name='%s')%s\n      import\n%s\n    end %s" % (
            kind, c_name, ", ".join(names), symbol, result, "\n".join("      " + x for x in lines), kind)

    def arrays(self):
        """orr_from, orr_wrap and orr_read by kind and rank."""
        generics, out = {"orr_from": [], "orr_wrap": [], "orr_read": []}, []
        for short, t in ARRAYS:
            for rank in range(9):
                dims = "(%s)" % ", ".join([":"] * rank) if rank else ""
                tail = "%s_%d" % (short, rank)
                shape = "shape(a)" if rank else "[integer ::]"
                for verb, generic in (("copy", "orr_from"), ("wrap", "orr_wrap"), ("read", "orr_read")):
                    generics[generic].append("%s_%s" % (verb, tail))
                    contiguous = ", contiguous" if rank else ""
                    if verb == "read":
                        out.append(
                            "  subroutine read_%s(x, a, stat, errmsg)\n    type(orr_tensor), intent(in) :: x\n"
                            "    %s, intent(out), target%s :: a%s\n    integer, intent(out), optional :: stat\n"
                            "    character(*), intent(inout), optional :: errmsg\n"
                            "    call read_array(x, c_loc(a), ORR_%s, %s, stat, errmsg)\n  end subroutine\n"
                            % (tail, t, contiguous, dims, short.upper(), shape))
                    else:
                        attributes = "target" + contiguous
                        body = ("    call %s_array(r_, c_loc(a), ORR_%s, %s, stat, errmsg)\n" % (verb, short.upper(), shape))
                        if verb == "wrap" and rank:
                            attributes = "target"
                            body = ("    if (.not. is_contiguous(a)) then\n"
                                    "      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')\n"
                                    "      return\n    end if\n" + body)
                        out.append(
                            "  function %s_%s(a, stat, errmsg) result(r_)\n    %s, intent(in), %s :: a%s\n"
                            "    integer, intent(out), optional :: stat\n    character(*), intent(inout), optional :: errmsg\n"
                            "    type(orr_tensor) :: r_\n%s  end function\n" % (verb, tail, t, attributes, dims, body))
        texts = {
            "orr_from": "A copy of an array of any kind and rank: element a(i, j) is the element (i − 1, j − 1) of the tensor.",
            "orr_wrap": "The memory of an array without a copy. It must be contiguous, have the attribute target, and stay unchanged until\n"
                        "orr_shutdown.",
            "orr_read": "call orr_read(x, a): evaluates x and copies its elements to the array a of x's shape, cast to its kind.",
        }
        blocks = "".join("%s\n  interface %s\n    procedure :: %s\n  end interface\n" % (
            comment(texts[g]), g, ", &\n      ".join(names)) for g, names in generics.items())
        kinds = [(short, t) for short, t in ARRAYS if short != "f64"]  # orr_item itself is the one of C's double
        blocks += "%s\n  interface orr_item\n    procedure :: %s\n  end interface\n" % (
            comment("call orr_item(x, v): the one element of x, cast to v's kind."), ", &\n      ".join(["orr_item"] + ["item_" + k for k, _ in kinds]))
        out += ["  subroutine item_%s(t, value, stat, errmsg)\n    type(orr_tensor), intent(in) :: t\n    %s, intent(inout) :: value\n"
                "    integer, intent(out), optional :: stat\n    character(*), intent(inout), optional :: errmsg\n"
                "    type(orr_tensor) :: one\n    one = orr_reshape(t, [integer ::], stat, errmsg)\n"
                "    call orr_read(one, value, stat, errmsg)\n  end subroutine\n" % k for k in kinds]
        return blocks, "\n".join(out)

    def operators(self):
        by = {r["standard"]: r["name"][4:] for r in self.d.api["standard"]["rows"]}
        blocks, out = [], []
        for standard, symbol in OPERATORS.items():
            own = by[standard]
            names = ["%s_tt" % own]
            out.append("  function %s_tt(x, y) result(r_)\n    type(orr_tensor), intent(in) :: x, y\n    type(orr_tensor) :: r_\n"
                       "    call f_made(r_, c_%s(f_file(), place_line, f_of(x), f_of(y)))\n    call f_drop(x)\n    call f_drop(y)\n"
                       "  end function\n" % (own, own))
            for kind, t in NUMBERS:
                for order in ("tn", "nt"):
                    name = "%s_%s_%s" % (own, order, kind)
                    names.append(name)
                    x, y = ("x", "orr_operand(y)") if order == "tn" else ("orr_operand(x)", "y")
                    tx, ty = ("type(orr_tensor)", t) if order == "tn" else (t, "type(orr_tensor)")
                    out.append("  function %s(x, y) result(r_)\n    %s, intent(in) :: x\n    %s, intent(in) :: y\n"
                               "    type(orr_tensor) :: r_\n    call number_operand(r_, %s_tt(%s, %s))\n  end function\n"
                               % (name, tx, ty, own, x, y))
            if symbol == "-":
                names.append("tensor_negative")
                out.append("  function tensor_negative(x) result(r_)\n    type(orr_tensor), intent(in) :: x\n    type(orr_tensor) :: r_\n"
                           "    call f_made(r_, c_%s(f_file(), place_line, f_of(x)))\n    call f_drop(x)\n  end function\n" % by["negative"])
            blocks.append("  interface operator(%s)\n    procedure :: %s\n  end interface\n" % (symbol, ", &\n      ".join(names)))
        out.append("  ! A result goes on without a holder.\n  subroutine number_operand(to, from)\n    type(orr_tensor), intent(inout) :: to\n"
                   "    type(orr_tensor), intent(in) :: from\n    to%t = from%t\n    to%p => from%p\n    to%holds = .false.\n  end subroutine\n")
        return "".join(blocks), "\n".join(out)

    def text(self):
        with open(os.path.join(FOLDER, "head.f90"), encoding="utf-8") as f:
            head = f.read()
        with open(os.path.join(FOLDER, "tail.f90"), encoding="utf-8") as f:
            tail = f.read()
        array_blocks, arrays = self.arrays()
        operator_blocks, operators = self.operators()
        intrinsic = "".join("  interface %s\n    procedure :: orr_%s\n  end interface\n  public :: %s\n" % (n, n, n)
                            for n in sorted(INTRINSICS) if "orr_" + n in self.publics)
        public = "\n".join("  public :: " + n for n in self.publics)
        whole = ("! Orrery for Fortran 2018 (docs/fortran.md): orrery_c has the functions of C, orrery has tensors and arrays.\n"
                 "! Made by bindings/fortran/generate.py from orrery/api.json (make api); do not edit it.\n\n"
                 "!> Constants, structs and functions as they are in C.\nmodule orrery_c\n  use, intrinsic :: iso_c_binding\n"
                 "  implicit none\n  public\n\n" + self.constants() + "\n\n" + self.types() +
                 "\n  interface\n" + "\n".join(self.interfaces) +
                 "\n    function c_strlen(text_) bind(c, name='strlen') result(r_)\n      import\n      type(c_ptr), value :: text_\n"
                 "      integer(c_size_t) :: r_\n    end function\n"
                 "    function c_open_memstream(text_, size_) bind(c, name='open_memstream') result(r_)\n      import\n"
                 "      type(c_ptr), value :: text_, size_\n      type(c_ptr) :: r_\n    end function\n"
                 "    function c_fclose(file_) bind(c, name='fclose') result(r_)\n      import\n      type(c_ptr), value :: file_\n"
                 "      integer(c_int) :: r_\n    end function\n"
                 "    subroutine c_release(memory_) bind(c, name='free')\n      import\n      type(c_ptr), value :: memory_\n"
                 "    end subroutine\n  end interface\nend module\n\n"
                 "!> Tensors, arrays, operators; each function of C with lists as arrays and errors by stat and errmsg.\n"
                 "module orrery\n  use, intrinsic :: iso_c_binding\n  use, intrinsic :: iso_fortran_env, only: output_unit\n  use orrery_c\n  implicit none\n  private\n\n" +
                 self.exported() + self.handles() + head + array_blocks + operator_blocks + intrinsic + public +
                 "\n\ncontains\n\n" + "\n".join(self.wrappers) + "\n" + arrays + "\n" + operators + tail + "\nend module\n")
        return wrapped(whole)

    def exported(self):
        """What the module hands on of orrery_c: constants and structs."""
        names = [name for name, _ in self.numbers()] + [self.struct(n) for n in self.d.structs]
        return "\n".join("  public :: " + n for n in names) + "\n\n"


class Wrapper:
    def __init__(self, module, f):
        self.m, self.d, self.f = module, module.d, f
        self.dummies, self.declared, self.locals, self.before, self.call, self.after = [], [], [], [], [], []
        self.lengths = self.d.lengths(f)
        self.function = None  # type of the result
        self.texts = None
        for a in f["arguments"]:
            self.argument(a)
        self.result()

    def dummy(self, name, declaration):
        self.dummies.append(name)
        self.declared.append("    %s :: %s" % (declaration, name))

    def arrays_of(self, length):
        """Output lists of this length, by name."""
        return [a for a in self.f["arguments"] if a["role"] == "out list" and a.get("length") == length]

    def argument(self, a):
        name, role, t = a["name"], a["role"], a["type"]
        of = a.get("of", "")
        base = of.rstrip(" *")
        if a.get("given"):
            self.call.append(a["given"])
        elif role == "tensor":
            self.dummy(name, "type(orr_tensor), intent(in)" + (", optional" if a.get("optional") else ""))
            self.call.append("f_of(%s)" % name)
            self.after.append("call f_drop(%s)" % name)
        elif role == "length" and (name in self.lengths or self.arrays_of(name)):
            lists = [b for b in self.f["arguments"] if b.get("length") == name and b["role"] in ("list", "in out list", "out list")]
            sizes = ["ubound(%s, 1)%s" % (b["name"], " - %d" % b["extra"] if b.get("extra") else "") for b in lists]
            if any(b.get("optional") for b in lists):
                self.call.append("int(n_%s, %s)" % (lists[0]["name"], "c_int"))
            else:
                n = sizes[0] if len(sizes) == 1 else "f_length(%s, %s)" % (sizes[0], sizes[1])
                self.call.append("int(%s, %s)" % (n, "c_int64_t" if t == "int64_t" else "c_int"))
        elif role in ("integer", "length", "axis") and array_type(t):
            self.dummy(name, "type(c_ptr), intent(in)")
            self.call.append(name)
        elif role in ("integer", "length", "axis") and t == "char":
            self.dummy(name, "character, intent(in)")
            self.call.append("int(ichar(%s), c_signed_char)" % name)
        elif role in ("integer", "length", "axis"):
            self.dummy(name, "class(*), intent(in)")
            kind = re.search(r"\((\w+)\)", PLAIN[t])[1]
            self.call.append("int(f_int(%s), %s)" % (name, kind) if kind != "c_int64_t" else "f_int(%s)" % name)
        elif role == "real":
            self.dummy(name, "class(*), intent(in)")
            self.call.append("f_real(%s)" % name)
        elif role == "bool":
            self.dummy(name, "logical, intent(in), optional")
            self.call.append("f_bool(%s)" % name)
        elif role == "text":
            self.dummy(name, "character(*), intent(in)" + (", optional" if a.get("optional") else ""))
            self.locals.append("character(kind=c_char, len=:), allocatable, target :: t_" + name)
            self.locals.append("type(c_ptr) :: p_" + name)
            self.before.append("p_%s = c_null_ptr" % name)
            take = "t_%s = trim(%s) // c_null_char\n      p_%s = c_loc(t_%s)" % (name, name, name, name)
            self.before.append("if (present(%s)) then\n      %s\n    end if" % (name, take) if a.get("optional") else take.replace("      ", "    "))
            self.call.append("p_" + name)
        elif role in ("shape", "axes", "index"):
            optional = ", optional" if a.get("default") else ""
            self.dummy(name, "class(*), intent(in)%s" % optional)
            self.declared[-1] += "(:)"
            self.call.append("f_%s(%s)" % (role, name))
        elif role == "number":
            self.dummy(name, "class(*), intent(in)")
            self.call.append("f_number(%s)" % name)
        elif role == "dtype":
            self.dummy(name, "integer, intent(in)")
            self.call.append("int(%s, c_int)" % name)
        elif role == "enum":
            self.dummy(name, "integer, intent(in), optional")
            self.call.append("f_enum(%s)" % name)
        elif role == "handle":
            self.dummy(name, "type(%s), intent(in)" % of)
            self.call.append(name + "%p")
        elif role == "options":
            self.dummy(name, "type(%s), intent(in), optional, target" % self.m.struct(of))
            self.pointer(name, optional=True)
        elif role == "struct":  # absent: all fields zero, as in C
            self.dummy(name, "type(%s), intent(in), optional" % self.m.struct(of))
            self.locals.append("type(%s) :: s_%s" % (self.m.struct(of), name))
            self.before.append("if (present(%s)) s_%s = %s" % (name, name, name))
            self.call.append("s_" + name)
        elif role == "bytes" and not t.endswith("*"):
            self.dummy(name, "type(orr_bytes), intent(in)")
            self.call.append(name)
        elif role == "bytes":
            self.dummy(name, "type(orr_bytes), intent(in), target")
            self.call.append("c_loc(%s)" % name)
        elif role in ("list", "in out list"):
            self.list_argument(a, name, base, of)
        elif role == "out list":
            self.out_list(a, name, of)
        elif role == "out":
            self.out(a, name, of, base)
        elif role == "callback":
            self.dummy(name, "type(c_funptr), intent(in)")
            self.call.append(name)
        elif role == "stream":  # absent: Fortran's standard output
            self.dummy(name, "type(c_ptr), intent(in), optional")
            self.locals += ["type(c_ptr) :: p_" + name, "type(c_ptr), target :: text_", "integer(c_size_t), target :: size_"]
            self.before.append("if (present(%s)) then\n      p_%s = %s\n    else\n      p_%s = c_open_memstream(c_loc(text_), c_loc(size_))\n    end if"
                               % (name, name, name, name))
            self.after.insert(0, "if (.not. present(%s)) call f_output(p_%s, text_)" % (name, name))
            self.call.append("p_" + name)
        elif role in ("memory", "user"):
            optional = role != "memory"
            self.dummy(name, "type(c_ptr), intent(in)" + (", optional" if optional else ""))
            if optional:
                self.locals.append("type(c_ptr) :: p_" + name)
                self.before.append("p_%s = c_null_ptr" % name)
                self.before.append("if (present(%s)) p_%s = %s" % (name, name, name))
            self.call.append("p_" + name if optional else name)
        else:
            raise Unsupported("an argument with the role " + role)

    def pointer(self, name, optional):
        self.locals.append("type(c_ptr) :: p_" + name)
        self.before.append("p_%s = c_null_ptr" % name)
        self.before.append("if (present(%s)) p_%s = c_loc(%s)" % (name, name, name))
        self.call.append("p_" + name)

    def list_argument(self, a, name, base, of):
        fixed = a.get("length") and not re.fullmatch(r"[a-z_]\w*", a["length"])
        if fixed:
            raise Unsupported("a list of a length that the caller does not give")
        optional = ", optional" if a.get("optional") else ""
        if base == "orr_tensor" and not optional:
            self.dummy(name, "type(orr_tensor), intent(%s)" % ("inout" if a["role"] == "in out list" else "in"))
            self.declared[-1] += "(:)"
            self.locals.append("type(c_ptr), target :: p_%s(max(1, ubound(%s, 1)))" % (name, name))
            self.before.append("call f_all(%s, p_%s)" % (name, name))
            if a["role"] == "in out list":
                self.locals += ["type(c_ptr) :: former_%s(max(1, ubound(%s, 1)))" % (name, name), "integer :: k_"]
                self.before.append("former_%s = p_%s" % (name, name))
                self.after.append("do k_ = 1, ubound(%s, 1)\n      if (.not. c_associated(p_%s(k_), former_%s(k_))) call f_result(%s(k_), p_%s(k_))\n    end do"
                                  % (name, name, name, name, name))
            else:
                self.after.append("call f_drop_all(%s)" % name)
            self.call.append("c_loc(p_%s)" % name)
        elif base in self.d.opaque and not optional:
            self.dummy(name, "type(%s), intent(in)" % base)
            self.declared[-1] += "(:)"
            self.locals.append("type(c_ptr), target :: p_%s(max(1, ubound(%s, 1)))" % (name, name))
            self.before.append("p_%s(1:ubound(%s, 1)) = %s(:)%%p" % (name, name, name))
            self.call.append("c_loc(p_%s)" % name)
        elif base == "char":
            self.dummy(name, "character(*), intent(in)" + optional)
            self.declared[-1] += "(:)"
            self.locals.append("character(kind=c_char), allocatable, target :: t_%s(:, :)" % name)
            self.locals += ["type(c_ptr), allocatable, target :: p_%s(:)" % name, "integer :: n_" + name]
            self.before.append("n_%s = 0" % name)
            self.before.append(("if (present(%s)) n_%s = ubound(%s, 1)" if optional else "n_%.0s%s = ubound(%s, 1)") % (name, name, name))
            self.before.append("allocate (p_%s(max(1, n_%s)))" % (name, name))
            self.before.append("%scall f_texts(%s, t_%s, p_%s)" % ("if (n_%s > 0) " % name, name, name, name))
            self.call.append("c_loc(p_%s)" % name)
        else:
            t = self.m.c_type(of)
            self.dummy(name, "%s, intent(in), target, contiguous%s" % (t, optional))
            self.declared[-1] += "(:)"
            if optional:
                self.locals += ["type(c_ptr) :: p_" + name, "integer :: n_" + name]
                self.before += ["n_%s = 0" % name, "p_%s = c_null_ptr" % name,
                                "if (present(%s)) then\n      n_%s = ubound(%s, 1)\n      p_%s = c_loc(%s)\n    end if" % (name, name, name, name, name)]
                self.call.append("p_" + name)
            else:
                self.call.append("c_loc(%s)" % name)

    def out_list(self, a, name, of):
        fixed = not a.get("length") or not re.fullmatch(r"[a-z_]\w*", a["length"])
        if of.startswith("orr_tensor"):
            self.dummy(name, "type(orr_tensor), intent(inout)")
            self.declared[-1] += "(:)"
            size = "max(1, ubound(%s, 1))" % name
            self.locals.append("type(c_ptr), target :: p_%s(%s)" % (name, size))
            if fixed:
                if not a.get("length"):
                    raise Unsupported("a list whose length only the caller knows")
                # An array that is too short for the call's results is refused before it.
                objects = {b["name"] for b in self.f["arguments"] if b["role"] == "handle"}
                n = re.sub(r"\b\w+\b", lambda m: m[0] + "%p" if m[0] in objects else m[0], a["length"])
                n = re.sub(r"\borr_(\w+)\(", r"c_\1(", n).replace("NULL", "c_null_ptr").replace(", 0)", ", 0_c_int)")
                self.before.append("if (ubound(%s, 1) < %s) then\n      call f_settle(ORR_EINVAL, stat, errmsg, '%s: the array %s is too short')\n"
                                   "%%LEAVE%%      return\n    end if" % (name, n, self.f["name"], name))
            self.before.append("p_%s = c_null_ptr" % name)
            self.after.append("call f_results(%s, p_%s)" % (name, name))
            self.call.append("c_loc(p_%s)" % name)
        else:
            if fixed:
                raise Unsupported("a list of a length that the caller does not give")
            self.dummy(name, "%s, intent(inout), target, contiguous" % self.m.c_type(of))
            self.declared[-1] += "(:)"
            self.call.append("c_loc(%s)" % name)

    def out(self, a, name, of, base):
        pointer = of.endswith("*")
        optional = ", optional" if a.get("optional") else ""
        if of == "names":
            self.locals.append("type(c_ptr), target :: p_" + name)
            self.before.append("p_%s = c_null_ptr" % name)
            self.dummy(name, "character(:), allocatable, intent(out)")
            self.declared[-1] += "(:)"
            self.call.append("c_loc(p_%s)" % name)
            self.texts = name
        elif self.texts and a["type"] == "int *":
            self.locals.append("integer(c_int), target :: p_" + name)
            self.before.append("p_%s = 0" % name)
            self.call.append("c_loc(p_%s)" % name)
            self.after.append("call f_names(p_%s, p_%s, %s)" % (self.texts, name, self.texts))
        elif pointer:
            kind = "orr_tensor" if base == "orr_tensor" else base if base in self.d.opaque else None
            self.locals.append("type(c_ptr), target :: p_" + name)
            self.before.append("p_%s = c_null_ptr" % name)
            self.dummy(name, ("type(%s), intent(inout)" % kind if kind else "type(c_ptr), intent(out)") + optional)
            put = ("call f_result(%s, p_%s)" if kind == "orr_tensor" else "%s%%p = p_%s" if kind else "%s = p_%s") % (name, name)
            if optional:
                self.locals.append("type(c_ptr) :: q_" + name)
                self.before += ["q_%s = c_null_ptr" % name, "if (present(%s)) q_%s = c_loc(p_%s)" % (name, name, name)]
                self.call.append("q_" + name)
                self.after.append("if (present(%s)) then\n      %s\n    end if" % (name, put))
            else:
                self.call.append("c_loc(p_%s)" % name)
                self.after.append(put)
        elif of in self.d.results:
            self.locals.append("type(%s), target :: s_%s" % (of, name))
            self.call.append("c_loc(s_%s)" % name)
            self.fields(self.d.results[of], "s_" + name)
        elif of in self.d.structs:
            self.dummy(name, "type(%s), intent(inout), target" % self.m.struct(of))
            self.call.append("c_loc(%s)" % name)
        else:
            t = self.m.c_type(of)
            self.dummy(name, "%s, intent(%s), target%s" % (t, "inout", optional))
            if optional:
                self.pointer(name, True)
            else:
                self.call.append("c_loc(%s)" % name)

    def fields(self, s, local):
        """Each component of a struct of results as an argument of its own."""
        for f in s["fields"]:
            name = f["name"]
            while name in self.dummies or name in [a["name"] for a in self.f["arguments"]]:
                name = "result_" + name
            if f["type"] == "orr_tensor *":
                self.dummy(name, "type(orr_tensor), intent(inout)")
                self.after.append("call f_result(%s, %s%%%s)" % (name, local, f["name"]))
            else:
                t = self.m.c_type(f["type"])
                self.dummy(name, "%s, intent(out)" % t)
                self.after.append("%s = %s%%%s" % (name, local, f["name"]))

    def result(self):
        f, result = self.f, self.f["result"]
        base = re.sub(r"^const ", "", result).rstrip(" *")
        args = (["f_file()", "place_line"] if f["here"] else []) + self.call
        call = "c_%s(%s)" % (f["name"][4:], ", ".join(args))
        into_struct = "call c_%s(%s)" % (f["name"][4:], ", ".join(["s_r"] + args))
        self.statused = True
        if result == "void":
            self.work, self.statused = "call " + call, False
        elif result == "orr_status" and f["doc"].startswith("Returns"):
            self.function, self.statused = "integer", False
            self.work = "r_ = " + call
        elif result == "orr_status":
            self.locals.append("integer(c_int) :: status_")
            self.work = "status_ = " + call
            self.after.append("call f_settle(status_, stat, errmsg)")
        elif result == "orr_tensor *":
            self.function = "type(orr_tensor)"
            if f.get("ownership") == "borrowed":
                self.work = "r_%%t = %s" % call
                self.statused = False
            else:
                self.work = "call f_made(r_, %s, stat, errmsg)" % call
        elif base in self.d.opaque and result.endswith("*"):
            self.function = "type(%s)" % base
            self.work = "r_%p = " + call
            if f["here"]:
                self.locals.append("integer(c_int) :: status_")
                self.after.append("status_ = ORR_OK\n    if (.not. c_associated(r_%p)) status_ = c_error_status()\n"
                                  "    call f_settle(status_, stat, errmsg)")
            else:
                self.statused = False
        elif result in self.d.results:
            s = self.d.results[result]
            self.locals.append("type(%s) :: s_r" % result)
            self.work = into_struct
            first = next(x["name"] for x in s["fields"] if x["type"] == "orr_tensor *")
            self.fields(s, "s_r")
            self.after.append("call f_settle(c_tensor_status(s_r%%%s), stat, errmsg)" % first)
        else:
            self.statused = False
            if result == "orr_shape":
                self.function = "integer(c_int64_t), allocatable"
                self.locals.append("type(orr_shape) :: s_r")
                self.work = into_struct + "\n    r_ = s_r%dim(1:max(0, s_r%rank))"
            elif result == "const char *":
                self.function = "character(:), allocatable"
                self.work = "r_ = f_string(%s)" % call
            elif result == "bool":
                self.function = "logical"
                self.work = "r_ = logical(%s)" % call
            elif result in self.d.structs:
                self.function = self.m.c_type(result)
                self.work = into_struct.replace("s_r", "r_", 1)
            else:
                self.function = self.m.c_type(result)
                self.work = "r_ = " + call
        if any("%LEAVE%" in b for b in self.before):
            self.statused = True
            self.before = [b.replace("%LEAVE%", "      r_ = 0\n" if self.function and "int" in self.function else "") for b in self.before]

    def text(self):
        f = self.f
        dummies, declared = list(self.dummies), list(self.declared)
        if self.statused:
            dummies += ["stat", "errmsg"]
            declared += ["    integer, intent(out), optional :: stat", "    character(*), intent(inout), optional :: errmsg"]
        kind = "function" if self.function else "subroutine"
        result = " result(r_)" if self.function else ""
        if self.function:
            tail = "(:)" if self.f["result"] == "orr_shape" else ""
            declared.append("    %s :: r_%s" % (self.function, tail))
        seen, local = set(), []
        for x in self.locals:
            if x not in seen:
                seen.add(x)
                local.append("    " + x)
        body = ["    " + b for b in self.before + [self.work] + self.after]
        if self.statused and not any("stat, errmsg" in b for b in body):
            body.append("    call f_settle(ORR_OK, stat, errmsg)")
        doc = f["doc"] or "As the function before it in orrery/%s." % f["header"]
        return "%s\n  %s %s(%s)%s\n%s\n  end %s\n" % (
            comment(doc), kind, f["name"], ", ".join(dummies), result, "\n".join(declared + local + body), kind)


def results(d):
    """The text of results.c."""
    out = ["/* Structs that functions of C return, as arguments: compilers of Fortran and C return small ones in different registers.",
           " * Made by bindings/fortran/generate.py from orrery/api.json (make api); do not edit it. */", "#include <orrery.h>"]
    for f in d.functions:
        if f["result"] not in d.structs:
            continue
        places = [("const char *", "file"), ("int", "line")] if f["here"] else []
        args = places + [(a["type"], a["name"]) for a in f["arguments"]]
        head = "void %s(%s)" % (OUT % f["name"][4:], ", ".join(
            [f["result"] + " *r_"] + [t + ("" if t.endswith("*") else " ") + n for t, n in args]))
        out += ["", head + ";", head, "{", "    *r_ = %s(%s);" % (f["symbol"], ", ".join(n for _, n in args)), "}"]
    return "\n".join(out) + "\n"


def main():
    module = Module(sys.argv[1])
    if sys.argv[2:] == ["results"]:
        sys.stdout.write(results(module.d))
    elif len(sys.argv) > 2:
        for name, why in module.left_out:
            print("%s: %s" % (name, why))
    else:
        sys.stdout.write(module.text())


main()
