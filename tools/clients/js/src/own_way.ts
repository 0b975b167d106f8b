import { Position } from "./messages.js";
import { afterTicks, stepMaxMm } from "./packed_moves.js";

const still: Position = { x: 0, y: 0, z: 0 };

/**
 * Where the server expects the client's own entity by now: on with the velocity of its last Move, for a while. A Move is
 * needed when that is wrong by more than the zone's bound, and before the while is over. Others then see the entity
 * within the sum of that bound and the server's own.
 */
export class OwnWay {
    private readonly ticksMax: number;
    private before: Position | undefined;
    /** The last Move, and how many ticks ago. */
    private said: { at: Position; velocity: Position; ticks: number } | undefined;

    /** As the Welcome says. With a bound of 0 every Move is needed, and has no velocity. */
    constructor(private readonly of: {
        predictionErrorMm: number; predictionMsMax: number; tickRateHz: number; quantumMm: number;
    }) {
        this.ticksMax = Math.floor(of.predictionMsMax * of.tickRateHz / 1000);
    }

    /** A tick later it is there. The velocity of the Move that is to say so; undefined: none is needed. */
    step(position: Position): Position | undefined {
        const at = this.onGrid(position);
        const velocity = this.of.predictionErrorMm === 0 || this.before === undefined ? still : wayBetween(this.before, at);
        this.before = at;
        if (this.said !== undefined) {
            ++this.said.ticks;
        }
        if (this.of.predictionErrorMm > 0 && this.isExpected(at)) {
            return undefined;
        }
        this.said = { at, velocity, ticks: 0 };
        return velocity;
    }

    /** The next step needs a Move: the last one was not sent, or something else than the place changes with it. */
    sayAgain(): void {
        this.said = undefined;
    }

    /** The server put the entity elsewhere, or a Move of the caller's own put it to `at`: the way there is no velocity. */
    forget(at?: Position): void {
        this.sayAgain();
        this.before = at && this.onGrid(at);
    }

    /** One that stands needs no other Move; one that goes on needs it a tick before the server ends that. */
    private isExpected(at: Position): boolean {
        if (this.said === undefined) {
            return false;
        }
        const { at: from, velocity, ticks } = this.said;
        const shown = afterTicks(from, velocity, ticks);
        const isOver = !isStill(velocity) && ticks >= Math.max(this.ticksMax, 2) - 1;
        return !isOver && Math.hypot(shown.x - at.x, shown.y - at.y, shown.z - at.z) <= this.of.predictionErrorMm;
    }

    /** Where the server puts it. */
    private onGrid({ x, y, z }: Position): Position {
        const quantum = this.of.quantumMm;
        const nearest = (mm: number): number => Math.floor((mm + Math.floor(quantum / 2)) / quantum) * quantum;
        return { x: nearest(x), y: nearest(y), z: nearest(z) };
    }
}

function isStill({ x, y, z }: Position): boolean {
    return x === 0 && y === 0 && z === 0;
}

/** None where it is too far for a velocity. */
function wayBetween(from: Position, to: Position): Position {
    const way = { x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
    return Math.max(Math.abs(way.x), Math.abs(way.y), Math.abs(way.z)) > stepMaxMm ? still : way;
}
