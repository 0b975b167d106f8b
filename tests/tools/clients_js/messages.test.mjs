// Every message, with fields at random: what the library reads and writes is what flatc's own code does, field by field of the schema.
import assert from "node:assert/strict";
import { test } from "node:test";
import { library, randomNumbers } from "./library.mjs";
import { decodeBody, encodeBody, fieldsOf, messages, numbersIn, randomMessage, servers, structs } from "./wire.mjs";

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

    for (const { name } of fieldsOf[type].filter(({ isRequired, type: of }) => isRequired && !(of === "SpawnedOne"))) {
        test(`a ${type} without its ${name} is refused`, () => {
            const bytes = encodeBody(type, randomMessage(type, () => 0));
            // Its entry in the vtable is 0 from here on.
            const view = new DataView(bytes.buffer);
            const message = 4 + view.getUint32(4, true);
            const entry = (table, field) => table - view.getInt32(table, true) + 4 + 2 * field;
            const bodyAt = message + view.getUint16(entry(message, 1), true);
            const body = bodyAt + view.getUint32(bodyAt, true);
            view.setUint16(entry(body, fieldsOf[type].findIndex((field) => field.name === name)), 0, true);
            assert.throws(() => decode(bytes), { name: "ProtocolError", message: `${name} is missing` });
        });
    }
}

for (const type of clients) {
    test(`a ${type} is sent as it was meant`, () => {
        const random = randomNumbers(messages.indexOf(type));
        for (let round = 0; round < 300; ++round) {
            const value = randomMessage(type, random);
            const sent = decodeBody(encode({ type, ...value }));
            assert.equal(sent.name, type);
            assert.deepEqual(withDefaults(type, sent.value), withDefaults(type, value));
        }
    });

    test(`a ${type} with a number that its field cannot hold is not sent`, () => {
        const random = randomNumbers(messages.indexOf(type));
        for (let round = 0; round < 100; ++round) {
            const value = randomMessage(type, random);
            const numbers = numbersIn(type, value);
            if (numbers.length === 0) {
                continue;
            }
            const [{ name }, holder, [least, most]] = numbers[random(numbers.length)];
            holder[name] = [least - 1, most + 1, 0.5, NaN][random(4)];
            assert.throws(() => encode({ type, ...value }), RangeError, `${name} ${holder[name]}`);
        }
    });
}

test("a 0 is sent where its absence would mean something else", () => {
    const entities = [{ entity: 1, facing: 0, framesHz: 0, speedPercent: 0, moveAck: 0 }];
    const { facing, framesHz, speedPercent, moveAck } = decodeBody(encode({ type: "Change", entities })).value.entities[0];
    assert.deepEqual([facing, framesHz, speedPercent, moveAck], [0, 0, 0, 0]);
    assert.equal(decodeBody(encode({ type: "Move", seq: 1, position: { x: 0, y: 0, z: 0 }, facing: 0 })).value.facing, 0);
});

test("whatever a server sends, broken or whole, is read or is a ProtocolError", () => {
    const random = randomNumbers(4);
    let refused = 0;
    for (let round = 0; round < 40000; ++round) {
        const type = servers[random(servers.length)];
        const bytes = encodeBody(type, randomMessage(type, random));
        for (let i = 0; i <= random(3); ++i) {
            bytes[4 + random(bytes.length - 4)] = random(256);
        }
        try {
            decode(bytes.slice(0, random(4) === 0 ? 4 + random(bytes.length - 4) : bytes.length));
        } catch (error) {
            assert.ok(error instanceof ProtocolError, error.stack);
            ++refused;
        }
    }
    assert.ok(refused > 1000);
});
