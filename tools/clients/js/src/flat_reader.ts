/**
 * Reads FlatBuffers of the shapes of flat_shapes.ts, from foreign bytes.
 *
 * Errors   ProtocolError for whatever is outside the buffer, has a required field missing, or a number
 *          that cannot be told exactly.
 * Bounds   Texts, bytes and lists together are no longer than the message, though many offsets may lead to one of them. Bytes
 *          are views into it, not copies.
 */
import { Scalar, Struct, Table, Type, Value, bytesOf } from "./flat_shapes.js";
import { ProtocolError } from "./protocol_error.js";

const text = new TextDecoder("utf-8", { fatal: true });

export class FlatReader {
    readonly view: DataView;
    /** So much of it may still be read. */
    private left: number;

    constructor(private readonly message: Uint8Array) {
        this.left = message.length;
        this.view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    }

    /** Where what the offset at `at` points to begins. */
    follow(at: number): number {
        return at + this.number(at, "uint");
    }

    /** Where the field of that number is, or 0: absent. */
    fieldAt(table: number, number: number): number {
        const vtable = table - this.number(table, "int");
        const entry = 4 + 2 * number;
        if (entry >= this.number(vtable, "ushort")) {
            return 0;
        }
        const offset = this.number(vtable + entry, "ushort");
        return offset === 0 ? 0 : table + offset;
    }

    table(of: Table, at: number): Value {
        const value: Value = {};
        of.fields.forEach((field, number) => {
            const place = this.fieldAt(at, number);
            if (place === 0 && field.required) {
                throw new ProtocolError(`${field.name} is missing`);
            }
            const read = place === 0 ? absent(field.type) : this.field(field.type, place);
            if (read !== undefined) {
                value[field.name] = read;
            }
        });
        return value;
    }

    scalar(of: Scalar, at: number): number | bigint | boolean {
        switch (of) {
            case "bool":
                return this.number(at, "ubyte") !== 0;
            case "long":
                return this.long(at);
            case "nonce":
                return this.inside(at, 8).getBigUint64(at, true);
            default:
                return this.number(at, of);
        }
    }

    private number(at: number, of: "ubyte" | "short" | "ushort" | "uint" | "int"): number {
        const view = this.inside(at, bytesOf[of]);
        switch (of) {
            case "ubyte":
                return view.getUint8(at);
            case "short":
                return view.getInt16(at, true);
            case "ushort":
                return view.getUint16(at, true);
            case "uint":
                return view.getUint32(at, true);
            case "int":
                return view.getInt32(at, true);
        }
    }

    long(at: number): number {
        const value = this.number(at, "uint") + this.number(at + 4, "uint") * 2 ** 32;
        if (!Number.isSafeInteger(value)) {
            throw new ProtocolError("a number of 2^53 or more");
        }
        return value;
    }

    private field(type: Type, at: number): unknown {
        switch (type.kind) {
            case "scalar":
                return this.scalar(type.scalar, at);
            case "struct":
                return this.struct(type.of, at);
            case "table":
                return this.table(type.of, this.follow(at));
            case "string":
                return this.string(at);
            case "bytes":
                return this.bytes(at);
            case "longs":
                return this.list(at, 8, (place) => this.long(place));
            case "ushorts":
                return this.list(at, 2, (place) => this.scalar("ushort", place));
            case "structs":
                return this.list(at, type.of.bytes, (place) => this.struct(type.of, place));
            case "tables":
                return this.list(at, 4, (place) => this.table(type.of, this.follow(place)));
        }
    }

    private struct(of: Struct, at: number): Value {
        const value: Value = {};
        for (const field of of.fields) {
            value[field.name] = typeof field.of === "string" ? this.scalar(field.of, at + field.at)
                                                             : this.struct(field.of, at + field.at);
        }
        return value;
    }

    private string(at: number): string {
        const bytes = this.bytes(at);
        try {
            return text.decode(bytes);
        } catch {
            throw new ProtocolError("a text that is not UTF-8");
        }
    }

    bytes(at: number): Uint8Array {
        const { first, count } = this.vector(at, 1);
        return this.message.subarray(first, first + count);
    }

    list<Item>(at: number, bytes: number, read: (at: number) => Item): Item[] {
        const { first, count } = this.vector(at, bytes);
        const items: Item[] = [];
        for (let i = 0; i < count; ++i) {
            items.push(read(first + i * bytes));
        }
        return items;
    }

    private vector(at: number, bytes: number): { first: number; count: number } {
        const first = this.follow(at) + 4;
        const count = this.number(first - 4, "uint");
        this.inside(first, count * bytes);
        this.left -= count * bytes;
        if (this.left < 0) {
            throw new ProtocolError("a message that says the same bytes again and again");
        }
        return { first, count };
    }

    private inside(at: number, bytes: number): DataView {
        if (at < 0 || at + bytes > this.view.byteLength) {
            throw new ProtocolError("an offset that leads out of the message");
        }
        return this.view;
    }
}

/** Lists that are absent are empty; whatever else is absent is undefined, but for numbers. */
function absent(type: Type): unknown {
    switch (type.kind) {
        case "scalar":
            return type.default;
        case "string":
            return "";
        case "bytes":
            return type.ifSaid ? undefined : new Uint8Array(0);
        case "longs":
        case "ushorts":
        case "structs":
        case "tables":
            return [];
        case "struct":
        case "table":
            return undefined;
    }
}
