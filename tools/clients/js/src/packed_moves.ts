/**
 * The packed moves of docs/wire_format.md: for each entity a head, then x, y and perhaps z, then perhaps its velocity.
 *
 * Numbers are doubles: heads are exact up to 2^53, that is ids up to 2^50 apart.
 */
import { Position } from "./messages.js";
import { PackedReader, PackedWriter } from "./packed.js";
import { ProtocolError } from "./protocol_error.js";

export interface Moved {
    entity: number;
    /** x, y and z are the difference to where it is shown by now; otherwise the position itself. In quanta. */
    isRelative: boolean;
    x: number;
    y: number;
    z: number;
    /** In quanta a tick; absent: none. */
    velocity?: Position;
}

const differenceMax = 2 ** 32 - 1;
export const stepMaxMm = 32767;

/** What a block begins with whose names are ranks: no head of an entity is this. */
const ranksFollow = 1;

/**
 * Calls `take` for each entity, with an object that is used again for the next. Throws ProtocolError. `knownIds`: of all who are known after
 * the frame's leaves and enters, ascending; asked for where the block has ranks.
 */
export function unpackMoves(
    packed: Uint8Array, take: (move: Readonly<Required<Moved>>) => void, knownIds: () => ArrayLike<number> = () => [],
): void {
    const move: Required<Moved> = { entity: 0, isRelative: false, x: 0, y: 0, z: 0, velocity: { x: 0, y: 0, z: 0 } };
    const ids = packed[0] === ranksFollow ? knownIds() : undefined;
    let name = 0;
    const reader = new PackedReader(ids === undefined ? packed : packed.subarray(1), "packed moves");
    const way = (): number => {
        const quanta = reader.zigzag();
        if (Math.abs(quanta) > differenceMax) {
            throw new ProtocolError("packed moves: a way that is longer than the world");
        }
        return quanta;
    };
    const velocity = (zFollows: boolean): Position => {
        const step = { x: way(), y: way(), z: zFollows ? way() : 0 };
        const fastest = Math.max(Math.abs(step.x), Math.abs(step.y), Math.abs(step.z));
        if (fastest === 0 || fastest > stepMaxMm) {
            throw new ProtocolError("packed moves: a velocity that is none, or too fast");
        }
        return step;
    };
    for (let isFirst = true; !reader.isAtEnd; isFirst = false) {
        const head = reader.varint();
        const flags = head % 8;
        const zFollows = flags % 4 >= 2;
        if (head < 8 && !isFirst) {
            throw new ProtocolError("packed moves: ids that do not ascend");
        }
        if (flags % 4 === 1) {
            throw new ProtocolError("packed moves: a position without its z");
        }
        name += (head - flags) / 8;
        if (ids !== undefined && name >= ids.length) {
            throw new ProtocolError(`packed moves: rank ${name}, and ${ids.length} are seen`);
        }
        move.entity = ids?.[name] ?? name;
        move.isRelative = flags % 2 === 0;
        move.x = way();
        move.y = way();
        move.z = zFollows ? way() : 0;
        move.velocity = flags < 4 ? { x: 0, y: 0, z: 0 } : velocity(zFollows);
        take(move);
    }
}

/** For a service's MoveMany, without velocities. Ids must ascend; absolute ones are always written with their z. */
export function packMoves(moves: Iterable<Readonly<Moved>>): Uint8Array {
    const out = new PackedWriter();
    let previous = -1;
    for (const { entity, isRelative, x, y, z, velocity = { x: 0, y: 0, z: 0 } } of moves) {
        if (entity <= previous || ![entity, x, y, z].every(Number.isSafeInteger)) {
            throw new RangeError(`entity ${entity}: ids must ascend, and all numbers be integers`);
        }
        const zFollows = !isRelative || z !== 0 || velocity.z !== 0;
        const hasVelocity = velocity.x !== 0 || velocity.y !== 0 || velocity.z !== 0;
        out.varint((entity - Math.max(previous, 0)) * 8 + (hasVelocity ? 4 : 0) + (zFollows ? 2 : 0) + (isRelative ? 0 : 1));
        for (const way of hasVelocity ? [{ x, y, z }, velocity] : [{ x, y, z }]) {
            out.zigzag(way.x);
            out.zigzag(way.y);
            if (zFollows) {
                out.zigzag(way.z);
            }
        }
        previous = entity;
    }
    return out.packed;
}

/** So many ticks later, in millimetres, at a velocity of that many each. */
export function afterTicks(position: Position, velocity: Position, ticks: number): Position {
    const along = (from: number, each: number): number =>
        Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, from + each * ticks));
    return {
        x: along(position.x, velocity.x), y: along(position.y, velocity.y), z: along(position.z, velocity.z),
    };
}

/**
 * Where an entity is after a move, in millimetres; throws ProtocolError when that is no position. `shown`: where it
 * was shown by now.
 */
export function positionAfter(move: Readonly<Moved>, shown: Position, quantumMm: number): Position {
    const from = move.isRelative ? shown : { x: 0, y: 0, z: 0 };
    const position = {
        x: from.x + move.x * quantumMm,
        y: from.y + move.y * quantumMm,
        z: from.z + move.z * quantumMm,
    };
    const isInt32 = (value: number): boolean => value === (value | 0);
    if (!isInt32(position.x) || !isInt32(position.y) || !isInt32(position.z)) {
        throw new ProtocolError(`entity ${move.entity}: a position outside of any world`);
    }
    return position;
}
