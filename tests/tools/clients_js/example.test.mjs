// The program in docs/clients.md runs as it stands there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startServer } from "./server.mjs";

test("the example walks, leaves and ends", async () => {
    // In the package's own folder: there its name means the package.
    const program = join(process.env.MARCHLAND_JS, "../example.mjs");
    writeFileSync(program, /```js\n([^]*?)```/.exec(readFileSync(process.env.MARCHLAND_CLIENTS_DOC, "utf8"))[1]);
    const server = await startServer();
    try {
        const example = spawn(process.execPath, [program, String(server.tcp)], { stdio: ["ignore", "pipe", "inherit"] });
        let output = "";
        example.stdout.on("data", (bytes) => { output += bytes; });
        assert.equal(await new Promise((resolve) => example.on("close", resolve)), 0);
        assert.match(output, /^I am 1\n0 others in view, [\d.]+ ms to the server and back\nleft\n$/);
    } finally {
        assert.equal(await server.stop(), 0);
    }
});
