import { Elsewhere, Open } from "./transport.js";

const normalClosure = 1000;

/** Over WebSocket: in browsers, and where Node has one. `url` is like "wss://play.example.org:7778/". */
export function webSocket(url: string): Open {
    const open: Open = (listener) => new Promise((resolve, reject) => {
        const socket = new WebSocket(url);
        let isOpen = false;
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            isOpen = true;
            resolve({
                send: (message) => {
                    if (socket.readyState === WebSocket.OPEN) {  // while it closes a browser takes it for an error of the page
                        socket.send(message as BufferSource);  // newer compilers know that it may be shared memory
                    }
                },
                close: () => socket.close(normalClosure),
                // There is no harder way: what is still unsent may go out.
                abort: () => socket.close(),
            });
        };
        socket.onmessage = ({ data }) => {
            // The server sends no text; one would end the stream as the broken message that it is.
            listener.received(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(4));
        };
        socket.onclose = ({ code, reason }) => {
            const why = `WebSocket closed, ${code} ${reason}`.trimEnd();
            isOpen ? listener.closed(why) : reject(new Error(why));
        };
    });
    return Object.assign(open, { elsewhere: webSockets });
}

export const webSockets: Elsewhere = {
    speaks: "ws:// and wss://",
    at: (address) => /^wss?:\/\//.test(address) ? webSocket(address) : undefined,
};
