# Prints tensors in gdb: "source orrery-gdb.py", then "print y" shows dtype, shape, operation, source line, and the first elements of a value.
# It must not know how a value is computed. The library needs its debugging symbols (-g).
import gdb
import struct

FEW = 8
CHUNK = 1024
# struct formats; halves are shown as bits
FORMATS = {"ORR_BOOL": "?", "ORR_I8": "b", "ORR_I16": "h", "ORR_I32": "i", "ORR_I64": "q", "ORR_U8": "B", "ORR_U16": "H",
           "ORR_U32": "I", "ORR_U64": "Q", "ORR_F16": "e", "ORR_F32": "f", "ORR_F64": "d"}


def dtype_name(number):
    for field in gdb.lookup_type("orr_dtype").fields():
        if field.enumval == number:
            return field.name
    return "?"


def node_of(handle):
    """The node that a handle names; None: the handle is stale or foreign."""
    number, generation = handle & 0xffffffff, handle >> 32
    chunk = gdb.parse_and_eval("orr__slot_chunk")[number // CHUNK]
    if number == 0 or int(chunk) == 0:
        return None
    slot = chunk[number % CHUNK]
    return slot["node"].dereference() if int(slot["gen"]) == generation and generation & 1 else None


def elements(node, dtype, count):
    """The first elements of a value; "" while there is none."""
    value = node["value"]
    if int(value) == 0 or dtype not in FORMATS or int(value["host"]) == 0:
        return ""
    form = FORMATS[dtype]
    shown = min(count, FEW)
    memory = gdb.selected_inferior().read_memory(int(value["host"]), shown * struct.calcsize(form))
    numbers = struct.unpack("=%d%s" % (shown, form), bytes(memory))
    return " = [" + ", ".join("%g" % n for n in numbers) + (", …]" if count > shown else "]")


class TensorPrinter:
    def __init__(self, value):
        self.handle = int(value) & 0xffffffffffffffff

    def to_string(self):
        if self.handle == 0:
            return "NULL"
        node = node_of(self.handle)
        if node is None:
            return "stale orr_tensor 0x%x" % self.handle
        shape = [int(node["shape"]["dim"][d]) for d in range(int(node["shape"]["rank"]))]
        count = 1
        for n in shape:
            count *= n
        dtype = dtype_name(int(node["dtype"]))
        place = node["file"].string() if int(node["file"]) else "?"
        return "%s (%s) of %s, %s:%d%s" % (dtype, ", ".join(map(str, shape)), node["op"]["name"].string(), place,
                                           int(node["line"]), elements(node, dtype, count))


def lookup(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR and kind.target().unqualified().name == "orr_tensor":
        return TensorPrinter(value)
    return None


gdb.pretty_printers.append(lookup)
