#!/usr/bin/env python3
"""Reads every vector of tests/vectors with the code that flatc makes for Python, compares each field, and
writes it again.

usage: golden_vectors.py FLATC SCHEMA VECTORS WORK        the test
       golden_vectors.py FLATC SCHEMA VECTORS WORK --describe NAME HEX   prints a vector's file

A vector's file is a JSON object: `name`, `type` (of Message.body), `hex` (the bytes, length prefix
included), `fields` (those that are not 0, false or absent; bytes as hex) and, for a message with packed
moves, `moves` ([id, is_relative, x, y, z] each).
"""

import json
import pathlib
import subprocess
import sys


def load_schema(flatc, schema, work):
    subprocess.run([flatc, "--python", "--gen-object-api", "-o", work, schema], check=True)
    sys.path.insert(0, work)
    import flatbuffers
    from marchland.wire import Body, Message

    return flatbuffers, Body, Message


# The fields of type [ubyte], as Python calls them: told as hex.
BYTES = {"blob", "payload", "moves", "state", "resumeToken"}


def plain(value, name=None):
    """Of the object API's classes, lists and numbers: dicts, lists, numbers and texts."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if hasattr(value, "__dict__"):
        members = {member: plain(content, member) for member, content in vars(value).items()}
        return {member: content for member, content in members.items()
                if content is not None and (content != 0 or member in PRESENT) and content != []}
    return bytes(value).hex() if name in BYTES else [plain(item) for item in value]


# What is absent by default: a 0 says something.
PRESENT = {"facing"}


def varint(packed, at):
    value = shift = 0
    while True:
        byte = packed[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def zigzag(packed, at):
    value, at = varint(packed, at)
    return (value >> 1) ^ -(value & 1), at


def unpacked(packed):
    """As docs/wire_format.md says, "Packed moves"."""
    moves, at, entity = [], 0, 0
    while at < len(packed):
        head, at = varint(packed, at)
        entity += head >> 2
        x, at = zigzag(packed, at)
        y, at = zigzag(packed, at)
        z = 0
        if head & 2:
            z, at = zigzag(packed, at)
        moves.append([entity, not head & 1, x, y, z])
    return moves


def described(name, hexadecimal, Body, Message):
    data = bytes.fromhex(hexadecimal)
    if int.from_bytes(data[:4], "little") != len(data) - 4:
        raise ValueError(f"{name}: the length prefix is wrong")
    message = Message.MessageT.InitFromObj(Message.Message.GetRootAs(data, 4))
    types = {number: text for text, number in vars(Body.Body).items() if isinstance(number, int)}
    vector = {"name": name, "type": types[message.bodyType], "hex": hexadecimal,
              "fields": plain(message.body)}
    moves = getattr(message.body, "moves", None)
    if moves is not None and len(moves) > 0:
        vector["moves"] = unpacked(bytes(int(byte) for byte in moves))
    return vector, message


def rewritten(message, flatbuffers):
    builder = flatbuffers.Builder(256)
    builder.FinishSizePrefixed(message.Pack(builder))
    return bytes(builder.Output()).hex()


def main(arguments):
    flatc, schema, vectors, work = arguments[:4]
    flatbuffers, Body, Message = load_schema(flatc, schema, work)
    if arguments[4:5] == ["--describe"]:
        print(json.dumps(described(*arguments[5:7], Body, Message)[0], indent=2))
        return 0
    wrong, types = [], set()
    for path in sorted(pathlib.Path(vectors).glob("*.json")):
        expected = json.loads(path.read_text())
        vector, message = described(expected["name"], expected["hex"], Body, Message)
        again, _ = described(expected["name"], rewritten(message, flatbuffers), Body, Message)
        types.add(vector["type"])
        if vector != expected or path.stem != expected["name"]:
            wrong.append(f"{path.name}: reads as {json.dumps(vector)}")
        if (again["type"], again["fields"]) != (vector["type"], vector["fields"]):
            wrong.append(f"{path.name}: written again it reads as {json.dumps(again)}")
    known = {text for text, number in vars(Body.Body).items() if isinstance(number, int) and number}
    wrong += [f"no vector of a {missing}" for missing in sorted(known - types)]
    print("\n".join(wrong) or f"golden_vectors: {len(types)} types of message are read and written")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
