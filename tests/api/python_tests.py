"""meridian.py against the program: tables are those of its CSV, errors its messages; pandas, Ctrl-C, threads, capsules.

test_python.sh runs this with each Python that there is, and names recordings, program and library in the environment.
"""
import csv
import ctypes
import gc
import importlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import meridian

LAB, PROGRAM = os.environ["RECORDINGS"], os.environ["MERIDIAN"]
WGET = f"{LAB}/wget-cold-hot"
try:
    import numpy
    import pandas
except ImportError:
    pandas = None


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def said(value):
    """A value as the program's CSV has it."""
    if value is None:
        return ""
    return "%.12g" % value if isinstance(value, float) else str(value).replace("\n", "\\n")


def quiet(*words, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", meridian.Finding)
        return meridian.open(*words, **options)


def events_of(path):
    with meridian.open(path) as traces:
        return traces.ask("events", limit=400)


class Answers(unittest.TestCase):
    QUESTIONS = [
        ("wget-cold-hot", ["top", "cpu"], {"limit": 5}),
        ("wget-cold-hot", ["top", "cpu"], {"bins": 7, "comm": ["wget", "python*"]}),
        ("wget-cold-hot", ["log", "syscall"], {"host": "client", "all": True}),
        ("wget-cold-hot", ["log", "net"], {}),
        ("wget-cold-hot", ["freq", "syscall"], {}),
        ("wget-cold-hot", ["path"], {"comm": "wget"}),
        ("wget-cold-hot", ["blocked"], {"depth": 3, "all": True}),
        ("wget-cold-hot", ["graph"], {}),
        ("wget-cold-hot", ["stats"], {}),
        ("wget-cold-hot", ["sync"], {}),
        ("shop-a", ["requests"], {}),
        ("shop-a", ["requests"], {"list": True, "limit": 30}),
        ("shop-a", ["requests"], {"explain": True, "slowest": 10}),
        ("shop-a", ["summary"], {}),
        ("mpi-imbalance", ["top", "mpi"], {"table": "all"}),
        ("web-lossy", ["log", "sched"], {"begin": "+100ms", "end": "+400ms"}),
    ]

    def same_as_csv(self, recording, words, options):
        with quiet(f"{LAB}/{recording}") as traces:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", meridian.Finding)
                answer = traces.ask(*words, **options)
        with tempfile.TemporaryDirectory() as folder:
            rc, _, err = run(*answer.question, "--format", "csv", "-o", folder + "/", f"{LAB}/{recording}")
            self.assertIn(rc, (0, 1), err)
            files = {p.stem: p for p in pathlib.Path(folder).glob("*.csv")}
            self.assertEqual(sorted(files), sorted(t.id for t in answer))
            for table in answer:
                with files[table.id].open(newline="") as file:
                    wanted = list(csv.reader(file))
                self.assertEqual(table.columns, wanted[0])
                self.assertEqual([[said(v) for v in row] for row in table], wanted[1:])
                self.assertEqual(len(table), len(wanted) - 1)
        return answer

    def test_equal_to_csv(self):
        for recording, words, options in self.QUESTIONS:
            if not os.path.exists(f"{LAB}/{recording}"):
                continue
            with self.subTest(recording, words=words, options=options):
                answer = self.same_as_csv(recording, words, options)
                self.assertGreater(sum(map(len, answer)), 0)

    def test_types(self):
        with meridian.open(WGET) as traces:
            answer = traces.ask("top", "cpu")
        table = answer["top"]
        self.assertIs(table, answer[0])
        self.assertIs(table, list(answer)[0])
        self.assertEqual((table.types["self_ns"], table.units["self_ns"], table.types["comm"], table.units["comm"]),
                         ("duration", "ns", "text", None))
        rows, dicts = list(table.rows()), list(table.dicts())
        self.assertEqual(rows, [tuple(d.values()) for d in dicts])
        self.assertEqual(table.column("tid"), [d["tid"] for d in dicts])
        self.assertEqual({type(d["tid"]) for d in dicts}, {int})
        self.assertEqual({type(d["percent"]) for d in dicts}, {float})
        self.assertEqual({d["stolen_ns"] for d in dicts}, {None})  # no guest: not known, and not 0
        self.assertEqual(answer.json()["tables"][0]["rows"], dicts)
        events = events_of(WGET)
        self.assertEqual(events.json()["tables"][0]["rows"], list(events[0].dicts()))
        self.assertEqual(len(events[0]), 400)
        self.assertEqual(answer.window, (answer.json()["begin"], answer.json()["end"]))
        self.assertIn("top (", repr(answer))
        self.assertIn("rows of host, tid", repr(table))
        with self.assertRaisesRegex(KeyError, "there are: top"):
            answer["no such"]
        self.assertRaises(ValueError, table.column, "no such")

    def test_many_batches(self):
        with meridian.open(WGET) as traces:
            table = traces.ask("log", "syscall", all=True)[0]
        rows = list(table.rows())
        meridian._ROWS = 100
        try:
            self.assertGreater(len(list(table._batches())), 3)
            self.assertEqual(list(table.rows()), rows)
            if pandas:
                self.assertEqual(table.to_pandas()["name"].tolist(), table.column("name"))
        finally:
            meridian._ROWS = 0

    def test_options(self):
        words = list(meridian._words({"group_by": "host", "all": True, "comm": ["a", "b"], "begin": 17, "min": None, "list": False,
                                      "filter_": "x", "view": pathlib.Path("/v")}))
        self.assertEqual(words, ["--group-by=host", "--all", "--comm=a", "--comm=b", "--begin=17", "--filter=x", "--view=/v"])

    def test_saved_clocks(self):
        with tempfile.TemporaryDirectory() as folder:
            run("sync", "--save", f"{folder}/c.sync", WGET)
            with meridian.open(WGET) as traces:
                wanted = traces.ask("log", "net")[0].column("begin")
            with meridian.open(WGET, sync=f"{folder}/c.sync") as traces:
                self.assertEqual(traces.ask("log", "net")[0].column("begin"), wanted)
            with meridian.open(WGET, sync="none") as traces:
                self.assertNotEqual(traces.ask("log", "net")[0].column("begin"), wanted)
            with meridian.open(WGET, cache=folder, store=True, threads=1) as traces:
                self.assertEqual(traces.ask("log", "net")[0].column("begin"), wanted)
            self.assertGreater(len(os.listdir(folder)), 1)

    def test_answers_outlive_the_session(self):
        with meridian.open(WGET) as traces:
            answer = traces.ask("top", "cpu")
            rows = list(answer[0])
        del traces
        table = answer[0]
        del answer
        gc.collect()
        self.assertEqual(list(table), rows)

    def test_findings(self):
        if not os.path.exists(f"{LAB}/lost-events"):
            self.skipTest("no lost-events")
        with meridian.open(f"{LAB}/lost-events") as traces:
            with self.assertWarnsRegex(meridian.Finding, "discarded [1-9]") as caught:
                answer = traces.ask("stats")
            self.assertEqual(caught.filename, __file__)  # where the question is
        codes = {d["code"]: d for d in answer.diagnostics}
        self.assertEqual(answer.json()["diagnostics"][0]["message"], answer.diagnostics[0]["message"])
        self.assertGreater(codes["lost-events"]["count"], 1)


@unittest.skipUnless(pandas, "no pandas")
class Pandas(unittest.TestCase):
    def test_same_values(self):
        with meridian.open(WGET) as traces:
            for words in ["top", "cpu"], ["log", "syscall"], ["log", "syscall", "--min=1000s"], ["stats"], ["path", "--comm=wget"]:
                for table in traces.ask(*words):
                    self.same(table, table.to_pandas())

    def same(self, table, frame):
        self.assertEqual(list(frame.columns), table.columns)
        self.assertEqual(len(frame), len(table))
        self.assertEqual(frame.attrs, {"id": table.id, "title": table.title, "units": table.units})
        for name, kind in zip(table.columns, table._kinds):
            column, values = frame[name], table.column(name)
            known = [v for v in values if v is not None]
            self.assertEqual(column.isna().tolist(), [v is None for v in values])
            got = column[column.notna()]
            if table.types[name] == "time":
                self.assertEqual(str(column.dtype), "datetime64[ns, UTC]")
                got = [t.value for t in got]
            elif table.types[name] in ("duration", "offset"):
                self.assertEqual(str(column.dtype), "timedelta64[ns]")
                got = [t.value for t in got]
            else:
                wanted = {meridian._INT: ["Int64"], meridian._REAL: ["float64"], meridian._TEXT: ["object", "str"]}  # str: since pandas 3
                self.assertIn(str(column.dtype), wanted[kind])
                got = got.tolist()
            self.assertEqual(got, known)

    def test_many_rows(self):
        """More than a batch has."""
        if "KERNELWORLD" not in os.environ:
            self.skipTest("no kernelworld")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["KERNELWORLD"], "-o", folder, "--events", "600000"], check=True, capture_output=True)
            with quiet(folder) as traces:
                table = traces.ask("log", "syscall")[0]
        self.assertGreater(len(table), 65536)
        self.assertEqual(len(table.to_pandas()), len(table))


def has_sqlite():
    with meridian.open(WGET) as traces:
        try:
            return len(traces.sql("select 1 as a")) == 1
        except meridian.Error:
            return False


@unittest.skipUnless(has_sqlite(), "the library was built without SQLite")
class Sql(unittest.TestCase):
    def test_equal_to_the_program(self):
        queries = ["select * from syscall", "select * from requests_kinds", "select * from sync_hosts",
                   "select host, comm, count(*) as n, avg(latency_ns) as mean_ns, max(latency_ns) as max_ns, min(begin) as begin "
                   "from sched group by 1, 2 order by 1, 2"]
        with meridian.open(WGET) as traces:
            for query in queries:
                with self.subTest(query):
                    table = traces.sql(query)
                    rc, out, err = run("query", "--format", "csv", WGET, query)
                    self.assertEqual(rc, 0, err)
                    wanted = list(csv.reader(out.splitlines()))
                    self.assertEqual(table.columns, wanted[0])
                    self.assertEqual([[said(v) for v in row] for row in table], wanted[1:])
                    self.assertGreater(len(table), 1)

    def test_values(self):
        with meridian.open(WGET) as traces:
            table = traces.sql("select 1 as n, null as x, 'é' as t, 1.5 as r, 7 as total_ns")
            self.assertEqual(list(table), [(1, None, "é", 1.5, 7)])
            self.assertEqual(table.types["total_ns"], "duration")
            several = traces.sql_all("select 1 as a; select 2 as b; -- the end")
            self.assertEqual([(t.id, list(t)) for t in several], [("result", [(1,)]), ("result_2", [(2,)])])
            self.assertEqual(list(traces.sql("select 1 as a; select 2 as b")), [(2,)])
        self.assertEqual(list(several["result"]), [(1,)])  # it needs no session

    def test_errors(self):
        with meridian.open(WGET) as traces:
            for query, said_ in (("select * from shed", "did you mean sched"), ("drop table sched", "only reads"),
                                 ("select from sched", "character 8"), ("", "no statement"), ("select 1 \0", "NUL"),
                                 ("select 1;" * 40, "statements at a time")):
                with self.assertRaisesRegex(meridian.Error, said_, msg=query):
                    traces.sql(query)
            self.assertGreater(len(traces.sql("select * from sched")), 0)  # the session goes on

    def test_not_recorded(self):
        with meridian.open(WGET) as traces, warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            self.assertEqual(list(traces.sql("select count(*) from mpi")), [(0,)])
            self.assertEqual([str(w.message) for w in found if w.filename == __file__],
                             ["mpi has no rows: the traces lack the events that it is made of"])

    def test_cancel(self):
        with meridian.open(WGET) as traces:
            threading.Timer(0.3, traces.cancel).start()
            with self.assertRaises(meridian.Cancelled):
                traces.sql("with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c")
            self.assertEqual(list(traces.sql("select 1 as a")), [(1,)])


class Errors(unittest.TestCase):
    def test_messages_of_the_program(self):
        with meridian.open(WGET) as traces:
            for words in ["top", "nothing"], ["top", "cpu", "--host=nobody"], ["log", "syscall", "--begin=yesterday"]:
                with self.assertRaises(meridian.Error) as caught:
                    traces.ask(*words)
                _, _, err = run(*words, WGET)
                self.assertEqual(caught.exception.code, "usage")
                self.assertIn(str(caught.exception), err)
            self.assertGreater(len(traces.ask("top", "cpu")[0]), 0)  # the session goes on

    def test_no_traces(self):
        with self.assertRaisesRegex(meridian.Error, "/nonexistent") as caught:
            meridian.open("/nonexistent")
        self.assertEqual(caught.exception.code, "system")
        self.assertRaises(meridian.Error, meridian.open)

    def test_closed(self):
        traces = meridian.open(WGET)
        traces.close()
        traces.close()
        self.assertRaises(ValueError, traces.ask, "info")

    def test_no_library(self):
        done = subprocess.run([sys.executable, "-c", "import meridian"], capture_output=True, text=True,
                              env={**os.environ, "LIBMERIDIAN": "/nonexistent.so"})
        self.assertRegex(done.stderr, "ImportError: meridian needs its library, .*/nonexistent.so")


class Interrupts(unittest.TestCase):
    def setUp(self):
        self.wait, meridian._WAIT_S = meridian._WAIT_S, 0.0005
        self.cancelled, cancel = 0, meridian._lib.mer_session_cancel

        def counted(handle):
            self.cancelled += 1
            cancel(handle)
        meridian._lib.mer_session_cancel, self.cancel = counted, cancel

    def tearDown(self):
        meridian._WAIT_S, meridian._lib.mer_session_cancel = self.wait, self.cancel

    def wanted(self, traces):
        return list(traces.ask("top", "cpu")[0])

    def test_progress(self):
        calls = []
        with meridian.open(WGET, progress=lambda *what: calls.append(what)) as traces:
            traces.ask("log", "syscall")
        self.assertTrue(calls)
        self.assertTrue(all(0 <= done <= total and (stage is None or stage) for stage, done, total in calls))
        self.assertTrue({stage for stage, _, _ in calls} - {None})

    def interrupted(self, progress, error):
        """Again if the question had ended when it was interrupted, as may happen where the machine is busy."""
        with meridian.open(WGET) as traces:
            wanted, begun = self.wanted(traces), []

            def once(*what):
                if not begun:
                    begun.append(what)
                    progress()
            for _ in range(20):
                begun.clear()
                traces._progress = once
                with self.assertRaises(error):
                    for _ in range(1000):
                        traces.ask("log", "syscall")
                traces._progress = None
                self.assertTrue(traces._last[0].outcome)
                self.assertEqual(self.wanted(traces), wanted)  # opened again
                if self.cancelled:
                    break
        self.assertEqual(self.cancelled, 1)

    def test_ctrl_c(self):
        self.interrupted(lambda: os.kill(os.getpid(), signal.SIGINT), KeyboardInterrupt)

    def test_an_exception_of_progress(self):
        self.interrupted(lambda: 1 // 0, ZeroDivisionError)

    def test_cancel(self):
        traces = meridian.open(WGET)
        traces._progress = lambda *_: threading.Thread(target=traces.cancel).start()
        with self.assertRaises(meridian.Cancelled) as caught:
            for _ in range(50):
                traces.ask("log", "syscall")
        self.assertEqual(caught.exception.code, "cancelled")
        traces._progress = None
        self.assertTrue(self.wanted(traces))

    def test_cancel_of_nothing(self):
        with meridian.open(WGET) as traces:
            traces.cancel()
            self.assertTrue(self.wanted(traces))
            self.assertEqual(self.cancelled, 0)

    def test_ctrl_c_again_and_again(self):
        """Also while it is dealt with: nothing is freed too early, and no later question suffers."""
        code = ("import meridian, os, random, signal, sys, threading, time\n"
                "left = 0\n"
                "def interrupt(*_):\n"
                "    global left\n"
                "    left -= 1\n"
                "    if left >= 0: raise KeyboardInterrupt\n"
                "signal.signal(signal.SIGINT, interrupt)\n"
                "traces = meridian.open(sys.argv[1])\n"
                "wanted, n, over = list(traces.ask('top', 'cpu')[0]), 0, threading.Event()\n"
                "def send():\n"
                "    while not over.is_set():\n"
                "        time.sleep(random.choice([0.0002, 0.001, 0.03]))\n"
                "        os.kill(os.getpid(), signal.SIGINT)\n"
                "threading.Thread(target=send, daemon=True).start()\n"
                "while n < 15:\n"
                "    try:\n"
                "        try:\n"
                "            left = 3\n"
                "            traces.ask('log', 'syscall')\n"
                "        finally:\n"
                "            left = 0\n"
                "    except (KeyboardInterrupt, meridian.Cancelled):\n"
                "        n += 1\n"
                "over.set()\n"
                "try:\n"
                "    traces.ask('info')\n"
                "except meridian.Cancelled:\n"
                "    pass\n"
                "assert list(traces.ask('top', 'cpu')[0]) == wanted")
        done = subprocess.run([sys.executable, "-c", code, WGET], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_ctrl_c_ends_a_program(self):
        code = ("import meridian, os, signal, sys\n"
                "meridian._WAIT_S = 0.0005\n"
                "with meridian.open(sys.argv[1], progress=lambda *_: os.kill(os.getpid(), signal.SIGINT)) as traces:\n"
                "    while True: traces.ask('log', 'syscall')")
        done = subprocess.run([sys.executable, "-c", code, WGET], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, -signal.SIGINT)
        self.assertTrue(done.stderr.rstrip().endswith("KeyboardInterrupt"), done.stderr)


class Threads(unittest.TestCase):
    def test_two_sessions(self):
        questions = [["top", "cpu"], ["log", "syscall"], ["stats"], ["blocked"]]
        got = {}

        def ask(name):
            with meridian.open(WGET) as traces:
                got[name] = [[list(t) for t in traces.ask(*q)] for q in questions]
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        ask("alone")
        self.assertEqual(got[0], got["alone"])
        self.assertEqual(got[1], got["alone"])

    def test_one_session(self):
        """Its questions wait for each other."""
        with meridian.open(WGET) as traces:
            wanted, got = list(traces.ask("top", "cpu")[0]), []
            threads = [threading.Thread(target=lambda: got.append(list(traces.ask("top", "cpu")[0]))) for _ in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(got, [wanted] * 4)


class Capsules(unittest.TestCase):
    def setUp(self):
        with meridian.open(WGET) as traces:
            self.table = traces.ask("log", "syscall")[0]
        self.pointer = ctypes.pythonapi.PyCapsule_GetPointer
        self.pointer.restype, self.pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        meridian._release_unused()
        self.assertEqual(meridian._streams, [])

    def stream(self, capsule):
        return meridian._Stream.from_address(self.pointer(capsule, b"arrow_array_stream"))

    def test_taken(self):
        capsule = self.table.__arrow_c_stream__()
        self.assertEqual(type(capsule).__name__, "PyCapsule")
        taken = meridian._Stream.from_buffer_copy(self.stream(capsule))  # as readers move it
        self.stream(capsule).release = type(taken.release)()
        n = len(self.table)
        del capsule
        self.table = None
        gc.collect()
        meridian._release_unused()
        self.assertEqual(meridian._streams, [])
        while n > 0:  # the answer is still there
            batch = meridian._Array()
            self.assertEqual(taken.get_next(taken, batch), 0)
            n -= batch.length
            batch.release(batch)
        taken.release(taken)
        self.assertEqual(n, 0)

    def test_not_taken(self):
        capsule = self.table.__arrow_c_stream__(None)
        stream = meridian._streams[0][1]
        other = self.table.__arrow_c_stream__()
        self.assertTrue(stream.release)  # somebody has it
        self.assertEqual(len(meridian._streams), 2)
        del capsule, other
        meridian._release_unused()
        self.assertFalse(stream.release)
        self.assertEqual(meridian._streams, [])

    def test_an_exception_of_the_reader(self):
        def reader(_):
            raise LookupError("the reader's own")
        with self.assertRaisesRegex(LookupError, "the reader's own"):
            reader(self.table.__arrow_c_stream__())

    def reader(self, name):
        try:
            return importlib.import_module(name)
        except ImportError:
            self.skipTest(f"no {name}")

    def test_pyarrow(self):
        table = self.reader("pyarrow").table(self.table)
        self.assertEqual(table.column_names, self.table.columns)
        self.assertEqual(table["tid"].to_pylist(), self.table.column("tid"))
        self.assertEqual(table["comm"].to_pylist(), self.table.column("comm"))

    def test_polars(self):
        frame = self.reader("polars").DataFrame(self.table)
        self.assertEqual(frame["tid"].to_list(), self.table.column("tid"))
        self.assertEqual(frame["comm"].to_list(), self.table.column("comm"))

    def test_duckdb(self):
        table = self.table
        got = self.reader("duckdb").sql("select count(*), count(object), sum(tid) from table").fetchone()
        self.assertEqual(got, (len(table), len([o for o in table.column("object") if o is not None]), sum(table.column("tid"))))


if __name__ == "__main__":
    unittest.main()
