/** For Node alone: TCP, and TLS over it. Browsers have web_socket.ts. */
import * as net from "node:net";
import * as tls from "node:tls";
import { Open } from "./transport.js";

export interface TlsOptions {
    /** PEM of those whom to trust, instead of the well known ones. */
    ca?: string;
    /** The name in the server's certificate, where it is not the host. */
    servername?: string;
}

/** With `secure`, TLS: the server's certificate is always verified. */
export function nodeSocket(host: string, port: number, secure?: TlsOptions): Open {
    return socketTo(host, port, secure !== undefined, secure ?? {});
}

function socketTo(host: string, port: number, isSecure: boolean, secure: TlsOptions): Open {
    const open: Open = (listener) => new Promise((resolve, reject) => {
        const socket = isSecure ? tls.connect({ host, port, ...secure }) : net.connect({ host, port });
        let isOpen = false;
        let failure = "connection closed";
        socket.setNoDelay(true);
        socket.on("data", (bytes) => listener.received(bytes));
        socket.on("error", (error) => { failure = error.message; });
        socket.on("end", () => socket.end());
        socket.on("close", () => isOpen ? listener.closed(failure) : reject(new Error(failure)));
        socket.on(isSecure ? "secureConnect" : "connect", () => {
            isOpen = true;
            resolve({
                send: (message) => { socket.write(message); },
                close: () => { socket.end(); },
                abort: () => { socket.destroy(); },
            });
        });
    });
    const at = (address: string): Open | undefined => {
        const { scheme, to, toPort } = /^((?<scheme>tcp|tls):\/\/)?(?<to>[^/]+):(?<toPort>\d+)$/.exec(address)?.groups ?? {};
        const { servername, ...trust } = secure;  // another host has its own name
        const goesSecure = scheme === undefined ? isSecure : scheme === "tls";
        return to === undefined ? undefined : Object.assign(socketTo(to.replace(/^\[|\]$/g, ""), Number(toPort), goesSecure, trust),
            { address: `${goesSecure ? "tls" : "tcp"}://${to}:${toPort}` });
    };
    return Object.assign(open, { elsewhere: { speaks: "tcp://, tls:// and HOST:PORT", at } });
}
