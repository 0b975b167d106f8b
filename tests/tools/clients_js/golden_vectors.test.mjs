// Every vector of tests/vectors: a server's message is read as its fields, and a client's is sent so that flatc reads them alike.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromHex, library, toHex } from "./library.mjs";
import { decodeBody, fieldsOf, messages, servers, structs, withNumbers } from "./wire.mjs";

const { decode, encode, packMoves, unpackMoves } = library;
const folder = process.env.MARCHLAND_VECTORS;

// A nonce has all 64 bits: JSON's numbers here are doubles.
const read = (file) => JSON.parse(readFileSync(join(folder, file), "utf8")
    .replace(/"nonce": (\d+)/g, '"nonce": "$1"'));

/** As the vectors tell values: without what is 0, false or absent; bytes as hex. */
function received(value, name) {
    if (value instanceof Uint8Array) {
        return toHex(value);
    }
    if (typeof value === "bigint") {
        return String(value);
    }
    if (Array.isArray(value)) {
        return value.map((item) => received(item));
    }
    if (typeof value !== "object") {
        return value;
    }
    const saysSomething = ([member, content]) =>
        member === "facing" || !(content === 0 || content === false || content === "" ||
        (content.length === 0));
    return Object.fromEntries(Object.entries(value).filter(saysSomething)
        .map(([member, content]) => [member, received(content, member)]));
}

/** The other way: what a vector's fields are to the library. */
function meant(type, fields) {
    const one = (field, value) => {
        if (field.type in fieldsOf) {
            return meant(field.type, value);
        }
        return field.name === "nonce" ? BigInt(value) : field.isList && field.type === "ubyte" ? fromHex(value) : value;
    };
    return Object.fromEntries(fieldsOf[type].filter(({ name }) => name in fields || structs.has(type)).map((field) => {
        const value = fields[field.name] ?? (field.type in fieldsOf ? {} : 0);
        return [field.name, Array.isArray(value) ? value.map((item) => one(field, item)) : one(field, value)];
    }));
}

const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

for (const file of files) {
    const vector = read(file);
    const { type, fields } = vector;

    test(`${vector.name} is read, or sent, as its fields`, () => {
        const bytes = fromHex(vector.hex);
        if (!servers.includes(type)) {
            assert.deepEqual(decodeBody(encode({ type, ...withNumbers(type, meant(type, fields)) })), decodeBody(bytes));
        } else {
            const { type: name, ...message } = decode(bytes);
            assert.equal(name, type);
            assert.deepEqual(received(message), fields);
        }
        if (vector.moves !== undefined) {
            const moves = [];
            unpackMoves(decodeBody(bytes).value.moves, ({ entity, isRelative, x, y, z, velocity }) =>
                moves.push([entity, isRelative, x, y, z, velocity.x, velocity.y, velocity.z]), () => vector.known);
            assert.deepEqual(moves, vector.moves);
            if (vector.known !== undefined) {
                return; // the library writes ids
            }
            assert.equal(toHex(packMoves(moves.map(([entity, isRelative, x, y, z, vx, vy, vz]) =>
                ({ entity, isRelative, x, y, z, velocity: { x: vx, y: vy, z: vz } })))), fields.moves);
        }
    });
}

test("there is a vector of each message", () => {
    assert.deepEqual([...new Set(files.map((file) => read(file).type))].sort(), [...messages].sort());
});
