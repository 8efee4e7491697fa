#!/usr/bin/env python3
"""Reads OpenMetrics text and refuses whatever version 1.0.0 of its specification forbids.

openmetrics_check.py [FILE]           prints "N families, M samples"
openmetrics_check.py --samples [FILE] prints NAME<tab>{"label": "value", ...}<tab>VALUE<tab>TIMESTAMP

It shares no code with the program, and is stricter than most readers: what they let pass, such as
samples of a metric apart from each other, is an error here. Exit status 1: not OpenMetrics."""
import json
import math
import re
import sys

TYPES = {"unknown", "gauge", "counter", "stateset", "info", "histogram", "gaugehistogram", "summary"}
SUFFIXES = {"counter": {"_total", "_created"}, "histogram": {"_bucket", "_count", "_sum", "_created"},
            "gaugehistogram": {"_bucket", "_gcount", "_gsum"}, "summary": {"", "_count", "_sum", "_created"},
            "info": {"_info"}}
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
REAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = re.compile(r"(?:%s|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])\Z" % REAL)
TIMESTAMP = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?\Z")


class Wrong(Exception):
    pass


def unescape(text, where):
    out, i = [], 0
    while i < len(text):
        if text[i] == '"' or text[i] == "\n":
            raise Wrong(where + ": a quote or line end without a backslash")
        if text[i] != "\\":
            out.append(text[i])
            i += 1
            continue
        if i + 1 == len(text) or text[i + 1] not in '\\"n':
            raise Wrong(where + ": a backslash that escapes nothing")
        out.append("\n" if text[i + 1] == "n" else text[i + 1])
        i += 2
    return "".join(out)


def number(text, what):
    if not NUMBER.match(text):
        raise Wrong("%s is no number: %r" % (what, text))
    return float(text)


def parse_sample(line):
    m = re.match("(%s)" % NAME, line)
    if not m:
        raise Wrong("no name of a metric")
    name, at, labels = m.group(1), m.end(), {}
    if line[at:at + 1] == "{":
        at += 1
        while line[at:at + 1] != "}":
            if labels:
                if line[at:at + 1] != ",":
                    raise Wrong("no comma between labels")
                at += 1
            m = re.compile(r'(%s)="((?:[^"\\\n]|\\.)*)"' % LABEL).match(line, at)
            if not m:
                raise Wrong("no label at %r" % line[at:at + 30])
            if m.group(1) in labels:
                raise Wrong("label %s twice" % m.group(1))
            if m.group(1).startswith("__"):
                raise Wrong("label %s is reserved" % m.group(1))
            labels[m.group(1)] = unescape(m.group(2), "label " + m.group(1))
            at = m.end()
        at += 1
    if line[at:at + 1] != " ":
        raise Wrong("no blank before the value")
    words = line[at + 1:].split(" ")
    if len(words) not in (1, 2) or "" in words:
        raise Wrong("more than a value and a timestamp: %r" % line[at + 1:])
    value = number(words[0], "the value")
    if len(words) == 2 and not TIMESTAMP.match(words[1]):
        raise Wrong("no timestamp: %r" % words[1])
    return name, labels, words[0], value, words[1] if len(words) == 2 else None


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit, self.help = name, None, None, None
        self.samples, self.metrics, self.seen = [], {}, set()
        self.last = None

    def suffix(self, name):
        if not name.startswith(self.name):
            return None
        rest = name[len(self.name):]
        return rest if rest in SUFFIXES.get(self.type or "unknown", {""}) else None

    def add(self, name, labels, text, value, time):
        rest = self.suffix(name)
        own = dict(labels)
        if self.type in ("histogram", "gaugehistogram") and rest == "_bucket":
            if "le" not in own:
                raise Wrong("a bucket without le")
            own.pop("le")
        elif "le" in own and self.type == "histogram":
            raise Wrong("le outside of a bucket")
        key = tuple(sorted(own.items()))
        if key != self.last and key in self.metrics:
            raise Wrong("samples of a metric are apart: %s%s" % (name, own))
        self.last = key
        point = (name, tuple(sorted(labels.items())), time)
        if point in self.seen:
            raise Wrong("a sample twice: %s %s %s" % (name, labels, time))
        self.seen.add(point)
        m = self.metrics.setdefault(key, [])
        if m and (time is None) != (m[-1][4] is None):
            raise Wrong("a metric with and without timestamps")
        if m and time is not None and m[-1][0] == name and float(time) <= float(m[-1][4]):
            raise Wrong("timestamps do not increase: %s" % name)
        if m and time is None and self.type == "gauge":
            raise Wrong("a second value without timestamp: %s %s" % (name, labels))
        m.append((name, labels, text, value, time))
        self.samples.append((name, labels, text, value, time))

    def check(self):
        if self.unit and not self.name.endswith("_" + self.unit):
            raise Wrong("%s does not end with its unit %s" % (self.name, self.unit))
        if self.type == "counter":
            for s in self.samples:
                if s[3] < 0 or math.isnan(s[3]):
                    raise Wrong("a counter below 0")
        if self.type == "histogram":
            for m in self.metrics.values():
                self.check_histogram(m)

    def check_histogram(self, metric):
        buckets = [(s[1]["le"], s[3]) for s in metric if s[0] == self.name + "_bucket"]
        count = [s[3] for s in metric if s[0] == self.name + "_count"]
        total = [s[3] for s in metric if s[0] == self.name + "_sum"]
        if not buckets or buckets[-1][0] != "+Inf":
            raise Wrong("%s: the last bucket is not +Inf" % self.name)
        last_le, last = -math.inf, 0
        for le, value in buckets:
            bound = number(le, "le")
            if le != "+Inf" and not re.match(r"-?[0-9]+\.[0-9]+\Z|-?[0-9.]+e[+-][0-9]+\Z", le):
                raise Wrong("%s: le=%r is not as the format writes it" % (self.name, le))
            if bound <= last_le or value < last or value != int(value):
                raise Wrong("%s: buckets do not increase at le=%s" % (self.name, le))
            last_le, last = bound, value
        if len(count) != len(total):
            raise Wrong("%s: _count and _sum go together" % self.name)
        if count and count[0] != last:
            raise Wrong("%s: _count is not that of +Inf" % self.name)


def metadata(line, families, current):
    m = re.match(r"# (TYPE|UNIT|HELP) (%s) (.*)\Z" % NAME, line)
    if not m:
        raise Wrong("a comment, which the format has none of")
    what, name, rest = m.groups()
    if current is None or current.name != name:
        if name in families:
            raise Wrong("%s is there twice" % name)
        if current:
            current.check()
        current = families[name] = Family(name)
    if current.samples:
        raise Wrong("# %s of %s after samples" % (what, name))
    if getattr(current, what.lower()) is not None:
        raise Wrong("# %s of %s twice" % (what, name))
    if what == "TYPE" and rest not in TYPES:
        raise Wrong("no such type: %s" % rest)
    setattr(current, what.lower(), unescape(rest, "HELP") if what == "HELP" else rest)
    return current


def check_names(families):
    taken = {}
    for f in families.values():
        for suffix in SUFFIXES.get(f.type or "unknown", {""}) | {""}:
            name = f.name + suffix
            if name in taken and taken[name] != f.name:
                raise Wrong("%s belongs to %s and %s" % (name, taken[name], f.name))
            taken[name] = f.name


def parse(data):
    text = data.decode("utf-8")  # raises UnicodeDecodeError, which is a ValueError
    if not text.endswith("# EOF\n"):
        raise Wrong("no # EOF at the end")
    lines = text[:-1].split("\n")
    families, current = {}, None
    for i, line in enumerate(lines):
        try:
            if line == "# EOF":
                if i + 1 != len(lines):
                    raise Wrong("more after # EOF")
            elif line.startswith("#"):
                current = metadata(line, families, current)
            else:
                name, labels, number_text, value, time = parse_sample(line)
                if current is None or current.suffix(name) is None:
                    raise Wrong("%s is of no family that was begun" % name)
                current.add(name, labels, number_text, value, time)
        except Wrong as e:
            raise Wrong("line %d: %s" % (i + 1, e))
    if current:
        current.check()
    check_names(families)
    return families


def main():
    words = [w for w in sys.argv[1:] if w != "--samples"]
    data = open(words[0], "rb").read() if words else sys.stdin.buffer.read()
    try:
        families = parse(data)
    except (Wrong, ValueError) as e:
        print("openmetrics_check: %s" % e, file=sys.stderr)
        return 1
    samples = [s for f in families.values() for s in f.samples]
    if "--samples" in sys.argv:
        for name, labels, text, _, time in samples:
            print("%s\t%s\t%s\t%s" % (name, json.dumps(labels, sort_keys=True), text, time or ""))
    else:
        print("%d families, %d samples" % (len(families), len(samples)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
