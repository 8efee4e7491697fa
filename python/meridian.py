"""Asks questions about traces, in the words of the program meridian; answers are tables.

    import meridian
    with meridian.open("client/", "server/") as traces:
        answer = traces.ask("requests", list=True, limit=10)
        for row in answer["requests"].dicts():
            print(row["kind"], row["latency_ns"])
        frame = traces.ask("top", "cpu")[0].to_pandas()

A table gives itself to pandas, polars, DuckDB and all others that know Arrow's PyCapsule interface
(__arrow_c_stream__). None, NA and NULL stand for what is not known. Units end the names of columns.

Only ctypes and libmeridian.so are needed. The library is the one that the variable LIBMERIDIAN names,
else one that was installed together with this file, else the system's.
"""
import _thread
import ctypes
import glob
import json
import os
import sys
import threading
import warnings
import weakref
from ctypes import (CFUNCTYPE, POINTER, Structure, addressof, byref, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p, py_object)

__version__ = "1.1.0"
__all__ = ["Session", "Answer", "Table", "Error", "Cancelled", "Finding"]

# ---- The library ----


class _Error(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1000), ("remedy", c_int)]


_Progress = CFUNCTYPE(None, c_void_p, c_char_p)


class _SessionOptions(Structure):
    _fields_ = [("size", c_size_t), ("clocks", c_uint32), ("n_threads", c_uint32), ("clocks_file", c_char_p),
                ("cache_folder", c_char_p), ("store", c_bool), ("ignore_uuid", c_bool), ("progress", _Progress),
                ("progress_data", c_void_p), ("once", c_bool), ("memory_bytes", c_uint64),
                ("temporary_folders", POINTER(c_char_p)), ("n_temporary_folders", c_size_t),
                ("no_clock_findings", c_bool), ("no_store", c_bool), ("vms", POINTER(c_char_p)), ("n_vms", c_size_t),
                ("views", POINTER(c_char_p)), ("n_views", c_size_t)]


class _ArrowOptions(Structure):
    _fields_ = [("size", c_size_t), ("max_rows", c_uint32), ("dictionaries", c_bool)]


class _Array(Structure):
    """struct ArrowArray"""


_Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                   ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(_Array))),
                   ("dictionary", POINTER(_Array)), ("release", CFUNCTYPE(None, POINTER(_Array))),
                   ("private_data", c_void_p)]


class _Stream(Structure):
    """struct ArrowArrayStream"""


_Stream._fields_ = [("get_schema", c_void_p), ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
                    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
                    ("release", CFUNCTYPE(None, POINTER(_Stream))), ("private_data", c_void_p)]

_texts = POINTER(c_char_p)
_error = POINTER(_Error)
_functions = {
    "mer_session_new": (c_int, [_texts, c_size_t, POINTER(_SessionOptions), POINTER(c_void_p), _error]),
    "mer_session_open": (c_int, [c_void_p, _error]),
    "mer_session_free": (None, [c_void_p]),
    "mer_session_cancel": (None, [c_void_p]),
    "mer_session_progress": (c_bool, [c_void_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "mer_ask": (c_int, [c_void_p, _texts, c_size_t, POINTER(c_void_p), _error]),
    "mer_sql": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), _error]),
    "mer_answer_free": (None, [c_void_p]),
    "mer_answer_n_tables": (c_size_t, [c_void_p]),
    "mer_answer_table": (c_void_p, [c_void_p, c_size_t]),
    "mer_answer_window": (c_bool, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "mer_answer_diagnostics": (c_int, [c_void_p, POINTER(c_void_p), _error]),
    "mer_answer_json": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t), _error]),
    "mer_result_free": (None, [c_void_p]),
    "mer_result_n_rows": (c_size_t, [c_void_p]),
    "mer_result_n_columns": (c_size_t, [c_void_p]),
    "mer_result_id": (c_char_p, [c_void_p]),
    "mer_result_title": (c_char_p, [c_void_p]),
    "mer_result_key": (c_char_p, [c_void_p, c_size_t]),
    "mer_result_type": (c_char_p, [c_void_p, c_size_t]),
    "mer_result_unit": (c_char_p, [c_void_p, c_size_t]),
    "mer_result_value": (c_int, [c_void_p, c_size_t]),
    "mer_result_arrow": (c_int, [c_void_p, POINTER(_ArrowOptions), POINTER(_Stream), _error]),
}


def _load():
    """Of `make install` it is some folders above this file."""
    name, folder = "libmeridian.so.1", os.path.dirname(os.path.abspath(__file__))
    above = [os.path.join(folder, *[".."] * n, sub, name) for n in range(4) for sub in ("", "*-linux-*")]
    names = [os.environ["LIBMERIDIAN"]] if "LIBMERIDIAN" in os.environ else [f for a in above for f in glob.glob(a)] + [name]
    reasons = []
    for name in names:
        try:
            lib = ctypes.CDLL(name)
            lib.mer_sql
            break
        except (OSError, AttributeError) as error:
            reasons.append(str(error))
    else:
        raise ImportError(f"meridian needs its library, libmeridian.so.1 of version {__version__} or later: install it, or "
                          f"name its file in the variable LIBMERIDIAN ({'; '.join(reasons)})")
    for function, (result, arguments) in _functions.items():
        getattr(lib, function).restype = result
        getattr(lib, function).argtypes = arguments
    return lib


_lib = _load()
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]

# ---- Errors ----

_codes = {-1: "input", -2: "system", -3: "limit", -4: "usage", -5: "cancelled", -6: "memory", -7: "bug"}


class Error(RuntimeError):
    """What meridian says of a question that has no answer. code: "usage" (the question is wrong), "input" (the
    traces are), "system", "limit", "memory", "cancelled" or "bug"."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Cancelled(Error):
    """Session.cancel() was called."""


class Finding(UserWarning):
    """Part of the traces is missing or damaged: answers are incomplete, or less exact."""


def _check(rc, error):
    if rc:
        kind = Cancelled if rc == -5 else Error
        raise kind(error.text.decode(errors="replace"), _codes.get(rc, str(rc)))


def _text(value):
    return None if value is None else value.decode(errors="replace")


def _list(values):
    """For C: the texts, and how many."""
    return (c_char_p * len(values))(*[os.fsencode(v) for v in values]), len(values)


# ---- Sessions ----

_WAIT_S = 0.1  # between two calls of progress


class _Call:
    """A call of the library, on a thread of its own: Ctrl-C reaches no thread that is in the library, so the one that
    asks waits, and can be interrupted at any place. So each step here that others rely on is one function of C: what
    threading has in Python (Event, Thread.start) leaves its locks in disorder when an exception comes in between."""

    def __init__(self, function):
        self._function, self._whose, self._running = function, {}, threading.Lock()
        self.error, self.outcome = _Error(), []
        self._running.acquire()

    def work(self):
        if self._whose.setdefault(0, "work") == "work":
            rc = -7
            try:
                rc = self._function(byref(self.error))
            finally:
                self.outcome.append(rc)
                self._running.release()

    def abandon(self):
        """False: it has begun. Else it will not."""
        return self._whose.setdefault(0, "nobody") == "nobody"

    def ended(self, seconds):
        if not self.outcome and self._running.acquire(timeout=seconds):
            self._running.release()
        return bool(self.outcome) or self._whose.get(0) == "nobody"

    def settle(self):
        while not self.ended(1):
            self.abandon()


def _free_session(handle, last):
    settled = last[0] is None
    while not settled:
        try:
            last[0].settle()
            settled = True
        except KeyboardInterrupt:  # not while it is being used
            pass
    _lib.mer_session_free(handle)


class Session:
    """Traces with aligned clocks; open() makes it. One question at a time: others wait for their turn."""

    def __init__(self, paths, options, progress):
        self._paths, self._options, self._progress = paths, options, progress
        self._turn = threading.Lock()  # whose question it is
        self._life = threading.Lock()  # of the handle
        self._last = [None]  # the last _Call
        self._handle = self._stage = self._free = None
        self._closed = False
        with self._turn:
            self._open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Frees what the session has read. Its answers stay."""
        with self._turn:
            self._closed = True
            self._end()

    def cancel(self):
        """Ends the question that is being asked, from another thread: it raises Cancelled."""
        with self._life:
            if self._handle and self._last[0] and not self._last[0].outcome:
                _lib.mer_session_cancel(self._handle)

    def ask(self, verb, *words, **options):
        """The answer to `meridian VERB WORD... --OPTION VALUE...`, of these traces.

            ask("top", "cpu", begin="+1s", comm=["nginx", "wget"], all=True)

        An underscore in a name stands for "-". True is an option without a value; None and False are left out."""
        question = [verb, *map(str, words), *_words(options)]
        array, n = _list(question)
        return Answer(self._answer(lambda answer, error: _lib.mer_ask(self._handle, array, n, answer, error)), question)

    def _answer(self, function):
        answer = c_void_p()
        with self._turn:
            if self._closed:
                raise ValueError("the session is closed")
            self._open()
            try:
                self._run(lambda error: function(byref(answer), error))
            except BaseException:
                _lib.mer_answer_free(answer)  # it may have come when Ctrl-C did
                raise
        _release_unused()
        return answer

    def sql(self, query):
        """What a statement in SQL finds, as a Table: docs/queries.md has the tables that there are. It only reads.

            traces.sql("select comm, count(*) as n from sched group by comm").to_pandas()

        Of several statements, separated by semicolons, the last result. Where tables have no rows because nothing of
        their kind was recorded, there is a warning (Finding)."""
        tables = Answer(self._sql(query), [query]).tables
        if not tables:
            raise Error("this is no statement that finds anything", "usage")
        return tables[-1]

    def sql_all(self, query):
        """The same as an Answer, with a table of each statement: "result", "result_2", ..."""
        return Answer(self._sql(query), [query])

    def _sql(self, query):
        text = query.encode()
        if b"\0" in text:
            raise Error("a query has no NUL bytes", "usage")
        return self._answer(lambda answer, error: _lib.mer_sql(self._handle, text, answer, error))

    def _open(self):
        """Opens the traces; again after a question was cancelled, as the library does not go on with that session."""
        if self._handle:
            return
        handle, error = c_void_p(), _Error()
        paths, n_paths = _list(self._paths)
        _check(_lib.mer_session_new(paths, n_paths, byref(self._c_options()), byref(handle), byref(error)), error)
        self._handle, self._free = handle, weakref.finalize(self, _free_session, handle, self._last)
        try:
            self._run(lambda e: _lib.mer_session_open(handle, e))
        except BaseException:
            self._end()
            raise

    def _c_options(self):
        o, wanted = _SessionOptions(size=ctypes.sizeof(_SessionOptions)), self._options
        o.clocks = {None: 0, "auto": 0, "none": 1}.get(wanted["sync"], 2)
        o.clocks_file = os.fsencode(wanted["sync"]) if o.clocks == 2 else None
        o.cache_folder = os.fsencode(wanted["cache"]) if wanted["cache"] else None
        o.n_threads, o.store, o.no_clock_findings = wanted["threads"], wanted["store"], True
        o.vms, o.n_vms = _list(wanted["vms"])
        o.views, o.n_views = _list(wanted["views"])
        me = weakref.ref(self)

        @_Progress
        def began(_, stage):
            session = me()
            if session:
                session._stage = _text(stage)
        o.progress = self._began = began
        return o

    def _end(self):
        with self._life:
            free, self._handle, self._free = self._free, None, None
        if free:
            free()

    def _run(self, function):
        """Whatever interrupts the call cancels it, and goes on when it has ended."""
        if self._last[0]:
            self._last[0].settle()
        call = _Call(function)
        try:
            self._last[0] = call
            _thread.start_new_thread(call.work, ())
            while not call.ended(_WAIT_S):
                self._tell()
        except BaseException:
            if not call.abandon():
                self.cancel()
            self._end()
            raise
        if call.outcome[0] == -5:
            self._end()
        _check(call.outcome[0], call.error)

    def _tell(self):
        done, total = c_uint64(), c_uint64()
        if self._progress and _lib.mer_session_progress(self._handle, byref(done), byref(total)):
            self._progress(self._stage, done.value, total.value)


def _words(options):
    for name, values in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            if value is True:
                yield option
            elif value is not None and value is not False:
                yield f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}"


def open(*paths, sync=None, cache=None, store=False, threads=0, vms=(), views=(), progress=None):
    """A Session of these traces, or folders with traces in them.

    sync: "none" (clocks as recorded) or a file of `meridian sync --save`. cache: a folder to keep clocks in, and from
    the second question on a store that makes answers quicker; store=True: from the first one. vms, views: as --vm and
    --view. progress(stage, done_bytes, total_bytes): called ten times a second while traces are read; what it
    raises ends the question."""
    options = {"sync": sync, "cache": cache, "store": store, "threads": threads, "vms": list(vms), "views": list(views)}
    return Session([os.fspath(p) for p in paths], options, progress)


# ---- Answers ----


class Answer:
    """Tables, by their number or id: answer[0], answer["requests"]. Iterating gives all of them."""

    def __init__(self, handle, question):
        self._handle, self.question = handle, question
        weakref.finalize(self, _lib.mer_answer_free, handle)
        n = _lib.mer_answer_n_tables(handle)
        self.tables = [Table(_lib.mer_answer_table(handle, i), self) for i in range(n)]
        result, error = c_void_p(), _Error()
        _check(_lib.mer_answer_diagnostics(handle, byref(result), byref(error)), error)
        self.diagnostics = list(Table(result, None).dicts())
        """What was found about the traces: dicts of severity, code, host, path, count, remedy and message."""
        _lib.mer_result_free(result)
        for row in self.diagnostics:
            if row["severity"] != "note":
                warnings.warn(row["message"], Finding, stacklevel=3)

    def __len__(self):
        return len(self.tables)

    def __iter__(self):
        return iter(self.tables)

    def __getitem__(self, which):
        if not isinstance(which, str):
            return self.tables[which]
        for table in self.tables:
            if table.id == which:
                return table
        raise KeyError(f"no table '{which}'; there are: " + ", ".join(t.id for t in self.tables))

    def __repr__(self):
        return f"<meridian.Answer to {' '.join(self.question)}: " + ", ".join(f"{t.id} ({len(t)})" for t in self) + ">"

    @property
    def window(self):
        """The time that was looked at, (begin, end) in ns since 1970; None: the answer is not of a time."""
        begin, end = c_int64(), c_int64()
        there = _lib.mer_answer_window(self._handle, byref(begin), byref(end))
        return (begin.value, end.value) if there else None

    def json(self):
        """The document that the program prints with --json."""
        text, length, error = c_void_p(), c_size_t(), _Error()
        _check(_lib.mer_answer_json(self._handle, byref(text), byref(length), byref(error)), error)
        return json.loads(ctypes.string_at(text, length.value))


_INT, _REAL, _TEXT = range(3)  # enum mer_value
_ROWS = 0  # of a batch; 0: what the library finds best
_UNKNOWN_TIME = -1 << 63  # numpy's NaT


class Table:
    """Rows under named columns. columns: their names; types ("time", "duration", "bytes", "id", "text", ...) and units
    ("ns", "percent", ... or None) by name. Times are ns since 1970, durations ns."""

    def __init__(self, result, answer):
        self._result, self._answer = result, answer  # which owns the result
        self.id, self.title = _text(_lib.mer_result_id(result)), _text(_lib.mer_result_title(result))
        n = range(_lib.mer_result_n_columns(result))
        self.columns = [_text(_lib.mer_result_key(result, i)) for i in n]
        self.types = {c: _text(_lib.mer_result_type(result, i)) for i, c in enumerate(self.columns)}
        self.units = {c: _text(_lib.mer_result_unit(result, i)) for i, c in enumerate(self.columns)}
        self._kinds = [_lib.mer_result_value(result, i) for i in n]

    def __len__(self):
        return _lib.mer_result_n_rows(self._result)

    def __repr__(self):
        return f"<meridian.Table {self.id}: {len(self)} rows of {', '.join(self.columns)}>"

    def __iter__(self):
        return self.rows()

    def rows(self):
        """Each row as a tuple."""
        for batch in self._batches():
            yield from zip(*[_values(batch.children[i][0], kind) for i, kind in enumerate(self._kinds)])

    def dicts(self):
        """Each row as a dict."""
        for row in self.rows():
            yield dict(zip(self.columns, row))

    def column(self, name):
        """All values of a column."""
        i = self.columns.index(name)
        return [v for batch in self._batches() for v in _values(batch.children[i][0], self._kinds[i])]

    def to_pandas(self):
        """A DataFrame. Times are datetime64[ns, UTC], durations timedelta64[ns], other whole numbers Int64. It has the
        table's id, title and units as attrs."""
        import numpy
        import pandas
        n, done = len(self), 0
        parts = [(numpy.empty(n, {_INT: "i8", _REAL: "f8", _TEXT: "O"}[kind]), numpy.ones(n, bool)) for kind in self._kinds]
        for batch in self._batches():
            rows = slice(done, done + batch.length)
            for i, (values, known) in enumerate(parts):
                _fill(values[rows], known[rows], batch.children[i][0], self._kinds[i], numpy)
            done += batch.length
        columns = {name: _pandas(*part, self.types[name] if kind == _INT else None, pandas)
                   for name, kind, part in zip(self.columns, self._kinds, parts)}
        frame = pandas.DataFrame(columns, copy=False)
        frame.attrs = {"id": self.id, "title": self.title, "units": dict(self.units)}
        return frame

    def __arrow_c_stream__(self, requested_schema=None):
        """Arrow's PyCapsule interface: the rows, as the types that mer_result_arrow of the library lists. Readers
        convert these to a schema that they would have requested."""
        return _capsule(self._stream(False))

    def _stream(self, dictionaries):
        stream, error = _Stream(), _Error()
        options = _ArrowOptions(ctypes.sizeof(_ArrowOptions), _ROWS, dictionaries)
        _check(_lib.mer_result_arrow(self._result, byref(options), byref(stream), byref(error)), error)
        return stream

    def _batches(self):
        stream = self._stream(True)
        try:
            while True:
                batch = _Array()
                rc = stream.get_next(byref(stream), byref(batch))
                if rc:
                    raise Error(_text(stream.get_last_error(byref(stream))), "memory")
                if not batch.release:
                    return
                try:
                    yield batch
                finally:
                    batch.release(byref(batch))
        finally:
            stream.release(byref(stream))


# ---- Arrow's arrays as values ----


def _buffer(array, i, n, format):
    """A copy of n values of a buffer."""
    size = {"q": 8, "d": 8, "i": 4}[format]
    return memoryview(ctypes.string_at(array.buffers[i], n * size)).cast(format)


def _strings(array):
    """Of an array of texts, all of them known."""
    at = _buffer(array, 1, array.length + 1, "i")
    data = ctypes.string_at(array.buffers[2], at[-1])
    return [data[at[i]:at[i + 1]].decode() for i in range(array.length)]


def _values(array, kind):
    values = _buffer(array, 1, array.length, {_INT: "q", _REAL: "d", _TEXT: "i"}[kind]).tolist()
    if array.null_count:
        known = ctypes.string_at(array.buffers[0], (array.length + 7) // 8)
        values = [v if known[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(values)]
    if kind == _TEXT:
        texts = _strings(array.dictionary[0])
        values = [None if v is None else texts[v] for v in values]
    return values


def _fill(values, known, array, kind, numpy):
    """Parts of a column, and which of its values are known, from an array of as many."""
    n = array.length
    there = numpy.frombuffer((c_char * (n * (4 if kind == _TEXT else 8))).from_address(array.buffers[1]),
                             {_INT: "i8", _REAL: "f8", _TEXT: "i4"}[kind])
    if array.null_count:
        bits = numpy.frombuffer((c_char * ((n + 7) // 8)).from_address(array.buffers[0]), "u1")
        known[:] = numpy.unpackbits(bits, count=n, bitorder="little")
    if kind == _TEXT:
        texts = numpy.array(_strings(array.dictionary[0]) + [None], object)
        there = texts[numpy.where(known, there, -1) if array.null_count else there]
    values[:] = there


def _pandas(values, known, type_, pandas):
    """type_: of whole numbers; of others there are values that say unknown."""
    if type_ in ("time", "duration", "offset"):
        values[~known] = _UNKNOWN_TIME
        if type_ == "time":
            return pandas.Series(values.view("M8[ns]")).dt.tz_localize("UTC")
        return pandas.Series(values.view("m8[ns]"))
    if type_:
        return pandas.Series(pandas.arrays.IntegerArray(values, ~known))
    if values.dtype == float:
        values[~known] = float("nan")
    return pandas.Series(values)


# ---- Capsules ----

_CAPSULE = b"arrow_array_stream"
_streams = []  # [(capsule, stream)]
_streams_lock = threading.Lock()


def _holders(entry):
    return sys.getrefcount(entry[0])


_NOBODY = _holders((object(),))


def _capsule(stream):
    """The stream in a capsule, from which its reader takes it. No destructor releases one that nobody took: written in
    Python it would lose the exception during which it is called. The next question or capsule does so instead."""
    _release_unused()
    capsule = _capsule_new(addressof(stream), _CAPSULE, None)
    with _streams_lock:
        _streams.append((capsule, stream))
    return capsule


def _release_unused():
    """Of capsules that nobody has any more."""
    unused, used = [], []
    with _streams_lock:
        for entry in _streams:
            (unused if _holders(entry) <= _NOBODY else used).append(entry)
        _streams[:] = used
    for _, stream in unused:
        if stream.release:
            stream.release(byref(stream))
