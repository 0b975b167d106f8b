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
/** How fast what is drawn follows what is estimated: a tenth faster or slower than real time is not seen. */
const slewMsPerMs = 0.1;
/** Who is silent for so long may be held back by an update ring or a budget, and is drawn on its way all that time; who is silent for longer stood. */
const heldBackMsMax = 250;
/** Two for a frame. What is drawn is two frames old, and more for a while after frames have become more frequent. */
const samplesMax = 12;
const jumpMm = 20000;

/**
 * Where to draw others at any moment, say 60 times a second, out of 10 or 20 frames a second.
 *
 * Time     What is drawn is a little old: `delayMs`, by default as long as two frames take to come, on the average, and half a second at most; so there is a newer place
 *          to go to. In server time, which goes slower than real time while the zone is overloaded.
 * Errors   None: without a newer place an entity goes on with its velocity, and stands where it has none. Further than 20 m in one step is a teleport, and drawn as one.
 */
export class Drawing {
    private readonly tracks = new Map<number, Sample[]>();
    private offsetMs: number | undefined;
    /** What is in use, and since when: it goes towards what is estimated. */
    private shown = { offsetMs: 0, delayMs: 0, nowMs: 0 };
    private newestFrameMs = 0;
    private frameMs = 0;
    private gapMs: number;
    private readonly tickMs: number;

    constructor(tickRateHz: number, private readonly options: { delayMs?: number } = {}) {
        this.tickMs = 1000 / Math.max(tickRateHz, 1);
        this.gapMs = this.tickMs;
        this.shown.delayMs = this.wantedDelayMs;
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
        this.slew(nowMs);
        return nowMs + this.shown.offsetMs;
    }

    get delayMs(): number {
        return this.shown.delayMs;
    }

    private get wantedDelayMs(): number {
        return this.options.delayMs ?? 2 * this.gapMs;
    }

    private slew(nowMs: number): void {
        const most = Math.max(0, nowMs - this.shown.nowMs) * slewMsPerMs;
        const towards = (from: number, to: number): number => from + Math.max(-most, Math.min(most, to - from));
        this.shown = {
            offsetMs: towards(this.shown.offsetMs, this.offsetMs ?? 0), delayMs: towards(this.shown.delayMs, this.wantedDelayMs),
            nowMs: Math.max(nowMs, this.shown.nowMs),
        };
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
        return before === undefined ? after.position : between(before, after, atMs);
    }

    private setClock(timeMs: number, nowMs: number): void {
        const offset = timeMs - nowMs;
        if (this.offsetMs === undefined || Math.abs(offset - this.offsetMs) > clockJumpMs) {
            this.offsetMs = offset;
            this.shown = { offsetMs: offset, delayMs: this.shown.delayMs, nowMs };
        } else {
            this.slew(nowMs);
            // A frame that came sooner than the estimate is right; one that came later was held up on its way.
            const drift = clockDriftMsPerS * (nowMs - this.newestFrameMs) / 1000;
            this.offsetMs = Math.max(offset, this.offsetMs - drift);
            const gap = Math.max(0, Math.min(timeMs - this.frameMs, 250));
            this.gapMs += (gap - this.gapMs) / 16;
        }
        this.newestFrameMs = nowMs;
    }

    private gone({ timeMs, position, velocity }: Sample, atMs: number): Position {
        const ticks = (atMs - timeMs) / this.tickMs;
        return {
            x: position.x + velocity.x * ticks, y: position.y + velocity.y * ticks, z: position.z + velocity.z * ticks,
        };
    }

    /** Where its way since its last place began. */
    private move({ id, position, velocity }: Seen, timeMs: number): void {
        const track = this.tracks.get(id) ?? [];
        const newest = track[track.length - 1];
        if (newest !== undefined) {
            const { x, y, z } = newest.velocity;
            const goesOn = x !== 0 || y !== 0 || z !== 0;
            const isHeldBack = timeMs - newest.timeMs <= heldBackMsMax;
            const beforeMs = goesOn ? timeMs - this.tickMs : isHeldBack ? newest.timeMs : Math.max(this.frameMs, timeMs - this.tickMs);
            if (newest.timeMs < beforeMs) {
                track.push({ ...newest, timeMs: beforeMs, position: this.gone(newest, beforeMs) });
            }
        }
        track.push({ timeMs, position, velocity });
        track.splice(0, track.length - samplesMax);
        this.tracks.set(id, track);
    }
}

function between(before: Sample, after: Sample, atMs: number): Position {
    const [from, to] = [before.position, after.position];
    const part = (atMs - before.timeMs) / (after.timeMs - before.timeMs);
    const isJump = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z) > jumpMm;
    if (isJump) {
        return part < 1 ? from : to;
    }
    const along = (a: number, b: number): number => a + (b - a) * part;
    return { x: along(from.x, to.x), y: along(from.y, to.y), z: along(from.z, to.z) };
}
