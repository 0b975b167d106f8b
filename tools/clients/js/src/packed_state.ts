/**
 * The packed states of docs/wire_format.md, by the names of a zone's slots: { health: 100 }.
 */
import { SlotType, StateSlot } from "./messages.js";
import { PackedReader, PackedWriter } from "./packed.js";
import { ProtocolError } from "./protocol_error.js";

export type SlotValue = number | Uint8Array;
export type State = Readonly<Record<string, SlotValue>>;

const slotsMax = 16;
const integerMax = 2 ** 52 - 1;  // of either sign

/** The slots of a zone, as a Welcome declares them. */
export class Slots {
    private readonly numbers = new Map<string, number>();
    /** Every slot's first value. */
    readonly first: State;

    constructor(readonly declared: readonly StateSlot[] = []) {
        const first: Record<string, SlotValue> = {};
        declared.forEach(({ name, type }, number) => {
            this.numbers.set(name, number);
            first[name] = type === SlotType.bytes ? new Uint8Array() : 0;
        });
        this.first = first;
    }

    /** `before`, with what is packed. */
    unpack(packed: Uint8Array, before: State = this.first): State {
        return packed.length === 0 ? before : this.unpackOne(new PackedReader(packed, "packed state"), before);
    }

    /** Calls `take` for each entity of a frame, with how its new state is made from the one before. */
    unpackMany(packed: Uint8Array, take: (entity: number, make: (before: State) => State) => void): void {
        const reader = new PackedReader(packed, "packed state");
        let entity = 0;
        for (let isFirst = true; !reader.isAtEnd; isFirst = false) {
            const step = reader.varint();
            if (step === 0 && !isFirst) {
                throw new ProtocolError("packed states: ids that do not ascend");
            }
            entity += step;
            take(entity, (before) => this.unpackOne(reader, before));
        }
    }

    /** For a SetState, a SpawnOne or a ChangeOne. Throws RangeError for a value that is none of its slot. */
    pack(state: State): Uint8Array {
        const slots = Object.entries(state).map(([name, value]) => {
            const number = this.numberOf(name);
            const { type, bytesMax } = this.declared[number]!;
            check(name, type, value, bytesMax);
            return { number, type, value };
        });
        slots.sort((a, b) => a.number - b.number);
        const out = new PackedWriter();
        out.varint(slots.length);
        for (const { number, type, value } of slots) {
            out.varint(number * 4 + type);
            if (typeof value !== "number") {
                out.varint(value.length);
                out.bytes(value);
            } else if (type === SlotType.integer) {
                out.zigzag(value);
            } else {
                out.bytes(new Uint8Array(new Float32Array([value]).buffer));
            }
        }
        return out.packed;
    }

    private numberOf(name: string): number {
        const number = this.numbers.get(name);
        if (number === undefined) {
            throw new RangeError(`the zone has no slot '${name}'`);
        }
        return number;
    }

    private unpackOne(reader: PackedReader, before: State): State {
        const state = { ...before };
        let last = -1;
        for (let left = reader.varint(); left > 0; --left) {
            const key = reader.take(1)[0]!;
            const number = key >> 2;
            const slot = this.declared[number];
            if (slot === undefined || number >= slotsMax || number <= last || key % 4 !== slot.type) {
                throw new ProtocolError("packed state: a slot that the zone does not have, or out of order");
            }
            last = number;
            state[slot.name] = this.value(reader, slot.type);
        }
        return state;
    }

    private value(reader: PackedReader, type: SlotType): SlotValue {
        if (type === SlotType.integer) {
            return reader.zigzag();
        }
        if (type === SlotType.bytes) {
            return reader.take(reader.varint());
        }
        const bytes = reader.take(4);
        return new DataView(bytes.buffer).getFloat32(0, true);
    }
}

function check(name: string, type: SlotType, value: SlotValue, bytesMax: number): void {
    if (type === SlotType.bytes ? !(value instanceof Uint8Array) : typeof value !== "number") {
        throw new RangeError(`slot '${name}': not ${type === SlotType.bytes ? "a Uint8Array" : "a number"}`);
    }
    if (typeof value !== "number" && value.length > bytesMax) {
        throw new RangeError(`slot '${name}': ${value.length} bytes, where ${bytesMax} are the most that it has`);
    }
    if (type === SlotType.integer && !(Number.isInteger(value) && Math.abs(value as number) <= integerMax)) {
        throw new RangeError(`slot '${name}': ${String(value)} is no integer of less than 2^52`);
    }
}
