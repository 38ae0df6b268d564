"""The examples in Python end well; the notebook's cells run in order, in a kernel where nbclient is, and here."""
import contextlib
import io
import glob
import json
import os
import re
import runpy
import sys

from check import end, fail

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")
DATA = "/usr/share/datasets/fashion-mnist"


def run(name, *args):
    sys.argv = [name, *args]
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(os.path.join(FOLDER, name), run_name="__main__")
    except SystemExit as e:
        if e.code:
            fail("%s ends with %s: %s" % (name, e.code, out.getvalue()))
    except Exception as e:  # noqa: BLE001
        fail("%s: %s: %s" % (name, type(e).__name__, e))
    return out.getvalue()


if "float32 (4, 10)" not in run("ten_lines.py"):
    fail("ten_lines.py prints something else")
for name in ("linear_regression.py", "heat.py"):
    if "right" not in run(name):
        fail(name + " is not right")
if os.path.exists(DATA) and float(run("fashion_mnist.py", "60", DATA).split()[-1]) < 0.5:
    fail("fashion_mnist.py learns nothing")



# A comment before a block is its frame: "python: STATEMENTS", which run before it, or "python not run: REASON". The blocks of a page are one
# program.
def run_blocks(page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    space = {}
    for m in re.finditer(r"(?:^<!-- python(| not run): ?([^\n]*?) ?-->\n)?^```python\n(.*?)^```", text, re.M | re.S):
        line = text.count("\n", 0, m.start(3)) + 1
        if m.group(1) is None:
            fail("%s:%d: a block of Python that is neither run nor says why" % (page, line))
        elif not m.group(1):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(m.group(2), space)  # noqa: S102
                    exec(compile("\n" * (line - 1) + m.group(3), page, "exec"), space)  # noqa: S102
            except ModuleNotFoundError as e:
                print("skip: %s:%d: %s" % (page, line, e))
                return
            except Exception as e:  # noqa: BLE001
                fail("%s:%d: %s: %s" % (page, line, type(e).__name__, e))


for page in sorted(glob.glob(os.path.join(FOLDER, "../docs/*.md"))):
    run_blocks(page)

path = os.path.join(FOLDER, "tour.ipynb")
try:
    import nbclient
    import nbformat
except ImportError:
    print("skip: no nbformat and nbclient: the notebook's cells run without a kernel")
    with open(path, encoding="utf-8") as f:
        cells = ["".join(c["source"]) for c in json.load(f)["cells"] if c["cell_type"] == "code"]
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            try:
                exec(compile(cell, path, "exec"), space)  # noqa: S102
            except Exception as e:  # noqa: BLE001
                fail("the notebook: %s: %s" % (type(e).__name__, e))
else:
    nbclient.NotebookClient(nbformat.read(path, as_version=4), timeout=120).execute()
end()
