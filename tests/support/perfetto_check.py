#!/usr/bin/env python3
"""Reads a trace of Perfetto in its protobuf form, by a decoder of its own, and says what is in it.

perfetto_check.py FILE    each slice and instant: HOST<tab>TASK<tab>KIND<tab>NAME<tab>BEGIN<tab>DURATION
                          (empty: an instant), then COUNTER<tab>HOST<tab>NAME<tab>TIME<tab>VALUE and
                          FLOW<tab>HOST<tab>TASK<tab>TASK<tab>TIME lines

What is refused: packets that do not decode to the last byte, fields of unknown numbers or wire types, strings that are not
UTF-8, events on tracks without a descriptor or name, slices of a track that do not balance or are not within each other,
flows with one end. Exit status 1 says so."""
import struct
import sys


class Wrong(Exception):
    pass


def varint(data, at):
    shift = value = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Wrong("a number that does not end")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            if at + 8 > len(data):
                raise Wrong("a fixed number that is cut")
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            n, at = varint(data, at)
            if at + n > len(data):
                raise Wrong("a text that is cut")
            value, at = data[at:at + n], at + n
        else:
            raise Wrong("wire type %d" % wire)
        yield number, wire, value


def message(data, known):
    """known: {field: (name, wire type)}; each is a list of values."""
    out = {name: [] for name, _ in known.values()}
    for number, wire, value in fields(data):
        if number not in known or known[number][1] != wire:
            raise Wrong("field %d of wire type %d is not known" % (number, wire))
        out[known[number][0]].append(value)
    return out


PACKET = {6: ("snapshot", 2), 8: ("time", 0), 10: ("sequence", 0), 11: ("event", 2), 12: ("interned", 2), 13: ("flags", 0),
          58: ("clock", 0), 59: ("defaults", 2), 60: ("track", 2)}
EVENT = {9: ("type", 0), 10: ("name", 0), 11: ("track", 0), 30: ("value", 0), 47: ("flows", 1), 48: ("ends", 1)}
TRACK = {1: ("uuid", 0), 2: ("name", 2), 5: ("parent", 0), 8: ("counter", 2)}
CLOCK = {1: ("id", 0), 2: ("time", 0), 3: ("incremental", 0)}


def one(values, what):
    if len(values) != 1:
        raise Wrong("%d times %s" % (len(values), what))
    return values[0]


class Trace:
    def __init__(self, data):
        self.counters = set()
        self.tracks, self.events, self.sequences, self.packets = {}, [], {}, 0
        for number, wire, value in fields(data):
            if number != 1 or wire != 2:
                raise Wrong("not a packet: field %d" % number)
            self.packets += 1
            self.packet(message(value, PACKET))

    def packet(self, p):
        number = one(p["sequence"], "sequence")
        s = self.sequences.setdefault(number, {"names": {}, "clocks": {}, "default": 6, "cleared": False})
        if p["flags"] == [1]:
            s.update(names={}, cleared=True)
        for data in p["snapshot"]:
            for clock in message(data, {1: ("clocks", 2)})["clocks"]:
                c = message(clock, CLOCK)
                s["clocks"][one(c["id"], "clock")] = [one(c["time"], "time of a clock"), c["incremental"] == [1]]
        for data in p["defaults"]:
            s["default"] = one(message(data, {58: ("clock", 0)})["clock"], "default clock")
        for data in p["interned"]:
            for name in message(data, {2: ("names", 2)})["names"]:
                n = message(name, {1: ("id", 0), 2: ("text", 2)})
                s["names"][one(n["id"], "number of a name")] = one(n["text"], "name").decode("utf-8")
        for data in p["track"]:
            t = message(data, TRACK)
            uuid = one(t["uuid"], "uuid")
            if uuid in self.tracks:
                raise Wrong("track %d twice" % uuid)
            parent = t["parent"][0] if t["parent"] else None
            if parent is not None and parent not in self.tracks:
                raise Wrong("track %d before the one above it" % uuid)
            if t["counter"]:
                self.counters.add(uuid)
            self.tracks[uuid] = (one(t["name"], "name of a track").decode("utf-8"), parent)
        for data in p["event"]:
            self.event(p, s, message(data, EVENT))

    def event(self, p, s, e):
        if not s["cleared"] or not p["flags"] or p["flags"][0] != 2:
            raise Wrong("an event without its state")
        clock = p["clock"][0] if p["clock"] else s["default"]
        time = one(p["time"], "time")
        if clock not in s["clocks"] and clock != 6:
            raise Wrong("clock %d is not known" % clock)
        if clock != 6 and s["clocks"][clock][1]:
            s["clocks"][clock][0] += time
            time = s["clocks"][clock][0]
        kind = one(e["type"], "type")
        if kind not in (1, 2, 3, 4) or (kind in (2, 4)) == bool(e["name"]) or (kind == 4) != bool(e["value"]):
            raise Wrong("an event of type %d with %d names" % (kind, len(e["name"])))
        track = one(e["track"], "track")
        if track not in self.tracks:
            raise Wrong("an event on track %d, which is not there" % track)
        if (kind == 4) != (track in self.counters):
            raise Wrong("an event of type %d on track %d" % (kind, track))
        name = s["names"][e["name"][0]] if e["name"] else e["value"][0] if kind == 4 else None
        self.events.append((time, len(self.events), kind, track, name, e["flows"], e["ends"]))

    def path(self, uuid):
        names = []
        while uuid is not None:
            names.append(self.tracks[uuid][0])
            uuid = self.tracks[uuid][1]
        return names[::-1]


def main():
    out, open_, begun, flows = [], {}, {}, []
    with open(sys.argv[1], "rb") as f:
        t = Trace(f.read())
    # As Perfetto does: by time; of the same time as they are in the file.
    for time, _, kind, track, name, starts, ends in sorted(t.events):
        stack = open_.setdefault(track, [])
        path = (t.path(track) + ["", "", ""])[:3]
        if kind == 1:
            stack.append((name, time))
            if len(stack) > 1:
                raise Wrong("%s: a slice within another one at %d" % ("/".join(path), time))
        elif kind == 2:
            if not stack:
                raise Wrong("%s: an end without a begin at %d" % ("/".join(path), time))
            name, begin = stack.pop()
            out.append("\t".join(path + [name, str(begin), str(time - begin)]))
        elif kind == 4:
            out.append("COUNTER\t%s\t%s\t%d\t%d" % (path[0], path[1], time, name))
        elif path[2] != "wakes":
            out.append("\t".join(path + [name, str(time), ""]))
        for flow in starts:
            if flow in begun:
                raise Wrong("flow %d begins twice" % flow)
            begun[flow] = (path, time)
        for flow in ends:
            flows.append((flow, path, time))
    for track, stack in open_.items():
        if stack:
            raise Wrong("%s: a slice that does not end" % "/".join(t.path(track)))
    for flow, path, time in flows:
        if flow not in begun:
            raise Wrong("flow %d has no begin" % flow)
        begin, at = begun.pop(flow)
        if at > time:
            raise Wrong("flow %d goes back in time" % flow)
        out.append("FLOW\t%s\t%s\t%s\t%d" % (begin[0], begin[1], path[1], time))
    if begun:
        raise Wrong("%d flows have no end" % len(begun))
    print("\n".join(out))
    print("%d packets, %d tracks" % (t.packets, len(t.tracks)), file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except (Wrong, UnicodeDecodeError, KeyError) as e:
        print("perfetto_check: %s" % e, file=sys.stderr)
        sys.exit(1)
