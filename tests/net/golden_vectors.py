#!/usr/bin/env python3
"""Reads every vector of tests/vectors with the Python library, which reads with the code that flatc makes, compares
each field, and writes it again.

usage: golden_vectors.py VECTORS                      the test, with the library on PYTHONPATH
       golden_vectors.py VECTORS --describe NAME HEX  prints a vector's file

A vector's file is a JSON object: `name`, `type` (of Message.body), `hex` (the bytes, length prefix
included), `fields` (those that are not 0, false or absent; bytes as hex) and, for a message with packed
moves, `moves` ([id, is_relative, x, y, z, velocity's x, y, z] each).
"""

import json
import pathlib
import sys

from marchland import codec

# What is absent by default: a 0 says something, and so do empty bytes.
PRESENT = {"facing"}


def plain(value, name=None):
    """Of flatc's classes, lists and numbers: dicts, lists, numbers and texts; bytes as hex."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not hasattr(value, "__dict__"):
        return value
    members = {member: plain(content, member) for member, content in vars(value).items()}
    return {member: content for member, content in members.items()
            if content is not None and (content != 0 or member in PRESENT) and content != []}


def described(name, hexadecimal, known=()):
    data = bytes.fromhex(hexadecimal)
    if int.from_bytes(data[:4], "little") != len(data) - 4:
        raise ValueError(f"{name}: the length prefix is wrong")
    body_type, body = codec.read(data)
    vector = {"name": name, "type": body_type, "hex": hexadecimal, "fields": plain(body)}
    if getattr(body, "moves", None):
        vector |= {"known": known} if known else {}
        vector["moves"] = [list(move) for move in codec.unpack_moves(body.moves, lambda: known)]
    return vector, body


def main(arguments):
    if arguments[1:2] == ["--describe"]:
        print(json.dumps(described(*arguments[2:4])[0], indent=2))
        return 0
    wrong, types = [], set()
    for path in sorted(pathlib.Path(arguments[0]).glob("*.json")):
        expected = json.loads(path.read_text())
        vector, body = described(expected["name"], expected["hex"], expected.get("known", ()))
        again, _ = described(expected["name"], codec.write(vector["type"], body).hex(), expected.get("known", ()))
        types.add(vector["type"])
        if vector != expected or path.stem != expected["name"]:
            wrong.append(f"{path.name}: reads as {json.dumps(vector)}")
        if (again["type"], again["fields"]) != (vector["type"], vector["fields"]):
            wrong.append(f"{path.name}: written again it reads as {json.dumps(again)}")
    wrong += [f"no vector of a {missing}" for missing in sorted(set(codec.TYPES) - types)]
    print("\n".join(wrong) or f"golden_vectors: {len(types)} types of message are read and written")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
