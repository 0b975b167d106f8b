// What sessions say and keep, beside a server that is this test: no socket, and each byte when the test says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { library } from "./library.mjs";

const { Client, decodeBody, encodeBody } = library;

const at = (x) => ({ x, y: 0, z: 0 });
const [worldMin, worldMax] = [at(-1e6), at(1e6)];
const any = {
    protocolMajor: 3, protocolMinor: 0, tick: 1, tickRateHz: 20, dimensions: 2, worldMin, worldMax, leaveRadiusMmMax: 1,
    resumeToken: new Uint8Array(16), resumeGraceMs: 30000,
};
const welcome = (more = {}) => encodeBody("Welcome", { ...any, entity: 1, spawn: at(0), view: {}, ...more });

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers the Hello of the nth connection by `welcomes[n]`; `lines[n]` has what was said on it, and says something or breaks. */
function server(...welcomes) {
    const lines = [];
    const open = async (listener) => {
        const line = {
            said: [],
            of: (type) => line.said.filter(({ name }) => name === type).map(({ value }) => value),
            say: (type, value) => listener.received(encodeBody(type, value)),
            cut: () => listener.closed("cut"),
        };
        const answer = welcomes[lines.push(line) - 1];
        const send = (bytes) => {
            line.said.push(decodeBody(bytes));
            if (line.said.length === 1 && answer !== undefined) {
                queueMicrotask(() => listener.received(answer));
            }
        };
        return { send, close: line.cut, abort: line.cut };
    };
    return { open, openAt: () => open, lines };
}

/** Resolves when `session` calls that back. */
const told = (session, callback) => new Promise((resolve) => { session[callback] = resolve; });

async function transferred(client, line) {
    const there = told(client, "onTransferred");
    line.say("Transfer", { address: "elsewhere" });
    line.cut();
    await there;
}

test("a zone where another login had the entity is a new world, too", async () => {
    const { open, openAt, lines } = server(welcome(), welcome({ entity: 5, tick: 3, quantumMm: 10, spawn: at(70), resumed: true }));
    const client = new Client(open, { openAt });
    await client.connect();
    lines[0].say("Frame", { tick: 100, enters: [{ entity: 2, position: at(1) }] });
    assert.equal(client.world.seen.size, 1);
    await transferred(client, lines[0]);
    assert.deepEqual([client.world.own, client.world.quantumMm, client.world.seen.size, client.position], [5, 10, 0, at(70)]);
    lines[1].say("Frame", { tick: 4 });
    assert.equal(client.world.tick, 4);
    client.leave();
});

test("neither a correction nor move() is the velocity of the next step", async () => {
    const { open, lines } = server(welcome({ predictionErrorMm: 50, predictionMsMax: 500 }));
    const client = new Client(open);
    await client.connect();
    client.step(at(0));
    client.step(at(70));
    lines[0].say("Frame", { tick: 2, correction: { number: 1, position: at(5000) } });
    client.step(at(5000));
    client.step(at(5070));
    client.move(at(9000));
    client.step(at(9070));
    client.step(at(9140), 7);
    assert.deepEqual(lines[0].of("Move").map(({ position, velocity }) => [position.x, velocity?.x ?? 0]),
        [[0, 0], [70, 70], [5000, 0], [5070, 70], [9000, 0], [9070, 70], [9140, 70]]);
    client.leave();
});
