import { Frame, LeaveReason, Position, Welcome } from "./messages.js";
import { afterTicks, positionAfter, unpackMoves } from "./packed_moves.js";
import { Slots, State } from "./packed_state.js";
import { ProtocolError } from "./protocol_error.js";

/** An entity as it was sent to the client. */
export interface Seen {
    readonly id: number;
    readonly kind: number;
    /** At the end of the newest frame's tick. */
    readonly position: Position;
    /** Millimetres a tick, with which it goes on: between frames, show it so much further. */
    readonly velocity: Position;
    /** By the names of the zone's slots. */
    readonly state: State;
    /** Tick of the newest frame that had its position. */
    readonly movedTick: number;
}

/** What one frame changed, in the order in which it is applied. Of a keyframe, too: how what it shows differs from what was known. */
export interface Changes {
    left: { entity: Seen; reason: LeaveReason | undefined }[];
    entered: Seen[];
    /** Who is elsewhere than at the last frame: by a move that was sent, or gone on. */
    moved: Seen[];
    stateChanged: Seen[];
    /** The state of the client's own entity, where it changed. */
    ownState: State | undefined;
}

/**
 * Who a client sees: frames in, a map out.
 *
 * Order    `seen` is in the order of entering. What apply() returns is in the order of the frame.
 * Errors   ProtocolError for a frame that does not fit what is known. The world is then of no use until
 *          the next keyframe.
 */
export class World {
    private readonly known = new Map<number, Seen>();
    /** Of those who are known, ascending; undefined: not since somebody came or went. */
    private ids: Float64Array | undefined;
    private newestTick = 0;
    /** Those that moved in the frame that is applied, as they were. */
    private readonly before = new Map<number, Seen>();

    /** Of the client's own entity. */
    ownState: State;

    /** `own`: the client's entity. */
    constructor(readonly quantumMm: number, readonly slots = new Slots(), readonly own = 0) {
        this.ownState = slots.first;
    }

    /** Is that still its zone's quantum, and its slots? A restart of the zone may change both. */
    fits({ quantumMm, slots }: Pick<Welcome, "quantumMm" | "slots">): boolean {
        return quantumMm === this.quantumMm && JSON.stringify(slots) === JSON.stringify(this.slots.declared);
    }

    [Symbol.iterator](): IterableIterator<Seen> {
        return this.known.values();
    }

    get(id: number): Seen | undefined {
        return this.known.get(id);
    }

    get seen(): ReadonlyMap<number, Seen> {
        return this.known;
    }

    /** Tick of the newest frame that was wholly applied; 0 before the first. */
    get tick(): number {
        return this.newestTick;
    }

    apply(frame: Frame): Changes {
        if (frame.tick <= this.newestTick) {
            throw new ProtocolError(`a frame of tick ${frame.tick} after that of ${this.newestTick}`);
        }
        const changes: Changes = {
            left: [], entered: [], moved: [], stateChanged: [], ownState: undefined,
        };
        const former = frame.isKeyframe ? new Map(this.known) : undefined;
        const formerOwn = this.ownState;
        if (former !== undefined) {
            this.known.clear();
            this.ids = undefined;
            this.ownState = this.slots.first;
        }
        this.leave(frame, changes);
        this.goOn(frame);
        this.enter(frame, changes);
        if (former !== undefined) {
            this.compare(former, changes);
        }
        this.move(frame);
        this.noteMoved(changes);
        this.changeStates(frame, changes);
        if (former !== undefined) {
            changes.ownState = isSame(formerOwn, this.ownState) ? undefined : this.ownState;
        }
        this.newestTick = frame.tick;
        return changes;
    }

    private leave(frame: Frame, changes: Changes): void {
        for (const { entity, reason } of frame.leaves) {
            changes.left.push({ entity: this.find(entity, "leaves"), reason });
            this.known.delete(entity);
            this.ids = undefined;
        }
    }

    private goOn(frame: Frame): void {
        this.before.clear();
        for (const seen of this.known.values()) {
            const { x, y, z } = seen.velocity;
            if (x !== 0 || y !== 0 || z !== 0) {
                this.replace(seen, { position: afterTicks(seen.position, seen.velocity, frame.tick - this.newestTick) });
            }
        }
    }

    private replace(seen: Seen, change: Partial<Seen>): void {
        if (!this.before.has(seen.id)) {
            this.before.set(seen.id, seen);
        }
        this.known.set(seen.id, { ...seen, ...change });
    }

    private noteMoved(changes: Changes): void {
        for (const id of this.before.keys()) {
            changes.moved.push(this.find(id, "moves"));
        }
    }

    private enter(frame: Frame, changes: Changes): void {
        for (const { entity, kind, position, state, velocity } of frame.enters) {
            if (this.known.has(entity)) {
                throw new ProtocolError(`entity ${entity} enters, and is seen already`);
            }
            const seen = {
                id: entity, kind, position, velocity: velocity ?? { x: 0, y: 0, z: 0 },
                state: this.slots.unpack(state), movedTick: frame.tick,
            };
            this.known.set(entity, seen);
            this.ids = undefined;
            changes.entered.push(seen);
        }
    }

    /** `former`: who was known before a keyframe. */
    private compare(former: Map<number, Seen>, changes: Changes): void {
        changes.entered = changes.entered.filter((seen) => {
            const was = former.get(seen.id);
            if (was !== undefined && !(isSame(was.position, seen.position) && isSame(was.velocity, seen.velocity))) {
                this.before.set(seen.id, was);
            }
            if (was !== undefined && !isSame(was.state, seen.state)) {
                changes.stateChanged.push(seen);
            }
            return !former.delete(seen.id);
        });
        former.forEach((entity) => changes.left.push({ entity, reason: undefined }));
    }

    private move(frame: Frame): void {
        unpackMoves(frame.moves, (move) => {
            const before = this.find(move.entity, "moves");
            const velocity = {
                x: move.velocity.x * this.quantumMm, y: move.velocity.y * this.quantumMm,
                z: move.velocity.z * this.quantumMm,
            };
            const position = positionAfter(move, before.position, this.quantumMm);
            this.replace(before, { position, velocity, movedTick: frame.tick });
        }, () => this.ids ??= Float64Array.from(this.known.keys()).sort());
    }

    private changeStates(frame: Frame, changes: Changes): void {
        this.slots.unpackMany(frame.states, (entity, make) => {
            if (entity === this.own) {
                changes.ownState = this.ownState = make(this.ownState);
                return;
            }
            const before = this.find(entity, "changes its state");
            const seen = { ...before, state: make(before.state) };
            this.known.set(entity, seen);
            changes.stateChanged.push(seen);
        });
    }

    private find(entity: number, what: string): Seen {
        const seen = this.known.get(entity);
        if (seen === undefined) {
            throw new ProtocolError(`entity ${entity} ${what}, and is not seen`);
        }
        return seen;
    }
}

/** Of two with the same members. */
function isSame(one: Position | State, other: Position | State): boolean {
    const values = Object.values(other);
    return Object.values(one).every((value, i) => value.toString() === values[i].toString());
}
