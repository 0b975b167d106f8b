#!/usr/bin/python3 -B
"""The rules of the game, all of them: one service beside the zone. usage: service.py PORT KEY_FILE [SEED]

Sheep graze, and run from whoever comes near; wolves hunt them, and shy away from shepherds. A sheep that is driven into the
fold is a point for the nearest shepherd. A key lies about in the meadow; who has it opens the fold's door, for a while, by
coming to it and saying so: through an open door the sheep count twice. Bots do not take the key. What is said is heard within
25 m.
"""
import json, math, pathlib, random, sys, time

from login import token
from marchland import Service

SHEPHERD, SHEEP, WOLF, DOOR, KEY = 1, 2, 3, 4, 5  # kinds of entities
SAY, OPEN = 1, 2  # what players say
HEARD, BAG, NEWS = 10, 11, 12  # what they are sent
HERDS, FLOCK, PACK = 8, 40, 4
SCORES_MAX = 1000
HALF = 78.0  # of the meadow, metres, with some room to its edge
FOLD = 10.0  # half of the fold, a square in the middle
DOOR_AT, DOOR_OPEN_S = (0.0, -FOLD), 15.0
TICKS_PER_S = 10


def clamp(value, half):
    return max(-half, min(half, value))


class Beast:
    """A sheep or a wolf. In metres; the zone has it in millimetres."""

    def __init__(self, service, kind, x, y):
        self.x, self.y, self.heading = x, y, random.uniform(0, 2 * math.pi)
        self.owned = service.spawn(self.place(), kind=kind)

    def place(self):
        return round(self.x * 1000), round(self.y * 1000), 0

    def away_from(self, x, y):
        self.heading = math.atan2(self.y - y, self.x - x) + random.uniform(-0.3, 0.3)

    def towards(self, x, y):
        self.heading = math.atan2(y - self.y, x - self.x)

    def go(self, metres):
        self.x += metres * math.cos(self.heading)
        self.y += metres * math.sin(self.heading)
        if abs(self.x) > HALF or abs(self.y) > HALF:  # at the edge it turns to the middle
            self.x, self.y = clamp(self.x, HALF), clamp(self.y, HALF)
            self.towards(0, 0)
        self.owned.move(*self.place())

    def put(self, x, y):
        self.x, self.y = x, y
        self.owned.move(*self.place())

    def distance(self, x, y):
        return math.hypot(self.x - x, self.y - y)


class Shepherd:
    """A player, as the game keeps it."""

    def __init__(self, player):
        self.player = player
        self.is_bot = "name" not in player.claims  # the login server gives a name, and bots have signed their tokens themselves
        self.x, self.y = player.position.x / 1000, player.position.y / 1000
        self.score, self.has_key = 0, False

    @property
    def name(self):
        return self.player.claims.get("name", self.player.subject)

    def near(self, x, y, metres):
        return math.hypot(self.x - x, self.y - y) <= metres


class Meadow:
    def __init__(self, service):
        self.service = service
        self.shepherds = {}  # by entity
        self.scores = {}  # by the subject of the token: who comes back has it. Whose last point is the longest ago goes first
        self.door_open_until = 0.0
        self.reported = {}
        service.on_join = self.joined
        service.on_back = self.back
        service.on_leave = self.left
        service.on_message = self.said
        service.on_positions = self.placed
        service.subscribe(SAY, OPEN)
        service.subscribe_positions()
        self.sheep = [Beast(service, SHEEP, *self.pasture()) for _ in range(FLOCK)]
        self.wolves = [Beast(service, WOLF, *self.pasture()) for _ in range(PACK)]
        self.key = Beast(service, KEY, *self.pasture())
        self.door = Beast(service, DOOR, *DOOR_AT)

    @staticmethod
    def pasture():
        """Somewhere outside of the fold."""
        while True:
            x, y = random.uniform(-HALF, HALF), random.uniform(-HALF, HALF)
            if max(abs(x), abs(y)) > FOLD + 5:
                return x, y

    # ---- players

    def joined(self, player):
        shepherd = self.shepherds[player.entity] = Shepherd(player)
        shepherd.score = self.scores.get(player.subject, 0)
        self.show(shepherd)
        self.send_bag(shepherd)

    def back(self, player):
        """Its page may be loaded anew, and say another name."""
        self.show(self.shepherds[player.entity])
        self.send_bag(self.shepherds[player.entity])

    def left(self, player, reason):
        shepherd = self.shepherds.pop(player.entity)
        if shepherd.has_key:
            self.drop_key(shepherd.x, shepherd.y)

    def placed(self, placed):
        """In each tick of the zone."""
        for entity in placed.players.keys() & self.shepherds.keys():
            shepherd, position = self.shepherds[entity], placed.players[entity]
            shepherd.x, shepherd.y = position.x / 1000, position.y / 1000

    def said(self, player, message):
        shepherd = self.shepherds[player.entity]
        shepherd.x, shepherd.y = message.position.x / 1000, message.position.y / 1000
        if message.kind == OPEN:
            self.open_door(shepherd)
        else:
            # Control characters would take six bytes each: 200 others and a name fit into the 1,024 of a message.
            text = "".join(filter(str.isprintable, message.payload.decode(errors="replace")))[:200]
            near = [one.player for one in self.shepherds.values() if one.near(shepherd.x, shepherd.y, 25)]
            self.send(HEARD, {"from": shepherd.name, "text": text}, near)

    def send(self, kind, what, to=None):
        self.service.say(kind, json.dumps(what, ensure_ascii=False).encode(), to)

    def show(self, shepherd):
        """What all who see the shepherd see of it."""
        name = shepherd.name.encode()[:64].decode(errors="ignore").encode()
        self.service.change_player(shepherd.player.entity, state={"name": name, "score": shepherd.score})

    def send_bag(self, shepherd):
        """What is nobody's business but its own."""
        self.send(BAG, {"key": shepherd.has_key, "score": shepherd.score}, [shepherd.player])

    def give_points(self, shepherd, points):
        shepherd.score += points
        self.scores.pop(shepherd.player.subject, None)
        self.scores[shepherd.player.subject] = shepherd.score  # the last in order
        if len(self.scores) > SCORES_MAX:
            del self.scores[next(iter(self.scores))]
        self.show(shepherd)
        self.send_bag(shepherd)

    # ---- the key and the door

    def drop_key(self, x, y):
        self.key.put(x, y)
        self.key.is_held = False

    def take_key(self):
        for shepherd in self.shepherds.values():
            if not shepherd.is_bot and shepherd.near(self.key.x, self.key.y, 1.5):
                shepherd.has_key = True
                self.key.is_held = True
                self.key.put(HALF, HALF)  # out of the way until it is dropped
                self.send_bag(shepherd)
                return

    def open_door(self, shepherd):
        if not shepherd.near(*DOOR_AT, 4):
            self.send(NEWS, {"text": "You are too far from the door."}, [shepherd.player])
        elif not shepherd.has_key:
            self.send(NEWS, {"text": "The door is locked: find the key."}, [shepherd.player])
        else:
            shepherd.has_key = False
            self.drop_key(*self.pasture())
            self.door_open_until = time.monotonic() + DOOR_OPEN_S
            self.door.owned.change(state={"open": 1})
            self.send_bag(shepherd)
            self.send(NEWS, {"text": f"{shepherd.name} has opened the door: sheep count twice!"})

    @property
    def door_is_open(self):
        return time.monotonic() < self.door_open_until

    # ---- a tick

    def nearest_shepherd(self, x, y, metres):
        near = [one for one in self.shepherds.values() if one.near(x, y, metres)]
        return min(near, key=lambda one: math.hypot(one.x - x, one.y - y), default=None)

    def tick(self):
        if not getattr(self.key, "is_held", False):
            self.take_key()
        if self.door_open_until and not self.door_is_open:
            self.door_open_until = 0.0
            self.door.owned.change(state={"open": 0})
        for wolf in self.wolves:
            self.hunt(wolf)
        for sheep in self.sheep:
            self.graze(sheep)

    def graze(self, sheep):
        shepherd = self.nearest_shepherd(sheep.x, sheep.y, HERDS)
        wolf = min(self.wolves, key=lambda one: one.distance(sheep.x, sheep.y))
        if wolf.distance(sheep.x, sheep.y) < HERDS:
            sheep.away_from(wolf.x, wolf.y)
            sheep.go(3.0 / TICKS_PER_S)
        elif shepherd is not None:
            sheep.away_from(shepherd.x, shepherd.y)
            sheep.go(4.0 / TICKS_PER_S)
        elif random.random() < 0.3:
            sheep.heading += random.uniform(-0.5, 0.5)
            sheep.go(1.0 / TICKS_PER_S)
        if max(abs(sheep.x), abs(sheep.y)) < FOLD:
            self.fold(sheep)

    def fold(self, sheep):
        shepherd = self.nearest_shepherd(sheep.x, sheep.y, 2 * HERDS)
        if shepherd is not None:
            self.give_points(shepherd, 2 if self.door_is_open else 1)
        sheep.put(*self.pasture())

    def hunt(self, wolf):
        shepherd = self.nearest_shepherd(wolf.x, wolf.y, 5)
        prey = min(self.sheep, key=lambda one: one.distance(wolf.x, wolf.y))
        if shepherd is not None:
            wolf.away_from(shepherd.x, shepherd.y)
            wolf.go(5.0 / TICKS_PER_S)
        elif prey.distance(wolf.x, wolf.y) < 1:
            prey.put(*self.pasture())
            wolf.put(*self.pasture())  # it is fed, and sleeps somewhere else
        else:
            wolf.towards(prey.x, prey.y)
            wolf.go(3.5 / TICKS_PER_S)


def main():
    port, key_file = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else None)
    key = key_file.read_bytes().strip()
    service = Service(("127.0.0.1", port), "wolves", token=lambda: token(key, role="service", sub="wolves"))
    meadow = Meadow(service)  # first: who is in the zone already may come with the Welcome
    service.connect()
    print("wolves: the game runs", flush=True)
    due = time.monotonic()
    while True:
        meadow.tick()
        due += 1 / TICKS_PER_S
        service.serve(max(0.0, due - time.monotonic()))
        if time.monotonic() > due + 1:
            due = time.monotonic()  # it was held up: no catching up
        report(meadow)


def report(meadow):
    """For whoever watches over the game, tests among them: the scores, and where the key lies, a line each time that one changes."""
    scores = {one.player.entity: one.score for one in meadow.shepherds.values() if one.score}
    for name, value in (("scores", scores), ("key", [meadow.key.x, meadow.key.y])):
        if meadow.reported.get(name) != value:
            meadow.reported[name] = value
            print(name, json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
