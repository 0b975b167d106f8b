#!/usr/bin/env python3
"""Lets many clients say Hello to a server at the same moment, or spread over some seconds, and says what becomes of them.
By hand: it takes a machine of its own, and as many open files as there are clients.

usage: PYTHONPATH=build/release/python /usr/bin/python3 tests/tools/hello_storm.py [--clients 10000] [--spread 0]
                                                                                  [--bin build/release/bin]

Prints how many had a frame and when the last one was, how many were closed before, and what the kernel counted meanwhile: connects
whose SYN found no room and was sent again.

exit  0 all had a frame    1 some did not
"""

import argparse
import pathlib
import random
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time

from marchland.codec import Position, Splitter, encode, read
from marchland.session import PROTOCOL_MAJOR, PROTOCOL_MINOR

CONFIG = """
[server]
port = 0
[world]
bounds_m = { min_x = -4000, min_y = -4000, max_x = 4000, max_y = 4000 }
[shards]
columns = 2
rows = 2
[limits]
connections_max = 20000
entities_max = 20000
address_connections_max = 20000
address_connections_per_second_max = 20000
"""
WORLD_MM = 4_000_000
PATIENCE_S = 60


def kernel_counts():
    """By their name: TcpExt's and Tcp's."""
    counts = {}
    for file in ("/proc/net/netstat", "/proc/net/snmp"):
        lines = pathlib.Path(file).read_text().splitlines()
        for names, values in zip(lines[::2], lines[1::2]):
            counts.update(zip(names.split()[1:], map(int, values.split()[1:])))
    return counts


class Client:
    def __init__(self, address, place):
        self.address = address
        self.hello = encode("Hello", protocol_major=PROTOCOL_MAJOR, protocol_minor=PROTOCOL_MINOR, spawn=place)
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.splitter = Splitter()
        self.is_welcome = False

    def begin(self, loop):
        self.socket.connect_ex(self.address)
        loop.register(self.socket, selectors.EVENT_WRITE, self)

    def says_hello(self, loop):
        """False: it was closed."""
        try:
            self.socket.send(self.hello)
        except OSError:
            return False
        loop.modify(self.socket, selectors.EVENT_READ, self)
        return True

    def has_frame(self):
        """None: it was closed."""
        try:
            got = self.socket.recv(1 << 16)
        except OSError:
            return None
        if not got:
            return None
        for message in self.splitter.push(got):
            name, _ = read(message)
            if name == "Frame":
                return True
        return False


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--clients", type=int, default=10_000)
    options.add_argument("--spread", type=float, default=0.0)
    options.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "zone.toml"
        config.write_text(CONFIG)
        log = pathlib.Path(folder) / "server.log"
        server = subprocess.Popen([options.bin / "marchland-server", "--config", config], stderr=open(log, "w"))
        while not (listening := re.search(r"listening on .*:(\d+)", log.read_text())):
            if server.poll() is not None:
                sys.exit("the server does not start:\n" + log.read_text())
            time.sleep(0.05)
        address = "127.0.0.1", int(listening[1])
        try:
            clients = [Client(address, Position(*random.choices(range(-WORLD_MM, WORLD_MM), k=2))) for _ in range(options.clients)]
            loop = selectors.DefaultSelector()
            before, began = kernel_counts(), time.monotonic()
            started = framed = closed = 0
            last_s = 0.0
            while framed + closed < len(clients) and time.monotonic() - began < PATIENCE_S:
                due = len(clients)
                if options.spread > 0:
                    due = min(due, int(len(clients) * (time.monotonic() - began) / options.spread) + 1)
                for client in clients[started:due]:
                    client.begin(loop)
                started = max(started, due)
                for key, events in loop.select(0.005):
                    client = key.data
                    if events & selectors.EVENT_WRITE and client.says_hello(loop):
                        continue
                    has_frame = client.has_frame()
                    if has_frame is not False:
                        loop.unregister(client.socket)
                        framed += has_frame is True
                        closed += has_frame is None
                        last_s = time.monotonic() - began if has_frame else last_s
            after = kernel_counts()
        finally:
            server.terminate()
            server.wait(timeout=60)
        said = log.read_text()
    counted = ", ".join(f"{name} {after[name] - before[name]}" for name in ("ListenOverflows", "TCPReqQFullDoCookies", "RetransSegs"))
    print(f"{framed} of {len(clients)} had a frame, the last after {last_s:.2f} s; {closed} were closed; {counted}")
    if framed < len(clients):
        print(said[-3000:])
    return 0 if framed == len(clients) else 1


if __name__ == "__main__":
    sys.exit(main())
