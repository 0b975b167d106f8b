// The package that npm pack makes installs, runs, and has types that a strict program compiles against. Exit 77: skipped, and why.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startServer } from "./server.mjs";

if (spawnSync("npm", ["--version"]).status !== 0) {
    console.log("skipped: npm is not installed");
    process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "marchland-package-"));
after(() => rmSync(folder, { recursive: true }));
const program = join(folder, "program");
const run = (command, ...rest) => execFileSync(command, rest, { cwd: program, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Once, without a registry: with what it depends on beside it. */
function install() {
    const source = join(folder, "source");
    cpSync(process.env.MARCHLAND_JS_SOURCE, source, { recursive: true, filter: (path) => !path.endsWith("dist") });
    cpSync(process.env.MARCHLAND_LICENSE, join(source, "LICENSE"));
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: source, stdio: "ignore" });
    mkdirSync(program);
    writeFileSync(join(program, "package.json"), JSON.stringify({ name: "game", private: true, type: "module" }));
    execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder, join(source, "node_modules/flatbuffers")], { stdio: "ignore" });
    run("npm", "install", "--silent", "--offline", "--no-audit", "--cache", join(folder, "cache"),
        ...readdirSync(folder).filter((name) => name.endsWith(".tgz")).map((name) => join(folder, name)));
}

const strictProgram = `
import { Client, Seen, Service, webSocket } from "marchland-client";
import { nodeSocket } from "marchland-client/node";
const client: Client = new Client(webSocket("ws://localhost:1/"), { kind: 1, token: async () => "t" });
client.onEnter = (entity: Seen): void => console.log(entity.position.x);
for (const { id } of client.world) { const drawn: number | undefined = client.drawing.position(id)?.x; console.log(drawn); }
const service = new Service(nodeSocket("localhost", 1), "wolves");
service.spawn({ kind: 7, position: { x: 0, y: 0, z: 0 } }).move({ x: 1, y: 0, z: 0 });
`;

function compile(tsc, ...modules) {
    writeFileSync(join(program, "game.ts"), strictProgram);
    for (const [module, resolution] of modules) {
        run(tsc, "--strict", "--noEmit", "--target", "ES2022", "--lib", "ES2022,DOM", "--module", module, "--moduleResolution", resolution,
            "game.ts");
    }
}
const classic = ["ES2022", "node"], node = ["Node16", "Node16"], bundler = ["ES2022", "bundler"];

test("it is packed, installed and run", async () => {
    install();
    const files = readdirSync(join(program, "node_modules/marchland-client"));
    assert.deepEqual(files.sort(), ["LICENSE", "README.md", "dist", "package.json", "src"]);
    writeFileSync(join(program, "walk.mjs"), /```js\n([^]*?)```/.exec(readFileSync(process.env.MARCHLAND_CLIENTS_DOC, "utf8"))[1]);
    const server = await startServer();
    try {
        assert.match(run("node", "walk.mjs", String(server.tcp)), /^I am 1\n0 others in view/);
    } finally {
        assert.equal(await server.stop(), 0);
    }
});

test("Debian's TypeScript takes its types", () => compile("tsc", classic, node));

for (const [version, ...modules] of [["5", classic, node, bundler], ["latest", node, bundler]]) {
    test(`TypeScript ${version} takes its types, and compiles its sources`, (t) => {
        const fetched = spawnSync("npm", ["install", "--silent", "--no-audit", "--no-save", `typescript@${version}`],
            { cwd: program, timeout: 60000 });
        if (fetched.status !== 0) {
            t.skip("no registry");
            return;
        }
        const tsc = join(program, "node_modules/.bin/tsc");
        t.diagnostic(run(tsc, "--version").trim());
        compile(tsc, ...modules);
        run(tsc, "-p", join(folder, "source"), "--noEmit");
    });
}
