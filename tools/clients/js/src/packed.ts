/** The numbers of few bytes that packed moves and states are made of, as docs/wire_format.md has them. Up to 2^53. */
import { ProtocolError } from "./protocol_error.js";

/** Throws ProtocolError, with `what` is read. */
export class PackedReader {
    private at = 0;

    constructor(private readonly packed: Uint8Array, private readonly what: string) {}

    get isAtEnd(): boolean {
        return this.at >= this.packed.length;
    }

    varint(): number {
        let value = 0;
        for (let scale = 1; ; scale *= 128) {
            const byte = this.packed[this.at++];
            if (byte === undefined || (byte === 0 && scale > 1)) {
                throw new ProtocolError(`${this.what}: a number is cut off, or longer than needed`);
            }
            value += (byte & 0x7f) * scale;
            if (value > Number.MAX_SAFE_INTEGER) {
                throw new ProtocolError(`${this.what}: a number of 2^53 or more`);
            }
            if (byte < 0x80) {
                return value;
            }
        }
    }

    zigzag(): number {
        const value = this.varint();
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }

    /** A copy: the frame's memory is not kept. (slice() of Node's Buffer would be no copy.) */
    take(count: number): Uint8Array {
        const from = this.at;
        this.at += count;
        if (this.at > this.packed.length) {
            throw new ProtocolError(`${this.what}: cut off`);
        }
        return new Uint8Array(this.packed.subarray(from, this.at));
    }
}

export class PackedWriter {
    private readonly out: number[] = [];

    varint(value: number): void {
        let rest = value;
        for (; rest >= 128; rest = Math.floor(rest / 128)) {
            this.out.push((rest % 128) + 128);
        }
        this.out.push(rest);
    }

    zigzag(value: number): void {
        this.varint(value < 0 ? -2 * value - 1 : 2 * value);
    }

    bytes(bytes: Iterable<number>): void {
        for (const byte of bytes) {
            this.out.push(byte);
        }
    }

    get packed(): Uint8Array {
        return Uint8Array.from(this.out);
    }
}
