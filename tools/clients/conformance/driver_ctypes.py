#!/usr/bin/python3 -B
"""The driver of libmarchland_client.so for the conformance suite, through its C interface: driver_ctypes.py LIBRARY URL.
`run --help` says what it reads and answers."""

import ctypes
import json
import select
import sys
from ctypes import POINTER, c_char_p, c_int, c_int32, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p


class Position(ctypes.Structure):
    _fields_ = [("x", c_int32), ("y", c_int32), ("z", c_int32)]

    def plain(self):
        return [self.x, self.y, self.z]


class View(ctypes.Structure):
    _fields_ = [("shape", c_uint32), ("radius_mm", c_int32), ("leave_radius_mm", c_int32), ("half_y_mm", c_int32),
                ("leave_half_y_mm", c_int32), ("half_z_mm", c_int32), ("leave_half_z_mm", c_int32),
                ("half_opening", c_uint32), ("leave_half_opening", c_uint32)]


class Resumption(ctypes.Structure):
    _fields_ = [("resume_token", c_void_p), ("resume_token_count", c_size_t), ("address", c_char_p), ("token", c_char_p)]


class Options(ctypes.Structure):
    _fields_ = [("has_spawn", c_uint32), ("has_view", c_uint32), ("spawn", Position), ("view", View),
                ("kind", c_uint32), ("facing", c_uint32), ("name", c_char_p), ("token", c_char_p),
                ("token_function", c_void_p), ("context", c_void_p), ("is_tls", c_uint32),
                ("is_web_socket", c_uint32), ("server_name", c_char_p), ("ca_file", c_char_p),
                ("no_resume", c_uint32), ("admits", c_uint32), ("resumption", Resumption)]


class Event(ctypes.Structure):
    _fields_ = [("type", c_uint32), ("kind", c_uint32), ("entity", c_uint64), ("tick", c_uint64),
                ("position", Position), ("code", c_uint32), ("watcher", c_uint32), ("bytes", POINTER(c_uint8)),
                ("bytes_count", c_size_t), ("request", c_uint64)]


class Seen(ctypes.Structure):
    _fields_ = [("entity", c_uint64), ("moved_tick", c_uint64), ("position", Position), ("kind", c_uint32)]


class Slot(ctypes.Structure):
    _fields_ = [("number", c_uint32), ("type", c_uint32), ("integer", ctypes.c_int64), ("real", ctypes.c_float),
                ("bytes", c_void_p), ("bytes_count", c_size_t)]


class Spawn(ctypes.Structure):
    _fields_ = [("position", Position), ("kind", c_uint32), ("facing", c_uint32), ("layers", c_uint32),
                ("layers_seen", c_uint32), ("watches", c_uint32), ("view", View), ("notify_radius_mm", c_int32),
                ("notify_leave_radius_mm", c_int32), ("importance", c_uint32), ("slots", POINTER(Slot)),
                ("slots_count", c_size_t)]


class Circle(ctypes.Structure):
    _fields_ = [("centre", Position), ("radius_mm", c_int32)]


class Change(ctypes.Structure):
    _fields_ = [("has_position", c_uint32), ("has_facing", c_uint32), ("has_layers", c_uint32), ("has_view", c_uint32),
                ("has_notify", c_uint32), ("has_speed", c_uint32), ("has_frames", c_uint32), ("has_answer", c_uint32),
                ("position", Position), ("facing", c_uint32), ("layers", c_uint32), ("layers_seen", c_uint32),
                ("view", View), ("notify_radius_mm", c_int32), ("notify_leave_radius_mm", c_int32),
                ("slots", POINTER(Slot)), ("slots_count", c_size_t), ("authority", c_uint32),
                ("speed_percent", c_uint32), ("frames_hz", c_uint32), ("answer", c_uint32)]


class Admission(ctypes.Structure):
    _fields_ = [("refusal", c_char_p), ("given", Change)]


class Placed(ctypes.Structure):
    _fields_ = [("entity", c_uint64), ("position", Position)]


library = ctypes.CDLL(sys.argv[1])
for name, result, arguments in [
        ("join_player", c_void_p, [c_char_p, c_char_p, POINTER(Options)]),
        ("join_service", c_void_p, [c_char_p, c_char_p, POINTER(Options)]),
        ("free", None, [c_void_p]), ("serve", c_int, [c_void_p, c_uint32]),
        ("next_event", c_int, [c_void_p, POINTER(Event)]), ("problem", c_char_p, [c_void_p]),
        ("error_code", c_uint32, [c_void_p]), ("tick_rate_hz", c_uint32, [c_void_p]), ("dimensions", c_uint32, [c_void_p]),
        ("was_resumed", c_int, [c_void_p]), ("fd", c_int, [c_void_p]),
        ("cut", None, [c_void_p]), ("leave", None, [c_void_p]), ("wait_until_safe", c_int, [c_void_p, c_uint32]),
        ("world", c_size_t, [c_void_p, c_uint32, POINTER(Seen), c_size_t]), ("entity", c_uint64, [c_void_p]),
        ("get_resumption", Resumption, [c_void_p]),
        ("own_position", Position, [c_void_p]), ("move", None, [c_void_p, Position]), ("turn", None, [c_void_p, c_uint16]),
        ("drawn", c_int, [c_void_p, c_uint64, POINTER(ctypes.c_double)]), ("slot_name", c_char_p, [c_void_p, c_uint32]),
        ("state", c_size_t, [c_void_p, c_uint32, c_uint64, POINTER(Slot), c_size_t]),
        ("set_state", c_int, [c_void_p, c_uint64, POINTER(Slot), c_size_t]),
        ("set_view", None, [c_void_p, POINTER(View)]), ("request_keyframe", None, [c_void_p]),
        ("say", c_int, [c_void_p, c_uint16, c_char_p, c_size_t]),
        ("spawn_entity", c_uint32, [c_void_p, POINTER(Spawn)]), ("entity_of", c_uint64, [c_void_p, c_uint32]),
        ("move_entity", None, [c_void_p, c_uint32, Position]), ("despawn", None, [c_void_p, c_uint32]),
        ("change_entity", c_int, [c_void_p, c_uint64, POINTER(Change)]), ("remove_player", None, [c_void_p, c_uint64]),
        ("subscribe", None, [c_void_p, POINTER(c_uint16), c_size_t]),
        ("tell", None, [c_void_p, c_uint16, c_char_p, c_size_t, POINTER(c_uint64), c_size_t]),
        ("tell_viewers", None, [c_void_p, c_uint16, c_char_p, c_size_t, c_uint64]),
        ("tell_those", None, [c_void_p, c_uint16, c_char_p, c_size_t, POINTER(Circle), c_uint32]),
        ("admit", c_int, [c_void_p, c_uint64, POINTER(Admission)]),
        ("subscribe_positions", None, [c_void_p, POINTER(Circle)]),
        ("subscribe_moves", None, [c_void_p]),
        ("players", c_size_t, [c_void_p, POINTER(Placed), c_size_t]),
        ("send_to_zone", None, [c_void_p, c_uint64, c_char_p, c_char_p, c_char_p, c_size_t])]:
    function = getattr(library, "marchland_" + name)
    function.restype, function.argtypes = result, arguments

# marchland_event_type: what the log says of each.
ENTRIES = {
    1: lambda it, text: ["enter", it.entity], 2: lambda it, text: ["move", it.entity],
    3: lambda it, text: ["leave", it.entity, it.code], 5: lambda it, text: ["correction", it.position.plain()],
    6: lambda it, text: ["keyframe"] if it.code else None, 7: lambda it, text: ["lost"],
    8: lambda it, text: ["resumed"], 11: lambda it, text: ["join", it.entity, it.request], 12: lambda it, text: ["away", it.entity],
    13: lambda it, text: ["back", it.entity], 14: lambda it, text: ["left", it.entity, it.code],
    20: lambda it, text: ["wish", it.entity, it.position.plain()],
    15: lambda it, text: ["refused", it.kind, it.code], 16: lambda it, text: ["transferred"],
    17: lambda it, text: ["carries", it.entity, text],
    18: lambda it, text: ["asks", it.kind, it.position.plain(), it.request],
}


def view_of(fields):
    return View(**{"shape": 1, **fields})


def names_of_slots(session):
    names = []
    while name := library.marchland_slot_name(session, len(names)):
        names.append(name.decode())
    return names


def slots_of(session, state):
    """Slots by name, bytes as hex: an array of them, and how many. Who has the array keeps the bytes."""
    names = names_of_slots(session)
    slots = (Slot * len(state))()
    slots.kept = []
    for slot, (number, value) in zip(slots, sorted((names.index(name), value) for name, value in state.items())):
        slot.number = number
        if isinstance(value, str):
            slots.kept.append(ctypes.create_string_buffer(bytes.fromhex(value)))
            slot.type, slot.bytes, slot.bytes_count = 2, ctypes.addressof(slots.kept[-1]), len(value) // 2
        elif names[number] == "pace":
            slot.type, slot.real = 1, value
        else:
            slot.integer = value
    return slots, len(state)


def change_of(session, fields):
    made = Change(authority=fields.get("authority", 0))
    if "position" in fields:
        made.has_position, made.position = 1, Position(*fields["position"])
    if "layers" in fields:
        made.has_layers, made.layers, made.layers_seen = 1, fields["layers"]["layers"], fields["layers"]["layers_seen"]
    if "facing" in fields:
        made.has_facing, made.facing = 1, fields["facing"]
    if "view" in fields:
        made.has_view, made.view = 1, view_of(fields["view"])
    if "notify" in fields:
        made.has_notify, made.notify_radius_mm = 1, fields["notify"]["radius_mm"]
        made.notify_leave_radius_mm = fields["notify"]["leave_radius_mm"]
    if "speed_percent" in fields:
        made.has_speed, made.speed_percent = 1, fields["speed_percent"]
    if "answer" in fields:
        made.has_answer, made.answer = 1, fields["answer"]
    if "state" in fields:
        made.slots, made.slots_count = slots_of(session, fields["state"])
    return made


def admission_of(session, fields):
    if "refusal" in fields:
        return Admission(refusal=fields["refusal"].encode())
    return Admission(given=change_of(session, fields))


class Session:
    """A player's or a service's."""

    def __init__(self, join, url, options):
        scheme, rest = url.split("://")
        host, port = rest.rstrip("/").split(":")
        options.is_web_socket = scheme == "ws"
        self.it = join(host.encode(), port.encode(), options)
        self.log, self.is_over, self.players, self.owned, self.asked = [], False, {}, {}, {}

    def failed(self):
        return library.marchland_problem(self.it) != b""

    def serve(self):
        if self.is_over:
            return
        is_end = library.marchland_serve(self.it, 0) != 0
        event = Event()
        while library.marchland_next_event(self.it, event):
            self.note(event, ctypes.string_at(event.bytes, event.bytes_count).hex() if event.bytes_count else "")
        if is_end:
            self.end(library.marchland_error_code(self.it))

    def note(self, event, text):
        if event.type == 4:
            self.log.append(self.message(event, text))
            return
        if event.type == 20:
            self.asked[event.entity] = event.code
        if event.type == 11:
            self.players[event.entity] = {"kind": event.kind}
        elif event.type == 14:
            self.players.pop(event.entity, None)
        elif event.type == 18:
            library.marchland_admit(self.it, event.request, admission_of(self.it, self.admits))
        entry = ENTRIES[event.type](event, text) if event.type in ENTRIES else None
        if entry:
            self.log.append(entry)

    def end(self, code):
        self.is_over = True
        self.log.append(["closed", code])

    def seen(self, watcher=0):
        count = library.marchland_world(self.it, watcher, None, 0)
        some = (Seen * count)()
        library.marchland_world(self.it, watcher, some, count)
        return {one.entity: {"kind": one.kind, "position": one.position.plain(), "state": self.state(one.entity, watcher)}
                for one in some}

    def state(self, entity, watcher=0):
        slots = (Slot * 16)()
        count = library.marchland_state(self.it, watcher, entity, slots, len(slots))
        names = names_of_slots(self.it)
        values = [slot.integer if slot.type == 0 else slot.real if slot.type == 1
                  else ctypes.string_at(slot.bytes, slot.bytes_count).hex() for slot in slots[:count]]
        first = {name: "" if name == "title" else 0 for name in names}
        return first | {names[slot.number]: value for slot, value in zip(slots, values)}

    def do_cut(self, command):
        library.marchland_cut(self.it)

    def do_leave(self, command):
        library.marchland_leave(self.it)
        self.end(0)

    def do_safe(self, command):
        return {"is_safe": library.marchland_wait_until_safe(self.it, int(1000 * command["seconds"])) == 1}


class Player(Session):
    def __init__(self, url, command):
        hello = command["hello"]
        options = Options(kind=hello.get("kind", 0), facing=hello.get("facing", 0))
        if "spawn" in hello:
            options.has_spawn, options.spawn = 1, Position(*hello["spawn"])
        if "view" in hello:
            options.has_view, options.view = 1, view_of(hello["view"])
        if "resumption" in command:
            resume_token, address, token = map(bytes.fromhex, command["resumption"])
            options.resumption = Resumption(ctypes.cast(resume_token, c_void_p), len(resume_token), address, token)
        super().__init__(library.marchland_join_player, url, options)

    def answer(self):
        return {"entity": library.marchland_entity(self.it), "resumed": bool(library.marchland_was_resumed(self.it)),
                "dimensions": library.marchland_dimensions(self.it),
                "tick_rate_hz": library.marchland_tick_rate_hz(self.it),
                "spawn": library.marchland_own_position(self.it).plain()}

    @staticmethod
    def message(event, text):
        return ["message", event.kind, text, event.entity]

    def do_move(self, command):
        if "facing" in command:
            library.marchland_turn(self.it, command["facing"])
        library.marchland_move(self.it, Position(*command["to"]))

    def do_set_state(self, command):
        library.marchland_set_state(self.it, 0, *slots_of(self.it, command["state"]))

    def do_view(self, command):
        library.marchland_set_view(self.it, view_of(command["view"]))

    def do_say(self, command):
        payload = bytes.fromhex(command["payload"])
        library.marchland_say(self.it, command["kind"], payload, len(payload))

    def do_keyframe(self, command):
        library.marchland_request_keyframe(self.it)

    def do_look(self, command):
        seen = self.seen()
        if not all(library.marchland_drawn(self.it, entity, (ctypes.c_double * 3)()) for entity in seen):
            raise RuntimeError("somebody is seen and not drawn")
        return {"entity": library.marchland_entity(self.it),
                "position": library.marchland_own_position(self.it).plain(), "seen": seen, "log": self.log,
                "own_state": self.state(library.marchland_entity(self.it))}


class Game(Session):
    def __init__(self, url, command):
        self.admits = command.get("admits", {})
        options = Options(name=command["name"].encode(), admits="admits" in command)
        super().__init__(library.marchland_join_service, url, options)

    def answer(self):
        return {"resumed": bool(library.marchland_was_resumed(self.it))}

    @staticmethod
    def message(event, text):
        return ["message", event.entity, event.kind, text, event.position.plain()]

    def do_look(self, command):
        owned = {name: library.marchland_entity_of(self.it, ref) or None for name, ref in self.owned.items()}
        placed = (Placed * 64)()
        count = library.marchland_players(self.it, placed, len(placed))
        return {"log": self.log, "players": self.players, "owned": owned,
                "placed": {one.entity: one.position.plain() for one in placed[:count]},
                "watching": {name: self.seen(ref) for name, ref in self.owned.items()}}

    def do_spawn(self, command):
        fields = command["fields"]
        layers = fields.get("layers", {"layers": 1, "layers_seen": 1})
        spawn = Spawn(position=Position(*command["position"]), kind=fields.get("kind", 0),
                      watches=fields.get("watches", False), **layers)
        if "view" in fields:
            spawn.view = view_of(fields["view"])
        if "state" in fields:
            spawn.slots, spawn.slots_count = slots_of(self.it, fields["state"])
        self.owned[command["name"]] = library.marchland_spawn_entity(self.it, spawn)

    def do_steer(self, command):
        library.marchland_move_entity(self.it, self.owned[command["name"]], Position(*command["to"]))

    def do_despawn(self, command):
        library.marchland_despawn(self.it, self.owned[command["name"]])

    def do_subscribe(self, command):
        kinds = command["kinds"]
        library.marchland_subscribe(self.it, (c_uint16 * len(kinds))(*kinds), len(kinds))

    def do_positions(self, command):
        circle = command.get("within")
        within = Circle(Position(*circle["centre"]), circle["radius_mm"]) if circle else None
        library.marchland_subscribe_positions(self.it, within)

    def do_tell(self, command):
        payload, to = bytes.fromhex(command["payload"]), command.get("to")
        what = self.it, command["kind"], payload, len(payload)
        if "viewers_of" in command:
            library.marchland_tell_viewers(*what, command["viewers_of"])
        elif "within" in command or "layers" in command:
            circle = command.get("within")
            within = Circle(Position(*circle["centre"]), circle["radius_mm"]) if circle else None
            library.marchland_tell_those(*what, within, command.get("layers", 0))
        else:
            library.marchland_tell(*what, (c_uint64 * len(to))(*to) if to else None, len(to or []))

    def do_send_to_zone(self, command):
        carried = bytes.fromhex(command["carried"])
        library.marchland_send_to_zone(self.it, command["entity"], command["address"].encode(), None, carried,
                                       len(carried))

    def do_moves(self, command):
        library.marchland_subscribe_moves(self.it)

    def do_answer(self, command):
        entity = command["entity"]
        fields = {"position": command["to"], "answer": self.asked[entity]}
        library.marchland_change_entity(self.it, entity, change_of(self.it, fields))

    def do_change_player(self, command):
        library.marchland_change_entity(self.it, command["entity"], change_of(self.it, command["fields"]))

    def do_remove_player(self, command):
        library.marchland_remove_player(self.it, command["entity"])


def answer(url, sessions, command):
    if command["do"] == "reset":
        for one in sessions.values():
            if not one.is_over:
                library.marchland_leave(one.it)
            library.marchland_free(one.it)
        sessions.clear()
        return {"ok": {}}
    if command["do"] == "forget":
        session = sessions.pop(command["as"]).it
        it = library.marchland_get_resumption(session)
        resume_token = ctypes.string_at(it.resume_token, it.resume_token_count)
        known = [part.hex() for part in (resume_token, it.address, it.token)]
        library.marchland_free(session)
        return {"ok": {"resumption": known}}
    if command["do"] in ("player", "service"):
        one = {"player": Player, "service": Game}[command["do"]](command.get("url", url), command)
        if one.failed():
            print(f"driver: {library.marchland_problem(one.it)}", file=sys.stderr)
            return {"error": library.marchland_error_code(one.it)}
        sessions[command["as"]] = one
        return {"ok": one.answer()}
    return {"ok": getattr(sessions[command["as"]], "do_" + command["do"])(command) or {}}


def main():
    sessions = {}
    while True:
        for one in sessions.values():
            one.serve()
        waiting = [sys.stdin, *(fd for one in sessions.values() if (fd := library.marchland_fd(one.it)) >= 0)]
        if sys.stdin in select.select(waiting, [], [], 0.02)[0]:
            line = sys.stdin.readline()
            if not line:
                return
            print(json.dumps(answer(sys.argv[2], sessions, json.loads(line))), flush=True)


main()
