"""The rules of examples/wolves, without a zone: wolves_test.py EXAMPLE, with the Python library on PYTHONPATH."""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest.mock import MagicMock
import urllib.error
import urllib.request

EXAMPLE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(EXAMPLE))
import service as game  # noqa: E402


def player(entity, subject, position, **claims):
    return SimpleNamespace(entity=entity, subject=subject, claims=claims, position=position)


class Rules(unittest.TestCase):
    """A meadow without sheep and wolves, that each test puts where it wants them."""

    def setUp(self):
        self.zone = MagicMock()
        self.zone.spawn = lambda place, **more: MagicMock(place=place)
        self.meadow = game.Meadow(self.zone)
        self.meadow.sheep, self.meadow.wolves = [], []
        self.meadow.key.put(50, 50)

    def joins(self, entity, at, subject=None, **claims):
        x, y = at
        self.meadow.joined(player(entity, subject or f"subject of {entity}", SimpleNamespace(x=x * 1000, y=y * 1000), **claims))
        return self.meadow.shepherds[entity]

    def says(self, shepherd, kind, at, payload=b""):
        x, y = at
        self.meadow.said(shepherd.player, SimpleNamespace(kind=kind, payload=payload, position=SimpleNamespace(x=x * 1000, y=y * 1000)))

    def sent(self, kind):
        return [json.loads(call.args[1]) for call in self.zone.say.call_args_list if call.args[0] == kind]

    def fold(self, shepherd):
        """A sheep comes into the fold, beside that shepherd."""
        shepherd.x, shepherd.y = 0, 0
        self.meadow.fold(game.Beast(self.zone, game.SHEEP, 0, 0))

    def test_a_key_is_taken_opens_the_door_and_sheep_count_twice_while_it_is_open(self):
        ann = self.joins(1, (50, 50), name="Ann")
        self.fold(ann)
        self.assertEqual(ann.score, 1)
        ann.x, ann.y = 50, 50
        self.meadow.tick()
        self.assertTrue(ann.has_key)
        self.assertEqual(self.sent(game.BAG)[-1], {"key": True, "score": 1})
        self.says(ann, game.OPEN, (50, 50))
        self.assertIn("too far", self.sent(game.NEWS)[-1]["text"])
        self.says(ann, game.OPEN, game.DOOR_AT)
        self.assertEqual(self.sent(game.NEWS)[-1]["text"], "Ann has opened the door: sheep count twice!")
        self.assertFalse(ann.has_key)
        self.fold(ann)
        self.assertEqual(ann.score, 3)
        self.meadow.door_open_until = game.time.monotonic() - 1
        self.meadow.tick()
        self.fold(ann)
        self.assertEqual(ann.score, 4)

    def test_without_the_key_the_door_stays_shut(self):
        ann = self.joins(1, game.DOOR_AT, name="Ann")
        self.says(ann, game.OPEN, game.DOOR_AT)
        self.assertIn("locked", self.sent(game.NEWS)[-1]["text"])
        self.assertFalse(self.meadow.door_is_open)

    def test_a_bot_does_not_take_the_key(self):
        bot = self.joins(1, (50, 50), subject="bot-0")
        self.meadow.tick()
        self.assertFalse(bot.has_key)
        ann = self.joins(2, (50, 50), name="Ann")
        self.meadow.tick()
        self.assertTrue(ann.has_key)

    def test_shepherds_are_where_the_zone_says(self):
        ann = self.joins(1, (50, 50), name="Ann")
        self.zone.on_positions(SimpleNamespace(players={1: SimpleNamespace(x=20000, y=30000, z=0), 7: None}))
        self.assertEqual((ann.x, ann.y), (20, 30))

    def test_who_leaves_drops_the_key_there(self):
        ann = self.joins(1, (50, 50), name="Ann")
        self.meadow.tick()
        ann.x, ann.y = 20, 30
        self.meadow.left(ann.player, 1)
        self.assertEqual((self.meadow.key.x, self.meadow.key.y), (20, 30))
        ben = self.joins(2, (20, 30), name="Ben")
        self.meadow.tick()
        self.assertTrue(ben.has_key)

    def test_who_comes_back_has_its_key_and_is_shown_by_the_name_that_it_says_then(self):
        ann = self.joins(1, (50, 50), name="Ann")
        self.meadow.tick()
        self.zone.say.reset_mock()
        ann.player.claims = {"name": "Anna"}
        self.zone.on_back(ann.player)
        self.assertEqual(self.sent(game.BAG), [{"key": True, "score": 0}])
        self.assertEqual(self.zone.change_player.call_args.kwargs["state"]["name"], b"Anna")
        self.says(ann, game.SAY, (50, 50), b"hello")
        self.assertEqual(self.sent(game.HEARD)[-1]["from"], "Anna")

    def test_who_comes_back_has_its_score(self):
        ann = self.joins(1, (0, 0), subject="a", name="Ann")
        self.fold(ann)
        self.meadow.left(ann.player, 1)
        self.assertEqual(self.joins(2, (0, 0), subject="a", name="Ann").score, 1)
        self.assertEqual(self.joins(3, (0, 0), subject="b", name="Ann").score, 0)

    def test_scores_are_kept_of_so_many_alone(self):
        self.fold(self.joins(1, (0, 0), subject="first", name="Ann"))
        for number in range(game.SCORES_MAX):
            self.meadow.shepherds.clear()
            self.joins(2, (0, 0), subject="without points", name="Ben")
            self.meadow.shepherds.clear()
            self.fold(self.joins(3, (0, 0), subject=f"subject {number}", name="Cid"))
        self.assertEqual(len(self.meadow.scores), game.SCORES_MAX)
        self.assertEqual([it for it in ("first", "without points") if it in self.meadow.scores], [])

    def test_only_who_is_near_is_sent_what_is_said(self):
        ann, near, far = self.joins(1, (0, 0), name="Ann"), self.joins(2, (0, 24), name="Ben"), self.joins(3, (0, 26), name="Cid")
        self.says(ann, game.SAY, (0, 0), b"hello")
        kind, payload, to = self.zone.say.call_args.args
        self.assertEqual((kind, json.loads(payload)), (game.HEARD, {"from": "Ann", "text": "hello"}))
        self.assertEqual(to, [ann.player, near.player])

    def test_whatever_is_said_fits_into_a_message_and_is_heard(self):
        ann = self.joins(1, (0, 0), name="\N{WOLF FACE}" * 20)
        for said, shown in (("Ж" * 200, "Ж" * 200), ("\N{WOLF FACE}" * 256, "\N{WOLF FACE}" * 200), ('"' * 1024, '"' * 200)):
            self.says(ann, game.SAY, (0, 0), said.encode())
            self.assertEqual(self.sent(game.HEARD)[-1]["text"], shown)
        for said in (b"\xff" * 1024, b"\x01" * 1024):
            self.says(ann, game.SAY, (0, 0), said)
        self.assertLessEqual(max(len(call.args[1]) for call in self.zone.say.call_args_list), 1024)


class Login(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        key = pathlib.Path(folder.name) / "login.key"
        key.write_text("0" * 43)
        server = subprocess.Popen([sys.executable, "-B", EXAMPLE / "login.py", "0", key, "7778", "page", "library"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        self.url = server.stdout.readline().split()[1] + "login"

    def claims(self, **asked):
        with urllib.request.urlopen(self.url, json.dumps(asked).encode()) as answer:
            text = json.load(answer)["token"].split(".")[1]
        return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))

    def test_the_same_id_is_the_same_subject_and_another_is_another(self):
        subjects = [self.claims(name="Ann", id=it * 32)["sub"] for it in "aab"]
        self.assertEqual(subjects[0], subjects[1])
        self.assertNotEqual(subjects[0], subjects[2])

    def test_what_is_no_id_is_refused(self):
        for wrong in ("", "bot-0", "a" * 31, "a" * 33, "A" * 32, ["a"], None):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.claims(name="Ann", id=wrong)
            self.assertEqual(refused.exception.code, 400)


unittest.main(argv=sys.argv[:1])
