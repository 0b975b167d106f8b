import { ProtocolError } from "./protocol_error.js";

const prefixBytes = 4;

/**
 * Cuts a stream into messages, length prefix included, wherever it was cut on its way.
 *
 * Bounds   A message of more than `messageBytesMax` breaks the stream; memory is made for what came, not
 *          for what a prefix promises.
 * Cost     Messages are views into what was taken, but for those that came in pieces.
 */
export class MessageSplitter {
    private pieces: Uint8Array[] = [];
    private held = 0;

    constructor(private readonly messageBytesMax = 16 * 2 ** 20) {}

    /** Calls `take` for each message that is whole. Throws ProtocolError, as `take` may. */
    push(bytes: Uint8Array, take: (message: Uint8Array) => void): void {
        this.pieces.push(bytes);
        this.held += bytes.length;
        const needed = this.needed();
        if (this.held < needed) {
            return;
        }
        let rest = this.joined();
        this.pieces = [];
        this.held = 0;
        for (;;) {
            const whole = this.wholeOf(rest);
            if (rest.length < whole) {
                break;
            }
            take(rest.subarray(0, whole));
            rest = rest.subarray(whole);
        }
        if (rest.length > 0) {
            this.pieces = [rest];
            this.held = rest.length;
        }
    }

    /** How many bytes must be there before there is anything to do. */
    private needed(): number {
        const first = this.pieces[0];
        if (first === undefined || (first.length < prefixBytes && this.held >= prefixBytes)) {
            return prefixBytes;
        }
        return this.wholeOf(first);
    }

    private wholeOf(bytes: Uint8Array): number {
        if (bytes.length < prefixBytes) {
            return prefixBytes;
        }
        const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
        if (length === 0 || length > this.messageBytesMax) {
            throw new ProtocolError(`a message of ${length} bytes`);
        }
        return prefixBytes + length;
    }

    private joined(): Uint8Array {
        const [first, second] = this.pieces;
        if (first !== undefined && second === undefined) {
            return first;
        }
        const whole = new Uint8Array(this.held);
        let at = 0;
        for (const piece of this.pieces) {
            whole.set(piece, at);
            at += piece.length;
        }
        return whole;
    }
}
