// What our reader costs against that of the npm package flatbuffers (docs/decisions/0015), on frames that a server sends to one
// of 100 players with some 60 in view. By hand, after the release build and its test tools/ClientsJs.Compile:
//
//   node tests/tools/clients_js/reader_cost.mjs build/release
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = new URL("../../..", import.meta.url).pathname;
const build = resolve(process.argv[2]);
const js = pathToFileURL(join(build, "tests/tools/clients_js/package/dist/"));
const { Client, MessageSplitter, decode } = await import(new URL("index.js", js));
const { nodeSocket } = await import(new URL("node_socket.js", js));
const folder = mkdtempSync(join(tmpdir(), "marchland-reader-"));
const run = (command, ...rest) => execFileSync(command, rest, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });

async function recordedFrames() {
    writeFileSync(join(folder, "zone.toml"), `[server]\nport = 0\n[world]\nbounds_m = { min_x = -100, min_y = -100, max_x = 100, max_y = 100 }
[view]\nradius_m = 50\nleave_radius_m = 55\n`);
    const server = spawn(join(build, "bin/marchland-server"), ["--config", "zone.toml"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    const address = await new Promise((found, failed) => {
        let log = "";
        server.stderr.on("data", (bytes) => {
            log += bytes;
            const line = /listening on (\S+:\d+)\n/.exec(log);
            if (line !== null) {
                found(line[1]);
            }
        });
        server.on("close", () => failed(new Error(log)));
    });
    const bots = spawn(join(build, "bin/marchland-bots"), ["--connect", address, "--players", "100"], { stdio: "ignore" });
    await new Promise((go) => setTimeout(go, 5000));
    const [host, port] = address.split(":");
    const frames = [];
    const open = nodeSocket(host, Number(port));
    const splitter = new MessageSplitter();
    const client = new Client((listener) => open({
        ...listener, closed: (why) => listener.closed(why),
        received: (bytes) => {
            splitter.push(new Uint8Array(bytes), (message) => {
                if (decode(message).type === "Frame") {
                    frames.push(message.slice());
                }
            });
            listener.received(bytes);
        },
    }), { kind: 1, spawn: { x: 0, y: 0, z: 0 } });
    await client.connect();
    await new Promise((go) => setTimeout(go, 12000));
    const inView = client.world.seen.size;
    await client.leave();
    for (const process of [bots, server]) {
        process.kill("SIGTERM");
        await new Promise((ended) => process.on("close", ended));
    }
    return { frames: frames.slice(20), inView };
}

/** The package's accessors, read once into such objects as ours. */
function inPlace(flatbuffers, { Message, Frame }) {
    const place = (at) => ({ x: at.x(), y: at.y(), z: at.z() });
    const list = (length, read) => Array.from({ length }, (_, index) => read(index));
    const empty = new Uint8Array(0);
    return (bytes) => {
        const frame = Message.getSizePrefixedRootAsMessage(new flatbuffers.ByteBuffer(bytes)).body(new Frame());
        const correction = frame.correction();
        return {
            tick: Number(frame.tick()), moveAck: frame.moveAck(), borderStale: frame.borderStale(),
            leaves: list(frame.leavesLength(), (index) => ({ entity: Number(frame.leaves(index).entity()), reason: frame.leaves(index).reason() })),
            enters: list(frame.entersLength(), (index) => {
                const it = frame.enters(index);
                return { entity: Number(it.entity()), kind: it.kind(), position: place(it.position()), state: it.stateArray() ?? empty,
                    velocity: it.velocity() ? place(it.velocity()) : undefined };
            }),
            moves: frame.movesArray() ?? empty, timeScale: frame.timeScale(), isCapped: frame.isCapped(), isSlowed: frame.isSlowed(),
            isOverBudget: frame.isOverBudget(), serverTimeUs: Number(frame.serverTimeUs()), states: frame.statesArray() ?? empty,
            isKeyframe: frame.isKeyframe(), correction: correction && { number: correction.number(), position: place(correction.position()) },
            watcher: Number(frame.watcher()), isFilling: frame.isFilling(),
            messages: list(frame.messagesLength(), (index) => frame.messages(index).unpack()), messagesLost: frame.messagesLost(),
        };
    };
}

function userUs(read, frames, rounds) {
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; ++round) {
        for (const frame of frames) {
            read(frame);
        }
    }
    return process.cpuUsage(before).user / (rounds * frames.length);
}

try {
    writeFileSync(join(folder, "package.json"), "{}");
    run("npm", "install", "--silent", "--no-audit", "flatbuffers@2.0.7");
    run("flatc", "--ts", "--gen-object-api", "-o", "ts", join(root, "net/schema/marchland.fbs"));
    run("tsc", "--target", "ES2020", "--module", "commonjs", "--skipLibCheck", "--rootDir", "ts", "--outDir", "out", "ts/marchland/wire/message.ts");
    const require = createRequire(join(folder, "package.json"));
    const flatbuffers = require("flatbuffers");
    const wire = { ...require("./out/marchland/wire/message.js"), ...require("./out/marchland/wire/frame.js") };
    const { frames, inView } = await recordedFrames();
    const readers = {
        ours: decode,
        "package, unpack()": (bytes) => wire.Message.getSizePrefixedRootAsMessage(new flatbuffers.ByteBuffer(bytes)).unpack(),
        "package, in place": inPlace(flatbuffers, wire),
    };
    const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0) / frames.length;
    console.log(`Node ${process.version}, ${inView} in view, ${frames.length} frames of ${bytes.toFixed(0)} bytes; user CPU of one, µs`);
    const taken = Object.fromEntries(Object.keys(readers).map((name) => [name, []]));
    for (let alternation = -1; alternation < 5; ++alternation) {
        for (const [name, read] of Object.entries(readers)) {
            const us = userUs(read, frames, 300);
            if (alternation >= 0) { // the first warms up
                taken[name].push(us);
            }
        }
    }
    for (const [name, values] of Object.entries(taken)) {
        console.log(`${name.padEnd(18)} ${median(values).toFixed(2)}   (${values.map((it) => it.toFixed(2)).join(" ")})`);
    }
} finally {
    rmSync(folder, { recursive: true });
}
