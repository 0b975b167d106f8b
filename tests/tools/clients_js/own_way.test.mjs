// When does the own entity need a Move? The same cases as of the C++ library.
import assert from "node:assert/strict";
import { test } from "node:test";
import { library } from "./library.mjs";

const { OwnWay } = library;
const at = (x) => ({ x, y: 0, z: 0 });

/** Of a zone of 20 ticks a second. */
function ownWay({ errorMm = 50, ticksMax = 10, quantumMm = 1 } = {}) {
    return new OwnWay({ predictionErrorMm: errorMm, predictionMsMax: 50 * ticksMax, tickRateHz: 20, quantumMm });
}

/** What is said in each tick by one that walks to these places along x; null: nothing. */
const said = (way, places) => places.map((x) => way.step(at(x))?.x ?? null);

test("it is said in each tick where every move is sent", () => {
    assert.deepEqual(said(ownWay({ errorMm: 0 }), [0, 70, 70]), [0, 0, 0]);
});

test("it is said when it turns or stops", () => {
    assert.deepEqual(said(ownWay(), [0, 70, 140, 210, 210, 210, 140]), [0, 70, null, null, 0, null, -70]);
});

test("it is not said while it is wrong by no more than the bound", () => {
    assert.deepEqual(said(ownWay(), [0, 50, 51]), [0, null, 1]);
});

test("it is said again before the server ends it", () => {
    assert.deepEqual(said(ownWay({ ticksMax: 4 }), [0, 70, 140, 210, 280, 350, 420]), [0, 70, null, null, 70, null, null]);
});

test("it is said anew when it was forgotten", () => {
    const way = ownWay();
    assert.deepEqual(said(way, [0, 0]), [0, null]);
    way.forget();
    assert.deepEqual(way.step(at(0)), at(0));
});

test("where the server put it is no way that it went, and neither is a Move of its own", () => {
    const way = ownWay();
    assert.deepEqual(said(way, [0, 70]), [0, 70]);
    way.forget();
    assert.deepEqual(said(way, [5000, 5070]), [0, 70]);
    way.forget(at(9000));
    assert.deepEqual(said(way, [9070]), [70]);
});

test("it goes on with its velocity where it is to be said again", () => {
    const way = ownWay();
    assert.deepEqual(said(way, [0, 70, 140]), [0, 70, null]);
    way.sayAgain();
    assert.deepEqual(said(way, [210]), [70]);
});

test("it counts from where the server puts it, in quanta", () => {
    assert.deepEqual(said(ownWay({ quantumMm: 10 }), [0, 74, 148, 222]), [0, 70, null, null]);
});

test("who goes too far for a velocity has none", () => {
    assert.deepEqual(said(ownWay(), [0, 32768, 65535]), [0, 0, 32767]);
});
