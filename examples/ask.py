#!/usr/bin/env python3
"""Asks questions about traces in the words of the program; an answer is a dict of tables. Needs only libmeridian and ctypes.

    ./ask.py TRACE... -- WORD...
    ./ask.py client/ server/ -- top cpu --limit 5

    with Session(["client/", "server/"]) as session:
        slowest = session.ask("requests", "--list", "--limit", "10")["requests"]

A table is a list of rows, each a dict; None stands for what is not known. The columns' units end their keys.
The library is found by the system, or named by the variable LIBMERIDIAN.
"""
import ctypes
import json
import os
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_size_t, c_void_p


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1000), ("remedy", c_int)]


lib = ctypes.CDLL(os.environ.get("LIBMERIDIAN", "libmeridian.so.1"))
for name, result, arguments in [
        ("mer_session_new", c_int, [POINTER(c_char_p), c_size_t, c_void_p, POINTER(c_void_p), POINTER(Error)]),
        ("mer_session_open", c_int, [c_void_p, POINTER(Error)]),
        ("mer_session_free", None, [c_void_p]),
        ("mer_ask", c_int, [c_void_p, POINTER(c_char_p), c_size_t, POINTER(c_void_p), POINTER(Error)]),
        ("mer_answer_json", c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t), POINTER(Error)]),
        ("mer_answer_free", None, [c_void_p])]:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


def texts(words):
    return (c_char_p * len(words))(*[os.fsencode(w) for w in words])


class Session:
    """Traces with aligned clocks."""

    def __init__(self, paths):
        self.handle, self.error = c_void_p(), Error()
        self.check(lib.mer_session_new(texts(paths), len(paths), None, byref(self.handle), byref(self.error)))
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

    def text(self, *words):
        """The answer as `meridian WORD... --json` prints it."""
        answer, text, length = c_void_p(), c_void_p(), c_size_t()
        self.check(lib.mer_ask(self.handle, texts(words), len(words), byref(answer), byref(self.error)))
        try:
            self.check(lib.mer_answer_json(answer, byref(text), byref(length), byref(self.error)))
            return ctypes.string_at(text, length.value).decode()
        finally:
            lib.mer_answer_free(answer)

    def ask(self, *words):
        """The tables of the answer by their ids."""
        return {table["id"]: table["rows"] for table in json.loads(self.text(*words))["tables"]}


def main():
    words = sys.argv[1:]
    if "--" not in words[1:-1]:
        sys.exit("usage: ask.py TRACE... -- WORD...")
    at = words.index("--")
    try:
        with Session(words[:at]) as session:
            sys.stdout.write(session.text(*words[at + 1:]))
    except RuntimeError as error:
        sys.exit(f"ask.py: {error}")


if __name__ == "__main__":
    main()
