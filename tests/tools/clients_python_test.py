"""The Python library beyond the conformance suite: clients_python_test.py SERVER DOCUMENT, with it on PYTHONPATH."""
import contextlib
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

from marchland import (WHILE_AWAY, Client, ConnectionLost, Position, ProtocolError, ServerError, Service, World, codec, own_way,
                       table)

SERVER, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv.pop(2)).read_text()


class ListeningServer:
    """A server by script: for each connection one function of the list, which has the socket."""

    def __init__(self, *scripts):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.accepted_at = []
        self.thread = threading.Thread(target=self.run, args=[scripts], daemon=True)
        self.thread.start()

    def run(self, scripts):
        for script in scripts:
            connection, _ = self.listener.accept()
            self.accepted_at.append(time.monotonic())
            with connection, contextlib.suppress(ConnectionError):
                script(connection)

    def end(self):
        self.thread.join()
        self.listener.close()


def messages_of(connection):
    """What comes, to the end of the stream."""
    splitter = codec.Splitter()
    while some := connection.recv(4096):
        yield from map(codec.decode, splitter.push(some))


def hello_of(connection):
    """Or another message, where nothing else comes close behind it."""
    return next(messages_of(connection))


def welcome(**fields):
    at = Position(0, 0)
    fields = {"entity": 1, "resume_token": b"t", "resume_grace_ms": 60000, **fields}
    return codec.encode("Welcome", tick_rate_hz=20, world_min=at, world_max=at, spawn=at,
                        view=table("View"), **fields)


def service_welcome(*entities, **fields):
    at = Position(0, 0)
    return codec.encode("ServiceWelcome", tick_rate_hz=20, world_min=at, world_max=at, resume_token=b"t", resume_grace_ms=60000,
                        entities=[table("SpawnedOne", ref=ref, entity=entity) for ref, entity in entities],
                        **{"message_bytes_max": 1 << 18, **fields})


def spawned(spawn):
    """Whose id is their ref and 10."""
    return codec.encode("Spawned", entities=[table("SpawnedOne", ref=one.ref, entity=10 + one.ref) for one in spawn.entities])


def joins(entity, **fields):
    return codec.encode("PlayerJoined", entity=entity, position=Position(0, 0), **fields)


LISTED = codec.encode("PlayersListed")


def says(*messages):
    """A script: to whoever said Hello."""
    return lambda connection: (hello_of(connection), connection.sendall(b"".join(messages)))


def keeps(said, **answers):
    """A script: takes down what is said, until somebody leaves, and answers messages of these types."""
    def script(connection):
        for message in messages_of(connection):
            said.append(message)
            if message.type == "Leave":
                return
            answer = answers.get(message.type, b"")
            connection.sendall(answer(message) if callable(answer) else answer)

    return script


def pong(ping, **fields):
    return codec.encode("Pong", nonce=ping.nonce, **fields)


def frame(tick, **fields):
    return codec.encode("Frame", tick=tick, **fields)


def decoded(tick, **fields):
    return codec.decode(frame(tick, **fields))


STOPPING, FULL, TRANSFERRED, OVERLOADED = (codec.encode("Error", code=code, text="") for code in (11, 10, 20, 19))


class Documents(unittest.TestCase):
    def test_the_example_walks_and_leaves(self):
        program = re.search(r"^## Python\n.*?^```python\n(.*?)^```$", DOCUMENT, re.S | re.M)[1]
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "zone.toml"
            config.write_text("[server]\nport = 0\n")
            server = subprocess.Popen([SERVER, "--config", config], stderr=subprocess.PIPE, text=True)
            port = next(found[1] for line in server.stderr if (found := re.search(r"listening on .*:(\d+)$", line)))
            done = subprocess.run([sys.executable, "-B", "-c", program, port], capture_output=True, text=True)
            server.terminate()
            server.communicate()
        self.assertEqual((done.stdout, done.stderr), ("I am 1, and see 0 others\n", ""))


class Streams(unittest.TestCase):
    def test_messages_are_the_same_however_the_stream_is_cut(self):
        stream = codec.encode("Ping", nonce=7) + codec.encode("Leave") + codec.encode("Error", code=3, text="ä")
        for size in range(1, len(stream) + 1):
            splitter = codec.Splitter()
            found = [codec.decode(message) for at in range(0, len(stream), size)
                     for message in splitter.push(stream[at:at + size])]
            self.assertEqual([it.type for it in found], ["Ping", "Leave", "Error"])
            self.assertEqual(found[2].text, "ä")

    def test_who_takes_more_out_of_a_stream_while_it_has_a_message_gets_none_twice(self):
        splitter, stream, found = codec.Splitter(), b"".join(codec.encode("Ping", nonce=nonce) for nonce in (1, 2, 3)), []
        for message in splitter.push(stream):
            found.append(codec.decode(message).nonce)
            found += [codec.decode(other).nonce for other in splitter.push(b"")]
        self.assertEqual(found, [1, 2, 3])

    def test_what_is_no_message_is_a_protocol_error(self):
        for wrong in (bytes(8), bytes([4, 0, 0, 0, 255, 255, 255, 255]), b"\x01\0\0\0\0"):
            self.assertRaises(ProtocolError, codec.decode, wrong)
        self.assertRaises(ProtocolError, list, codec.Splitter(10).push(bytes([11, 0, 0, 0])))
        for wrong in (b"\x80", b"\x80\0\0\0", b"\x01\0\0", b"\x08\0\0\0\0\0", b"\x08\0", b"\x0c\0\0\0\0"):
            self.assertRaises(ProtocolError, list, codec.unpack_moves(wrong))

    def test_moves_are_packed_and_unpacked(self):
        moves = [(7, True, 250, -3, 0, 0, 0, 0), (9, True, 0, 0, -40, 0, 0, 0),
                 (300, False, 12345, -70000, 0, 70, 0, 0), (2**60, True, -1, 2**31, 5, 0, 0, -1)]
        self.assertEqual(codec.pack_moves(moves[:3]).hex(), "38f403051200004f9f12f2c001dfc508008c010000")
        self.assertEqual(list(codec.unpack_moves(codec.pack_moves(moves))), moves)

    def test_moves_are_named_by_rank_among_those_who_are_seen_after_leaves_and_enters(self):
        def enter(entity):
            return table("Entered", entity=entity, position=Position(entity, 0))

        world = World()
        world.apply(decoded(5, enters=[enter(3), enter(7), enter(9)]))
        by_rank = codec.pack_moves([(1, True, 100, 0, 0)])
        world.apply(decoded(6, leaves=[table("Left", entity=3, reason=1)], enters=[enter(8)], moves=b"\1" + codec.pack_moves([(2, True, 100, 0, 0)])))
        world.apply(decoded(7, moves=b"\1" + by_rank))
        self.assertEqual([(seen.entity, seen.position.x) for seen in world], [(7, 7), (9, 109), (8, 108)])
        self.assertRaises(ProtocolError, world.apply, decoded(8, moves=b"\1" + codec.pack_moves([(3, True, 1, 0, 0)])))

    def test_a_keyframe_is_the_difference_to_what_was_known(self):
        def entered(entity, x=0, velocity=None):
            return table("Entered", entity=entity, position=Position(x, 0), velocity=velocity)

        def ids(seen):
            return sorted(one.entity for one in seen)

        walks = Position(5, 0, 0)
        world = World()
        world.apply(decoded(5, enters=[entered(1), entered(2), entered(3), entered(4, velocity=walks)]))
        stands, moves, leaves, goes_on = (world[entity] for entity in (1, 2, 3, 4))
        changes = world.apply(decoded(7, is_keyframe=True, enters=[
            entered(1), entered(2, 8), entered(4, 10, walks), entered(5)]))
        self.assertEqual((ids(changes.entered), ids(changes.moved), changes.changed, changes.left), ([5], [2, 4], [], [(leaves, 0)]))
        self.assertEqual([(moves.position.x, moves.moved_tick), (goes_on.position.x, goes_on.moved_tick), stands.moved_tick],
                         [(8, 7), (10, 7), 7])  # it tells where all of them are
        for one in (stands, moves, goes_on):
            self.assertIs(world[one.entity], one)

    def test_a_keyframe_tells_the_own_state_where_it_is_another_than_before(self):
        slots = codec.Slots([table("StateSlot", name="health")])
        world = World(slots=slots, own=99)

        def applied(tick, **state):
            states = b"\x63" + slots.packed(state) if state else b""
            changes = world.apply(decoded(tick, is_keyframe=True, states=states))
            return changes.is_own_changed, world.own_state["health"]

        self.assertEqual([applied(1), applied(2, health=5), applied(3, health=5), applied(4)],
                         [(False, 0), (True, 5), (False, 5), (True, 0)])

    def test_a_frame_that_does_not_fit_is_a_protocol_error(self):
        def enter(entity):
            return table("Entered", entity=entity, position=Position(1, 2))

        world = World()
        world.apply(decoded(5, enters=[enter(3)]))
        for wrong in (decoded(5), decoded(6, enters=[enter(3)]), decoded(6, moves=codec.pack_moves([(4, True, 1, 1, 0)])),
                      decoded(6, leaves=[table("Left", entity=4, reason=1)]), decoded(6, moves=codec.pack_moves([(3, True, 0, 2**31 - 2, 0)])),
                      decoded(6, moves=codec.pack_moves([(3, False, -2**31 - 1, 0, 0)]))):
            self.assertRaises(ProtocolError, world.apply, wrong)

    def test_a_value_of_another_type_than_its_slots_is_a_protocol_error(self):
        kinds = 0, 1, 2
        values = 5, 1.5, b"look"
        for declared in kinds:
            slots = codec.Slots([types.SimpleNamespace(name="it", type=declared, bytes_max=9)])
            for sent, value in zip(kinds, values):
                packed = codec.Slots([types.SimpleNamespace(name="it", type=sent, bytes_max=9)]).packed({"it": value})
                if sent == declared:
                    self.assertEqual(slots.unpacked(packed), {"it": value})
                else:
                    self.assertRaises(ProtocolError, slots.unpacked, packed)


class OwnWay(unittest.TestCase):
    """The same cases as of the C++ library."""

    def way(self, error_mm=50, ticks_max=10, quantum_mm=1):
        """In a zone of 20 ticks a second."""
        return own_way.OwnWay(types.SimpleNamespace(
            prediction_error_mm=error_mm, prediction_ms_max=50 * ticks_max, tick_rate_hz=20, quantum_mm=quantum_mm))

    def said(self, places, way=None, **zone):
        """What is said in each tick by one that walks to these places along x."""
        way = way or self.way(**zone)
        return [velocity and velocity.x for velocity in (way.step((x, 0, 0)) for x in places)]

    def test_it_is_said_in_each_tick_where_every_move_is_sent(self):
        self.assertEqual(self.said([0, 70, 70], error_mm=0), [0, 0, 0])

    def test_it_is_said_when_it_turns_or_stops(self):
        self.assertEqual(self.said([0, 70, 140, 210, 210, 210, 140]), [0, 70, None, None, 0, None, -70])

    def test_it_is_not_said_while_it_is_wrong_by_no_more_than_the_bound(self):
        self.assertEqual(self.said([0, 50, 51]), [0, None, 1])

    def test_it_is_said_again_before_the_server_ends_it(self):
        self.assertEqual(self.said([0, 70, 140, 210, 280, 350, 420], ticks_max=4), [0, 70, None, None, 70, None, None])

    def test_it_counts_from_where_the_server_puts_it(self):
        self.assertEqual(self.said([0, 74, 148, 222], quantum_mm=10), [0, 70, None, None])

    def test_the_way_to_where_it_was_put_is_no_velocity(self):
        for place, velocity in ((None, 0), (Position(5000, 0), 70)):
            way = self.way()
            self.assertEqual(self.said([0, 70], way), [0, 70])
            way.put(place)
            self.assertEqual(self.said([5070, 5140], way)[0], velocity)

    def test_a_clients_corrections_and_moves_put_it(self):
        correction = table("Correction", number=1, position=Position(5000, 0))
        zone = welcome(prediction_error_mm=50, prediction_ms_max=500)
        server = ListeningServer(keeps([], Hello=zone, Move=frame(1, correction=correction)))
        client, corrections = Client(server.address), []
        client.on_correction = corrections.append
        client.connect()
        with unittest.mock.patch.object(client, "send", wraps=client.send) as send:
            client.step(0, 0)
            client.serve(10, until=lambda: corrections)
            client.step(5000, 0)
            client.move(9000, 0)
            client.step(9070, 0)
            velocities = [call.kwargs["velocity"] for call in send.call_args_list]
        client.cut()
        server.end()
        self.assertEqual([velocity and velocity.x for velocity in velocities], [None, None, None, 70])


class Resuming(unittest.TestCase):
    def test_tokens_are_asked_for_each_time_and_waits_grow(self):
        hellos = []

        def takes(connection, answer):
            hellos.append(hello_of(connection))
            connection.sendall(answer)

        server = ListeningServer(*[lambda it, say=say: takes(it, say) for say in (
            welcome(), FULL, FULL, FULL, welcome(resumed=True))])
        tokens = iter("abcde")
        client = Client(server.address, token=lambda: next(tokens))
        client.retry_s = 0.1
        states = []
        client.on_lost, client.on_resumed = (lambda why: states.append("lost")), (lambda: states.append("back"))
        client.connect()
        self.assertTrue(client.serve(10, until=lambda: "back" in states))
        server.end()
        self.assertEqual(states, ["lost", "back"])
        self.assertEqual("".join(hello.token for hello in hellos), "abcde")
        self.assertEqual([hello.resume_token for hello in hellos], [b"", b"t", b"t", b"t", b"t"])
        waits = [after - before for before, after in zip(server.accepted_at[1:], server.accepted_at[2:])]
        for wait, least in zip(waits, (0.05, 0.1, 0.2)):  # a half of 0.1, 0.2 and 0.4 s at least
            self.assertGreaterEqual(wait, least)

    def test_who_is_cut_behind_each_welcome_waits_longer_each_time(self):
        server = ListeningServer(says(welcome()), *[says(welcome(resumed=True))] * 4)
        client, back = Client(server.address), []
        client.retry_s = 0.1
        client.on_resumed = lambda: back.append(True)
        client.connect()
        self.assertTrue(client.serve(10, until=lambda: len(back) == 4))
        client.cut()
        server.end()
        waits = [after - before for before, after in zip(server.accepted_at[1:], server.accepted_at[2:])]
        for wait, least in zip(waits, (0.05, 0.1, 0.2)):
            self.assertGreaterEqual(wait, least)

    def test_a_connection_that_lasted_is_resumed_at_once(self):
        server = ListeningServer(says(welcome()), *[says(welcome(resumed=True))] * 3)
        client, back = Client(server.address), []
        client.retry_s, client.steady_s = 3600, 0
        client.on_resumed = lambda: back.append(True)
        client.connect()
        self.assertTrue(client.serve(10, until=lambda: len(back) == 3))
        client.cut()
        server.end()

    def test_nothing_is_said_before_the_welcome_and_the_newest_view_behind_it(self):
        said = []
        server = ListeningServer(says(welcome()), keeps(said), keeps(said, Hello=welcome(resumed=True)))
        client, losses, back = Client(server.address, view=table("View"), kind=7), [], []
        client.retry_s = 0.01
        client.on_lost, client.on_resumed = losses.append, lambda: back.append(True)
        client.connect()
        client.serve(10, until=lambda: losses)
        client.set_view(table("View", radius_mm=1, leave_radius_mm=1))
        while not said:
            client.serve(0.01)
        client.set_view(table("View", radius_mm=2, leave_radius_mm=2))
        self.assertIsNone(client.ping())
        client.cut()
        self.assertTrue(client.serve(10, until=lambda: back))
        client.leave()
        server.end()
        self.assertEqual([it.type for it in said], ["Hello", "Hello", "SetView", "Leave"])
        self.assertEqual((said[1].kind, said[1].view, said[2].view.radius_mm), (0, None, 2))

    def test_the_frame_rate_is_said_on_each_connection(self):
        said = []
        server = ListeningServer(says(welcome()), keeps(said, Hello=welcome(resumed=True)))
        client, back = Client(server.address), []
        client.retry_s = 0.01
        client.on_resumed = lambda: back.append(True)
        client.connect()
        client.set_frame_rate(2)
        for nonsense in -1, 65536, "many":
            self.assertRaises(Exception, client.set_frame_rate, nonsense)
        self.assertTrue(client.serve(10, until=lambda: back))
        client.leave()
        server.end()
        self.assertEqual([(it.type, getattr(it, "frames_hz", None)) for it in said],
                         [("Hello", None), ("SetFrameRate", 2), ("Leave", None)])

    def test_a_frame_without_a_time_has_that_of_its_tick(self):
        def frames(*times):
            return says(welcome(), *[codec.encode("Frame", tick=tick, server_time_us=us) for tick, us in times])
        server = ListeningServer(frames((7, 10**6), (8, 0), (10, 0), (11, 2 * 10**6), (12, 0)))
        client, times = Client(server.address), []
        client.on_frame = lambda changes, frame: times.append(frame.server_time_us)
        client.connect()
        self.assertTrue(client.serve(10, until=lambda: len(times) == 5))
        client.cut()
        server.end()
        self.assertEqual(times, [1_000_000, 1_050_000, 1_150_000, 2_000_000, 2_050_000])

    def test_a_view_is_said_again_until_a_pong_confirms_it(self):
        said, back = [], []
        again = welcome(resumed=True)
        server = ListeningServer(keeps([], Hello=welcome()), *[keeps(said, Hello=again)] * 2, keeps(said, Hello=again, Ping=pong),
                                 keeps(said, Hello=again))
        client = Client(server.address)
        client.retry_s = 0.01
        client.on_resumed = lambda: back.append(True)
        client.connect()
        for number in range(1, 5):
            if number < 3:
                client.set_view(table("View", radius_mm=number, leave_radius_mm=number))
            if number == 4:
                self.assertIsNotNone(client.ping())
            client.cut()
            self.assertTrue(client.serve(10, until=lambda: len(back) == number))
        client.leave()
        server.end()
        self.assertEqual([it.view.radius_mm for it in said if it.type == "SetView"], [1, 2, 2, 2])
        self.assertEqual(said[-2].type, "Hello")

    def test_a_pong_confirms_no_view_that_is_set_behind_its_ping(self):
        far, near = (table("View", radius_mm=radius, leave_radius_mm=radius) for radius in (9, 1))
        first, said, answered, back = [], [], [], []

        def late_pong(_):
            pings = [it for it in first if it.type == "Ping"]
            return pong(pings[0]) if [it.type for it in first].count("SetView") == 3 else b""

        server = ListeningServer(keeps(first, Hello=welcome(), SetView=late_pong), keeps(said, Hello=welcome(resumed=True)))
        client = Client(server.address)
        client.on_resumed = lambda: back.append(True)
        client.connect()
        client.set_view(far)
        client._send_ping(answered.append)
        client.set_view(near)
        client.set_view(far)
        far.radiusMm = 5  # which is not said
        self.assertTrue(client.serve(10, until=lambda: answered))
        client.cut()
        self.assertTrue(client.serve(10, until=lambda: back))
        client.leave()
        server.end()
        self.assertEqual([it.view.radius_mm for it in said if it.type == "SetView"], [9])

    def said_messages(self, meanwhile):
        """The kinds of the messages that are said again, after one of kind 7 and `meanwhile`, on the second connection."""
        said, zone = [], {"messages": table("SendLimit", per_second_max=10, bytes_max=100)}
        server = ListeningServer(keeps([], Hello=welcome(**zone), Ping=pong), keeps(said, Hello=welcome(resumed=True, **zone), Ping=pong))
        client = Client(server.address)
        client.connect()
        self.assertTrue(client.say(7))
        meanwhile(client)
        self.assertTrue(client.say(8))
        client.ping()
        client.leave()
        server.end()
        return [it.kind for it in said if it.type == "SendMessage"]

    def test_a_message_that_cannot_be_said_is_an_error_of_the_call_and_is_not_kept(self):
        def fails(client):
            for kind, payload in ((1, bytes(101)), (2**16, b"")):
                with self.assertRaises(ValueError):
                    client.say(kind, payload)
            self.resumes(client)

        self.assertEqual(self.said_messages(fails), [7, 8])

    def resumes(self, client):
        client.cut()
        while client.fileno() < 0 or client.ping() is None:
            client.serve(0.01)

    def test_a_message_that_a_pong_confirmed_is_not_said_again(self):
        self.assertEqual(self.said_messages(lambda client: (client.ping(), self.resumes(client))), [8])

    def test_who_connects_a_second_time_says_nothing_of_the_session_before(self):
        self.assertEqual(self.said_messages(lambda client: client.connect()), [8])

    def test_where_another_login_is_replaced_the_zone_is_a_new_one(self):
        there = ListeningServer(says(welcome(resumed=True, entity=9, quantum_mm=10) + frame(3, is_keyframe=True)))
        transfer = codec.encode("Transfer", address="%s:%d" % there.address)
        here = ListeningServer(says(welcome() + frame(500), transfer, TRANSFERRED))
        client, ticks = Client(here.address), []
        client.on_frame = lambda changes, it: ticks.append((client.world.own, client.world.tick))
        client.connect()
        self.assertTrue(client.serve(10, until=lambda: len(ticks) == 2))
        client.cut()
        for server in (here, there):
            server.end()
        self.assertEqual(ticks, [(1, 500), (9, 3)])

    def sent_to(self, addresses, there):
        """The client of a zone that sends it to `addresses`, and then ends."""
        here = ListeningServer(says(welcome(resume_grace_ms=0) + codec.encode("Transfer", address=addresses), TRANSFERRED))
        client = Client(here.address)
        self.addCleanup(here.end)
        self.addCleanup(there.end)
        self.addCleanup(client.leave)
        return client

    def test_the_first_address_is_taken_that_can_be_spoken(self):
        for form in ("%s:%d", "tcp://%s:%d tls://127.0.0.1:1", "ws://127.0.0.1:1/ wss://a.example/b?c=d:1 nowhere %s:%d 127.0.0.1:1"):
            there = ListeningServer(says(welcome(entity=9, resume_token=b"")))
            client, arrived = self.sent_to(form % there.address, there), []
            client.on_transferred = lambda: arrived.append(client.entity)
            client.connect()
            with self.assertRaises(ConnectionLost):
                client.serve(10)
            self.assertEqual(arrived, [9])

    def test_a_resumption_has_the_scheme_of_a_zone_that_was_named_without_one(self):
        there = ListeningServer(keeps([], Hello=welcome(entity=9)))
        client, arrived = self.sent_to("ws://127.0.0.1:1/ %s:%d" % there.address, there), []
        client.on_transferred = lambda: arrived.append(client.resumption.address)
        client.connect()
        client.serve(10, until=lambda: arrived)
        client.leave()
        self.assertEqual(arrived, ["tcp://%s:%d" % there.address])

    def test_an_address_may_ask_for_tls(self):
        first_bytes = []
        there = ListeningServer(lambda connection: first_bytes.append(connection.recv(1)))
        client = self.sent_to("tls://%s:%d" % there.address, there)
        with self.assertRaises(OSError):
            client.connect()
            client.serve(10)
        self.assertEqual(first_bytes, [b"\x16"])  # a handshake

    def test_where_no_address_can_be_spoken_the_error_says_so(self):
        there = ListeningServer()
        client = self.sent_to("ws://127.0.0.1:1/ wss://127.0.0.1:1/", there)
        with self.assertRaisesRegex(ProtocolError, "ws://127.0.0.1:1/ wss://127.0.0.1:1/.*tcp://, tls:// and HOST:PORT"):
            client.connect()
            client.serve(10)

    def test_a_zone_that_is_busy_or_not_there_is_tried_again_by_whoever_is_sent_to_it(self):
        hellos = []
        busy = [STOPPING, FULL, OVERLOADED, b""]
        there = ListeningServer(*[lambda it, say=say: (hellos.append(hello_of(it)), it.sendall(say))
                                  for say in (*busy, welcome(entity=9))])
        here = ListeningServer(says(welcome(restart_grace_ms=60000), codec.encode("Transfer", address="%s:%d" % there.address, carried=b"c"),
                                    TRANSFERRED))
        client, states = Client(here.address, kind=7), []
        client.retry_s, client.restart_spread_s = 0.1, 3600
        client.on_lost = lambda why: states.append("lost")
        client.on_transferred = lambda: states.append(client.entity)
        client.connect()
        self.assertTrue(client.serve(10, until=lambda: states))
        client.leave()
        here.end()
        there.end()
        self.assertEqual(states, [9])
        self.assertEqual([(it.kind, it.carried, it.resume_token, it.last_tick) for it in hellos], [(7, b"c", b"", 0)] * 5)
        waits = [after - before for before, after in zip(there.accepted_at, there.accepted_at[1:])]
        for wait, least in zip(waits, (0.05, 0.1, 0.2)):
            self.assertGreaterEqual(wait, least)

    def test_another_error_there_ends_the_session_and_so_does_the_grace(self):
        for grace_ms, code in ((60000, 12), (0, 10)):
            there = ListeningServer(says(codec.encode("Error", code=code, text="")))
            transfer = codec.encode("Transfer", address="%s:%d" % there.address)
            here = ListeningServer(says(welcome(resume_grace_ms=grace_ms), transfer, TRANSFERRED))
            client = Client(here.address)
            client.connect()
            with self.assertRaises(ServerError) as refused:
                client.serve(10)
            here.end()
            there.end()
            self.assertEqual(refused.exception.code, code)

    def test_a_refused_resume_ends_the_session(self):
        server = ListeningServer(says(welcome()), says(codec.encode("Error", code=15, text="no")))
        client = Client(server.address)
        client.connect()
        with self.assertRaises(ServerError) as refused:
            client.serve(10)
        server.end()
        self.assertEqual(refused.exception.code, 15)

    def resumed(self, client):
        back = []
        client.on_resumed = lambda: back.append(True)
        client.connect()
        client.serve(10, until=lambda: back)
        client.cut()
        return back

    def test_a_zone_that_keeps_its_state_is_waited_for_longer_than_a_lost_connection_is(self):
        server = ListeningServer(says(welcome(resume_grace_ms=1, restart_grace_ms=60000), STOPPING), says(FULL), says(FULL),
                                 says(welcome(resumed=True)))
        client = Client(server.address)
        client.restart_spread_s = client.retry_s = 0.01
        self.assertTrue(self.resumed(client))
        server.end()

    def test_where_the_zone_keeps_its_state_all_come_spread_but_for_a_first_attempt_after_a_lost_connection(self):
        for end, failed in ((STOPPING, 0), (b"", 1)):
            server = ListeningServer(says(welcome(restart_grace_ms=60000), end), *[says(FULL)] * failed,
                                     says(welcome(resumed=True)))
            client = Client(server.address)
            client.restart_spread_s, client.retry_s = 0.4, 0
            with unittest.mock.patch("random.random", return_value=0.5):
                self.assertTrue(self.resumed(client))
            server.end()
            self.assertGreaterEqual(server.accepted_at[failed + 1] - server.accepted_at[failed], 0.2)

    def test_the_last_attempt_is_when_the_grace_is_over(self):
        server = ListeningServer(says(welcome(resume_grace_ms=1000)), says(FULL), says(FULL))
        with unittest.mock.patch.object(Client, "retry_s", 3600):
            client = Client(server.address)
            client.connect()
            with self.assertRaises(ServerError):
                client.serve(10)
        server.end()
        self.assertEqual(len(server.accepted_at), 3)

    def test_without_a_resume_token_a_lost_connection_is_the_end(self):
        server = ListeningServer(says(welcome(resume_token=b"")))
        client = Client(server.address)
        client.connect()
        self.assertRaises(ConnectionLost, client.serve, 10)
        server.end()


class Serving(unittest.TestCase):
    def test_who_sends_all_the_time_pings_where_nothing_is_received(self):
        said = []
        server = ListeningServer(keeps(said, Hello=welcome(), Ping=pong))
        client = Client(server.address)
        client.ping_every_s = 0.1
        client.connect()

        def has_pings():
            client.move(1, 1)
            return [it.type for it in said].count("Ping") > 2

        with unittest.mock.patch.object(client, "on_lost", self.fail):
            for _ in range(1000):
                if client.serve(0.01, until=has_pings):
                    break
        client.cut()
        server.end()
        types = [it.type for it in said]
        self.assertGreater(types.count("Ping"), 2)
        self.assertGreater(types.count("Move"), types.count("Ping"))  # none behind each other before there is an answer

    def test_what_callbacks_raise_comes_out_and_is_the_end(self):
        for error in (BrokenPipeError, ConnectionLost, ServerError(8, "")):
            server = ListeningServer(says(welcome(), frame(1)))
            client = Client(server.address)
            client.on_frame, client.on_lost = unittest.mock.Mock(side_effect=error), self.fail
            with self.assertRaises(error if isinstance(error, type) else ServerError):
                client.connect()
                client.serve(10)
            with self.assertRaisesRegex(ConnectionLost, "not connected"):
                client.serve(10)
            server.end()

    def test_what_the_tokens_function_raises_comes_out(self):
        server = ListeningServer(says(welcome()))
        client = Client(server.address, token=unittest.mock.Mock(side_effect=["a", FileNotFoundError]))
        client.connect()
        self.assertRaises(FileNotFoundError, client.serve, 10)
        server.end()

    def test_a_server_that_does_not_read_is_lost_by_the_next_serve(self):
        lost, losses, back = threading.Event(), [], []
        server = ListeningServer(lambda it: (says(welcome())(it), lost.wait(10)), says(welcome(resumed=True)))
        client = Client(server.address)
        client.unsent_bytes_max = 1 << 20
        client.on_lost = lambda why: (losses.append(str(why)), lost.set())
        client.on_resumed = lambda: back.append(True)
        client.connect()
        client.send("SendMessage", payload=bytes(1 << 25))
        self.assertTrue(client.serve(10, until=lambda: back))
        client.leave()
        server.end()
        self.assertEqual(losses, ["the server does not read"])

    def test_a_callback_may_ping(self):
        server = ListeningServer(keeps([], Hello=welcome() + frame(1) + frame(2), Ping=pong))
        client, ticks = Client(server.address), []

        def pings(changes, it):
            ticks.append(it.tick)
            self.assertIsNotNone(client.ping())

        client.on_frame = pings
        client.connect()
        client.serve(10, until=lambda: len(ticks) == 2)
        client.cut()
        server.end()
        self.assertEqual(ticks, [1, 2])

    def test_a_callback_may_leave(self):
        said = []
        server = ListeningServer(keeps(said, Hello=welcome(), Move=frame(1) + frame(2)))
        client, ticks = Client(server.address), []

        def leaves(changes, it):
            ticks.append(it.tick)
            client.leave()

        client.on_frame = leaves
        client.connect()
        client.move(1, 1)
        client.serve(10)
        server.end()
        self.assertEqual([it.type for it in said], ["Hello", "Move", "Leave"])


class Leaving(unittest.TestCase):
    def test_who_left_while_the_connection_was_lost_is_not_resumed(self):
        server = ListeningServer(says(welcome()))
        client, losses = Client(server.address), []
        client.on_lost = losses.append
        client.connect()
        client.serve(10, until=lambda: losses)
        client.leave()
        with self.assertRaisesRegex(ConnectionLost, "not connected"):
            client.serve(10)
        server.end()

    def test_who_left_is_not_sent_elsewhere(self):
        transfer = codec.encode("Transfer", address="127.0.0.1:1")
        server = ListeningServer(lambda it: says(welcome())(it) and says(transfer, TRANSFERRED)(it))
        client = Client(server.address)
        client.connect()
        client.leave()
        server.end()

    def test_a_line_that_breaks_behind_a_leave_is_its_end(self):
        def resets(connection):
            says(welcome())(connection)
            hello_of(connection)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        server = ListeningServer(resets)
        client = Client(server.address)
        client.connect()
        client.leave()
        server.end()


class Services(unittest.TestCase):
    def service(self, *scripts):
        server = ListeningServer(*scripts)
        service = Service(server.address, "it")
        self.addCleanup(server.end)
        self.addCleanup(service.leave)
        service.connect()
        return service

    def test_no_message_is_longer_than_the_zone_takes(self):
        said = []
        slot = table("StateSlot", name="title", type=2, bytes_max=1024)
        zone = service_welcome(message_bytes_max=10000, slots=[slot])
        service = self.service(keeps(said, ServiceHello=zone, Spawn=spawned, Ping=pong))
        all_owned = [service.spawn((place, 0, 0), state={"title": bytes(200)}) for place in range(200)]
        self.assertTrue(service.serve(10, until=lambda: all_owned[-1].entity is not None))
        for owned in all_owned:
            owned.change(state={"title": bytes(300)})
            service.say(1, bytes(500))
        self.assertIsNotNone(service.ping())
        for name, inner, items, bytes_each in (("Spawn", "entities", 200, 200), ("Change", "entities", 200, 300),
                                               ("SendMessages", "messages", 200, 500)):
            counts = [len(getattr(it, inner)) for it in said if it.type == name]
            self.assertEqual(sum(counts), items)
            self.assertLess(max(counts) * bytes_each, 10000)
            self.assertGreater(min(counts) * bytes_each, 2000)

    def test_what_is_said_goes_out_together_before_what_is_asked_for_behind_it(self):
        said = []
        service = self.service(keeps(said, ServiceHello=service_welcome(), Ping=pong))
        service.say(1, b"a")
        service.say(1, b"b")
        service.send_to_zone(types.SimpleNamespace(entity=5), "127.0.0.1:1")
        service.say(1, b"c")
        service.remove_player(5)
        self.assertIsNotNone(service.ping())
        sent = [b"".join(one.payload for one in it.messages) if it.type == "SendMessages" else it.type for it in said]
        self.assertEqual(sent, ["ServiceHello", b"ab", "TransferPlayer", b"c", "Despawn", "Ping"])

    def test_what_waits_goes_out_in_its_order_before_what_goes_at_once(self):
        said = []
        service = self.service(keeps(said, ServiceHello=service_welcome(), Ping=pong))
        for at_once in (lambda: service.subscribe(1), lambda: service.admit(types.SimpleNamespace(request=1))):
            service.say(1)
            service.change_player(7, facing=1)
            at_once()
        self.assertIsNotNone(service.ping())
        self.assertEqual([it.type for it in said[1:-1]],
                         ["Change", "SendMessages", "Subscribe", "Change", "SendMessages", "AdmitPlayer"])

    def test_what_callbacks_ask_for_goes_out_in_the_same_serve(self):
        said, gone = [], []
        joined, left = codec.encode("PlayerJoined", entity=5, position=Position(0, 0)), codec.encode("PlayerLeft", entity=5)
        service = self.service(keeps(said, ServiceHello=service_welcome(), Subscribe=joined, Despawn=left))
        service.on_leave = lambda player, reason: gone.append(player)
        service.on_join = lambda player: (service.say(1, b"hello", to=[player]), service.remove_player(5))
        service.subscribe(1)
        self.assertTrue(service.serve(10, until=lambda: gone))
        self.assertEqual([it.type for it in said[2:]], ["SendMessages", "Despawn"])

    def test_who_is_removed_makes_room_for_who_is_spawned_and_its_last_words_are_said_before(self):
        said = []
        service = self.service(keeps(said, ServiceHello=service_welcome(), Spawn=spawned, Ping=pong))
        there = service.spawn((1, 0, 0))
        self.assertTrue(service.serve(10, until=lambda: there.entity == 11))
        there.move(1.5, 0)
        service.say(1, viewers_of=there)
        there.despawn()
        service.spawn((2, 0, 0)).move(2.5, 0)
        self.assertIsNotNone(service.ping())
        self.assertEqual([it.type for it in said[2:6]], ["SendMessages", "Despawn", "Spawn", "Ping"])

    def test_what_cannot_be_sent_is_an_error_of_the_call_and_harms_nothing_else(self):
        said, player = [], types.SimpleNamespace(entity=5)
        slots = [table("StateSlot", name=name, type=kind, bytes_max=4) for name, kind in (("health", 0), ("speed", 1), ("title", 2))]
        service = self.service(keeps(said, ServiceHello=service_welcome(slots=slots), Spawn=spawned, Ping=pong))
        good = service.spawn((1, 0, 0), state={"health": 100, "speed": 1, "title": b"long"})
        states = {"helth": 1}, {"health": 1.5}, {"health": 2**52}, {"health": b""}, {"speed": b""}, {"title": bytes(5)}, {"title": 5}
        for fails in (
                *(lambda state=state: service.spawn((2, 0, 0), state=state) for state in states),
                *(lambda state=state: service.change_player(5, state=state) for state in states),
                *(lambda state=state: service.admit(types.SimpleNamespace(request=1), state=state) for state in states),
                lambda: service.spawn((2**31, 0, 0)), lambda: service.spawn((2, 0, 0), kind=2**16), lambda: good.move(2**31, 0),
                lambda: good.change(facing=2**16), lambda: service.say(1, bytes(1025)), lambda: service.say(2**16),
                lambda: service.say(1, to=[player] * 1025), lambda: service.refuse(types.SimpleNamespace(request=1), "ж" * 129),
                lambda: service.send_to_zone(player, "there", carried=bytes(1025)), lambda: service.send_to_zone(player, "a" * 257)):
            self.assertRaises(ValueError, fails)
        service.say(1, bytes(1024), to=[player] * 1024)
        service.change_player(5, facing=1)
        service.refuse(types.SimpleNamespace(request=1), "ж" * 128)
        self.assertIsNotNone(service.ping())
        self.assertEqual([it.type for it in said[1:-1]], ["Change", "SendMessages", "Spawn", "AdmitPlayer"])
        self.assertEqual([len(it.entities) for it in said if it.type in ("Change", "Spawn")], [1, 1])

    def test_what_was_asked_for_before_the_slots_were_known_is_an_error_once_and_harms_nothing_else(self):
        said = []
        slots = [table("StateSlot", name="health", type=0)]
        server = ListeningServer(keeps(said, ServiceHello=service_welcome(slots=slots), Spawn=spawned, Ping=pong))
        self.addCleanup(server.end)
        service = Service(server.address, "it")
        self.addCleanup(service.leave)
        service.spawn((1, 0, 0), state={"helth": 1})
        good = service.spawn((2, 0, 0), state={"health": 1})
        service.change_player(5, state={"helth": 1})
        service.change_player(6, state={"health": 2})
        with self.assertRaises(ValueError):
            service.connect()
            service.serve(0)
        self.assertTrue(service.serve(10, until=lambda: good.entity is not None))
        self.assertEqual([len(it.entities) for it in said if it.type in ("Change", "Spawn")], [1, 1])

    def test_who_is_despawned_is_gone_and_forgotten(self):
        said = []
        service = self.service(keeps(said, ServiceHello=service_welcome(), Spawn=spawned, Ping=pong))
        there = service.spawn((1, 0, 0), watches=True)
        self.assertTrue(service.serve(10, until=lambda: there.entity == 11))
        early, never = service.spawn((2, 0, 0)), service.spawn((3, 0, 0))
        never.despawn()
        service.serve(0)
        early.despawn()
        there.despawn()
        for owned in (there, early, never):
            owned.move(4, 0)
            owned.change(facing=1)
            self.assertEqual((owned.entity, owned.is_gone), (None, True))
        service.say(1, viewers_of=there)
        self.assertIsNotNone(service.ping())
        self.assertIsNotNone(service.ping())
        self.assertEqual([one.ref for it in said if it.type == "Spawn" for one in it.entities], [1, 2])
        self.assertEqual(sorted(entity for it in said if it.type == "Despawn" for entity in it.entities), [11, 12])
        self.assertFalse({"MoveMany", "Change"} & {it.type for it in said})
        self.assertFalse(service._owned or service._by_entity or service._moved or service._sent_quanta)

    def asked_while_lost(self, ask):
        """Over a resume: the service, and what it says then; messages by their payloads' lengths."""
        said = []
        here = ListeningServer(says(service_welcome()), keeps(said, ServiceHello=service_welcome(resumed=True), Ping=pong))
        service = Service(here.address, "it")
        service.on_lost = lambda why: ask(service)
        service.connect()
        service.subscribe(1)
        while service.ping() is None:
            service.serve(0.01)
        service.leave()
        here.end()
        short = {"Spawn": lambda it: "Spawn", "SendMessages": lambda it: [len(one.payload) for one in it.messages], "TransferPlayer": lambda it: it.address,
                 "Change": lambda it: ("Change", it.entities[0].entity), "Despawn": lambda it: ("Despawn", it.entities[0])}
        return service, [short[it.type](it) for it in said if it.type in short or it.type == "AdmitPlayer"]

    def test_what_is_asked_for_while_the_connection_is_lost_goes_out_in_its_order_but_for_answers_to_questions(self):
        def ask(service):
            service.admit(types.SimpleNamespace(request=1))
            service.refuse(types.SimpleNamespace(request=2), "no")
            service.remove_player(8)
            service.say(1, bytes(1))
            service.send_to_zone(types.SimpleNamespace(entity=5), "there")
            service.say(1, bytes(2))
            service.say(1, bytes(3))
            service.change_player(7, facing=1)
            service.spawn((1, 0, 0))

        service, said = self.asked_while_lost(ask)
        self.assertEqual(said, [("Change", 7), [1], "there", [2, 3], ("Despawn", 8), "Spawn"])
        self.assertEqual(service.dropped, 0)

    def test_of_what_is_asked_for_while_the_connection_is_lost_the_oldest_gives_way_beyond_a_mebibyte(self):
        def ask(service):
            service.change_player(7, facing=1)
            for length in (*range(1025), *[1024] * 800):
                service.say(1, bytes(length))

        service, said = self.asked_while_lost(ask)
        lengths = sum(said, [])
        self.assertEqual(len(lengths), 1826 - service.dropped)
        self.assertEqual(lengths[:2], [service.dropped - 1, service.dropped])
        self.assertTrue(0 < (1 << 20) - sum(lengths) < 150 * len(lengths))

    def over_resume(self, listed, **more):
        """What a service tells of its players over a resume with this ServiceWelcome, after which it is sent `listed`."""
        listing = [joins(1), joins(2), joins(3), joins(4), codec.encode("PlayerAway", entity=3), codec.encode("PlayerAway", entity=4), LISTED]
        here = ListeningServer(says(service_welcome(), *listing), keeps([], ServiceHello=service_welcome(**more) + b"".join(listed), Ping=pong))
        service, log = Service(here.address, "it"), []
        service.on_join = lambda player: log.append(("join", player.entity))
        service.on_away = lambda player, grace_ms: log.append(("away", player.entity))
        service.on_back = lambda player: log.append(("back", player.entity))
        service.on_leave = lambda player, reason: log.append(("leave", player.entity, reason))
        before = []
        service.on_lost = lambda why: (before.extend(service.players.values()), log.clear())
        service.connect()
        service.serve(10, until=lambda: before)
        while service.ping() is None:
            service.serve(0.01)
        service.leave()
        here.end()
        return log, before, list(service.players.values())

    def test_over_a_resume_players_stay_and_only_what_changed_is_reported(self):
        listed = [*[joins(entity, claims='{"a":1}') for entity in (1, 3, 4, 5)], codec.encode("PlayerAway", entity=4), LISTED]
        log, before, now = self.over_resume(listed, resumed=True)
        self.assertEqual(log, [("join", 5), ("leave", 2, WHILE_AWAY), ("back", 3)])
        self.assertEqual([(it.entity, it.is_away, it.claims) for it in now],
                         [(1, False, {"a": 1}), (3, False, {"a": 1}), (4, True, {"a": 1}), (5, False, {"a": 1})])
        self.assertTrue(set(now[:3]) <= set(before))  # the same objects

    def test_who_comes_back_or_leaves_while_players_are_listed_is_reported_once(self):
        log, _, _ = self.over_resume([
            codec.encode("PlayerLeft", entity=1, reason=2), joins(2), joins(3), joins(4), codec.encode("PlayerBack", entity=3),
            codec.encode("PlayerLeft", entity=4, reason=1), LISTED, codec.encode("PlayerAway", entity=3)], resumed=True)
        self.assertEqual(log, [("leave", 1, 2), ("back", 3), ("leave", 4, 1), ("away", 3)])

    def test_where_a_service_begins_anew_all_players_leave_and_come_again(self):
        log, _, _ = self.over_resume([joins(1), LISTED])
        self.assertEqual(log, [*[("leave", entity, WHILE_AWAY) for entity in (1, 2, 3, 4)], ("join", 1)])

    def test_a_watchers_keyframe_after_a_resume_is_reported_as_the_difference(self):
        def sees(tick, *ids):
            return frame(tick, watcher=11, is_keyframe=tick > 1, enters=[table("Entered", entity=it, position=Position(it, 0)) for it in ids])

        shown, here = [], (1, 11)
        service = self.service(lambda it: (says(service_welcome())(it), hello_of(it), it.sendall(spawned(types.SimpleNamespace(entities=[types.SimpleNamespace(ref=1)])) + sees(1, 2, 3))),
                               says(service_welcome(here, resumed=True) + sees(2, 3, 5)), keeps([], ServiceHello=service_welcome(here) + sees(3, 3)))
        service.retry_s = 0.01
        owl = service.spawn((0, 0, 0), watches=True)
        owl.on_frame = lambda changes, it: shown.append(([one.entity for one in changes.entered], [one.entity for one, _ in changes.left]))
        self.assertTrue(service.serve(10, until=lambda: len(shown) == 3))
        service.leave()
        self.assertEqual(shown, [([2, 3], []), ([5], [2]), ([3], [])])  # where the session is new, all of it

    def test_a_world_is_kept_over_a_resume_where_the_zone_has_its_quantum_and_slots_still(self):
        slots = [table("StateSlot", name="health")]
        zones = [{"quantum_mm": 10, "slots": slots[:at], "resumed": True} for at in (0, 0, 1)] + [{"quantum_mm": 20, "resumed": True}]
        there = ListeningServer(*[keeps([], **{name: make(**zone)}) for name, make in (
            ("Hello", welcome), ("ServiceHello", lambda **zone: service_welcome((1, 11), **zone))) for zone in zones])
        client, service = Client(there.address), Service(there.address, "it")
        owl = service.spawn((0, 0, 0), watches=True)
        for session, whose in ((client, client), (service, owl)):
            session.retry_s, back, worlds = 0.01, [], []
            session.on_resumed = lambda: back.append(True)
            session.connect()
            for number in range(1, 5):
                worlds.append(whose.world)
                client.position = Position(5, 5)
                if number < 4:
                    session.cut()
                    self.assertTrue(session.serve(10, until=lambda: len(back) == number))
            session.leave()
            self.assertEqual([world is worlds[0] for world in worlds], [True, True, False, False])
            self.assertEqual([list(world.own_state) for world in worlds], [[], [], ["health"], []])
            self.assertEqual(client.position, Position(5, 5))
        there.end()

    def test_what_waits_for_an_id_is_safe_too_once_all_is(self):
        for ask, last in ((lambda wolf: wolf.move(2, 0), "MoveMany"), (lambda wolf: wolf.change(facing=1), "Change"),
                          (lambda wolf: wolf.despawn(), "Despawn")):
            said = []
            service = self.service(keeps(said, ServiceHello=service_welcome(), Spawn=spawned, Ping=lambda it: pong(it, tick=10, safe_tick=12)))
            wolf = service.spawn((1, 0, 0))
            service.serve(0)
            ask(wolf)
            self.assertTrue(service.wait_until_safe())
            self.assertEqual([it.type for it in said], ["ServiceHello", "Spawn", last, "Ping"])

    def test_positions_of_one_tick_that_never_end_end_the_session(self):
        part = types.SimpleNamespace(tick=5, first=1, players=[types.SimpleNamespace(step=1, position=Position(0, 0))] * 2**16,
                                     has_more=True, border_stale=False, ticks_lost=0)
        service = Service(("127.0.0.1", 1), "it")
        for _ in range(16):
            service._take_Positions(part)
            part.first += 2**16
        self.assertRaises(ProtocolError, service._take_Positions, part)

    def test_whose_despawn_was_lost_is_despawned_when_the_session_is_resumed(self):
        said, back = [], []
        first = lambda it: says(service_welcome())(it) and hello_of(it)
        there = service_welcome((1, 11), (2, 12), (3, 13), resumed=True)
        service = self.service(first, keeps(said, ServiceHello=there, Ping=pong))
        service.on_resumed = lambda: back.append(True)
        stays, goes = service.spawn((1, 0, 0)), service.spawn((2, 0, 0))
        service.serve(0)  # both are on their way
        goes.despawn()
        self.assertTrue(service.serve(10, until=lambda: back))
        self.assertIsNotNone(service.ping())
        self.assertEqual((stays.entity, goes.is_gone), (11, True))
        self.assertEqual([it.entities for it in said if it.type == "Despawn"], [[12, 13]])


sys.argv.pop(1)
unittest.main()
