#!/usr/bin/env python3
"""Reads a table of traces, with aligned clocks, as columns: a dict from key to list. Needs only libmeridian and ctypes.

    ./table.py ANALYSIS TABLE TRACE...
    ./table.py cpu top client/ server/

A list works as a column of pandas.DataFrame(columns) or of numpy.array. None stands for what is not known.
The library is found by the system, or named by the variable LIBMERIDIAN.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1000), ("remedy", c_int)]


class TableOptions(ctypes.Structure):
    """struct mer_table_options. Zero is the default of each; the size says which version this is."""
    _fields_ = [("size", c_size_t), ("selection", c_void_p), ("filter", c_char_p), ("group_by", c_char_p),
                ("limit", c_uint64), ("min_ns", c_int64), ("max_ns", c_int64), ("names", POINTER(c_char_p)),
                ("n_names", c_size_t), ("n_bins", c_uint64), ("interval_ns", c_int64)]


lib = ctypes.CDLL(os.environ.get("LIBMERIDIAN", "libmeridian.so.1"))
for name, result, arguments in [
        ("mer_session_new", c_int, [POINTER(c_char_p), c_size_t, c_void_p, POINTER(c_void_p), POINTER(Error)]),
        ("mer_session_open", c_int, [c_void_p, POINTER(Error)]),
        ("mer_session_table", c_int,
         [c_void_p, c_char_p, c_char_p, POINTER(TableOptions), POINTER(c_void_p), POINTER(Error)]),
        ("mer_session_free", None, [c_void_p]),
        ("mer_result_free", None, [c_void_p]),
        ("mer_result_n_rows", c_size_t, [c_void_p]),
        ("mer_result_n_columns", c_size_t, [c_void_p]),
        ("mer_result_key", c_char_p, [c_void_p, c_size_t]),
        ("mer_result_value", c_int, [c_void_p, c_size_t]),
        ("mer_result_ints", c_size_t,
         [c_void_p, c_size_t, c_size_t, c_size_t, POINTER(c_int64), POINTER(c_bool)]),
        ("mer_result_reals", c_size_t,
         [c_void_p, c_size_t, c_size_t, c_size_t, POINTER(c_double), POINTER(c_bool)]),
        ("mer_result_texts", c_size_t,
         [c_void_p, c_size_t, c_size_t, c_size_t, POINTER(c_char_p), POINTER(c_bool)])]:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


def columns_of(result):
    """A result of the library as {key: [value, ...]}; the same for all results: tables, tasks, paths, clocks."""
    kinds = [(c_int64, lib.mer_result_ints), (c_double, lib.mer_result_reals), (c_char_p, lib.mer_result_texts)]
    n = lib.mer_result_n_rows(result)
    columns = {}
    for i in range(lib.mer_result_n_columns(result)):
        kind, read = kinds[lib.mer_result_value(result, i)]
        values, known = (kind * n)(), (c_bool * n)()
        read(result, i, 0, n, values, known)
        columns[lib.mer_result_key(result, i).decode()] = [
            (v.decode(errors="replace") if kind is c_char_p else v) if k else None for v, k in zip(values, known)]
    return columns


class Session:
    """with Session(["client/", "server/"]) as session: session.table("cpu", "top", limit=10)"""

    def __init__(self, paths):
        self.handle, self.error = c_void_p(), Error()
        texts = (c_char_p * len(paths))(*[os.fsencode(p) for p in paths])
        self.check(lib.mer_session_new(texts, len(paths), None, byref(self.handle), byref(self.error)))
        try:
            self.check(lib.mer_session_open(self.handle, byref(self.error)))
        except RuntimeError:
            lib.mer_session_free(self.handle)
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.mer_session_free(self.handle)

    def check(self, rc):
        if rc:
            raise RuntimeError(self.error.text.decode(errors="replace"))

    def table(self, analysis, table, **options):
        result = c_void_p()
        o = TableOptions(size=ctypes.sizeof(TableOptions), **options)
        self.check(lib.mer_session_table(self.handle, analysis.encode(), table.encode(), byref(o), byref(result),
                                         byref(self.error)))
        try:
            return columns_of(result)
        finally:
            lib.mer_result_free(result)


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: table.py ANALYSIS TABLE TRACE...")
    try:
        with Session(sys.argv[3:]) as session:
            columns = session.table(sys.argv[1], sys.argv[2])
    except RuntimeError as error:
        sys.exit(f"table.py: {error}")
    print(*columns, sep="\t")
    for row in zip(*columns.values()):
        print(*("" if v is None else f"{v:.12g}" if isinstance(v, float) else v for v in row), sep="\t")


if __name__ == "__main__":
    main()
