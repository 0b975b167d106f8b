"""Messages to bytes and back, by the code that flatc makes of net/schema/marchland.fbs: the package marchland.wire.

Names    Fields are called as in docs/wire_format.md, in snake_case; flatc's own classes say camelCase.
Absent   A text, bytes or a list that is absent reads as an empty one; a table or an optional number as None.
Errors   A ProtocolError for what is no message. Offsets inside of one are not all checked: what a stranger in
         the middle could send is kept out by TLS, not by this.
"""

import functools
import importlib
import operator
import pkgutil
import re
import struct
import types
from typing import NamedTuple

import flatbuffers
import flatbuffers.table

import marchland.wire

MESSAGE_BYTES_MAX = 1024  # of what is said, and of what a client carries to another zone
INTEGER_MAX = 2**52 - 1  # of a slot, either sign


class ProtocolError(Exception):
    """What came is no stream of this protocol: nothing behind it can be read."""


class Position(NamedTuple):
    """In millimetres; a velocity, in millimetres a tick."""

    x: int
    y: int
    z: int = 0


STILL = Position(0, 0, 0)


# ---- flatc's classes

class _Table(flatbuffers.table.Table):
    """Reads a vector of numbers, and a text, in one piece. flatc's code takes them number by number, unless numpy is
    there: so it is told that numpy is, and gets bytes and lists instead of arrays."""

    def GetVectorAsNumpy(self, flags, off):
        start, count = self.Vector(off), self.VectorLen(off)
        if flags.bytewidth == 1:
            return bytes(self.Bytes[start:start + count])
        form = flags.packer_type.format
        return list(struct.unpack_from(f"<{count}{form[-1]}", self.Bytes, start))

    def String(self, off):
        return super().String(off).decode(errors="replace")


class _Builder(flatbuffers.Builder):
    CreateNumpyVector = flatbuffers.Builder.CreateByteVector


def _load():
    with_table = types.SimpleNamespace(**vars(flatbuffers))
    with_table.table = types.SimpleNamespace(Table=_Table)
    found = {}
    for module in pkgutil.iter_modules(marchland.wire.__path__):
        found[module.name] = importlib.import_module(f"marchland.wire.{module.name}")
        found[module.name].flatbuffers = with_table
        found[module.name].np = types.SimpleNamespace(ndarray=bytes)
    return found


_modules = _load()
TYPES = {name: number for name, number in vars(_modules["Body"].Body).items()
          if isinstance(number, int) and number}
_names = {number: name for name, number in TYPES.items()}


def _camel(name):
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _snake(name):
    return re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name)


class _Probe:
    """In a reader's place of its table: finds out what an absent field is when it is read as an empty one."""

    Pos = 0

    def Offset(self, slot):
        return slot

    def GetVectorAsNumpy(self, flags, _):
        return b"" if flags.bytewidth == 1 else []

    def String(self, _):
        return ""


@functools.cache
def _fields(table):
    """Of a class of flatc's object API: [(its name of a field, ours, what it is when it is absent)]."""
    name = table.__name__[:-1]
    reader = getattr(_modules[name], name)()
    reader._tab = _Probe()
    fields = []
    for field in vars(table()):
        getter = field[0].upper() + field[1:]
        absent = None
        if hasattr(reader, getter + "AsNumpy"):
            absent = getattr(reader, getter + "AsNumpy")()
        elif hasattr(reader, getter + "Length"):
            absent = []
        else:
            try:
                absent = getattr(reader, getter)()
            except (AttributeError, TypeError):
                pass
        fields.append((field, _snake(field), absent))
    return fields


def _read(value):
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not hasattr(value, "__dict__"):
        return value
    if type(value).__name__ in ("PositionT", "VelocityT"):
        return Position(value.x, value.y, value.z)
    content = types.SimpleNamespace()
    for field, name, absent in _fields(type(value)):
        inner = getattr(value, field)
        setattr(content, name, absent if inner is None else _read(inner))
    return content


def _written(value):
    if isinstance(value, tuple):
        return table("Position", **Position(*value)._asdict())
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return [_written(item) for item in value] if isinstance(value, list) else value


def table(name, /, **fields):
    """A table or struct of the schema, to be sent: table("View", radius_mm=50000, leave_radius_mm=55000). A tuple is a
    Position."""
    made = getattr(_modules[name], name + "T")()
    for field, value in fields.items():
        if not hasattr(made, _camel(field)):
            raise TypeError(f"a {name} has no {field}")
        setattr(made, _camel(field), _written(value))
    return made


def checked(made):
    """That table; a ValueError where its fields cannot hold what they are to."""
    try:
        made.Pack(_Builder(256))
    except (TypeError, AttributeError, struct.error) as error:
        raise ValueError(f"no {type(made).__name__[:-1]} that can be sent: {error}") from error
    return made


def check_count(what, count, most):
    if count > most:
        raise ValueError(f"{count} {what}, where {most} are the most that can be sent")


def enum(name):
    """An enumeration of the schema: enum("LeaveReason").gone is 1."""
    return getattr(_modules[name], name)


def write(name, body):
    """A message, length prefix included, of one of flatc's objects."""
    message = table("Message", body_type=TYPES[name], body=body)
    builder = _Builder(256)
    builder.FinishSizePrefixed(message.Pack(builder))
    return bytes(builder.Output())


def encode(name, /, **fields):
    """A message, length prefix included."""
    return write(name, table(name, **fields))


def read(message):
    """The name of a message, length prefix included, and flatc's object of its body. None, None: one that is not known,
    and need not be."""
    try:
        got = _modules["Message"].MessageT.InitFromObj(
            _modules["Message"].Message.GetRootAs(message, 4))
        return (None, None) if got.body is None and got.optional else (_names[got.bodyType], got.body)
    except (struct.error, KeyError, AttributeError, TypeError, IndexError, OverflowError) as error:
        raise ProtocolError(f"not a message: {error!r}") from error


def decode(message):
    """The body of a message, `type` is its name. None: one that is not known, and need not be."""
    name, got = read(message)
    if name is None:
        return None
    body = _read(got)
    body.type = name
    return body


class Splitter:
    """Cuts a stream into messages, length prefix included, wherever it was cut on its way."""

    def __init__(self, message_bytes_max=16 << 20):
        self._bytes = bytearray()
        self._max = message_bytes_max

    def push(self, some):
        """Yields each message that is whole. It is cut off before that: who pushes more meanwhile gets those behind it."""
        self._bytes += some
        while len(self._bytes) >= 4:
            length = int.from_bytes(self._bytes[:4], "little")
            if not 0 < length <= self._max:
                raise ProtocolError(f"a message of {length} bytes")
            if len(self._bytes) < 4 + length:
                break
            message = bytes(self._bytes[:4 + length])
            del self._bytes[:4 + length]
            yield message


# ---- packed moves and states: docs/wire_format.md

STEP_MAX_MM = 32767


def _varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return out


def _zigzag(number):
    return _varint(number << 1 if number >= 0 else -2 * number - 1)


def pack_moves(moves):
    """Of (entity, is_relative, x, y, z), and its velocity's x, y, z if it has one, in ascending order of entities, in
    quanta."""
    out, previous = bytearray(), 0
    for entity, is_relative, *numbers in moves:
        has_velocity = any(numbers[3:])
        z_follows = not is_relative or any(numbers[2::3])
        out += _varint((entity - previous) << 3 | has_velocity << 2 | z_follows << 1 | (not is_relative))
        for x, y, z in (numbers[:3], numbers[3:]) if has_velocity else (numbers[:3],):
            out += _zigzag(x) + _zigzag(y) + (_zigzag(z) if z_follows else b"")
        previous = entity
    return bytes(out)


class _Packed:
    """Reads numbers of few bytes."""

    def __init__(self, packed):
        self.packed, self.at, self.end = packed, 0, len(packed)

    def take(self, count):
        self.at += count
        if self.at > self.end:
            raise ProtocolError("packed: cut off")
        return self.packed[self.at - count:self.at]

    def varint(self):
        value = shift = 0
        while True:
            if self.at == self.end or shift > 63:
                raise ProtocolError("packed: a number is cut off, or too long")
            byte = self.packed[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0 and shift > 0:
                    raise ProtocolError("packed: a number that is longer than needed")
                return value
            shift += 7

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def position(self, has_z):
        return self.zigzag(), self.zigzag(), self.zigzag() if has_z else 0

    def state(self):
        """[(number of the slot, value)]"""
        slots = []
        for _ in range(self.varint()):
            number, kind = divmod(self.take(1)[0], 4)
            if number > 15 or kind > 2 or (slots and slots[-1][0] >= number):
                raise ProtocolError("packed state: no slot, or one that does not ascend")
            if kind == 0:
                value = self.zigzag()
            else:
                value = struct.unpack("<f", self.take(4))[0] if kind == 1 else bytes(self.take(self.varint()))
            slots.append((number, value))
        return slots


RANKS_FOLLOW = 1


def unpack_moves(packed, known_ids=lambda: ()):
    """Yields (entity, is_relative, x, y, z, and its velocity's x, y, z), in quanta. `known_ids()`: of all who are known
    after the frame's leaves and enters, ascending; asked for where the block has ranks."""
    it, name, ids = _Packed(packed), 0, None
    if packed and packed[0] == RANKS_FOLLOW:
        it.at, ids = 1, known_ids()
    first = it.at
    while it.at < it.end:
        is_first = it.at == first
        head = it.varint()
        if (head >> 3 == 0 and not is_first) or head & 3 == 1:
            raise ProtocolError("packed moves: ids that do not ascend, or a position without its z")
        name += head >> 3
        if ids is not None and name >= len(ids):
            raise ProtocolError(f"packed moves: rank {name}, and {len(ids)} are seen")
        at_or_by = it.position(head & 2)
        velocity = it.position(head & 2) if head & 4 else (0, 0, 0)
        if head & 4 and not 0 < max(map(abs, velocity)) <= STEP_MAX_MM:
            raise ProtocolError("packed moves: a velocity that is none, or too fast")
        yield name if ids is None else ids[name], not head & 1, *at_or_by, *velocity


def unpack_states(packed):
    """Yields (entity, [(number of the slot, value)])."""
    it, entity = _Packed(packed), 0
    while it.at < it.end:
        is_first = it.at == 0
        step = it.varint()
        if step == 0 and not is_first:
            raise ProtocolError("packed states: ids that do not ascend")
        entity += step
        yield entity, it.state()


class Slots:
    """The slots of a zone, as a Welcome declares them: states by their names, {"health": 100}."""

    FIRST = (0, 0.0, b"")

    def __init__(self, declared=()):
        self.declared = list(declared)
        self._numbers = {slot.name: number for number, slot in enumerate(self.declared)}

    def first(self):
        return {slot.name: self.FIRST[slot.type] for slot in self.declared}

    def named(self, slots):
        if any(number >= len(self.declared) or type(value) is not type(self.FIRST[self.declared[number].type]) for number, value in slots):
            raise ProtocolError("packed state: a slot that the zone does not have, or a value of another type")
        return {self.declared[number].name: value for number, value in slots}

    def unpacked(self, packed):
        return self.named(_Packed(packed).state()) if packed else {}

    def packed(self, state):
        """A ValueError for what is no slot of the zone, or no value of one."""
        unknown = state.keys() - self._numbers.keys()
        if unknown:
            raise ValueError(f"the zone has no slot {', '.join(sorted(unknown))}")
        out = bytearray(_varint(len(state)))
        for number, name in sorted((self._numbers[name], name) for name in state):
            out.append(number * 4 + self.declared[number].type)
            try:
                out += self._packed_value(self.declared[number], state[name])
            except (TypeError, OverflowError, struct.error, ValueError) as error:
                raise ValueError(f"slot {name}: {error}") from error
        return bytes(out)

    @staticmethod
    def _packed_value(slot, value):
        if slot.type == 0:
            if abs(operator.index(value)) > INTEGER_MAX:
                raise ValueError(f"{value} is no integer of less than 2^52")
            return _zigzag(operator.index(value))
        if slot.type == 1:
            return struct.pack("<f", value)
        value = bytes(memoryview(value))  # which a number has not
        check_count("bytes", len(value), slot.bytes_max)
        return _varint(len(value)) + value
