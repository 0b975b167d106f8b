#!/usr/bin/python3 -B
"""The Python library's driver for the conformance suite: `run --help` says what it reads and answers."""

import json
import select
import sys

from marchland import Client, Position, Resumption, ServerError, Service, table

TABLES = {"view": "View", "layers": "Layers", "notify": "Notify"}


def state_of(values):
    """Slots by name; bytes are hex in JSON."""
    return {name: bytes.fromhex(value) if isinstance(value, str) else value for name, value in values.items()}


def plain_state(state):
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in state.items()}


def fields_of(fields):
    """As JSON says them, as the library takes them."""
    made = {}
    for name, value in fields.items():
        if name in TABLES:
            made[name] = table(TABLES[name], **value)
        elif name in ("spawn", "position"):
            made[name] = Position(*value)
        elif name == "state":
            made[name] = state_of(value)
        else:
            made[name] = value
    return made


def seen_of(world):
    return {} if world is None else {seen.entity: {"kind": seen.kind, "position": seen.position, "state": plain_state(seen.state)}
                                     for seen in world}


class One:
    """What a player's and a service's sessions have in common here: the log, and the end."""

    def __init__(self, session):
        self.session, self.log, self.is_over = session, [], False
        session.on_lost = lambda why: self.log.append(["lost"])
        session.on_resumed = lambda: self.log.append(["resumed"])
        session.on_transferred = lambda: self.log.append(["transferred"])

    def serve(self):
        if not self.is_over:
            try:
                self.session.serve(0)
            except ServerError as error:
                self.end(error.code)
            except Exception as error:
                print(f"driver: {error!r}", file=sys.stderr)
                self.end(0)

    def end(self, code):
        self.is_over = True
        self.log.append(["closed", code])

    def do_cut(self, command):
        self.session.cut()

    def do_leave(self, command):
        self.session.leave()
        self.end(0)

    def do_safe(self, command):
        return {"is_safe": self.session.wait_until_safe(command["seconds"])}


class Player(One):
    def __init__(self, address, command):
        known = command.get("resumption")
        resumption = known and Resumption(bytes.fromhex(known[0]), *known[1:])
        client = Client(address, resumption=resumption, **fields_of(command["hello"]))
        super().__init__(client)
        log = self.log.append
        client.on_enter = lambda seen: log(["enter", seen.entity])
        client.on_move = lambda seen: log(["move", seen.entity])
        client.on_leave = lambda seen, reason: log(["leave", seen.entity, reason])
        client.on_message = lambda kind, payload, source: log(["message", kind, payload.hex(), source])
        client.on_correction = lambda position: log(["correction", position])
        client.on_frame = lambda changes, frame: log(["keyframe"]) if frame.is_keyframe else None
        welcome = client.connect()
        self.answer = {name: getattr(welcome, name)
                       for name in ("entity", "spawn", "tick_rate_hz", "dimensions", "resumed")}

    def do_move(self, command):
        self.session.move(*command["to"], facing=command.get("facing"))

    def do_set_state(self, command):
        self.session.set_state(**state_of(command["state"]))

    def do_view(self, command):
        self.session.set_view(table("View", **command["view"]))

    def do_say(self, command):
        self.session.say(command["kind"], bytes.fromhex(command["payload"]))

    def do_keyframe(self, command):
        self.session.request_keyframe()

    def do_look(self, command):
        return {"entity": self.session.entity, "tick": self.session.world.tick, "position": self.session.position, "log": self.log,
                "seen": seen_of(self.session.world), "own_state": plain_state(self.session.world.own_state)}


class Game(One):
    def __init__(self, address, command):
        service = Service(address, command["name"], admits="admits" in command)
        super().__init__(service)
        self.owned = {}
        log = self.log.append
        self.admits = command.get("admits", {})
        service.on_ask = self.note_ask
        service.on_join = self.note_join
        service.on_away = lambda player, grace_ms: log(["away", player.entity])
        service.on_back = lambda player: log(["back", player.entity])
        service.on_leave = lambda player, reason: log(["left", player.entity, reason])
        service.on_message = lambda player, it: log(
            ["message", player.entity, it.kind, it.payload.hex(), it.position])
        service.on_refused = lambda it: log(["refused", it.command, it.reason])
        service.on_positions = self.note_positions
        service.on_move = self.note_move
        self.asked = {}
        self.placed = {}
        self.answer = {"resumed": service.connect().resumed}

    def note_ask(self, asks):
        self.log.append(["asks", asks.kind, asks.spawn, asks.request])
        if "refusal" in self.admits:
            self.session.refuse(asks, self.admits["refusal"])
        else:
            self.session.admit(asks, **fields_of(self.admits))

    def note_join(self, player):
        self.log.append(["join", player.entity, player.request])
        if player.carried:
            self.log.append(["carries", player.entity, player.carried.hex()])

    def note_move(self, player, move):
        self.asked[player.entity] = move.seq
        self.log.append(["wish", player.entity, move.position])

    def note_positions(self, placed):
        self.placed = placed.players

    def do_look(self, command):
        return {"log": self.log, "placed": self.placed,
                "players": {player.entity: {"kind": player.kind} for player in self.session.players.values()},
                "owned": {name: owned.entity for name, owned in self.owned.items()},
                "watching": {name: seen_of(owned.world) for name, owned in self.owned.items() if owned.world is not None}}

    def do_spawn(self, command):
        self.owned[command["name"]] = self.session.spawn(command["position"], **fields_of(command["fields"]))

    def do_steer(self, command):
        self.owned[command["name"]].move(*command["to"])

    def do_despawn(self, command):
        self.owned[command["name"]].despawn()

    def do_subscribe(self, command):
        self.session.subscribe(*command["kinds"])

    def do_positions(self, command):
        within = command.get("within")
        self.session.subscribe_positions(within and (Position(*within["centre"]), within["radius_mm"]))

    def do_tell(self, command):
        whom = {name: command[name] for name in ("viewers_of", "layers") if name in command}
        if "to" in command:
            whom["to"] = [self.session.players[entity] for entity in command["to"]]
        if "within" in command:
            whom["within"] = Position(*command["within"]["centre"]), command["within"]["radius_mm"]
        self.session.say(command["kind"], bytes.fromhex(command["payload"]), **whom)

    def do_send_to_zone(self, command):
        self.session.send_to_zone(self.session.players[command["entity"]], command["address"],
                                  carried=bytes.fromhex(command["carried"]))

    def do_moves(self, command):
        self.session.subscribe_moves()

    def do_answer(self, command):
        self.session.change_player(command["entity"], position=Position(*command["to"]),
                                   move_ack=self.asked[command["entity"]])

    def do_change_player(self, command):
        self.session.change_player(command["entity"], **fields_of(command["fields"]))

    def do_remove_player(self, command):
        self.session.remove_player(command["entity"])


def address_of(url):
    host, port = url.removeprefix("tcp://").split(":")
    return host, int(port)


def answer(url, sessions, command):
    if command["do"] == "reset":
        for one in sessions.values():
            if not one.is_over:
                one.session.leave()
        sessions.clear()
        return {"ok": {}}
    try:
        if command["do"] in ("player", "service"):
            one = {"player": Player, "service": Game}[command["do"]](address_of(command.get("url", url)), command)
            sessions[command["as"]] = one
            return {"ok": one.answer}
        if command["do"] == "forget":
            resume_token, *elsewhere = sessions.pop(command["as"]).session.resumption
            return {"ok": {"resumption": [resume_token.hex(), *elsewhere]}}
        one = sessions[command["as"]]
        return {"ok": getattr(one, "do_" + command["do"])(command) or {}}
    except ServerError as error:
        return {"error": error.code}


def main():
    sessions, line = {}, b""
    while True:
        for one in sessions.values():
            one.serve()
        waiting = [sys.stdin, *(one.session for one in sessions.values() if one.session.fileno() >= 0)]
        if sys.stdin in select.select(waiting, [], [], 0.02)[0]:
            line = sys.stdin.readline()
            if not line:
                return
            print(json.dumps(answer(sys.argv[1], sessions, json.loads(line))), flush=True)


main()
