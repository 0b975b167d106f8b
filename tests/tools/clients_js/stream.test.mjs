// What comes from a server, whole, in pieces, and broken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, library, randomNumbers, toHex } from "./library.mjs";
import { encodeBody } from "./wire.mjs";

const { MessageSplitter, ProtocolError, World, decode, encode, packMoves, unpackMoves } = library;

const frameBytes = encodeBody("Frame", {
    tick: 121, moveAck: 5, leaves: [{ entity: 3, reason: 2 }],
    enters: [{ entity: 12, kind: 7, position: { x: 1500, y: 2500, z: 0 }, state: fromHex("0100d804") }],
    moves: fromHex("38f40305"), states: fromHex("090100d804"),
    messages: [{ kind: 7, payload: fromHex("beef"), source: 3 }],
    correction: { number: 2, position: { x: 40, y: 50, z: 60 } },
});

const still = { x: 0, y: 0, z: 0 };

function unpacked(bytes) {
    const moves = [];
    unpackMoves(bytes, (move) => moves.push({ ...move }));
    return moves;
}

test("messages come out of the splitter whole, however the stream was cut", () => {
    const random = randomNumbers(1);
    for (let round = 0; round < 300; ++round) {
        const messages = Array.from({ length: 1 + random(6) }, () => {
            const message = new Uint8Array(4 + 1 + random(40)).map(() => random(256));
            new DataView(message.buffer).setUint32(0, message.length - 4, true);
            return message;
        });
        const stream = Buffer.concat(messages);
        const splitter = new MessageSplitter();
        const got = [];
        for (let at = 0; at < stream.length;) {
            const end = Math.min(stream.length, at + 1 + random(round % 2 === 0 ? 3 : 60));
            splitter.push(new Uint8Array(stream.subarray(at, end)), (message) => got.push(toHex(message)));
            at = end;
        }
        assert.deepEqual(got, messages.map(toHex));
    }
});

test("a prefix beyond the limit, or of 0, breaks the stream", () => {
    const push = (hex) => new MessageSplitter(100).push(fromHex(hex), () => {});
    push("64000000");
    assert.throws(() => push("65000000"), ProtocolError);
    assert.throws(() => push("ffffffff"), ProtocolError);
    assert.throws(() => push("00000000"), ProtocolError);
});

test("a message that is cut off or has wrong bytes is read or is a ProtocolError, and nothing else", () => {
    const random = randomNumbers(2);
    let refused = 0;
    const attempt = (bytes) => {
        try {
            const message = decode(bytes);
            new World(1).apply(message.type === "Frame" ? message : { tick: 0 });
        } catch (error) {
            assert.ok(error instanceof ProtocolError, error.stack);
            ++refused;
        }
    };
    for (let length = 4; length < frameBytes.length; ++length) {
        attempt(frameBytes.slice(0, length));
    }
    for (let round = 0; round < 20000; ++round) {
        const bytes = frameBytes.slice();
        for (let i = 0; i <= random(3); ++i) {
            bytes[4 + random(bytes.length - 4)] = random(256);
        }
        attempt(bytes);
    }
    assert.ok(refused > 1000);
});

/** Where in `bytes` the number `value` stands. */
function placeOf(bytes, value, read) {
    const view = new DataView(bytes.buffer);
    return [...Array(bytes.length - 8).keys()].find((at) => at > 4 && read(view, at) === value);
}

test("a list that promises more than the message holds is refused before memory is made for it", () => {
    const bytes = encodeBody("Spawned", { entities: [1, 2, 3].map((entity) => ({ entity, ref: 77 })) });
    const count = placeOf(bytes, 3, (view, at) => at % 4 === 0 && view.getUint32(at, true));
    assert.equal(decode(bytes).entities.length, 3);
    new DataView(bytes.buffer).setUint32(count, 0x7fffffff, true);
    assert.throws(() => decode(bytes), /out of the message/);
});

test("offsets that all lead to one text or list are refused before each makes a copy", () => {
    const name = "n".repeat(1000);
    const slots = [name, ...Array(99).fill("o")].map((each) => ({ name: each }));
    const [worldMin, worldMax, spawn] = [still, still, still];
    const bytes = encodeBody("Welcome", { worldMin, worldMax, spawn, view: {}, slots });
    assert.deepEqual(decode(bytes).slots.map((slot) => slot.name), slots.map((slot) => slot.name));
    const list = placeOf(bytes, 100, (view, at) => at % 4 === 0 && view.getUint32(at, true)) + 4;
    const view = new DataView(bytes.buffer);
    const first = list + view.getUint32(list, true);
    for (let at = list; at < list + 400; at += 4) {
        view.setUint32(at, first - at, true);
    }
    assert.throws(() => decode(bytes), { name: "ProtocolError", message: /again and again/ });
});

test("an unknown message is skipped if it says that it is optional, and is an error otherwise", () => {
    //                      length   root    vtable: type at 8, body at 4, optional at 9
    const bytes = fromHex("24000000 10000000 0a00 0c00 0800 0400 0900 0000" +
        // Message: vtable, body, type 200, optional; body: an empty vtable, its table
        "0c000000 0c000000 c8 01 0000  04000400 04000000");
    assert.deepEqual(decode(bytes), { type: "Skipped" });
    bytes[29] = 0;
    assert.throws(() => decode(bytes), /unknown type 200/);
});

test("an entity id of 2^53 is an error and not another id", () => {
    const bytes = encodeBody("Spawned", { entities: [{ entity: 2 ** 53 - 1, ref: 77 }] });
    assert.equal(decode(bytes).entities[0].entity, 2 ** 53 - 1);
    const at = placeOf(bytes, 2n ** 53n - 1n, (view, place) => view.getBigUint64(place, true));
    new DataView(bytes.buffer).setBigUint64(at, 2n ** 53n, true);
    assert.throws(() => decode(bytes), /2\^53/);
});

test("what the protocol has no room for is not written", () => {
    for (const position of [{ x: 0.5, y: 0, z: 0 }, { x: 2 ** 31, y: 0, z: 0 }, { x: NaN, y: 0, z: 0 }]) {
        assert.throws(() => encode({ type: "Move", seq: 1, position }), RangeError);
    }
});

test("packed moves of the wire format's example read as it says", () => {
    assert.deepEqual(unpacked(fromHex("38 f4 03 05  12 00 00 4f  9f 12 f2 c0 01 df c5 08 00 8c 01 00 00")), [
        { entity: 7, isRelative: true, x: 250, y: -3, z: 0, velocity: still },
        { entity: 9, isRelative: true, x: 0, y: 0, z: -40, velocity: still },
        { entity: 300, isRelative: false, x: 12345, y: -70000, z: 0, velocity: { x: 70, y: 0, z: 0 } },
    ]);
});

test("packed moves come back as they were, up to the ends of their range", () => {
    const random = randomNumbers(3);
    const coordinate = () => random(2) === 0 ? random(2000) - 1000 : random(2 ** 32) - 2 ** 31;
    const each = () => random(2) === 0 ? 0 : random(65535) - 32767;
    for (let round = 0; round < 500; ++round) {
        let entity = random(2);
        const moves = Array.from({ length: random(20) }, () => {
            entity += 1 + random(round % 2 === 0 ? 3 : 2 ** 40);
            const z = random(3) === 0 ? 0 : coordinate();
            const velocity = random(2) === 0 ? still : { x: each(), y: each(), z: each() };
            return { entity, isRelative: random(2) === 0, x: coordinate(), y: coordinate(), z, velocity };
        });
        assert.deepEqual(unpacked(packMoves(moves)), moves);
    }
});

test("packed moves that are cut off, too long, unordered or out of range are refused", () => {
    for (const hex of ["38", "38f4", "38f40385", "b800f40305", "38f4030500f40305", "39f40305",
        "38ffffffff7f00", "38ffffffffffffffffff0105", "3cf403050000", "3cf40305feff0700"]) {
        assert.throws(() => unpacked(fromHex(hex)), ProtocolError, hex);
    }
});
