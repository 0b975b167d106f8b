// Every message, with fields at random: what the library reads and writes is what flatc's own code does, field by field of the schema.
import assert from "node:assert/strict";
import { test } from "node:test";
import { library, randomNumbers } from "./library.mjs";
import { decodeBody, encodeBody, fieldsOf, messages, numbersIn, randomMessage, servers, structs, withNumbers, without } from "./wire.mjs";

const { decode, encode, ProtocolError } = library;

const clients = messages.filter((type) => !servers.includes(type));

/** What the library reads where nothing was sent. */
function withDefaults(type, value) {
    const absent = ({ name, type: of, isList, default: number }) => {
        if (isList) {
            return of === "ubyte" ? new Uint8Array(0) : [];
        }
        return name === "nonce" ? 0n : of in fieldsOf || number === "null" ? undefined : of === "string" ? "" : of === "bool" ? false :
            number === "circle" ? 1 : Number(number ?? 0);
    };
    const one = (of, item) => of in fieldsOf && !structs.has(of) ? withDefaults(of, item) : item;
    return Object.fromEntries(fieldsOf[type].map((field) => {
        const { name, type: of, isList } = field;
        const there = value[name];
        return [name, there === undefined ? absent(field) : isList && of !== "ubyte" ? there.map((item) => one(of, item)) : one(of, there)];
    }).filter(([, field]) => field !== undefined));
}

for (const type of clients) {
    test(`a ${type}, which only a client sends, is refused`, () => {
        assert.throws(() => decode(encodeBody(type, randomMessage(type, () => 0))), { name: "ProtocolError", message: /only a client sends/ });
    });
}

for (const type of servers) {
    test(`a ${type} is read as it was sent`, () => {
        const random = randomNumbers(messages.indexOf(type));
        for (let round = 0; round < 300; ++round) {
            const value = randomMessage(type, random);
            assert.deepEqual(decode(encodeBody(type, value)), { type, ...withDefaults(type, value) });
        }
    });

    for (const list of [undefined, ...fieldsOf[type].filter(({ isList, type: of }) => isList && of in fieldsOf && !structs.has(of))]) {
        for (const { name } of fieldsOf[list?.type ?? type].filter(({ isRequired }) => isRequired)) {
            test(`a ${type} without ${list === undefined ? "its" : `a ${list.type}'s`} ${name} is refused`, () => {
                const random = randomNumbers(1);
                let value;
                do {
                    value = randomMessage(type, random);
                } while (list !== undefined && !(value[list.name]?.length > 0));
                assert.throws(() => decode(without(encodeBody(type, value), type, name, list)),
                    { name: "ProtocolError", message: `${name} is missing` });
            });
        }
    }
}

test("a PlayerMove's facing of 0 is read", () => {
    const bytes = encodeBody("PlayerMove", { position: { x: 0, y: 0, z: 0 }, facing: 4711 });
    const view = new DataView(bytes.buffer);
    const at = [...Array(bytes.length - 1).keys()].find((place) => view.getUint16(place, true) === 4711);
    view.setUint16(at, 0, true);
    assert.equal(decode(bytes).facing, 0);
});

for (const type of clients) {
    test(`a ${type} is sent as it was meant`, () => {
        const random = randomNumbers(messages.indexOf(type));
        for (let round = 0; round < 300; ++round) {
            const value = withNumbers(type, randomMessage(type, random));
            const sent = decodeBody(encode({ type, ...value }));
            assert.equal(sent.name, type);
            assert.deepEqual(withDefaults(type, sent.value), withDefaults(type, value));
        }
    });

    const some = Array.from({ length: 20 }, (_, seed) => randomMessage(type, randomNumbers(seed)));
    if (some.some((value) => numbersIn(type, value).length > 0)) {
        test(`a ${type} with a number that its field cannot hold is not sent`, () => {
            const random = randomNumbers(messages.indexOf(type));
            const seen = new Set();
            for (let round = 0; round < 300; ++round) {
                const value = withNumbers(type, randomMessage(type, random));
                const numbers = numbersIn(type, value);
                if (numbers.length > 0) {
                    const { name, least, most, isNeeded, set } = numbers[random(numbers.length)];
                    set([least - 1, most + 1, 0.5, NaN, isNeeded ? undefined : NaN][random(5)]);
                    assert.throws(() => encode({ type, ...value }), RangeError, name);
                    seen.add(name);
                }
            }
            assert.ok(seen.size > 0);
        });
    }
}

test("a nonce of more than 64 bits, or below 0, is not sent", () => {
    assert.throws(() => encode({ type: "Ping", nonce: -1n }), RangeError);
    assert.throws(() => encode({ type: "Ping", nonce: 1n << 64n }), RangeError);
});

test("a 0 is sent where its absence would mean something else", () => {
    const entities = [{ entity: 1, facing: 0, framesHz: 0, speedPercent: 0, moveAck: 0 }];
    const { facing, framesHz, speedPercent, moveAck } = decodeBody(encode({ type: "Change", entities })).value.entities[0];
    assert.deepEqual([facing, framesHz, speedPercent, moveAck], [0, 0, 0, 0]);
    assert.equal(decodeBody(encode({ type: "Move", seq: 1, position: { x: 0, y: 0, z: 0 }, facing: 0 })).value.facing, 0);
});

test("whatever a server sends, broken or whole, is read or is a ProtocolError, and nothing beside it is read", () => {
    const random = randomNumbers(4);
    const kinds = { read: 0, refused: 0 };
    const outcome = (bytes) => {
        try {
            const message = decode(bytes);
            JSON.stringify(message, (name, value) => {
                assert.notEqual(value, undefined, name);
                return typeof value === "bigint" ? String(value) : value;
            });
            return message;
        } catch (error) {
            assert.ok(error instanceof ProtocolError, error.stack);
            return error.message;
        }
    };
    /** As it comes in one piece with others, which are all of this byte. */
    const amidst = (bytes, others) => {
        const piece = new Uint8Array(bytes.length + 2000).fill(others);
        piece.set(bytes, 1000);
        return piece.subarray(1000, 1000 + bytes.length);
    };
    for (let round = 0; round < 40000; ++round) {
        const type = servers[random(servers.length)];
        const whole = encodeBody(type, randomMessage(type, random));
        for (let i = 0; i <= random(3); ++i) {
            whole[4 + random(whole.length - 4)] = random(256);
        }
        const bytes = whole.slice(0, random(4) === 0 ? 4 + random(whole.length - 4) : whole.length);
        const alone = outcome(bytes);
        assert.deepEqual(outcome(amidst(bytes, 0)), alone);
        assert.deepEqual(outcome(amidst(bytes, 0x41)), alone);
        ++kinds[typeof alone === "string" ? "refused" : "read"];
    }
    assert.ok(kinds.read > 1000 && kinds.refused > 1000, JSON.stringify(kinds));
});
