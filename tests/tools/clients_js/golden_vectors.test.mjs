// Every vector of tests/vectors is read as its fields, and what is written from them is read alike, here
// and by flatc.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bodies, fromHex, library, toHex } from "./library.mjs";

const { decodeBody, encodeBody, packMoves, unpackMoves } = library;
const folder = process.env.MARCHLAND_VECTORS;
const work = mkdtempSync(join(tmpdir(), "marchland-vectors-"));
after(() => rmSync(work, { recursive: true }));

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
    const table = (of, value) => Object.fromEntries(of.fields.filter(({ name }) => name in value)
        .map(({ name, type: field }) => [name, one(field, value[name])]));
    const struct = (of, value) => Object.fromEntries(of.fields.map(({ name, of: member }) =>
        [name, typeof member === "string" ? value[name] ?? 0 : struct(member, value[name] ?? {})]));
    const one = (field, value) => {
        switch (field.kind) {
            case "scalar":
                return field.scalar === "nonce" ? BigInt(value) : value;
            case "bytes":
                return fromHex(value);
            case "struct":
                return struct(field.of, value);
            case "structs":
                return value.map((item) => struct(field.of, item));
            case "table":
                return table(field.of, value);
            case "tables":
                return value.map((item) => table(field.of, item));
            default:
                return value;
        }
    };
    return table(bodies[type], fields);
}

/** Read and written again by flatc, through its JSON. */
function throughFlatc(name, bytes) {
    const flatc = (...options) => execFileSync(process.env.MARCHLAND_FLATC, options, { cwd: work });
    writeFileSync(join(work, `${name}.bin`), bytes);
    flatc("--json", "--strict-json", "--raw-binary", "--size-prefixed", process.env.MARCHLAND_SCHEMA,
        "--", `${name}.bin`);
    flatc("--binary", "--size-prefixed", process.env.MARCHLAND_SCHEMA, `${name}.json`);
    return new Uint8Array(readFileSync(join(work, `${name}.bin`)));
}

const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

for (const file of files) {
    const vector = read(file);
    const expected = { ...vector.fields };

    test(`${vector.name} is read as its fields`, () => {
        const { name, value } = decodeBody(fromHex(vector.hex));
        assert.equal(name, vector.type);
        assert.deepEqual(received(value), expected);
        if (vector.moves !== undefined) {
            const moves = [];
            unpackMoves(value.moves, ({ entity, isRelative, x, y, z, velocity }) =>
                moves.push([entity, isRelative, x, y, z, velocity.x, velocity.y, velocity.z]));
            assert.deepEqual(moves, vector.moves);
            assert.equal(toHex(packMoves(moves.map(([entity, isRelative, x, y, z, vx, vy, vz]) =>
                ({ entity, isRelative, x, y, z, velocity: { x: vx, y: vy, z: vz } })))), vector.fields.moves);
        }
    });

    test(`${vector.name} is written so that flatc and the library read its fields`, () => {
        const bytes = encodeBody(vector.type, meant(vector.type, vector.fields));
        assert.equal(new DataView(bytes.buffer).getUint32(0, true), bytes.length - 4);
        for (const again of [bytes, throughFlatc(vector.name, bytes)]) {
            const { name, value } = decodeBody(again);
            assert.equal(name, vector.type);
            assert.deepEqual(received(value), expected);
        }
    });
}

test("there is a vector of each message", () => {
    assert.deepEqual([...new Set(files.map((file) => read(file).type))].sort(), Object.keys(bodies).sort());
});
