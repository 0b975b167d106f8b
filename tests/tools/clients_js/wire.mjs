// All messages, both ways, by what flatc makes of the schema (its object API): the other end of the library.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { Builder, ByteBuffer } = createRequire(process.env.MARCHLAND_WIRE)("flatbuffers");
const wire = await import(pathToFileURL(process.env.MARCHLAND_WIRE));

const schema = readFileSync(process.env.MARCHLAND_SCHEMA, "utf8");
const text = schema.replace(/\/\/.*/g, "");
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Of each table and struct its fields: { name, type, isList, isRequired, default }. */
export const fieldsOf = Object.fromEntries([...text.matchAll(/(?:table|struct) (\w+) \{([^}]*)\}/g)].map(
    ([, name, body]) => [name, [...body.matchAll(/(\w+):(\[?)(\w+)\]?(?: = (\w+))?( \(required\))?;/g)].map(
        ([, field, list, type, value, required]) =>
            ({ name: camel(field), type, isList: list !== "", isRequired: required !== undefined, default: value }))]));

/** Of each enum its values. */
export const valuesOf = Object.fromEntries([...text.matchAll(/enum (\w+):ubyte \{([^}]*)\}/g)].map(
    ([, name, body]) => [name, [...body.matchAll(/= (\d+)/g)].map(([, value]) => Number(value))]));

/** The structs. */
export const structs = new Set([...text.matchAll(/struct (\w+)/g)].map(([, name]) => name));

/** The messages, in the order of their type numbers, the first being 1. */
export const messages = /union Body \{([^}]*)\}/.exec(text)[1].split(",").map((name) => name.trim());

/** Of those the ones that a server sends: the schema has them in its second half. */
const serversPart = schema.slice(schema.indexOf("// ---- server to client"));
export const servers = messages.filter((name) => serversPart.includes(`table ${name} {`));

const isNumber = (type) => !(type in fieldsOf) && type !== "string" && type !== "bool";

/** Ids are numbers, as in the library; what is absent is what the schema says. */
export function encodeBody(type, value) {
    const builder = new Builder();
    const body = made(type, value).pack(builder);
    builder.finish(wire.Message.createMessage(builder, messages.indexOf(type) + 1, body, false), undefined, true);
    return builder.asUint8Array().slice();
}

function made(type, value) {
    const one = (of, item) => of in fieldsOf ? made(of, item) : of === "ulong" ? BigInt(item) : item;
    const object = new wire[`${type}T`]();
    for (const { name, type: of, isList } of fieldsOf[type]) {
        if (value[name] !== undefined) {
            object[name] = !isList ? one(of, value[name]) : of === "ubyte" ? value[name] : value[name].map((item) => one(of, item));
        } else if (structs.has(type) && of in fieldsOf) {
            object[name] = made(of, {});
        }
    }
    return object;
}

export function decodeBody(bytes) {
    const message = wire.Message.getSizePrefixedRootAsMessage(new ByteBuffer(bytes)).unpack();
    const name = messages[message.bodyType - 1];
    return { name, value: plain(name, message.body) };
}

/** Without what is absent, but for lists and numbers that have a default. */
function plain(type, object) {
    const one = (of, name, item) => of in fieldsOf ? plain(of, item) : of === "ulong" && name !== "nonce" ? Number(item) : item;
    return Object.fromEntries(fieldsOf[type].filter(({ name }) => object[name] !== null).map(({ name, type: of, isList }) =>
        [name, !isList ? one(of, name, object[name]) : of === "ubyte" ? Uint8Array.from(object[name]) :
            object[name].map((item) => one(of, name, item))]));
}

const rangeOf = {
    ubyte: [0, 0xff], short: [-0x8000, 0x7fff], ushort: [0, 0xffff], uint: [0, 0xffffffff], int: [-0x80000000, 0x7fffffff],
    ulong: [0, Number.MAX_SAFE_INTEGER],
};

/** A message of that type, with half of the fields that may be absent. `random(end)` gives a number from 0 to end - 1. */
export function randomMessage(type, random) {
    const one = ({ name, type: of, default: otherwise }) => {
        if (of in fieldsOf) {
            return randomMessage(of, random);
        }
        if (otherwise === "null") {
            return 1 + random(rangeOf[of][1]); // flatc's own code leaves a 0 out
        }
        if (of === "string") {
            return ["x", "π and ✓", "a longer text"][random(3)];
        }
        if (of === "bool") {
            return random(2) === 1;
        }
        if (name === "nonce") {
            return (1n << 64n) - 1n - BigInt(random(1000));
        }
        if (of in valuesOf) {
            return valuesOf[of][random(valuesOf[of].length)];
        }
        const [least, most] = rangeOf[of];
        return [least, most, Math.min(most, random(300)), least + Math.floor((most - least) * random(2 ** 30) / 2 ** 30)][random(4)];
    };
    const list = (field) => {
        const items = Array.from({ length: random(4) }, () => one(field));
        return field.type === "ubyte" ? Uint8Array.from(items) : items;
    };
    return Object.fromEntries(fieldsOf[type].filter((field) => structs.has(type) || field.isRequired || field.name === "nonce" || random(2) === 0).map(
        (field) => [field.name, field.isList ? list(field) : one(field)]));
}

/** With a 0 for each number of the message itself that is absent: the library asks for some of them. */
export function withNumbers(type, value) {
    const numbers = fieldsOf[type].filter(({ type: of, isList, default: otherwise }) => isNumber(of) && !isList && otherwise !== "null");
    return { ...Object.fromEntries(numbers.map(({ name }) => [name, name === "nonce" ? 0n : 0])), ...value };
}

/** The message's numbers: { name, least, most, isNeeded, set(value) }. */
export function numbersIn(type, value) {
    return fieldsOf[type].filter(({ name }) => value[name] !== undefined).flatMap(({ name, type: of, isList }) => {
        if (of in fieldsOf) {
            return (isList ? value[name] : [value[name]]).flatMap((item) => numbersIn(of, item));
        }
        if (!isNumber(of) || name === "nonce" || (isList && of === "ubyte")) {
            return [];
        }
        const [least, most] = rangeOf[of] ?? rangeOf.ubyte;
        const isNeeded = isList || structs.has(type);
        return isList ? value[name].map((_, i) => ({ name, least, most, isNeeded, set: (wrong) => (value[name][i] = wrong) }))
                      : [{ name, least, most, isNeeded, set: (wrong) => (value[name] = wrong) }];
    });
}

/** The message without that field: of itself, or of the first table in `list`. */
export function without(bytes, type, name, list) {
    const buffer = new ByteBuffer(bytes);
    const body = wire.Message.getSizePrefixedRootAsMessage(buffer).body(new wire[type]());
    const table = list === undefined ? body : body[list.name](0);
    const field = fieldsOf[list?.type ?? type].findIndex((each) => each.name === name);
    const vtable = table.bb_pos - buffer.readInt32(table.bb_pos);
    buffer.writeInt16(vtable + 4 + 2 * field, 0);
    return bytes;
}
