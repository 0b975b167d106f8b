// A marchland-server on free loopback ports, for one test file.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const settings = (tls) => `
[server]
port = 0
tls = ${tls}
[websocket]
enabled = true
port = 0
${tls ? '[tls]\ncertificate = "certificate.pem"\nkey = "key.pem"' : ""}
[admin]
enabled = true
port = 0
[limits]
resume_grace_ms = 30000
player_states_per_second_max = 50
[world]
bounds_m = { min_x = -400, min_y = -400, max_x = 400, max_y = 400 }
[shards]
columns = 2
rows = 1
[[entities.slots]]
name = "look"
type = "bytes"
writer = "player"
`;

/** Ports, and stop(), which resolves with the exit code. */
export async function startServer({ tls = false } = {}) {
    const folder = mkdtempSync(join(tmpdir(), "marchland-server-"));
    if (tls) {
        makeCertificate(folder);
    }
    const config = join(folder, "zone.toml");
    writeFileSync(config, settings(tls));
    const server = spawn(process.env.MARCHLAND_SERVER, ["--config", config],
        { stdio: ["ignore", "ignore", "pipe"] });
    const ended = new Promise((resolve) => server.on("close", resolve));
    const ports = await portsOf(server);
    const stop = async () => {
        server.kill("SIGTERM");
        const code = await ended;
        rmSync(folder, { recursive: true });
        return code;
    };
    return { ...ports, folder, stop };
}

/** The log says them: "listening on" comes last. What it says later is read and thrown away. */
function portsOf(server) {
    return new Promise((resolve, reject) => {
        let log = "";
        const read = (bytes) => {
            log += bytes;
            const found = /websocket at .*:(\d+)\n(?:.*\n)*?.*listening on .*:(\d+)\n/.exec(log);
            if (found !== null) {
                server.stderr.off("data", read);
                server.stderr.resume();
                const admin = Number(/admin at .*:(\d+)\n/.exec(log)[1]);
                resolve({ admin, webSocket: Number(found[1]), tcp: Number(found[2]) });
            }
        };
        server.stderr.on("data", read);
        server.on("close", () => reject(new Error(`the server does not start: ${log}`)));
    });
}

export const opensslIsHere = (() => {
    try {
        execFileSync("openssl", ["version"], { stdio: "ignore" });
        return true;
    } catch {
        return false;
    }
})();

function makeCertificate(folder) {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", join(folder, "key.pem"), "-out", join(folder, "certificate.pem")], { stdio: "ignore" });
}

/**
 * Node has a WebSocket from 22 on; before, Debian's node-undici has one. That of 5.15 writes the length of a frame of
 * 126 bytes and more into memory of somebody else's, so it is given short ones: where they end means nothing.
 */
export const webSocketIsHere = (() => {
    if (globalThis.WebSocket !== undefined) {
        return true;
    }
    try {
        const { WebSocket } = createRequire(import.meta.url)("undici");
        globalThis.WebSocket = class extends WebSocket {
            send(bytes) {
                for (let at = 0; at < bytes.length; at += 125) {
                    super.send(bytes.slice(at, at + 125));
                }
            }
        };
        return true;
    } catch {
        return false;
    }
})();
