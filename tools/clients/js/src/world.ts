import { EventDelivered, Frame, LeaveReason, Position } from "./messages.js";
import { positionAfter, unpackMoves } from "./packed_moves.js";
import { ProtocolError } from "./protocol_error.js";

/** An entity as the client has been told of it. */
export interface Seen {
    readonly id: number;
    readonly kind: number;
    readonly position: Position;
    readonly blob: Uint8Array;
    /** Tick of the newest frame that told its position. */
    readonly movedTick: number;
}

/** What one frame changed, in the order in which it is applied. */
export interface Changes {
    /** What was known is void, and `entered` is all there is. Those who were known stand in `left`, too. */
    isKeyframe: boolean;
    left: { entity: Seen; reason: LeaveReason | undefined }[];
    entered: Seen[];
    moved: Seen[];
    stateChanged: Seen[];
    events: EventDelivered[];
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
    private newestTick = 0;

    constructor(readonly quantumMm: number) {}

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
            isKeyframe: frame.isKeyframe, left: [], entered: [], moved: [], stateChanged: [],
            events: frame.events,
        };
        this.leave(frame, changes);
        this.enter(frame, changes);
        this.move(frame, changes);
        this.changeStates(frame, changes);
        this.newestTick = frame.tick;
        return changes;
    }

    private leave(frame: Frame, changes: Changes): void {
        if (frame.isKeyframe) {
            for (const entity of this.known.values()) {
                changes.left.push({ entity, reason: undefined });
            }
            this.known.clear();
        }
        for (const { entity, reason } of frame.leaves) {
            changes.left.push({ entity: this.find(entity, "leaves"), reason });
            this.known.delete(entity);
        }
    }

    private enter(frame: Frame, changes: Changes): void {
        for (const { entity, kind, position, blob } of frame.enters) {
            if (this.known.has(entity)) {
                throw new ProtocolError(`entity ${entity} enters, and is seen already`);
            }
            // Blobs outlive the frame, whose memory they would keep.
            const seen = { id: entity, kind, position, blob: blob.slice(), movedTick: frame.tick };
            this.known.set(entity, seen);
            changes.entered.push(seen);
        }
    }

    private move(frame: Frame, changes: Changes): void {
        unpackMoves(frame.moves, (move) => {
            const before = this.find(move.entity, "moves");
            const position = positionAfter(move, before.position, this.quantumMm);
            const seen = { ...before, position, movedTick: frame.tick };
            this.known.set(move.entity, seen);
            changes.moved.push(seen);
        });
    }

    private changeStates(frame: Frame, changes: Changes): void {
        for (const { entity, blob } of frame.states) {
            const seen = { ...this.find(entity, "changes its state"), blob: blob.slice() };
            this.known.set(entity, seen);
            changes.stateChanged.push(seen);
        }
    }

    private find(entity: number, what: string): Seen {
        const seen = this.known.get(entity);
        if (seen === undefined) {
            throw new ProtocolError(`entity ${entity} ${what}, and is not seen`);
        }
        return seen;
    }
}
