// Headless Chromium for the tests of the pages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Chromium over its debugging pipe: messages of JSON, each with a 0 behind it. What goes wrong on a page is in `problems`. */
export async function openBrowser() {
    const profile = mkdtempSync(join(tmpdir(), "marchland-browser-"));
    const chromium = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const waiting = new Map();
    const problems = [];
    let rest = "";
    chromium.stdio[4].on("data", (bytes) => {
        const messages = (rest + bytes).split("\0");
        rest = messages.pop();
        for (const message of messages.map((text) => JSON.parse(text))) {
            waiting.get(message.id)?.(message);
            if (["Runtime.exceptionThrown", "Log.entryAdded"].includes(message.method)) {
                problems.push(message.params);
            }
        }
    });
    const call = (method, params = {}, sessionId = undefined) => new Promise((resolve) => {
        const id = waiting.size + 1;
        waiting.set(id, resolve);
        chromium.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
    const close = async () => {
        const ended = new Promise((resolve) => chromium.on("exit", resolve));
        await call("Browser.close");
        await ended;
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    };
    return { openTab: () => openTab(call), problems, close };
}

async function openTab(call) {
    const { result: { targetId } } = await call("Target.createTarget", { url: "about:blank", newWindow: true });
    const { result: { sessionId } } = await call("Target.attachToTarget", { targetId, flatten: true });
    const page = (method, params) => call(method, params, sessionId);
    for (const domain of ["Runtime", "Log", "Page"]) {
        await page(`${domain}.enable`);
    }
    const read = async (expression) => {
        const { result } = await page("Runtime.evaluate", { expression, returnByValue: true });
        return result.result.value;
    };
    const until = async (expression) => {
        for (let tries = 0; tries < 600 && !(await read(expression)); ++tries) {
            await sleep(50);
        }
        assert.ok(await read(expression), expression);
    };
    return {
        page, read, until,
        async show(url, width, height, scheme) {
            await page("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
            await page("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
            await page("Page.navigate", { url });
        },
        mouse: (type, x, y, more = {}) => page("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1, ...more }),
        picture: async () => Buffer.from((await page("Page.captureScreenshot", { format: "png" })).result.data, "base64"),
        close: () => call("Target.closeTarget", { targetId }),
    };
}
