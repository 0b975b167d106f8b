#!/usr/bin/env python3
"""Kills a zone at random moments under walking players and a service's entities, again and again, and checks what comes
back. Continuous integration kills one, small; more by hand: they take a minute for each five kills, and a machine of their own.

usage: PYTHONPATH=build/release/python tests/tools/restart_loop.py [--kills 20] [--players 2000] [--entities 1000]
                                                                   [--bin build/release/bin] [--seed 1] [--stop]
                                                                   [--before OTHER/bin] [--untimed]

After each kill: the rows on disk can be read, and are not older than a checkpoint and a second; the server listens again;
the service has every entity that was on disk back, by its
ref, and spawns one more, whose id was never given. At the end: the players' own checks found nothing, fewer
than one in a thousand did not come back, and the last one had a frame within 5 s (the longest time is printed).
With --stop the zone is stopped by SIGTERM instead: then everybody comes back, within 3 s. With --before the first server is
that one: an upgrade. --untimed, for a machine that does other things: everybody is back all the same, however long it takes.

exit  0 all is well    1 something is wrong, and what
"""

import argparse
import json
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

import marchland

CONFIG = """
[server]
port = {port}
[state]
enabled = true
[shards]
columns = 2
rows = 2
[world]
bounds_m = {{ min_x = -1000, min_y = -1000, max_x = 1000, max_y = 1000 }}
[limits]
entities_max = 110000
address_connections_max = 100000
address_connections_per_second_max = 100000
[services]
entities_max = 110000
"""
CHECKPOINT_S_MAX = 2.0
RETURN_MS_MAX = {signal.SIGKILL: 5_000, signal.SIGTERM: 3_000}
LOST_IN_A_THOUSAND_MAX = {signal.SIGKILL: 1, signal.SIGTERM: 0}


class Zone:
    def __init__(self, folder, programs, port):
        self.folder, self.programs = folder, programs
        self.state = folder / "state"
        self.config = folder / "zone.toml"
        self.config.write_text(CONFIG.format(port=port))
        self.log = open(folder / "server.log", "ab")
        self.process = None

    def start(self):
        begin = self.log.tell()
        self.process = subprocess.Popen([self.programs / "marchland-server", "--config", self.config],
                                        stdout=self.log, stderr=self.log)
        began = time.monotonic()
        while True:
            said = (self.folder / "server.log").read_bytes()[begin:].decode(errors="replace")
            if "listening on" in said:
                return time.monotonic() - began
            if self.process.poll() is not None or time.monotonic() - began > 60:
                sys.exit("the server does not start:\n" + said)
            time.sleep(0.01)

    def end(self, how, meanwhile):
        self.process.send_signal(how)
        while self.process.poll() is None:
            meanwhile()
        if self.process.returncode not in (0, -signal.SIGKILL):
            sys.exit(f"the server ended with {self.process.returncode}")

    def rows(self):
        """What the kill left, of a copy."""
        with tempfile.TemporaryDirectory() as copy:
            for name in ("state.db", "state.db-wal"):
                if (self.state / name).exists():
                    shutil.copy(self.state / name, copy)
            database = sqlite3.connect(pathlib.Path(copy) / "state.db")
            entities = {row[0]: row[1:] for row in database.execute("SELECT id, owner, ref FROM entity")}
            written_at = database.execute("SELECT written_at_us FROM zone").fetchone()[0] / 1e6
            database.close()
            return entities, written_at


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as it:
        return it.getsockname()[1]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--players", type=int, default=2000)
    options.add_argument("--entities", type=int, default=1000)
    options.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--stop", action="store_true")
    options.add_argument("--before", type=pathlib.Path)
    options.add_argument("--untimed", action="store_true")
    options = options.parse_args()
    how = signal.SIGTERM if options.stop else signal.SIGKILL
    chance = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="marchland-restart-"))
    port = free_port()
    zone = Zone(folder, options.before or options.bin, port)
    zone.start()
    zone.programs = options.bin
    wrong = []

    service = marchland.Service(("127.0.0.1", port), "loop")
    service.retry_s = 0.2
    service.connect()
    owned = [service.spawn((index % 10_000 * 100, index // 10_000 * 100, 0)) for index in range(options.entities)]
    if not service.serve(120, until=lambda: owned[-1].entity is not None):
        sys.exit("the service's entities do not come: " + str(zone.log.name))
    given = {one.entity for one in owned}
    bots = subprocess.Popen(
        [options.bin / "marchland-bots", "--connect", f"127.0.0.1:{port}", "--players", str(options.players),
         "--restart-seconds", "60", "--seconds", "0", "--json"],
        stdout=subprocess.PIPE, stderr=open(folder / "bots.log", "wb"), text=True)
    service.serve(15)
    for kill in range(1, options.kills + 1):
        service.serve(chance.uniform(6, 9))
        zone.end(how, lambda: service.serve(0.01))
        ended_at = time.time()
        entities, written_at = zone.rows()
        began_s = zone.start()
        if ended_at - written_at > CHECKPOINT_S_MAX and not options.untimed:
            wrong.append(f"kill {kill}: the rows are {ended_at - written_at:.2f} s old")
        service.serve(10, until=lambda: service.fileno() >= 0 and service.ping() is not None)
        mine = {one.entity for one in owned}
        on_disk = {id for id, (owner, _) in entities.items() if owner != 0}
        if on_disk - mine:
            wrong.append(f"kill {kill}: {len(on_disk - mine)} rows of the service did not come back")
        one = service.spawn((0, -kill * 100, 0))
        service.serve(10, until=lambda: one.entity is not None)
        if one.entity in given or one.entity in entities:
            wrong.append(f"kill {kill}: id {one.entity} was given before")
        given.add(one.entity)
        owned.append(one)
        print(f"kill {kill}: {len(entities)} rows, {ended_at - written_at:.2f} s old; "
              f"listens after {began_s:.2f} s", flush=True)
    service.serve(12)
    bots.send_signal(signal.SIGINT)
    out, _ = bots.communicate(timeout=60)
    zone.process.send_signal(signal.SIGTERM)
    zone.process.wait(timeout=60)
    report = json.loads(out.strip().splitlines()[-1])
    lost, back = report["lost_in_restart"], report["resumed_after_restart"]
    print(f"{lost} connections lost, {back} back, the last frame after {report['return_ms_max']} ms; "
          f"{report['violations']} violations, {report['pairs_checked']} pairs checked")
    if report["violations"] != 0:
        wrong.append("the players saw the contract broken: " + str(folder / "bots.log"))
    if lost == 0:
        wrong.append("nobody has noticed anything")
    if (lost - back) * 1000 > max(0, lost * LOST_IN_A_THOUSAND_MAX[how] - 1):
        wrong.append(f"{lost - back} of {lost} did not come back")
    if report["return_ms_max"] > RETURN_MS_MAX[how] and not options.untimed:
        wrong.append(f"the last one had a frame after {report['return_ms_max']} ms")
    print("\n".join(wrong) or "all is well")
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
