/**
 * How shapes of a FlatBuffers schema are written down for flat_reader.ts and flat_writer.ts: as much
 * of FlatBuffers as our schema needs.
 *
 * A table's fields stand in the order of the schema, since their numbers are their places in it.
 */

/** `long`: a u64 as a number, exact up to 2^53. `nonce`: a u64 as a bigint, for what may be anything. */
export type Scalar = "bool" | "ubyte" | "short" | "ushort" | "uint" | "int" | "long" | "nonce";

export type Type =
    | { kind: "scalar"; scalar: Scalar; default: number | bigint | boolean | undefined }
    | { kind: "struct"; of: Struct }
    | { kind: "table"; of: Table }
    | { kind: "string" }
    | { kind: "bytes"; ifSaid: boolean }
    | { kind: "longs" }
    | { kind: "ushorts" }
    | { kind: "structs"; of: Struct }
    | { kind: "tables"; of: Table };

export interface Field {
    readonly name: string;
    readonly type: Type;
    readonly required: boolean;
}

export interface Table {
    readonly fields: readonly Field[];
}

export interface StructField {
    readonly name: string;
    readonly of: Scalar | Struct;
    readonly at: number;
}

export interface Struct {
    readonly fields: readonly StructField[];
    readonly bytes: number;
    readonly align: number;
}

/**
 * What a table reads as, and is written from. A field that is absent is no
 * member, or `undefined`; of bytes that are not `ifSaid`, and of lists, absent is as good as empty.
 */
export type Value = Record<string, unknown>;

export const bytesOf: Record<Scalar, number> = {
    bool: 1, ubyte: 1, short: 2, ushort: 2, uint: 4, int: 4, long: 8, nonce: 8,
};

export function alignUp(at: number, align: number): number {
    return Math.ceil(at / align) * align;
}

/** Members aligned to their size, one behind the other, as in C. */
export function struct(members: Record<string, Scalar | Struct>): Struct {
    let end = 0;
    let align = 1;
    const fields = Object.entries(members).map(([name, of]) => {
        const [bytes, own] = typeof of === "string" ? [bytesOf[of], bytesOf[of]] : [of.bytes, of.align];
        const at = alignUp(end, own);
        end = at + bytes;
        align = Math.max(align, own);
        return { name, of, at };
    });
    return { fields, bytes: alignUp(end, align), align };
}

export function table(members: Record<string, Type>, required: readonly string[] = []): Table {
    return {
        fields: Object.entries(members).map(([name, type]) =>
            ({ name, type, required: required.includes(name) })),
    };
}
