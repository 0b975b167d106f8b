/**
 * Writes FlatBuffers of the shapes of flat_shapes.ts, from the first byte to the last: a table's fields
 * come behind its vtable, and what they point to behind the table.
 *
 *     | length | root | ... vtable | table | what it points to: vtable | table | ... bytes | ...
 *
 * Order    Everything is aligned from the first byte of the length prefix on.
 * Errors   RangeError for a number that its field cannot hold: the caller's mistake.
 */
import { Scalar, Struct, Table, Type, Value, alignUp, bytesOf } from "./flat_shapes.js";

const text = new TextEncoder();

const range: Record<Exclude<Scalar, "bool" | "nonce">, readonly [number, number]> = {
    ubyte: [0, 0xff],
    short: [-0x8000, 0x7fff],
    ushort: [0, 0xffff],
    uint: [0, 0xffffffff],
    int: [-0x80000000, 0x7fffffff],
    long: [0, Number.MAX_SAFE_INTEGER],
};

/** A field that is there, with its place in the table. */
interface Placed {
    readonly number: number;
    readonly type: Type;
    readonly value: unknown;
    readonly at: number;
}

export class FlatWriter {
    private bytes = new Uint8Array(256);
    private view = new DataView(this.bytes.buffer);
    private end = 0;

    /** So many zeros, the first at a multiple of `align`; returns where. */
    reserve(bytes: number, align: number): number {
        const at = alignUp(this.end, align);
        this.end = at + bytes;
        if (this.end > this.bytes.length) {
            const larger = new Uint8Array(alignUp(2 * this.end, 8));
            larger.set(this.bytes);
            this.bytes = larger;
            this.view = new DataView(larger.buffer);
        }
        return at;
    }

    /** What was written, its length first. */
    finished(): Uint8Array {
        const whole = alignUp(this.end, 8);
        this.reserve(whole - this.end, 1);
        this.scalar("uint", 0, whole - 4);
        return this.bytes.slice(0, whole);
    }

    /** The offset at `from` points to `to` from now on. */
    point(from: number, to: number): void {
        this.scalar("uint", from, to - from);
    }

    table(of: Table, value: Value): number {
        const { fields, bytes } = place(of, value);
        const vtableBytes = 4 + 2 * (fields.length === 0 ? 0 : Math.max(...fields.map((f) => f.number)) + 1);
        // The table begins 4 before a multiple of 8: its largest fields come right behind its first offset.
        const vtable = this.reserve(vtableBytes, 2);
        const at = this.reserve(0, 8) + 4;
        this.reserve(4 + bytes, 1);
        this.scalar("ushort", vtable, vtableBytes);
        this.scalar("ushort", vtable + 2, bytes);
        this.scalar("int", at, at - vtable);
        for (const field of fields) {
            this.scalar("ushort", vtable + 4 + 2 * field.number, field.at);
            this.field(field.type, at + field.at, field.value);
        }
        return at;
    }

    scalar(of: Scalar, at: number, value: unknown): void {
        if (of === "bool") {
            this.view.setUint8(at, value ? 1 : 0);
            return;
        }
        if (of === "nonce") {
            this.view.setBigUint64(at, value as bigint, true);
            return;
        }
        const [least, most] = range[of];
        const number = value as number;
        if (!Number.isInteger(number) || number < least || number > most) {
            throw new RangeError(`${String(value)} is not an integer from ${least} to ${most}`);
        }
        switch (of) {
            case "ubyte":
                return this.view.setUint8(at, number);
            case "short":
                return this.view.setInt16(at, number, true);
            case "ushort":
                return this.view.setUint16(at, number, true);
            case "uint":
                return this.view.setUint32(at, number, true);
            case "int":
                return this.view.setInt32(at, number, true);
            case "long":
                return this.view.setBigUint64(at, BigInt(number), true);
        }
    }

    private field(type: Type, at: number, value: unknown): void {
        switch (type.kind) {
            case "scalar":
                return this.scalar(type.scalar, at, value);
            case "struct":
                return this.struct(type.of, at, value as Value);
            case "table":
                return this.point(at, this.table(type.of, value as Value));
            case "string":
                return this.blob(at, text.encode(value as string), 1);
            case "bytes":
                return this.blob(at, value as Uint8Array, 0);
            case "longs":
                return this.list(at, value as number[], 8, 8, (to, item) => this.scalar("long", to, item));
            case "ushorts":
                return this.list(at, value as number[], 2, 2, (to, item) => this.scalar("ushort", to, item));
            case "structs":
                return this.list(at, value as Value[], type.of.bytes, type.of.align,
                                 (to, item) => this.struct(type.of, to, item));
            case "tables":
                return this.list(at, value as Value[], 4, 4,
                                 (to, item) => this.point(to, this.table(type.of, item)));
        }
    }

    private struct(of: Struct, at: number, value: Value): void {
        for (const field of of.fields) {
            if (typeof field.of === "string") {
                this.scalar(field.of, at + field.at, value[field.name]);
            } else {
                this.struct(field.of, at + field.at, value[field.name] as Value);
            }
        }
    }

    /** A list of bytes, with zeros behind it where it is a text. */
    private blob(from: number, bytes: Uint8Array, zeros: number): void {
        const at = this.reserve(4 + bytes.length + zeros, 4);
        this.point(from, at);
        this.scalar("uint", at, bytes.length);
        this.bytes.set(bytes, at + 4);
    }

    private list<Item>(from: number, items: readonly Item[], bytes: number, align: number,
                       write: (at: number, item: Item) => void): void {
        // The items are aligned; their number stands before them.
        const first = alignUp(alignUp(this.end, 4) + 4, Math.max(align, 4));
        this.reserve(first + items.length * bytes - this.end, 1);
        this.point(from, first - 4);
        this.scalar("uint", first - 4, items.length);
        items.forEach((item, i) => write(first + i * bytes, item));
    }
}

/** The fields that are there, the largest first, and how long a table with them is. */
function place(of: Table, value: Value): { fields: Placed[]; bytes: number } {
    const present = of.fields
        .map(({ name, type }, number) => ({ number, type, value: value[name], ...sizeOf(type) }))
        .filter((field) => !isDefault(field.type, field.value))
        .sort((a, b) => b.align - a.align);
    let end = 4;
    const fields = present.map((field) => {
        // Aligned as from 4 before a multiple of 8.
        const at = alignUp(end - 4, field.align) + 4;
        end = at + field.bytes;
        return { ...field, at };
    });
    return { fields, bytes: end };
}

function sizeOf(type: Type): { bytes: number; align: number } {
    switch (type.kind) {
        case "scalar":
            return { bytes: bytesOf[type.scalar], align: bytesOf[type.scalar] };
        case "struct":
            return { bytes: type.of.bytes, align: type.of.align };
        default:
            return { bytes: 4, align: 4 };
    }
}

function isDefault(type: Type, value: unknown): boolean {
    return value === undefined || value === "" || (type.kind === "scalar" && value === type.default);
}
