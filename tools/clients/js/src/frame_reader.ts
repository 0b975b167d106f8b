/**
 * Reads a Frame, the one message that comes many times a second, field by field where it lies: a fifth of what flat_reader.ts
 * needs for it, which reads it alike (a test compares them). Fields are numbered as in schema.ts.
 *
 * Errors   As flat_reader.ts. A DataView throws for whatever is outside of the message.
 */
import { FlatReader } from "./flat_reader.js";
import { Entered, Frame, Left, MessageDelivered, Position } from "./messages.js";
import { ProtocolError } from "./protocol_error.js";

const none = new Uint8Array(0);

export function readFrame(reader: FlatReader, at: number): Frame {
    try {
        return read(reader, at);
    } catch (error) {
        throw error instanceof RangeError ? new ProtocolError("an offset that leads out of the message") : error;
    }
}

function read(reader: FlatReader, at: number): Frame {
    const fields = new Fields(reader, at);
    const frame: Frame = {
        type: "Frame",
        tick: fields.long(0),
        moveAck: fields.uint(1),
        borderStale: fields.ubyte(2, 0) !== 0,
        leaves: fields.list(3, 16, left),
        enters: fields.list(4, 4, entered),
        moves: fields.bytes(5),
        timeScale: fields.ubyte(6, 100),
        isCapped: fields.ubyte(7, 0) !== 0,
        isSlowed: fields.ubyte(8, 0) !== 0,
        isOverBudget: fields.ubyte(9, 0) !== 0,
        serverTimeUs: fields.long(10),
        states: fields.bytes(11),
        isKeyframe: fields.ubyte(12, 0) !== 0,
        watcher: fields.long(14),
        isFilling: fields.ubyte(15, 0) !== 0,
        messages: fields.list(16, 4, delivered),
        messagesLost: fields.ubyte(17, 0) !== 0,
    };
    const correction = fields.at(13);
    if (correction !== 0) {
        frame.correction = { number: reader.view.getUint32(correction, true), position: position(reader.view, correction + 4) };
    }
    return frame;
}

function left(reader: FlatReader, at: number): Left {
    return { entity: reader.long(at), reason: reader.view.getUint8(at + 8) };
}

function entered(reader: FlatReader, offset: number): Entered {
    const { view } = reader;
    const fields = new Fields(reader, reader.follow(offset));
    const place = fields.at(2);
    if (place === 0) {
        throw new ProtocolError("position is missing");
    }
    const entered: Entered = {
        entity: fields.long(0), kind: fields.ushort(1), position: position(view, place), state: fields.bytes(3),
    };
    const velocity = fields.at(4);
    if (velocity !== 0) {
        entered.velocity = {
            x: view.getInt16(velocity, true), y: view.getInt16(velocity + 2, true), z: view.getInt16(velocity + 4, true),
        };
    }
    return entered;
}

function delivered(reader: FlatReader, offset: number): MessageDelivered {
    const fields = new Fields(reader, reader.follow(offset));
    return { kind: fields.ushort(0), payload: fields.bytes(1), source: fields.long(2) };
}

function position(view: DataView, at: number): Position {
    return { x: view.getInt32(at, true), y: view.getInt32(at + 4, true), z: view.getInt32(at + 8, true) };
}

/** Of one table, by number. */
class Fields {
    private readonly view: DataView;
    private readonly first: number;
    private readonly end: number;

    constructor(private readonly reader: FlatReader, private readonly table: number) {
        this.view = reader.view;
        const vtable = table - this.view.getInt32(table, true);
        this.first = vtable + 4;
        this.end = vtable + this.view.getUint16(vtable, true);
    }

    /** Where it is; 0: absent. */
    at(number: number): number {
        const entry = this.first + 2 * number;
        const offset = entry < this.end ? this.view.getUint16(entry, true) : 0;
        return offset === 0 ? 0 : this.table + offset;
    }

    ubyte(number: number, otherwise: number): number {
        const at = this.at(number);
        return at === 0 ? otherwise : this.view.getUint8(at);
    }

    ushort(number: number): number {
        const at = this.at(number);
        return at === 0 ? 0 : this.view.getUint16(at, true);
    }

    uint(number: number): number {
        const at = this.at(number);
        return at === 0 ? 0 : this.view.getUint32(at, true);
    }

    long(number: number): number {
        const at = this.at(number);
        return at === 0 ? 0 : this.reader.long(at);
    }

    bytes(number: number): Uint8Array {
        const at = this.at(number);
        return at === 0 ? none : this.reader.bytes(at);
    }

    list<Item>(number: number, size: number, read: (reader: FlatReader, at: number) => Item): Item[] {
        const at = this.at(number);
        return at === 0 ? [] : this.reader.list(at, size, (place) => read(this.reader, place));
    }
}
