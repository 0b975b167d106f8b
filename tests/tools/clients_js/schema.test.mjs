// The library's schema is that of net/schema/marchland.fbs, field by field.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bodies } from "./library.mjs";

const text = readFileSync(process.env.MARCHLAND_SCHEMA, "utf8").replace(/\/\/.*/g, "");
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Of each table and struct its fields, as [name, type, default, is it required]. */
const declared = Object.fromEntries([...text.matchAll(/(?:table|struct) (\w+) \{([^}]*)\}/g)].map(
    ([, name, body]) => [name, [...body.matchAll(/(\w+):([\w[\]]+)(?: = (\w+))?( \(required\))?;/g)].map(
        ([, field, type, value, required]) => [camel(field), type, value, required !== undefined])]));
const enums = new Set([...text.matchAll(/enum (\w+)/g)].map(([, name]) => name));
const union = /union Body \{([^}]*)\}/.exec(text)[1].split(",").map((name) => name.trim());

/** What the library's field must be for one of the schema; throws where it is something else. */
function compareField(field, [name, type, value, required]) {
    assert.equal(field.name, name);
    assert.equal(field.required, required, name);
    const list = /^\[(\w+)\]$/.exec(type)?.[1];
    const { kind } = field.type;
    if (type === "string") {
        assert.equal(kind, "string");
    } else if (["ubyte", "ushort", "ulong"].includes(list)) {
        assert.equal(kind, { ubyte: "bytes", ushort: "ushorts", ulong: "longs" }[list]);
    } else if (list !== undefined) {
        compareFields(field.type.of, list);
        assert.equal(kind, "bytes" in field.type.of ? "structs" : "tables");
    } else if (type in declared) {
        compareFields(field.type.of, type);
        assert.equal(kind, "bytes" in field.type.of ? "struct" : "table");
    } else {
        assert.equal(kind, "scalar");
        compareScalar(field.type.scalar, type, name);
        const expected = value === "null" ? undefined : value === "circle" ? 1 : Number(value ?? 0);
        const actual = field.type.default;
        assert.equal(actual === undefined ? undefined : Number(actual), expected, name);
    }
}

function compareScalar(scalar, type, name) {
    const expected = enums.has(type) ? "ubyte" : { ulong: name === "nonce" ? "nonce" : "long" }[type] ?? type;
    assert.equal(scalar, expected, name);
}

function compareFields(of, name) {
    const fields = declared[name];
    assert.deepEqual(of.fields.map((field) => field.name), fields.map(([field]) => field), name);
    of.fields.forEach((field, i) => {
        if (!("bytes" in of)) {
            compareField(field, fields[i]);
        } else if (typeof field.of === "string") {
            compareScalar(field.of, fields[i][1], fields[i][0]);
        } else {
            compareFields(field.of, fields[i][1]);
        }
    });
}

test("every message has the number of the schema's union", () => {
    assert.deepEqual(Object.keys(bodies), union);
});

for (const name of union) {
    test(`${name} has the fields of the schema`, () => compareFields(bodies[name], name));
}
