// Who a client sees, against frames that are made from a plain list of who is where.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, library, randomNumbers } from "./library.mjs";
import { encodeBody } from "./wire.mjs";

const { Drawing, ProtocolError, Slots, World, decode, packMoves } = library;

const slots = new Slots([{ name: "look", type: 2 }, { name: "health", type: 0 }, { name: "speed", type: 1 }]);
const look = (byte) => ({ look: Uint8Array.of(byte) });
/** Of [entity, state], ascending by less than 128. */
const packStates = (states) => Uint8Array.from(states.flatMap(([entity, state], i) =>
    [entity - (i === 0 ? 0 : states[i - 1][0]), ...slots.pack(state)]));

/** `known`: where moves are named by rank, the ids of all who are known by then, ascending. */
const packNamed = (moves, known) => known === undefined ? packMoves(moves) : Uint8Array.of(1, ...packMoves(
    moves.map((move) => ({ ...move, entity: known.indexOf(move.entity) }))));
const frame = (tick, lists, known) => decode(encodeBody("Frame", {
    tick, ...lists, moves: packNamed(lists.moves ?? [], known), states: packStates(lists.states ?? []),
}));
const enter = (entity, x = 0) => ({ entity, kind: 1, position: { x, y: 0, z: 0 }, state: slots.pack(look(0xaa)) });
const step = (entity, x) => ({ entity, isRelative: true, x, y: 0, z: 0 });

/** A frame that leads from `before` to `after`, both from id to [x, look]; positions are in quanta. */
function difference(tick, before, after, quantumMm, isKeyframe, random) {
    const entered = ([id]) => isKeyframe || !before.has(id);
    const stayed = isKeyframe ? [] : [...after].filter(([id]) => before.has(id));
    return frame(tick, {
        isKeyframe,
        leaves: isKeyframe ? [] : [...before.keys()].filter((id) => !after.has(id))
            .map((entity) => ({ entity, reason: 2 })),
        enters: [...after].filter(entered).map(([entity, [x, blob]]) => (
            { entity, kind: 1, position: { x: x * quantumMm, y: 0, z: 0 }, state: slots.pack(look(blob)) })),
        moves: stayed.filter(([id, [x]]) => before.get(id)[0] !== x).map(([entity, [x]]) => random(2) === 0
            ? step(entity, x - before.get(entity)[0])
            : { entity, isRelative: false, x, y: 0, z: 0 }),
        states: stayed.filter(([id, [, blob]]) => before.get(id)[1] !== blob)
            .map(([entity, [, blob]]) => [entity, look(blob)]).sort(([a], [b]) => a - b),
    }, random(2) === 0 ? [...after.keys()] : undefined);
}

test("the world is what the frames were made from, whoever comes, goes, moves and changes", () => {
    const random = randomNumbers(4);
    for (const quantumMm of [1, 10]) {
        const world = new World(quantumMm, slots, 99);
        let before = new Map();
        for (let tick = 1; tick <= 600; ++tick) {
            const ids = [...Array(30).keys()].filter(() => random(4) !== 0);
            const after = new Map(ids.map((id) => {
                const [x, blob] = before.get(id) ?? [random(1000), random(4)];
                return [id, [random(2) === 0 ? x : random(100000), random(3) === 0 ? random(4) : blob]];
            }));
            world.apply(difference(tick, before, after, quantumMm, random(20) === 0, random));
            const seen = [...world.seen.values()].sort((a, b) => a.id - b.id);
            assert.deepEqual(seen.map(({ id, position, state }) => [id, position.x / quantumMm, state.look[0]]),
                [...after].sort(([a], [b]) => a - b).map(([id, [x, blob]]) => [id, x, blob]));
            before = after;
        }
    }
});

test("a state is read, and kept, out of memory of Node's that others use, too", () => {
    const state = { look: Uint8Array.of(1, 2), health: -3, speed: 1.5 };
    const shared = Buffer.alloc(64);
    shared.set(slots.pack(state), 7);
    const read = slots.unpack(shared.subarray(7, 7 + slots.pack(state).length));
    shared.fill(0xff);
    assert.deepEqual(read, state);
});

test("a value that is none of its slot is not packed: the error names the slot", () => {
    for (const health of [99.7, 0.3, NaN, Infinity, -Infinity, 2 ** 52, -(2 ** 52), "100", Uint8Array.of(1)]) {
        assert.throws(() => slots.pack({ health }), { name: "RangeError", message: /health/ });
    }
    for (const state of [{ look: 1 }, { look: [1] }, { speed: "fast" }, { speed: Uint8Array.of(1) }]) {
        assert.throws(() => slots.pack(state), { name: "RangeError", message: new RegExp(Object.keys(state)[0]) });
    }
    for (const health of [2 ** 52 - 1, 1 - 2 ** 52, -1, 0]) {
        assert.deepEqual(slots.unpack(slots.pack({ health })), { ...slots.first, health });
    }
});

test("changes say who left and why, who entered, moved and changed", () => {
    const world = new World(1, slots, 99);
    world.apply(frame(1, { enters: [enter(1), enter(2), enter(3)] }));
    const changes = world.apply(frame(2, {
        leaves: [{ entity: 1, reason: 1 }], enters: [enter(1, 500)], moves: [step(2, 7)],
        states: [[3, { health: -300, speed: 1.5 }], [99, look(5)]],
    }));
    assert.deepEqual(changes.left.map(({ entity, reason }) => [entity.id, reason]), [[1, 1]]);
    assert.deepEqual(changes.entered.map(({ id, position }) => [id, position.x]), [[1, 500]]);
    assert.deepEqual(changes.moved.map(({ id, position }) => [id, position.x]), [[2, 7]]);
    assert.deepEqual(changes.stateChanged.map(({ id, state }) => [id, { ...state, look: state.look[0] }]),
        [[3, { look: 0xaa, health: -300, speed: 1.5 }]]);
    assert.deepEqual(world.ownState, { ...slots.first, ...look(5) });
    assert.equal(changes.ownState, world.ownState);
});

test("a keyframe tells the own state where it is another than before", () => {
    const world = new World(1, slots, 99);
    const applied = (tick, states) => world.apply(frame(tick, { isKeyframe: true, states })).ownState;
    assert.equal(applied(1, []), undefined);
    assert.deepEqual(applied(2, [[99, look(5)]]), { ...slots.first, ...look(5) });
    assert.equal(applied(3, [[99, look(5)]]), undefined);
    assert.deepEqual(applied(4, []), slots.first);
});

test("a keyframe is reported as the difference to what was known, and what is drawn does not jump", () => {
    const world = new World(1, slots, 99);
    const drawing = new Drawing(20, { delayMs: 100 });
    const apply = (tick, lists) => {
        const next = frame(tick, { serverTimeUs: 50000 * tick, ...lists });
        const changes = world.apply(next);
        drawing.apply(changes, next, 50 * tick);
        return changes;
    };
    const withVelocity = (entered, x) => ({ ...entered, velocity: { x, y: 0, z: 0 } });
    apply(1, { enters: [enter(1), enter(2), enter(3), enter(4), withVelocity(enter(5), 10), enter(6)] });
    const goes = world.get(2);
    apply(2, { moves: [step(3, 100)] });
    const changed = { ...enter(4), state: slots.pack(look(5)) };
    const changes = apply(3, {
        isKeyframe: true,
        enters: [enter(1), enter(3, 200), changed, withVelocity(enter(5, 20), 10), withVelocity(enter(6), 1), enter(7)],
    });
    const ids = (list) => list.map(({ id }) => id);
    assert.deepEqual(changes.left, [{ entity: goes, reason: undefined }]);
    assert.deepEqual([ids(changes.entered), ids(changes.moved), ids(changes.stateChanged)], [[7], [3, 5, 6], [4]]);
    assert.deepEqual(ids([...world]), [1, 3, 4, 5, 6, 7]);
    assert.deepEqual([150, 175, 200].map((nowMs) => drawing.position(3, nowMs).x), [0, 50, 100], "two frames late, as ever");
});

test("a frame that does not fit what is known is refused", () => {
    const begun = () => {
        const world = new World(1, slots, 99);
        world.apply(frame(5, { enters: [enter(1)] }));
        return world;
    };
    for (const [tick, lists, known] of [
        [5, {}],
        [6, { enters: [enter(1)] }],
        [6, { leaves: [{ entity: 2, reason: 1 }] }],
        [6, { moves: [step(2, 1)] }],
        [6, { moves: [step(1, 1)] }, [0, 1]],
        [6, { moves: [step(1, -(2 ** 31) - 1)] }],
        [6, { states: [[2, look(0)]] }],
    ]) {
        assert.throws(() => begun().apply(frame(tick, lists, known)), ProtocolError, JSON.stringify(lists));
    }
});
