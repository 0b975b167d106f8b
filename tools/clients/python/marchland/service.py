"""A service's session: game logic beside the zone. docs/services.md is a tour."""

import collections
import itertools
import json
from enum import IntEnum
from typing import NamedTuple

from marchland.codec import MESSAGE_BYTES_MAX, Position, ProtocolError, Slots, check_count, checked, encode, pack_moves, table
from marchland.session import Session
from marchland.world import World

ITEMS_MAX = 1024  # of one message, and players whom one is for
REFUSAL_BYTES_MAX = 256
ADDRESS_BYTES_MAX = 256  # of another zone
PLAYERS_MAX = 1 << 20  # no zone takes so many connections
WHILE_AWAY = 255  # beside those of a PlayerLeft: a player was gone when the service resumed


class Owned:
    """An entity of the service. `entity` is its id, None until the zone gave it one, and again when `is_gone`: it was
    despawned or refused. What is asked for before it has one is done then. `world` is what it sees, if it watches."""

    def __init__(self, service, ref, spawn):
        self.ref = ref
        self.entity = None
        self.is_gone = False
        self.position = spawn["position"]
        self.world = None
        self.on_frame = lambda changes, frame: None
        self._service = service
        self._spawn = spawn

    def move(self, x, y, z=0):
        """The newest of a tick counts."""
        place = Position(x, y, z)
        if not all(-2**31 <= number <= 2**31 - 1 for number in place):
            raise ValueError(f"no place: {place}")
        self.position = place
        if not self.is_gone:
            self._service._moved[self.ref] = self

    def change(self, **fields):
        """Any field of a ChangeOne but its position: move()."""
        if not self.is_gone:
            self._service._ask_change(self, fields)

    def despawn(self):
        self._service._despawn(self)


class Player:
    """A player in the zone: who it is, and what it came in with. Where it goes from there a watcher sees."""

    def __init__(self, joined, slots):
        self.entity = joined.entity
        self.is_away = False
        self._update(joined, slots)

    def _update(self, joined, slots):
        self.kind = joined.kind
        self.position = joined.position
        self.state = slots.first() | slots.unpacked(joined.state)
        self.subject = joined.subject
        self.claims = json.loads(joined.claims or "{}")
        self.carried = joined.carried  # from another zone, as its client says
        self.request = joined.request  # of the PlayerAsks whose answer let it in; 0: there was none


class Authority(IntEnum):
    """Who says where a player's entity is; ZONE: as the zone's configuration says."""

    ZONE = 1
    CLIENT = 2
    SERVICE = 3


class Placed(NamedTuple):
    """Where players are at the end of a tick."""

    tick: int
    players: dict  # {entity: Position}
    border_stale: bool
    ticks_lost: int


class Service(Session):
    """Owns entities, orders players' about, talks with players. What is asked for goes out with the next serve(): moves,
    changes, messages and who is sent elsewhere, removals, spawns; each of them in the order in which it was asked for.
    Callbacks are set before connect(): who is in the zone already may come with the Welcome.

    Errors     What cannot be sent, a slot that the zone does not have or a text that is too long, is a ValueError of the call
               that asks for it, and harms nothing else. Of a state that is asked for before connect(), of the first serve().
    Resuming   By itself, as players do: what was spawned keeps its object, and so do players; moves are sent again. Who went
               meanwhile leaves, for the reason WHILE_AWAY. What was said to players just then may be lost. What
               was asked for meanwhile goes out then; of more than waiting_bytes_max the newest.
    """

    waiting_bytes_max = 1 << 20  # of what is asked for while there is no connection, nearly

    def __init__(self, address, name, *, token=None, tls=None, resume=True, admits=False):
        """`admits`: on_ask is called before a player comes in, where the server's `services.admission` says so, and
        admit() or refuse() answers, then or later."""
        super().__init__(address, token=token, tls=tls, resume=resume)
        self.name = name
        self.admits = admits
        self.on_ask = self.admit
        self.players = {}
        self._unlisted = {}  # known since before the newest Welcome, and not announced again
        self._returning = {}  # they were away before it, were announced again, and may be back
        self.on_join = lambda player: None
        self.on_away = lambda player, grace_ms: None
        self.on_back = lambda player: None
        self.on_leave = lambda player, reason: None
        self.on_message = lambda player, message: None
        self.on_messages_lost = lambda count: None
        self.on_move = lambda player, move: None
        self.on_positions = lambda placed: None
        self.on_refused = lambda refused: None
        self._owned = {}  # by ref
        self._by_entity = {}
        self._next_ref = 1
        self._unspawned = {}  # by ref
        self._flaw = None  # of what was asked for before it could be looked at
        self._moved = {}
        self._sent_quanta = {}  # by entity, on this connection
        self.dropped = 0  # messages and changes, asked for while there was no connection, that gave way to newer ones
        self._asked = collections.deque()  # (name of its message, item, its bytes, nearly)
        self._asked_bytes = 0
        self._despawns = []  # ids
        self._kinds = []
        self._positions = {}
        self._moves = False
        self._placed = None

    def spawn(self, position, **fields):
        """`fields` of a SpawnOne: kind, facing, layers, view, notify, importance, watches, and state: {"health": 100}."""
        owned = Owned(self, self._next_ref, self._packed({**fields, "position": Position(*position)}))
        self._check("SpawnOne", owned._spawn)
        self._owned[owned.ref] = owned
        self._unspawned[owned.ref] = owned
        self._next_ref += 1
        return owned

    def admit(self, asks, **fields):
        """Lets in who asks. `fields` of a ChangeOne, where it comes in otherwise than it asked to. While the connection is lost
        nothing is sent: the question is void."""
        self.send("AdmitPlayer", request=asks.request, given=table("ChangeOne", **self._packed(fields)))

    def refuse(self, asks, why):
        """`why`: a text for the player, of REFUSAL_BYTES_MAX in UTF-8."""
        check_count("bytes", len(why.encode()), REFUSAL_BYTES_MAX)
        self.send("AdmitPlayer", request=asks.request, refusal=why)

    def change_player(self, entity, **fields):
        """`fields` of a ChangeOne: position, facing, layers, view, notify, frames_hz, speed_percent, authority (an
        Authority), move_ack with position, and state: {"health": 100}."""
        self._ask_change(entity, fields)

    def remove_player(self, entity):
        self._ask("Despawn", entity, 8)

    def subscribe(self, *kinds):
        """Of players' messages those of these kinds come to on_message, from here on."""
        self._kinds = list(kinds)
        self._subscribe()

    def subscribe_positions(self, within=None):
        """Where players are comes to on_positions in each tick, from here on: of all, or of those who are in the circle
        `within`, (Position, radius_mm). A `Placed` has tick, players {entity: Position}, border_stale (a part of the
        server was late: some may be missing) and ticks_lost (before it, that were not read in time)."""
        self._positions = {"positions": True}
        if within is not None:
            self._positions["within"] = table("Circle", centre=within[0], radius_mm=within[1])
        self._subscribe()

    def unsubscribe_positions(self):
        self._positions = {}
        self._subscribe()

    def subscribe_moves(self, wanted=True):
        """What players ask for whose entities services move comes to on_move, from here on. Answer it by change_player
        with position and move_ack=move.seq."""
        self._moves = wanted
        self._subscribe()

    def _subscribe(self):
        self.send("Subscribe", kinds=self._kinds, moves=self._moves, **self._positions)

    def say(self, kind, payload=b"", to=None, viewers_of=None, within=None, layers=0):
        """To the players of `to`; or to whoever sees the entity `viewers_of`; or to players whose entity is in the circle
        `within`, (Position, radius_mm), and who see one of `layers`; or else to all who are in the zone. `payload` has
        MESSAGE_BYTES_MAX at most, `to` ITEMS_MAX."""
        payload = bytes(payload)
        check_count("bytes", len(payload), MESSAGE_BYTES_MAX)
        check_count("players", len(to or ()), ITEMS_MAX)
        if to is not None:
            whom = {"to": [player.entity for player in to]}
        elif viewers_of is not None:
            whom = {"to_viewers_of": _id_of(viewers_of) or 0}
        elif within is not None or layers:
            circle = within and table("Circle", centre=within[0], radius_mm=within[1])
            whom = {"within": circle, "layers": layers}
        else:
            whom = {"to_everybody": True}
        if to is None or to:
            self._ask("SendMessages", checked(table("MessageTo", kind=kind, payload=payload, **whom)),
                      len(payload) + 8 * len(to or ()) + 64)

    def send_to_zone(self, player, address, token="", carried=b""):
        """Its client goes on at `address`, with that token and what it is to carry there, MESSAGE_BYTES_MAX at most."""
        fields = {"entity": player.entity, "address": address, "token": token, "carried": bytes(carried)}
        check_count("bytes of an address", len(address.encode()), ADDRESS_BYTES_MAX)
        check_count("bytes to be carried", len(carried), MESSAGE_BYTES_MAX)
        checked(table("TransferPlayer", **fields))
        self._ask("TransferPlayer", fields, len(address) + len(token) + len(carried) + 64)

    # ---- what goes out

    def _ask_change(self, whom, fields):
        fields = self._packed(fields)
        self._check("ChangeOne", {"entity": _id_of(whom) or 0, **fields})
        self._ask("Change", (whom, fields), 64 + len(fields.get("state", b"")))

    def _check(self, name, fields):
        if self.welcome is not None:  # else the state is not packed yet
            checked(table(name, **fields))

    def _ask(self, name, item, size):
        self._asked.append((name, item, size))
        self._asked_bytes += size
        while self._asked_bytes > self.waiting_bytes_max and not self._may_send():
            self._asked_bytes -= self._asked.popleft()[2]
            self.dropped += 1

    def _take_asked(self, *names):
        """What waits for messages of these names: it waits no more."""
        taken = [one for one in self._asked if one[0] in names]
        self._asked = collections.deque(one for one in self._asked if one[0] not in names)
        self._asked_bytes -= sum(size for _, _, size in taken)
        return taken

    def send(self, name, /, **fields):
        self._before_waiting()  # in the order in which it was asked for
        return super().send(name, **fields)

    def _before_waiting(self):
        if not self._may_send():
            return
        # Nothing depends on a spawn, which has no id yet; it may need the place of what is removed, and that one's last words
        # go to those who see it.
        self._send_moves()
        ready = []
        for _, (whom, fields), size in self._take_asked("Change"):
            if _id_of(whom) is not None:
                ready.append((whom, fields))
            elif not whom.is_gone:
                self._ask("Change", (whom, fields), size)
        self._send_all("Change", self._made(ready, lambda one: table("ChangeOne", entity=_id_of(one[0]), **self._packed(one[1]))),
                       lambda some: {"entities": some})
        self._send_said()
        despawns = self._despawns + [entity for _, entity, _ in self._take_asked("Despawn")]
        self._despawns = []
        self._send_all("Despawn", despawns, lambda some: {"entities": some})
        spawns, self._unspawned = self._unspawned, {}
        self._send_all("Spawn", self._made(spawns.values(), self._spawn_one), lambda some: {"entities": some})
        flaw, self._flaw = self._flaw, None
        if flaw:
            raise flaw

    def _made(self, some, make):
        """Of all that can be sent; what is wrong with another is said when these are on their way."""
        made = []
        for one in some:
            try:
                made.append(make(one))
            except ValueError as error:
                self._flaw = self._flaw or error
        return made

    def _has_waiting(self):
        """For an id: their spawn is not answered yet."""
        return bool(self._moved or self._asked or any(owned.is_gone for owned in self._owned.values()))

    def _send_said(self):
        said = self._take_asked("SendMessages", "TransferPlayer")
        for name, some in itertools.groupby(said, key=lambda one: one[0]):
            items = [item for _, item, _ in some]
            if name == "SendMessages":
                self._send_all(name, items, lambda some: {"messages": some})
            else:
                for fields in items:
                    self._send(name, **fields)

    def _send_all(self, name, items, fields_of):
        """In as few messages as the zone's limits allow, or nearly so: a message that is too long is halved."""
        lots = [items[at:at + ITEMS_MAX] for at in reversed(range(0, len(items), ITEMS_MAX))]
        while lots:
            some = lots.pop()
            message = encode(name, **fields_of(some))
            if len(some) > 1 and len(message) - 4 > self.welcome.message_bytes_max:
                half = len(some) // 2
                lots += [some[half:], some[:half]]
            else:
                self._send_encoded(message)

    def _spawn_one(self, owned):
        fields = {**owned._spawn, "position": Position(*map(round, owned.position))}
        try:
            return checked(table("SpawnOne", ref=owned.ref, **self._packed(fields)))
        except ValueError:
            del self._owned[owned.ref]
            raise

    def _packed(self, fields):
        """With its state in the zone's slots, once these are known."""
        if self.welcome is None or not isinstance(fields.get("state"), dict):
            return fields
        return {**fields, "state": Slots(self.welcome.slots).packed(fields["state"])}

    def _send_moves(self):
        moves = []
        for owned in [owned for owned in self._moved.values() if owned.entity is not None]:
            del self._moved[owned.ref]
            place, last = self._quanta(owned.position), self._sent_quanta.get(owned.entity)
            self._sent_quanta[owned.entity] = place
            by = place if last is None else [now - then for now, then in zip(place, last)]
            moves.append((owned.entity, last is not None, *by))
        self._send_all("MoveMany", sorted(moves), lambda some: {"moves": pack_moves(some)})

    def _quanta(self, position):
        return tuple(round(number / self.welcome.quantum_mm) for number in position)

    def _despawn(self, owned):
        """What was spawned and has no id yet goes when it has one."""
        owned.is_gone = True
        if owned.entity is not None:
            self._despawns.append(owned.entity)
        if owned.entity is not None or owned.ref in self._unspawned:
            self._forget(owned)

    def _forget(self, owned):
        for known in (self._owned, self._unspawned, self._moved):
            known.pop(owned.ref, None)
        for known in (self._by_entity, self._sent_quanta):
            known.pop(owned.entity, None)
        owned.entity, owned.is_gone = None, True

    # ---- what comes in

    def _hello(self):
        return "ServiceHello", {"name": self.name, "admits": self.admits}

    def _welcomed(self, welcome, is_new):
        there = {one.ref: one.entity for one in welcome.entities}
        self._sent_quanta, self._by_entity = {}, {}
        self._unlisted, self._returning = dict(self.players), {}
        for owned in list(self._owned.values()):
            if owned.is_gone:
                self._forget(owned)
            elif owned.ref in there:
                self._spawned(owned, there.pop(owned.ref))
                self._moved[owned.ref] = owned
            elif owned.entity is not None:
                self._forget(owned)
            else:
                self._unspawned[owned.ref] = owned
        # Their Despawn was lost with its connection.
        self._despawns += [entity for entity in there.values() if entity not in self._despawns]
        self._placed = None
        if self._kinds or self._positions or self._moves:
            self._subscribe()
        if not welcome.resumed:
            self._end_list()

    def _spawned(self, owned, entity):
        owned.entity = entity
        self._by_entity[entity] = owned
        is_kept = self.welcome.resumed and owned.world is not None and owned.world.own == entity and owned.world.fits(self.welcome)
        if owned._spawn.get("watches") and not is_kept:  # else a keyframe comes, which gives the difference
            owned.world = World(self.welcome.quantum_mm, Slots(self.welcome.slots), entity)

    def _take(self, message):
        handler = getattr(self, "_take_" + message.type, None)
        if handler is None:
            raise ProtocolError(f"a {message.type} to a service")
        handler(message)

    def _take_Spawned(self, message):
        for one in message.entities:
            owned = self._owned[one.ref]
            if owned.is_gone:
                self._despawns.append(one.entity)
                self._forget(owned)
            else:
                self._spawned(owned, one.entity)

    def _take_Frame(self, frame):
        owned = self._by_entity.get(frame.watcher)
        if owned is not None:
            owned.on_frame(owned.world.apply(frame), frame)

    def _take_PlayerJoined(self, joined):
        slots, known = Slots(self.welcome.slots), self.players.get(joined.entity)
        if known is None:
            player = self.players[joined.entity] = Player(joined, slots)
            self.on_join(player)
            return
        known._update(joined, slots)
        self._unlisted.pop(known.entity, None)
        if known.is_away:
            self._returning[known.entity] = known

    def _take_PlayersListed(self, _):
        self._end_list()

    def _end_list(self):
        """All who are there were announced."""
        gone, back = list(self._unlisted.values()), list(self._returning.values())
        self._unlisted, self._returning = {}, {}
        for player in gone:
            del self.players[player.entity]
        for player in back:
            player.is_away = False
        for player in gone:
            self.on_leave(player, WHILE_AWAY)
        for player in back:
            self.on_back(player)

    def _take_PlayerAsks(self, asks):
        self.on_ask(asks)

    def _take_PlayerAway(self, away):
        player = self.players[away.entity]
        if self._returning.pop(away.entity, None) is None:
            player.is_away = True
            self.on_away(player, away.grace_ms)

    def _take_PlayerBack(self, back):
        player = self.players[back.entity]
        self._returning.pop(back.entity, None)
        player.is_away = False
        player.claims = json.loads(back.claims or "{}")
        self.on_back(player)

    def _take_PlayerLeft(self, left):
        for some in (self._unlisted, self._returning):
            some.pop(left.entity, None)
        self.on_leave(self.players.pop(left.entity), left.reason)

    def _take_PlayerMessage(self, message):
        self.on_message(self.players[message.entity], message)

    def _take_MessagesLost(self, lost):
        self.on_messages_lost(lost.count)

    def _take_PlayerMove(self, move):
        self.on_move(self.players[move.entity], move)

    def _take_Positions(self, part):
        if self._placed is None or self._placed.tick != part.tick:
            self._placed = Placed(part.tick, {}, part.border_stale, part.ticks_lost)
        entity = part.first
        for one in part.players:
            entity += one.step
            self._placed.players[entity] = one.position
        if len(self._placed.players) > PLAYERS_MAX:
            raise ProtocolError(f"more than {PLAYERS_MAX} players in one tick")
        if not part.has_more:
            placed, self._placed = self._placed, None
            self.on_positions(placed)

    def _take_CommandRefused(self, refused):
        if refused.command == _SPAWN and refused.ref in self._owned:
            self._forget(self._owned[refused.ref])
        self.on_refused(refused)


_SPAWN = 14  # the type of that message


def _id_of(whom):
    return whom.entity if isinstance(whom, Owned) else whom
