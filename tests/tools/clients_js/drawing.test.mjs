// What is drawn 60 times a second out of 10 or 20 frames is smooth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { library, randomNumbers } from "./library.mjs";

const { Drawing } = library;
const at = (x) => ({ x, y: 0, z: 0 });
const velocity = at(0);
const none = { left: [], entered: [], moved: [], stateChanged: [] };
const frameMs = 1000 / 60;

/** Frames that come every `everyMs` with jitter, of one that walks 1 mm a ms; what is drawn in each 60th of a second. */
function walk({ everyMs, jitterMs, seconds, velocity, seed = 1 }) {
    const random = randomNumbers(seed);
    const drawing = new Drawing(20);
    const arrivals = [];
    for (let timeMs = 0; timeMs <= seconds * 1000; timeMs += everyMs) {
        arrivals.push({ timeMs, nowMs: 5000 + timeMs + random(jitterMs + 1) });
    }
    arrivals.sort((a, b) => a.nowMs - b.nowMs);
    const drawn = [];
    for (let nowMs = 5000; nowMs < 5000 + seconds * 1000; nowMs += frameMs) {
        while (arrivals.length > 0 && arrivals[0].nowMs <= nowMs) {
            const { timeMs, nowMs: cameMs } = arrivals.shift();
            const entity = { id: 7, position: at(timeMs), velocity };
            const changes = timeMs === 0 ? { ...none, entered: [entity] } : { ...none, moved: [entity] };
            drawing.apply(changes, { serverTimeUs: timeMs * 1000 }, cameMs);
        }
        const position = drawing.position(7, nowMs);
        if (position !== undefined) {
            drawn.push(position.x);
        }
    }
    return drawn;
}

for (const everyMs of [50, 100, 250]) {
    for (const jitterMs of [0, 20]) {
        for (const mmPerTick of [0, 50]) {
            test(`frames every ${everyMs} ms, ${jitterMs} ms of jitter, ${mmPerTick} mm a tick: each step is about as long as the last`, () => {
                const drawn = walk({ everyMs, jitterMs, seconds: 10, velocity: at(mmPerTick) }).slice(180);  // the clock has settled
                const steps = drawn.slice(1).map((x, i) => x - drawn[i]);
                assert.ok(steps.every((step) => step > 0.5 * frameMs && step < 1.5 * frameMs),
                    `${Math.min(...steps)} to ${Math.max(...steps)} mm, of ${frameMs}`);
                const lagMs = 10000 - drawn.at(-1);
                assert.ok(lagMs < 2 * everyMs + jitterMs + 60, `${lagMs} ms behind`);
            });
        }
    }
}

test("frames that come only when there is something: each step is about as long as the last", () => {
    const random = randomNumbers(2);
    const drawing = new Drawing(20);
    drawing.apply({ ...none, entered: [{ id: 7, position: at(0), velocity: at(50) }] }, { serverTimeUs: 0 }, 0);
    let nextMs = 50;
    let before;
    for (let i = 0; i < 1200; ++i) {
        const nowMs = i * frameMs;
        for (; nextMs <= nowMs; nextMs += 50 * (1 + random(20))) {
            drawing.apply(none, { serverTimeUs: nextMs * 1000 }, nextMs);
        }
        const { x } = drawing.position(7, nowMs);
        if (i > 30) {
            assert.ok(x - before > 0.5 * frameMs && x - before < 1.5 * frameMs, `${i}: ${x - before} mm`);
        }
        before = x;
    }
});

test("who is held back by a ring is drawn on its way all the time", () => {
    const drawing = new Drawing(20, { delayMs: 200 });
    drawing.apply({ ...none, entered: [{ id: 7, position: at(0), velocity }] }, { serverTimeUs: 0 }, 0);
    for (let timeMs = 50; timeMs <= 600; timeMs += 50) {
        const moved = timeMs % 200 === 0 ? [{ id: 7, position: at(timeMs), velocity }] : [];
        drawing.apply({ ...none, moved }, { serverTimeUs: timeMs * 1000 }, timeMs);
    }
    for (const nowMs of [250, 300, 450, 600]) {
        assert.ok(Math.abs(drawing.position(7, nowMs).x - (nowMs - 200)) < 1);
    }
});

test("who stands is drawn where it stands, and who sets off goes from there", () => {
    const drawing = new Drawing(20);
    drawing.apply({ ...none, entered: [{ id: 7, position: at(0), velocity }] }, { serverTimeUs: 0 }, 0);
    for (let timeMs = 50; timeMs <= 950; timeMs += 50) {
        drawing.apply(none, { serverTimeUs: timeMs * 1000 }, timeMs);
    }
    drawing.apply({ ...none, moved: [{ id: 7, position: at(50), velocity }] }, { serverTimeUs: 1000000 }, 1000);
    assert.equal(drawing.position(7, 1000).x, 0);
    const halfway = drawing.position(7, 975 + drawing.delayMs).x;
    assert.ok(Math.abs(halfway - 25) < 1, String(halfway));
    assert.equal(drawing.position(7, 3000).x, 50);
});

test("who has a velocity goes on without frames, and turns in the tick in which it is said", () => {
    const drawing = new Drawing(20, { delayMs: 100 });
    drawing.apply({ ...none, entered: [{ id: 7, position: at(0), velocity: at(10) }] }, { serverTimeUs: 0 }, 0);
    assert.deepEqual([drawing.position(7, 100).x, drawing.position(7, 350).x], [0, 50]);
    drawing.apply({ ...none, moved: [{ id: 7, position: at(65), velocity: at(-10) }] }, { serverTimeUs: 400000 }, 400);
    assert.deepEqual([400, 450, 475, 500, 550].map((nowMs) => drawing.position(7, nowMs).x), [60, 70, 67.5, 65, 55]);
});

test("a teleport is drawn as one, and who left is drawn no more", () => {
    const drawing = new Drawing(20, { delayMs: 100 });
    drawing.apply({ ...none, entered: [{ id: 7, position: at(0), velocity }] }, { serverTimeUs: 0 }, 0);
    drawing.apply({ ...none, moved: [{ id: 7, position: at(90000), velocity }] }, { serverTimeUs: 50000 }, 50);
    assert.deepEqual([drawing.position(7, 140).x, drawing.position(7, 151).x], [0, 90000]);
    drawing.apply({ ...none, left: [{ entity: { id: 7 }, reason: 1 }] }, { serverTimeUs: 100000 }, 100);
    assert.equal(drawing.position(7, 160), undefined);
});
