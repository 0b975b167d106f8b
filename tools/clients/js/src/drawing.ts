import { Frame, Position } from "./messages.js";
import { Changes, Seen } from "./world.js";

interface Sample {
    timeMs: number;
    position: Position;
    /** Millimetres a tick, with which it goes on. */
    velocity: Position;
}

/** A gap in the estimate of the server's time that is no jitter: the clock is set anew. */
const clockJumpMs = 1000;
/** By how much the estimate gives way in a second, so that a line that got slower is believed. */
const clockDriftMsPerS = 5;
/** How fast what is drawn follows the estimate: a tenth faster or slower than real time is not seen. */
const slewMsPerMs = 0.1;
const samplesMax = 4;

/**
 * Where to draw others at any moment, say 60 times a second, out of 10 or 20 frames a second.
 *
 * Time     What is drawn is a little old: `delayMs`, by default two ticks, or as long as frames take to come; so there is a newer place
 *          to go to. In server time, which goes slower than real time while the zone is overloaded.
 * Errors   None: without news an entity goes on with its velocity, and stands where it has none. Further than `jumpMm` in one step is a teleport, and drawn as one.
 */
export class Drawing {
    private readonly tracks = new Map<number, Sample[]>();
    private offsetMs: number | undefined;
    /** The offset in use, and since when: it goes towards the estimate. */
    private shown = { offsetMs: 0, nowMs: 0 };
    private heardMs = 0;
    private frameMs = 0;
    private gapMs: number;
    private readonly tickMs: number;

    constructor(tickRateHz: number, private readonly options: { delayMs?: number; jumpMm?: number } = {}) {
        this.tickMs = 1000 / tickRateHz;
        this.gapMs = this.tickMs;
    }

    /** For each frame, once the world has it: Client does that. `nowMs` is of performance.now()'s clock, as everywhere here. */
    apply(changes: Changes, frame: Frame, nowMs = performance.now()): void {
        const timeMs = frame.serverTimeUs / 1000;
        this.setClock(timeMs, nowMs);
        changes.left.forEach(({ entity }) => this.tracks.delete(entity.id));
        changes.entered.forEach(({ id, position, velocity }) => this.tracks.set(id, [{ timeMs, position, velocity }]));
        changes.moved.forEach((entity) => this.move(entity, timeMs));
        this.frameMs = timeMs;
    }

    /** The server's time in milliseconds, as near as frames let it be known; it goes on smoothly. */
    serverMs(nowMs = performance.now()): number {
        const wanted = (this.offsetMs ?? 0) - this.shown.offsetMs;
        const most = Math.max(0, nowMs - this.shown.nowMs) * slewMsPerMs;
        this.shown.offsetMs += Math.max(-most, Math.min(most, wanted));
        this.shown.nowMs = Math.max(nowMs, this.shown.nowMs);
        return nowMs + this.shown.offsetMs;
    }

    get delayMs(): number {
        return this.options.delayMs ?? 2 * this.gapMs;
    }

    /** Nothing: it is not seen. */
    position(id: number, nowMs = performance.now()): Position | undefined {
        const track = this.tracks.get(id);
        const newest = track?.[track.length - 1];
        if (track === undefined || newest === undefined) {
            return undefined;
        }
        const atMs = this.serverMs(nowMs) - this.delayMs;
        const next = track.findIndex(({ timeMs }) => timeMs > atMs);
        const after = track[next];
        const before = track[next - 1];
        if (after === undefined) {
            return this.gone(newest, atMs);
        }
        return before === undefined ? after.position : between(before, after, atMs, this.options.jumpMm ?? 20000);
    }

    private setClock(timeMs: number, nowMs: number): void {
        const offset = timeMs - nowMs;
        if (this.offsetMs === undefined || Math.abs(offset - this.offsetMs) > clockJumpMs) {
            this.offsetMs = offset;
            this.shown = { offsetMs: offset, nowMs };
        } else {
            // A frame that came sooner than the estimate is right; one that came later was held up on its way.
            const drift = clockDriftMsPerS * (nowMs - this.heardMs) / 1000;
            this.offsetMs = Math.max(offset, this.offsetMs - drift);
            const gap = Math.min(timeMs - this.frameMs, 250);
            this.gapMs += (gap - this.gapMs) / 16;
        }
        this.heardMs = nowMs;
    }

    private gone({ timeMs, position, velocity }: Sample, atMs: number): Position {
        const ticks = (atMs - timeMs) / this.tickMs;
        return {
            x: position.x + velocity.x * ticks, y: position.y + velocity.y * ticks, z: position.z + velocity.z * ticks,
        };
    }

    /** It stood where it was until the frame before this one; or it went on until the tick before, without a frame. */
    private move({ id, position, velocity }: Seen, timeMs: number): void {
        const track = this.tracks.get(id) ?? [];
        const newest = track[track.length - 1];
        if (newest !== undefined) {
            const { x, y, z } = newest.velocity;
            const beforeMs = x === 0 && y === 0 && z === 0 ? this.frameMs : timeMs - this.tickMs;
            if (newest.timeMs < beforeMs) {
                track.push({ ...newest, timeMs: beforeMs, position: this.gone(newest, beforeMs) });
            }
        }
        track.push({ timeMs, position, velocity });
        track.splice(0, track.length - samplesMax);
        this.tracks.set(id, track);
    }
}

function between(before: Sample, after: Sample, atMs: number, jumpMm: number): Position {
    const [from, to] = [before.position, after.position];
    const part = (atMs - before.timeMs) / (after.timeMs - before.timeMs);
    const isJump = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z) > jumpMm;
    if (isJump) {
        return part < 1 ? from : to;
    }
    const along = (a: number, b: number): number => a + (b - a) * part;
    return { x: along(from.x, to.x), y: along(from.y, to.y), z: along(from.z, to.z) };
}
