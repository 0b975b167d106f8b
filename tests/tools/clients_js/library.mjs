// The compiled library, and what several tests need. MARCHLAND_JS is where tsc put it.
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.env.MARCHLAND_JS}/`);

export const library = await import(new URL("index.js", folder));
export const { nodeSocket } = await import(new URL("node_socket.js", folder));

export const fromHex = (hex) => Uint8Array.from(Buffer.from(hex.replace(/\s/g, ""), "hex"));
export const toHex = (bytes) => Buffer.from(bytes).toString("hex");

/** Numbers from 0 to `end` - 1, the same ones for the same seed (mulberry32). */
export function randomNumbers(seed) {
    let state = seed;
    return (end) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
    };
}
