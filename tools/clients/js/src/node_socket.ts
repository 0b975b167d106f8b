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
    return (listener) => new Promise((resolve, reject) => {
        const socket = secure === undefined ? net.connect({ host, port })
                                            : tls.connect({ host, port, ...secure });
        let isOpen = false;
        let failure = "connection closed";
        socket.setNoDelay(true);
        socket.on("data", (bytes) => listener.received(bytes));
        socket.on("error", (error) => { failure = error.message; });
        socket.on("end", () => socket.end());
        socket.on("close", () => isOpen ? listener.closed(failure) : reject(new Error(failure)));
        socket.on(secure === undefined ? "connect" : "secureConnect", () => {
            isOpen = true;
            resolve({
                send: (message) => { socket.write(message); },
                close: () => { socket.end(); },
                abort: () => { socket.destroy(); },
            });
        });
    });
}
