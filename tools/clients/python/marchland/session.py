"""What a player's and a service's sessions have in common, and a player's session."""

import collections
import copy
import random
import re
import select
import socket
import ssl
import time
from typing import NamedTuple

from marchland.codec import (MESSAGE_BYTES_MAX, STILL, Position, ProtocolError, Slots, Splitter, check_count, checked, decode,
                             encode, table)
from marchland.own_way import OwnWay
from marchland.world import World

PROTOCOL_MAJOR, PROTOCOL_MINOR = 3, 2

_STOPPING = 11
# Codes of docs/wire_format.md after which to resume: the entity is still there, or may be again when the server is. So it is after
# 2 and 6, but who sent too much would do so again: the program decides, with `resumption`.
_LOST_CODES = {8, 9, _STOPPING}
# After which a zone to which a player is sent may let it in a little later: it is full, begins just now, or overloaded.
_BUSY_CODES = {10, _STOPPING, 19}
_RESUME_REFUSED = 15
# As many messages as a second allows go in this time: what is held up on its way comes closer together.
MESSAGES_IN_S = 1.25
# Of another zone; WebSocket is not spoken.
_ADDRESS = re.compile(r"(?:(tcp|tls)://)?([^/]+):(\d+)")


class ServerError(Exception):
    """The server closed the connection, and said why."""

    def __init__(self, code, text):
        super().__init__(f"error {code}: {text}")
        self.code = code


class ConnectionLost(Exception):
    """The network did, or the server said nothing any more."""


class Resumption(NamedTuple):
    """With what a player's session is resumed, also by another process. Who has it has the session."""

    resume_token: bytes  # of the newest Welcome
    address: str = ""  # where the game sent the player, with the scheme; empty: the zone that it joined
    token: str = ""  # that the game sent it there with, if any


class Session:
    """A connection that is resumed, to be used as Client or Service.

        connect() -> serve() ... serve() -> leave()      serve() raises what ended the session

    Threads   None, and nothing happens but in calls. For many sessions at once: wait for fileno() with a selector of
              your own, and serve(0) those that are readable, and all of them some times a second.
    Callbacks may call all but connect(): serve(), ping() and leave(), too. What one raises comes out of serve(), and is the end.
    Bounds    unsent_bytes_max waits for a server that does not read; with more the connection is lost.
    """

    connect_s_max = 5.0
    welcome_s_max = 10.0
    retry_s = 0.5  # then twice as long each time, up to retry_s_max, a half more or less by chance
    retry_s_max = 4.0
    # A zone that keeps its state loses everybody in one moment when it restarts: they wait a random part of this once, before
    # the first attempt where the server said that it stops, else after it.
    restart_spread_s = 3.0
    steady_s = 5.0  # who is lost sooner after a Welcome goes on with the waits of before
    ping_every_s = 5.0
    silence_s_max = 10.0  # a server that says nothing for so long is lost: it sends a frame every second
    unsent_bytes_max = 16 << 20

    def __init__(self, address, *, token=None, tls=None, resume=True):
        """`address` is (host, port). `token` is a text, or a function that is asked before each connection. `tls` is
        an ssl.SSLContext."""
        self.on_lost = lambda why: None
        self.on_resumed = lambda: None
        self.on_transferred = lambda: None  # the player is in another zone: all that is known is that one's
        self.welcome = None
        self._zone, self._token, self._trust = (address, tls), token, tls
        self._may_resume = resume
        self._socket = None
        self._poll = None
        self._unsent = bytearray()
        self._splitter = None
        self._welcome_by = None  # until it came
        self._received_at = self._spoke_at = self._pinged_at = self._welcomed_at = 0.0
        self._is_left = False
        self._lost_because = None
        self._retry_at = self._give_up_at = 0.0
        self._waits = None  # before the next attempts
        self._next_nonce = 1
        self._pongs = {}
        self._next_zone = None  # that the player is sent to: its (host, port), and the SSLContext, or None for plain TCP
        self._resume_token = b""  # to be shown in the next Hello
        self._resumption = None  # for connect()
        self._elsewhere = "", ""  # where the game sent the player, and with which token

    # ---- what a player's and a service's sessions are made of

    def _hello(self):
        """The first message: its name, and its fields without version and token."""
        raise NotImplementedError

    def _welcomed(self, welcome, is_new):
        """`is_new`: no session was to be resumed, though an entity may have been there."""
        raise NotImplementedError

    def _take(self, message):
        raise NotImplementedError

    def _before_waiting(self):
        """Sends what was asked for since the last call."""

    def _has_waiting(self):
        """Is there more of that, which cannot go out yet?"""
        return False

    # ---- for callers

    def connect(self):
        """Connects, and waits for the Welcome. Raises a ServerError, ProtocolError, ConnectionLost or OSError."""
        resumption, zone, token = self._resumption, self._zone, self._token
        if resumption is not None:
            if resumption.address:
                self._go_to(resumption.address, resumption.token)
                self._zone = self._next_zone
            try:
                return self._join(resumption.resume_token)
            except ServerError as why:
                if why.code != _RESUME_REFUSED:
                    raise
            finally:
                if self.welcome is None:
                    self._zone, self._token, self._elsewhere = zone, token, ("", "")
            self._resumption = None
        return self._join()

    def serve(self, seconds=0.0, until=lambda: False):
        """Sends what waits, takes what comes, and resumes what is lost, for so long or until() is true; says which.
        Raises what ended the session."""
        deadline = time.monotonic() + seconds
        self._before_waiting()
        while not until():
            self._step(deadline)
            self._before_waiting()
            if self._is_left or time.monotonic() >= deadline:
                return until()
        return True

    def ping(self):
        """The round trip in seconds; None: the connection was lost meanwhile. What was asked for before is taken in
        then."""
        began = time.monotonic()
        return time.monotonic() - began if self._pong() else None

    def wait_until_safe(self, seconds=10.0):
        """Until what was asked for before would survive a crash of the server; serves meanwhile. False: not in time, the
        connection was lost, or the zone keeps no state."""
        deadline, connection = time.monotonic() + seconds, self._socket
        self.serve(seconds, until=lambda: connection is None or self._socket is not connection or not self._has_waiting())
        first = newest = self._pong()
        while newest and newest.safe_tick < first.tick + 2:
            if time.monotonic() >= deadline:
                return False
            self.serve(0.1)
            newest = self._pong()
        return newest is not None and self._socket is connection

    def request_keyframe(self):
        self.send("KeyframeRequest")

    def send(self, name, /, **fields):
        """Any other message; nothing is sent while the connection is lost: False."""
        if not self._may_send():
            return False
        self._send(name, **fields)
        return True

    def fileno(self):
        """Changes when the session is resumed; -1 while it is lost."""
        return -1 if self._socket is None else self._socket.fileno()

    def leave(self):
        """Leaves the zone, and waits for the end of the stream. Nothing is resumed any more, nor followed elsewhere."""
        if self._is_left:
            return
        self._before_waiting()
        self._is_left = True
        if self.send("Leave"):
            deadline = time.monotonic() + self.connect_s_max
            while self._socket is not None and time.monotonic() < deadline:
                self._step(deadline)
        self._end()

    def cut(self):
        """Drops the connection as a broken line does: the session is lost, and resumed by serve()."""
        self._lose(ConnectionLost("cut"))

    # ---- the connection

    def _join(self, resume_token=b""):
        self._end()
        self.welcome = self._waits = None
        self._resume_token = resume_token
        self._is_left = False
        self._open()
        while self._welcome_by is not None:
            self._step(self._welcome_by)
        return self.welcome

    def _open(self):
        token = self._token() if callable(self._token) else self._token
        address, tls = self._zone
        try:
            raw = socket.create_connection(address, timeout=self.connect_s_max)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = raw if tls is None else tls.wrap_socket(raw, server_hostname=address[0])
        except OSError as why:
            self._lose(why)
            return
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._unsent.clear()
        self._splitter = Splitter()
        self._received_at = time.monotonic()
        self._welcome_by = self._received_at + self.welcome_s_max
        name, fields = self._hello()
        if token is not None:
            fields["token"] = token
        if self._resume_token:
            fields["resume_token"] = self._resume_token
        self._send(name, protocol_major=PROTOCOL_MAJOR, protocol_minor=PROTOCOL_MINOR, **fields)

    def _close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket = self._splitter = self._welcome_by = None
        pongs, self._pongs = self._pongs, {}
        for answered in pongs.values():
            answered(None)

    def _end(self):
        self._close()
        self._lost_because = self._next_zone = None

    def _may_send(self):
        return self._socket is not None and self._welcome_by is None

    def _send(self, name, /, **fields):
        self._send_encoded(encode(name, **fields))

    def _send_encoded(self, message):
        if len(self._unsent) <= self.unsent_bytes_max:  # else the next step takes the connection for lost
            self._unsent += message
        self._spoke_at = time.monotonic()
        self._flush()

    def _pong(self):
        """The answer to a Ping that is sent now; None: the connection was lost meanwhile."""
        self._before_waiting()
        answered = []
        self._send_ping(answered.append)
        self.serve(self.silence_s_max, until=lambda: answered)
        return answered[0] if answered else None

    def _send_ping(self, answered):
        if not self.send("Ping", nonce=self._next_nonce):
            answered(None)
            return
        self._pinged_at = time.monotonic()
        self._pongs[self._next_nonce] = answered
        self._next_nonce += 1

    def _flush(self):
        try:
            while self._unsent:
                del self._unsent[:self._socket.send(self._unsent)]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        except OSError:
            pass  # the next read says what is wrong

    def _step(self, deadline):
        """Waits until something happens, or the deadline; takes what came."""
        try:
            if self._socket is None:
                self._try_again(deadline)
            elif not self._take_whole(b""):  # what came already, where a callback serves
                self._wait_and_take(deadline)
        except Exception:
            self._end()
            raise

    def _wait_and_take(self, deadline):
        try:
            some = self._wait_and_read(deadline)
        except (ConnectionLost, OSError) as why:  # what callbacks raise is not caught
            self._lose(why)
            return
        self._take_whole(some)
        now = time.monotonic()
        if self._socket is None:
            return
        if self._welcome_by is not None and now >= self._welcome_by:
            self._lose(ConnectionLost("no Welcome in time"))
        elif now - self._received_at >= self.silence_s_max:
            self._lose(ConnectionLost("the server says nothing any more"))
        elif self._welcome_by is None and now >= self._ping_at():
            self._send_ping(lambda pong: None)

    def _ping_at(self):
        """Where nothing was sent, or nothing received, for some time; but not again before there can be an answer."""
        return max(min(self._spoke_at, self._received_at), self._pinged_at) + self.ping_every_s

    def _wait_and_read(self, deadline):
        if len(self._unsent) > self.unsent_bytes_max:
            raise ConnectionLost("the server does not read")
        until = min(deadline, self._welcome_by or self._ping_at(), self._received_at + self.silence_s_max)
        events = select.POLLIN | (select.POLLOUT if self._unsent else 0)
        self._poll.register(self._socket, events)
        wait_ms = 0 if isinstance(self._socket, ssl.SSLSocket) and self._socket.pending() else \
            max(0.0, until - time.monotonic()) * 1000
        if not self._poll.poll(wait_ms) and wait_ms > 0:
            return b""
        self._flush()
        try:
            some = self._socket.recv(1 << 18)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return b""
        if not some:
            raise ConnectionLost("the server closed the connection")
        self._received_at = time.monotonic()
        return some

    def _take_whole(self, some):
        """True: there was a message."""
        splitter, is_any = self._splitter, False
        for message in splitter.push(some):
            is_any = True
            body = decode(message)
            if body is None:
                continue
            if body.type == "Error":
                self._lose(ServerError(body.code, body.text))
            else:
                self._on_message(body)
            if self._splitter is not splitter:  # nothing behind it counts
                break
        return is_any

    def _on_message(self, message):
        if message.type in ("Welcome", "ServiceWelcome") and self._welcome_by is not None:
            self._welcome_by, self._welcomed_at = None, time.monotonic()
            is_first, is_elsewhere = self.welcome is None, self._next_zone is not None
            self.welcome = message
            self._resume_token, self._resumption = message.resume_token, None
            self._lost_because = self._next_zone = None
            self._welcomed(message, is_first or is_elsewhere)
            if is_elsewhere:
                self.on_transferred()
            elif not is_first:
                self.on_resumed()
        elif message.type == "Pong":
            self._pongs.pop(message.nonce, lambda pong: None)(message)
        else:
            self._take(message)

    # ---- resuming, and going on elsewhere

    def _go_to(self, address, token):
        """Once the server has closed: where the first is of these addresses that can be spoken."""
        found = next(filter(None, map(_ADDRESS.fullmatch, address.split(" "))), None)
        if found is None:
            raise ProtocolError(f"sent to {address}, but this library can speak tcp://, tls:// and HOST:PORT alone")
        scheme, host, port = found.groups()
        if scheme == "tls":
            self._trust = self._trust or ssl.create_default_context()
        tls = {"tcp": None, "tls": self._trust, None: self._zone[1]}[scheme]
        self._next_zone = (host.strip("[]"), int(port)), tls
        self._token = token or self._token
        # With the scheme: who resumes may come to the first zone by another one.
        self._elsewhere = f"{'tcp' if tls is None else 'tls'}://{host}:{port}", token or self._elsewhere[1]

    def _lose(self, why):
        """Plans to resume, or to go on elsewhere, or raises what ended the session."""
        self._close()
        if self._is_left:
            return
        now, code, is_sent = time.monotonic(), getattr(why, "code", None), self._next_zone is not None
        if self._lost_because is not None:
            is_no_use = code not in {None, *_BUSY_CODES} if is_sent else code == _RESUME_REFUSED
            if now < self._give_up_at and not is_no_use:
                self._plan_attempt(now)
                return
        elif is_sent or self._may_be_resumed(code):
            self._lost_because = why
            grace_ms = max(self.welcome.resume_grace_ms, self.welcome.restart_grace_ms) if self._may_resume else 0
            self._give_up_at = now + grace_ms / 1000
            if is_sent:  # as one that begins: nothing of the zone before counts
                self._zone, self._resume_token, self._waits = self._next_zone, b"", None
            if self._waits is None or now - self._welcomed_at >= self.steady_s:
                self._waits = self._waits_after(code)
            self._plan_attempt(now)
            if not is_sent:
                self.on_lost(why)
            return
        self._end()
        raise why

    def _may_be_resumed(self, code):
        is_lost = code is None or code in _LOST_CODES
        return is_lost and self._may_resume and self.welcome is not None and bool(self.welcome.resume_token)

    def _plan_attempt(self, now):
        self._retry_at = min(now + next(self._waits), self._give_up_at)

    def _waits_after(self, code):
        # Who is sent elsewhere, which is without a resume token, comes alone.
        may_restart = bool(self._resume_token) and self.welcome.restart_grace_ms > 0
        if not (may_restart and code == _STOPPING):
            yield 0
        if may_restart:
            yield self.restart_spread_s * random.random()
        wait_s = self.retry_s
        while True:
            yield wait_s * (0.5 + random.random())
            wait_s = min(2 * wait_s, max(wait_s, self.retry_s_max))

    def _try_again(self, deadline):
        if self._lost_because is None:
            raise ConnectionLost("not connected")
        now = time.monotonic()
        if now < self._retry_at:
            time.sleep(max(0.0, min(self._retry_at, deadline) - now))
        if time.monotonic() >= self._retry_at:
            self._open()


class Client(Session):
    """A player's session: says Hello, keeps who is seen in `world`, answers corrections, pings, and resumes when the
    connection is lost. A frame is in the world before anything is called for it."""

    def __init__(self, address, *, token=None, tls=None, resume=True, resumption=None, **hello):
        """`hello`: fields of the Hello, kind, spawn, view, state (packed: Slots.packed), facing and carried. `resumption`:
        connect() resumes that session (`resumed` of its Welcome), and joins anew where the zone refuses its resume token."""
        super().__init__(address, token=token, tls=tls, resume=resume)
        self._resumption = resumption
        self.on_enter = lambda seen: None
        self.on_move = lambda seen: None
        self.on_state = lambda seen: None
        self.on_own_state = lambda state: None
        self.on_leave = lambda seen, reason: None
        self.on_message = lambda kind, payload, source: None  # source: to whoever sees that entity, else 0
        self.on_messages_lost = lambda: None
        self.on_frame = lambda changes, frame: None
        self.on_correction = lambda position: None
        self.on_notice = lambda text, stops_in_ms: None
        self.world = None
        self.position = None
        self._hello_fields = hello
        self._seq = self._correction_seen = 0
        self._way = self._facing = None
        self._timed = None  # of this connection's newest frame that said when its tick was due: tick and time
        self._newest_view = None  # that the server may not have been sent
        self._frames_hz = 0
        self._unconfirmed = collections.deque()  # [number, kind, payload]
        self._newest_message = 0
        self._is_confirming = False
        self._sent_at = collections.deque()  # messages on this connection, of the last MESSAGES_IN_S

    @property
    def entity(self):
        return self.welcome.entity

    @property
    def resumption(self):
        """For a later Client, also in another process: to be kept after each Welcome (connect(), on_resumed,
        on_transferred), with the address that it was given, and to be kept secret. None: the zone resumes none."""
        is_there = self.welcome is not None and self._next_zone is None
        return Resumption(self._resume_token, *self._elsewhere) if is_there and self._resume_token else None

    def move(self, x, y, z=0, facing=None):
        """Says where the entity is now; returns the move's seq. More than one a tick is pointless."""
        self._way.put(Position(x, y, z))
        self._send_move(Position(x, y, z), facing)
        return self._seq

    def step(self, x, y, z=0, facing=None):
        """The same where the server goes on by itself (the Welcome's prediction_error_mm), with fewer moves: to be called
        once in every tick, also while the entity stands. A move is sent, with a velocity, when what the server expects is
        wrong by more than that bound, or ends. Others see the entity within twice the bound. False: none was needed."""
        if facing not in (None, self._facing):
            self._way.forget()
        self.position = Position(x, y, z)
        velocity = self._way.step(self.position)
        if velocity is None:
            return False
        if not self._send_move(self.position, facing, velocity):
            self._way.forget()
        return True

    def _send_move(self, position, facing, velocity=STILL):
        self.position = position
        self._facing = self._facing if facing is None else facing
        self._seq = (self._seq + 1) % 2**32
        return self.send("Move", seq=self._seq, position=position, facing=facing, correction_seen=self._correction_seen,
                         velocity=None if velocity == STILL else table("Velocity", **velocity._asdict()))

    def set_view(self, view):
        """Also while the connection is lost: it is said when it is back, and again until the server has read it."""
        self._newest_view = copy.copy(view)  # an object of its own: a Ping confirms the one that was the newest
        self.send("SetView", view=view)

    def set_frame_rate(self, hz):
        """No more frames a second than that, also after a resume; 0: as many as the server gives."""
        encode("SetFrameRate", frames_hz=hz)  # what cannot be said is this call's error, and is not kept
        self._frames_hz = hz
        self.send("SetFrameRate", frames_hz=hz)

    def set_state(self, **state):
        """Slots of the own entity, by name: those whose writer is the player."""
        self.send("SetState", state=Slots(self.welcome.slots).packed(state))

    def say(self, kind, payload=b""):
        """To the game's services, where the Welcome's `messages` allow it: in order and each once, also over a resume.
        False: as many as a second allows went just now, or are on their way. A ValueError where the payload is longer than
        MESSAGE_BYTES_MAX, or than the Welcome's `messages` allow."""
        payload, limits = bytes(payload), self.welcome.messages
        checked(table("SendMessage", kind=kind, payload=payload))
        check_count("bytes", len(payload), min(MESSAGE_BYTES_MAX, limits.bytes_max) if limits else MESSAGE_BYTES_MAX)
        count_max = limits.per_second_max if limits else 0
        while self._sent_at and self._sent_at[0] + MESSAGES_IN_S < time.monotonic():
            self._sent_at.popleft()
        has_room = max(len(self._unconfirmed), len(self._sent_at)) < count_max
        if has_room:
            self._newest_message += 1
            self._unconfirmed.append([self._newest_message, kind, payload])
            self._send_message(self._unconfirmed[-1])
        if 2 * len(self._unconfirmed) > count_max and not self._is_confirming:
            self._is_confirming = True
            self._send_ping(self._end_confirming)
        return has_room

    def _end_confirming(self, _):
        self._is_confirming = False

    def _send_ping(self, answered):
        """What was said before it is taken in when it is answered."""
        newest, view = self._newest_message, self._newest_view

        def confirm(pong):
            if pong is not None:
                self._confirm(newest)
                self._newest_view = None if self._newest_view is view else self._newest_view
            answered(pong)

        super()._send_ping(confirm)

    def _send_message(self, message):
        number, kind, payload = message
        self._sent_at.append(time.monotonic())
        self.send("SendMessage", number=number, kind=kind, payload=payload)

    def _confirm(self, newest):
        while self._unconfirmed and self._unconfirmed[0][0] <= newest:
            self._unconfirmed.popleft()

    def _join(self, resume_token=b""):
        self._unconfirmed.clear()  # of the session before, if there was one
        self._newest_view = None
        return super()._join(resume_token)

    def _hello(self):
        is_new = self.welcome is None or self._next_zone is not None
        return "Hello", {"reads_ranks": True} | (self._hello_fields if is_new else {"last_tick": self.world.tick})

    def _welcomed(self, welcome, is_new):
        self._correction_seen = 0
        self._timed = None
        self._way = OwnWay(welcome)
        is_kept = welcome.resumed and not is_new
        if not is_kept or not self.world.fits(welcome):
            self.world = World(welcome.quantum_mm, Slots(welcome.slots), welcome.entity)
        self.position = self.position if is_kept else welcome.spawn
        if self._newest_view is not None:
            self.set_view(self._newest_view)
        if self._frames_hz != 0:
            self.set_frame_rate(self._frames_hz)  # it holds for a connection
        # A server that crashed may know fewer.
        self._confirm(welcome.message_number)
        self._newest_message = welcome.message_number
        self._sent_at.clear()
        for message in self._unconfirmed:
            self._newest_message += 1
            message[0] = self._newest_message
            self._send_message(message)

    def _take(self, message):
        if message.type == "Notice":
            self.on_notice(message.text, message.stops_in_ms)
        elif message.type == "Transfer":
            # Where it begins there, that zone decides. What was said and not confirmed is lost.
            self._hello_fields["carried"] = message.carried
            self._hello_fields.pop("spawn", None)
            self._unconfirmed.clear()
            self._newest_view = None
            self._go_to(message.address, message.token)
        elif message.type == "Frame":
            self._take_frame(message)
        else:
            raise ProtocolError(f"a {message.type} while playing")

    def _take_frame(self, frame):
        if frame.server_time_us != 0:
            self._timed = frame.tick, frame.server_time_us
        elif self._timed is not None:
            tick, us = self._timed
            frame.server_time_us = us + (frame.tick - tick) * 1_000_000 // max(1, self.welcome.tick_rate_hz)
        changes = self.world.apply(frame)
        # A keyframe has the number that holds already: moves that were sent since are made after it.
        if frame.correction is not None and frame.correction.number != self._correction_seen:
            self._correction_seen = frame.correction.number
            self.position = frame.correction.position
            self._way.put(None)
            self.on_correction(self.position)
        for seen, reason in changes.left:
            self.on_leave(seen, reason)
        for seen in changes.entered:
            self.on_enter(seen)
        for seen in changes.moved:
            self.on_move(seen)
        for seen in changes.changed:
            self.on_state(seen)
        if changes.is_own_changed:
            self.on_own_state(self.world.own_state)
        if frame.messages_lost:
            self.on_messages_lost()
        for message in frame.messages:
            self.on_message(message.kind, message.payload, message.source)
        self.on_frame(changes, frame)
