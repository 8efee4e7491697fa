# The same as agent.pl, where there is no perl.
import errno, os, select, signal, socket, sys, time
try:
    open("/proc/self/comm", "w").write("meridian-beacon")
except OSError:
    pass
signal.signal(signal.SIGINT, signal.SIG_IGN)
every, due, peers, opened, rest = 0.0, 0.0, [], [], b""
answered = silent = 0
mono = lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC)
sec = lambda ns: "%d.%09d" % (ns // 10**9, ns % 10**9)
def say(text):
    os.write(1, (text + "\n").encode())
def settle():
    global answered, silent
    for s in opened:
        e = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        try:
            s.getpeername()
            there = True
        except OSError:
            there = False
        if e == errno.ECONNREFUSED or there:
            answered += 1
        else:
            silent += 1
        s.close()
    del opened[:]
def beacon():
    global answered, silent
    settle()
    for p in peers:
        try:
            s = socket.socket(socket.AF_INET6 if ":" in p else socket.AF_INET, socket.SOCK_STREAM)
        except OSError:
            continue
        s.setblocking(False)
        e = s.connect_ex((p, 9))
        if e in (0, errno.EINPROGRESS):
            opened.append(s)
            continue
        if e == errno.ECONNREFUSED:
            answered += 1
        else:
            silent += 1
        s.close()
while True:
    wait = max(0, due - mono() / 1e9) if every else None
    if wait == 0:
        beacon()
        due = max(due + every, mono() / 1e9 - 1)
        continue
    if not select.select([0], [], [], wait)[0]:
        continue
    got = os.read(0, 4096)
    m, r = mono(), time.clock_gettime_ns(time.CLOCK_REALTIME)
    if not got:
        sys.exit(7)
    rest += got
    while b"\n" in rest:
        line, rest = rest.split(b"\n", 1)
        w = line.decode().split(" ")
        if w[0] == "t":
            say("t %s %s %s %s" % (w[1], sec(m), sec(r), sec(mono())))
        elif w[0] == "b":
            every, peers, due = float(w[1]), w[2:], mono() / 1e9
        elif w[0] == "n":
            settle()
            say("n %d %d" % (answered, silent))
        elif w[0] == "q":
            sys.exit(0)
