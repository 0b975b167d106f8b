#!/usr/bin/env python3
"""Kills a zone at random moments under walking players and a service's entities, again and again, and checks what comes
back. Continuous integration kills one, small; more by hand: they take a minute for each five kills, and a machine of their own.

usage: PYTHONPATH=build/release/python tests/tools/restart_loop.py [--kills 20] [--players 2000] [--entities 1000]
                                                                   [--bin build/release/bin] [--seed 1] [--stop]
                                                                   [--before OTHER/bin] [--hang 30] [--untimed]

After each kill: the rows on disk can be read, and the newest transaction is not older than a checkpoint and a second; the
server listens again within a second; the service has every entity that was on disk back, by its ref, and spawns one more, whose
id was never given; before the next kill fewer than one in a thousand of the players on disk have not resumed, each with its own
id. At the end: the players' own checks found nothing, fewer than one in a thousand did not come back, and the last one had a
frame within 5 s (the longest time is printed).
With --stop the zone is stopped by SIGTERM instead: then everybody comes back, within 3 s. With --before the first server is
that one: an upgrade. With --hang the disk hangs for so many seconds before the first kill: no tick is later or longer than in
as many seconds before, which are printed, and the state is behind meanwhile, and not any more afterwards. --untimed, for a machine that does other things: everybody is back all the same, however long it takes.

exit  0 all is well    1 something is wrong, and what
"""

import argparse
import json
import os
import pathlib
import random
import re
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
BEGIN_S_MAX = 1.0
RETURN_MS_MAX = {signal.SIGKILL: 5_000, signal.SIGTERM: 3_000}
LOST_IN_A_THOUSAND_MAX = {signal.SIGKILL: 1, signal.SIGTERM: 0}


# Their ids, and the generation of their tokens: who resumes is given a newer one.
PLAYERS = "SELECT number, generation FROM session WHERE kind = 0"


def are_too_many(lost, of, how):
    return lost * 1000 > max(0, of * LOST_IN_A_THOUSAND_MAX[how] - 1)


class Zone:
    def __init__(self, folder, programs, port, disk):
        self.folder, self.programs, self.disk = folder, programs, disk
        self.state = folder / "state"
        self.config = folder / "zone.toml"
        self.config.write_text(CONFIG.format(port=port))
        self.hang = folder / "hang"
        self.log = open(folder / "server.log", "ab")
        self.process = None

    def start(self):
        begin = self.log.tell()
        self.process = subprocess.Popen([self.programs / "marchland-server", "--config", self.config],
                                        stdout=self.log, stderr=self.log,
                                        env={**os.environ, **self.disk, "MARCHLAND_HANGS_WHILE": self.hang})
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

    def ask(self, sql):
        """The state on disk, also while the zone runs."""
        database = sqlite3.connect(f"file:{self.state / 'state.db'}?mode=ro", uri=True)
        rows = database.execute(sql).fetchall()
        database.close()
        return rows

    def age_s(self):
        return time.time() - self.ask("SELECT written_at_us FROM zone")[0][0] / 1e6

    def not_resumed(self, players):
        """Which of these have no session with a newer token."""
        now = dict(self.ask(PLAYERS))
        return [id for id, generation in players.items() if now.get(id, 0) <= generation]

    def ticks(self, meanwhile):
        """The longest, in ms, how many were late or skipped, and how many were run."""
        begin = self.log.tell()
        meanwhile()
        lines = (self.folder / "server.log").read_bytes()[begin:].decode(errors="replace")
        said = {name: [float(value) for value in re.findall(rf" {name}=([0-9.]+)", lines)]
                for name in ("tick", "tick_ms_max", "late_ticks", "skipped_ticks")}
        return (max(said["tick_ms_max"]), sum(said["late_ticks"]) + sum(said["skipped_ticks"]),
                said["tick"][-1] - said["tick"][0])

    def rows(self):
        """What the kill left, of a copy."""
        with tempfile.TemporaryDirectory() as copy:
            for name in ("state.db", "state.db-wal"):
                if (self.state / name).exists():
                    shutil.copy(self.state / name, copy)
            database = sqlite3.connect(pathlib.Path(copy) / "state.db")
            entities = {row[0]: row[1:] for row in database.execute("SELECT id, owner, ref FROM entity")}
            players = dict(database.execute(PLAYERS))
            written_at = database.execute("SELECT written_at_us FROM zone").fetchone()[0] / 1e6
            database.close()
            return entities, players, written_at


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as it:
        return it.getsockname()[1]


def hang_disk(zone, service, seconds, is_timed):
    """What is wrong."""
    wrong = []
    longest_before, late_before, ran_before = zone.ticks(lambda: service.serve(seconds))
    zone.hang.touch()
    longest, late, ran = zone.ticks(lambda: service.serve(seconds))
    age_s = zone.age_s()
    zone.hang.unlink()
    service.serve(30, until=lambda: zone.age_s() < CHECKPOINT_S_MAX)
    print(f"the disk hangs for {seconds} s: the longest tick {longest} ms, {late:.0f} late; before {longest_before} ms, "
          f"{late_before:.0f} late; the state {age_s:.1f} s behind, and then {zone.age_s():.1f} s", flush=True)
    if age_s < seconds - 2:
        wrong.append("the disk did not hang")
    if zone.age_s() > CHECKPOINT_S_MAX:
        wrong.append("the state is still behind")
    if ran < ran_before / 2 or is_timed and (late > late_before + 3 or longest > 2 * longest_before):
        wrong.append("ticks waited for the disk")
    return wrong


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--players", type=int, default=2000)
    options.add_argument("--entities", type=int, default=1000)
    options.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--stop", action="store_true")
    options.add_argument("--before", type=pathlib.Path)
    options.add_argument("--hang", type=int, default=0)
    options.add_argument("--untimed", action="store_true")
    options = options.parse_args()
    how = signal.SIGTERM if options.stop else signal.SIGKILL
    chance = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="marchland-restart-"))
    port = free_port()
    disk = {"LD_PRELOAD": (options.bin / "libhanging_disk.so").absolute()} if options.hang else {}
    zone = Zone(folder, options.before or options.bin, port, disk)
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
    if options.hang:
        wrong += hang_disk(zone, service, options.hang, not options.untimed)
    players = {}

    def expect_players(kill):
        absent = zone.not_resumed(players)
        if are_too_many(len(absent), len(players), how):
            wrong.append(f"kill {kill}: {len(absent)} of {len(players)} players have not resumed: {absent[:5]}")

    for kill in range(1, options.kills + 1):
        service.serve(chance.uniform(6, 9))
        if not options.untimed:
            expect_players(kill - 1)
        zone.end(how, lambda: service.serve(0.01))
        ended_at = time.time()
        entities, players, written_at = zone.rows()
        began_s = zone.start()
        if ended_at - written_at > CHECKPOINT_S_MAX and not options.untimed:
            wrong.append(f"kill {kill}: the newest transaction is {ended_at - written_at:.2f} s old")
        if began_s > BEGIN_S_MAX and not options.untimed:
            wrong.append(f"kill {kill}: listens after {began_s:.2f} s")
        if not service.serve(30, until=lambda: service.fileno() >= 0 and service.ping() is not None):
            wrong.append(f"kill {kill}: the service did not come back")
        mine = {one.entity for one in owned}
        on_disk = {id for id, (owner, _) in entities.items() if owner != 0}
        if on_disk - mine:
            wrong.append(f"kill {kill}: {len(on_disk - mine)} rows of the service did not come back")
        one = service.spawn((0, -kill * 100, 0))
        if not service.serve(30, until=lambda: one.entity is not None):
            wrong.append(f"kill {kill}: the service can spawn nothing")
        if one.entity in given or one.entity in entities:
            wrong.append(f"kill {kill}: id {one.entity} was given before")
        given.add(one.entity)
        owned.append(one)
        print(f"kill {kill}: {len(entities)} rows, the newest transaction {ended_at - written_at:.2f} s old; "
              f"listens after {began_s:.2f} s", flush=True)
    service.serve(12)
    expect_players(options.kills)
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
    if are_too_many(lost - back, lost, how):
        wrong.append(f"{lost - back} of {lost} did not come back")
    if report["return_ms_max"] > RETURN_MS_MAX[how] and not options.untimed:
        wrong.append(f"the last one had a frame after {report['return_ms_max']} ms")
    print("\n".join(wrong) or "all is well")
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
