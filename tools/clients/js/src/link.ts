import { decode } from "./decode.js";
import { encode } from "./encode.js";
import { ClientMessage, ServerMessage, ServiceWelcome, Welcome } from "./messages.js";
import { MessageSplitter } from "./message_splitter.js";
import { Open, Transport } from "./transport.js";

/** The server said why it closes: `code` is of the table of errors in docs/wire_format.md. */
export class ServerError extends Error {
    override readonly name = "ServerError";

    constructor(readonly code: number, text: string) {
        super(text);
    }
}

/** The connection is gone, and nobody said why: the session may be resumed. */
export class ConnectionLost extends Error {
    override readonly name = "ConnectionLost";
}

export interface LinkListener {
    /** Before anything else, and once. */
    welcomed(welcome: Welcome | ServiceWelcome): void;
    /** What it throws ends the link, as what is wrong with the stream does. */
    received(message: ServerMessage): void;
    /** After a Welcome alone; until it is taken in connect() rejects. A ServerError if the server said why. */
    ended(why: Error): void;
}

/**
 * One connection, from Hello to its end: messages instead of bytes.
 *
 * Order    connect() resolves after welcomed(). Nothing is received after ended().
 * Bounds   Connecting, and the Welcome, take no longer than connect() allows; then it rejects.
 */
export class Link {
    private transport: Transport | undefined;
    private readonly splitter = new MessageSplitter();
    private settle: { resolve: () => void; reject: (why: Error) => void } | undefined;
    private isWelcome = false;
    private isOver = false;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private lastReceivedMs = performance.now();

    constructor(private readonly listener: LinkListener) {}

    connect(open: Open, hello: ClientMessage, msMax: number): Promise<void> {
        return new Promise((resolve, reject) => {
            this.settle = { resolve, reject };
            this.timer = setTimeout(
                () => this.abort(new ConnectionLost(`no Welcome within ${Math.round(msMax)} ms`)), msMax);
            open({
                received: (bytes) => this.take(bytes),
                closed: (reason) => this.end(new ConnectionLost(reason)),
            }).then((transport) => this.begin(transport, hello), (why: Error) => this.end(why));
        });
    }

    send(message: ClientMessage): void {
        this.sendBytes(encode(message));
    }

    /** A message that is written already. */
    sendBytes(message: Uint8Array): void {
        if (!this.isOver) {
            this.transport?.send(message);
        }
    }

    /** Ends it from our side, at once; tells the listener. */
    abort(why: Error): void {
        this.transport?.abort();
        this.end(why);
    }

    silentForMs(): number {
        return performance.now() - this.lastReceivedMs;
    }

    private begin(transport: Transport, hello: ClientMessage): void {
        if (this.isOver) {
            transport.abort();  // it came too late
            return;
        }
        this.transport = transport;
        this.send(hello);
    }

    private take(bytes: Uint8Array): void {
        this.lastReceivedMs = performance.now();
        try {
            this.splitter.push(bytes, (message) => {
                if (!this.isOver) {
                    this.dispatch(decode(message));
                }
            });
        } catch (error) {
            this.abort(error as Error);
        }
    }

    private dispatch(message: ServerMessage): void {
        if (message.type === "Error") {
            this.transport?.close();
            this.end(new ServerError(message.code, message.text));
        } else if ((message.type === "Welcome" || message.type === "ServiceWelcome") && !this.isWelcome) {
            this.isWelcome = true;
            clearTimeout(this.timer);
            this.listener.welcomed(message);
            this.settle?.resolve();
        } else if (message.type !== "Skipped") {
            this.listener.received(message);
        }
    }

    private end(why: Error): void {
        if (this.isOver) {
            return;
        }
        this.isOver = true;
        clearTimeout(this.timer);
        if (this.isWelcome) {
            this.listener.ended(why);
        }
        // Where the Welcome could not be taken in nobody else says so; after connect() has resolved this does nothing.
        this.settle?.reject(why);
    }
}
