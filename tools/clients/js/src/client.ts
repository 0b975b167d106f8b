import { ConnectionLost, Link, ServerError } from "./link.js";
import {
    Correction, Frame, Hello, Position, SendMessage, ServerMessage, View, Welcome, protocolMajor, protocolMinor,
} from "./messages.js";
import { ProtocolError } from "./protocol_error.js";
import { Open } from "./transport.js";
import { Changes, World } from "./world.js";

/** What the Hello says, and how patient the client is. */
export interface ClientOptions {
    kind?: number;
    spawn?: Position;
    view?: View;
    blob?: Uint8Array;
    facing?: number;
    token?: string;
    /** Whether a lost connection is resumed, where the server allows it. True by default. */
    resume?: boolean;
    /** For a connection and its Welcome, each time. */
    welcomeMsMax?: number;
    /** Between the first two attempts to resume; then twice as long each time, up to 4 s, a half more or less by chance. */
    retryMs?: number;
    pingEveryMs?: number;
    /** A server that says nothing for so long is lost: it sends a frame every second. */
    silenceMsMax?: number;
    /** The largest message that is taken. */
    messageBytesMax?: number;
}

/** Codes of docs/wire_format.md after which the entity is still there, or may be again when the server is: connect again. */
const lostCodes: ReadonlySet<number> = new Set([8, 9, 11]);
const retryMsMax = 4000;
const resumeRefused = 15;
const farewellMsMax = 5000;
const welcomeMsMax = 10000;

/**
 * A player's session: says Hello, keeps who is seen in `world`, answers corrections, pings, and resumes
 * when the connection is lost.
 *
 *     idle -- connect() --> playing <-- resumed --+      closed: leave(), an Error of the server,
 *                              +---- lost --------+      a broken stream, or the grace is over
 *
 * Order    A frame is applied to `world` before onFrame. Callbacks come one at a time, in the order of
 *          the stream; what they throw ends the session.
 * Errors   connect() rejects, onClosed tells: with a ServerError if the server said why, a ProtocolError
 *          if its stream is broken. Both, where the end came along with the Welcome.
 */
export class Client {
    onFrame: (changes: Changes, frame: Frame) => void = () => {};
    onCorrection: (correction: Correction) => void = () => {};
    /** The server tells its players something; it stops in so many milliseconds at the latest, 0: it does not say. */
    onNotice: (text: string, stopsInMs: number) => void = () => {};
    onLost: (why: Error) => void = () => {};
    onResumed: () => void = () => {};
    onClosed: (why: Error | undefined) => void = () => {};

    private link: Link | undefined;
    private told: Welcome | undefined;
    private kept: World | undefined;
    private ownPosition: Position | undefined;
    private newestSeq = 0;
    private correctionSeen = 0;
    private isLeaving = false;
    private isClosed = false;
    private closedBy: Error | undefined;
    private timer: ReturnType<typeof setInterval> | undefined;
    private nextNonce = 1n;
    private readonly pings = new Map<bigint, (rttMs: number | undefined) => void>();
    /** Messages that the server may not have, in order. */
    private unconfirmed: SendMessage[] = [];
    private newestMessage = 0;
    private isConfirming = false;
    private readonly farewells: (() => void)[] = [];

    constructor(private readonly open: Open, private readonly options: ClientOptions = {}) {}

    /** Resolves with the first Welcome. Once. */
    async connect(): Promise<Welcome> {
        await this.begin(this.hello(), this.options.welcomeMsMax ?? welcomeMsMax);
        if (this.isClosed) {
            this.link?.send({ type: "Leave" });
            throw this.closedBy ?? new Error("left before the Welcome came");
        }
        this.timer = setInterval(() => this.keepAlive(), this.options.pingEveryMs ?? 5000);
        return this.welcome;
    }

    /** The newest Welcome. Only after connect(). */
    get welcome(): Welcome {
        return present(this.told);
    }

    /** Who is seen. Only after connect(). */
    get world(): World {
        return present(this.kept);
    }

    /** Where the client's own entity is: what was sent last, or what the server put in its place. */
    get position(): Position {
        return present(this.ownPosition);
    }

    /** Says where the entity is now; returns the move's seq. More than one a tick is pointless. */
    move(position: Position, facing?: number): number {
        this.newestSeq = (this.newestSeq + 1) >>> 0;
        this.ownPosition = position;
        this.link?.send({
            type: "Move", seq: this.newestSeq, position, correctionSeen: this.correctionSeen,
            ...(facing === undefined ? {} : { facing }),
        });
        return this.newestSeq;
    }

    setView(view: View): void {
        this.link?.send({ type: "SetView", view });
    }

    /** What others get of the entity, where `welcome.states` allows it. */
    setState(blob: Uint8Array): void {
        this.link?.send({ type: "SetState", blob });
    }

    /** To those named, or to whoever sees the entity; where `welcome.events` allows it. */
    sendEvent(payload: Uint8Array, to: number[] = []): void {
        this.link?.send({ type: "SendEvent", payload, to });
    }

    /**
     * To the services of the game, where `welcome.messages` allows it: in order and each once, also over a
     * resume (a restart of the server may tell one twice). False, and nothing is sent: as many as a second allows are
     * on their way; try again a little later. Services answer in `frame.messages`.
     */
    sendMessage(kind: number, payload: Uint8Array = new Uint8Array()): boolean {
        const max = this.welcome.messages?.perSecondMax ?? 0;
        const hasRoom = this.unconfirmed.length < max;
        if (hasRoom) {
            const number = ++this.newestMessage;
            const message: SendMessage = { type: "SendMessage", number, kind, payload: payload.slice() };
            this.unconfirmed.push(message);
            this.link?.send(message);
        }
        if (2 * this.unconfirmed.length > max && !this.isConfirming) {
            this.isConfirming = true;
            void this.ping().then(() => { this.isConfirming = false; });
        }
        return hasRoom;
    }

    requestKeyframe(): void {
        this.link?.send({ type: "KeyframeRequest" });
    }

    /** The round trip in milliseconds; nothing when the connection is lost, or gets lost meanwhile. */
    ping(): Promise<number | undefined> {
        if (this.link === undefined) {
            return Promise.resolve(undefined);
        }
        const nonce = this.nextNonce++;
        const newest = this.newestMessage;
        const sentMs = performance.now();
        return new Promise((resolve) => {
            this.pings.set(nonce, (nowMs) => {
                if (nowMs !== undefined) {
                    this.unconfirmed = this.unconfirmed.filter(({ number }) => number > newest);
                }
                resolve(nowMs === undefined ? undefined : nowMs - sentMs);
            });
            this.link?.send({ type: "Ping", nonce });
        });
    }

    /** Leaves the zone; resolves when the connection is closed. */
    leave(): Promise<void> {
        this.isLeaving = true;
        return new Promise((resolve) => {
            if (this.isClosed) {
                resolve();
                return;
            }
            this.farewells.push(resolve);
            if (this.link === undefined) {
                this.close(undefined);
                return;
            }
            const link = this.link;
            link.send({ type: "Leave" });
            const timer = setTimeout(() => link.abort(new ConnectionLost("no end after Leave")), farewellMsMax);
            this.farewells.push(() => clearTimeout(timer));
        });
    }

    private hello(): Hello {
        const { kind, spawn, view, blob, facing, token } = this.options;
        return {
            type: "Hello", protocolMajor, protocolMinor,
            ...Object.fromEntries(Object.entries({ kind, spawn, view, blob, facing, token })
                .filter(([, value]) => value !== undefined)),
        };
    }

    private async begin(hello: Hello, msMax: number): Promise<void> {
        const link: Link = new Link({
            welcomed: (welcome) => {
                this.link = link;
                this.onWelcome(welcome);
            },
            received: (message) => this.onMessage(message),
            ended: (why) => this.onEnded(why),
        }, this.options.messageBytesMax);
        await link.connect(this.open, hello, msMax);
    }

    private onWelcome(welcome: Welcome): void {
        this.told = welcome;
        this.correctionSeen = 0;
        if (!welcome.resumed || this.kept === undefined) {
            this.kept = new World(welcome.quantumMm);
            this.ownPosition = welcome.spawn;
        }
        // A server that was restarted has none of them, and counts anew.
        this.unconfirmed = this.unconfirmed.filter(({ number }) => number > welcome.messageNumber);
        this.newestMessage = welcome.messageNumber;
        for (const message of this.unconfirmed) {
            message.number = ++this.newestMessage;
            this.link?.send(message);
        }
    }

    private onMessage(message: ServerMessage): void {
        if (this.isClosed) {
            return;
        }
        switch (message.type) {
            case "Frame":
                this.onFrameMessage(message);
                break;
            case "Pong":
                this.pings.get(message.nonce)?.(performance.now());
                this.pings.delete(message.nonce);
                break;
            case "Notice":
                this.onNotice(message.text, message.stopsInMs);
                break;
            default:
                throw new ProtocolError(`a ${message.type} while playing`);
        }
    }

    private onFrameMessage(frame: Frame): void {
        const changes = this.world.apply(frame);
        // A keyframe tells the number that holds already: moves that were sent since are made after it.
        if (frame.correction !== undefined && frame.correction.number !== this.correctionSeen) {
            this.correctionSeen = frame.correction.number;
            this.ownPosition = frame.correction.position;
            this.onCorrection(frame.correction);
        }
        this.onFrame(changes, frame);
    }

    private onEnded(why: Error): void {
        this.link = undefined;
        for (const settle of this.pings.values()) {
            settle(undefined);
        }
        this.pings.clear();
        if (this.isLeaving || this.isClosed) {
            this.close(undefined);
        } else if (this.canResume(why)) {
            if (this.tell(() => this.onLost(why))) {
                void this.resume(why);
            }
        } else {
            this.close(why);
        }
    }

    private canResume(why: Error): boolean {
        const isLost = why instanceof ConnectionLost ||
            (why instanceof ServerError && lostCodes.has(why.code));
        return isLost && (this.options.resume ?? true) && this.welcome.resumeToken.length > 0;
    }

    /** Until it works, the server says that it is no use, or the grace is over. */
    private async resume(why: Error): Promise<void> {
        const deadlineMs = performance.now() + this.welcome.resumeGraceMs;
        let newest = why;
        let waitMs = this.options.retryMs ?? 500;
        while (!this.isClosed && performance.now() < deadlineMs) {
            const leftMs = deadlineMs - performance.now();
            try {
                await this.begin({
                    ...this.hello(), resumeToken: this.welcome.resumeToken, lastTick: this.world.tick,
                }, Math.min(leftMs, this.options.welcomeMsMax ?? welcomeMsMax));
                this.isClosed ? this.link?.send({ type: "Leave" }) : this.tell(() => this.onResumed());
                return;
            } catch (error) {
                newest = error as Error;
                if (newest instanceof ProtocolError ||
                    (newest instanceof ServerError && newest.code === resumeRefused)) {
                    break;
                }
            }
            // After a restart everybody comes at once: not all in the same moment again.
            await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
            waitMs = Math.min(2 * waitMs, Math.max(waitMs, retryMsMax));
        }
        this.close(newest);
    }

    /** Calls a callback that the stream does not call: false when it threw, which ends the session. */
    private tell(callback: () => void): boolean {
        try {
            callback();
            return true;
        } catch (error) {
            this.close(error as Error);
            this.link?.abort(error as Error);
            return false;
        }
    }

    private keepAlive(): void {
        if (this.link === undefined) {
            return;
        }
        if (this.link.silentForMs() > (this.options.silenceMsMax ?? 10000)) {
            this.link.abort(new ConnectionLost("the server says nothing any more"));
        } else {
            void this.ping();
        }
    }

    private close(why: Error | undefined): void {
        if (this.isClosed) {
            return;
        }
        this.isClosed = true;
        this.closedBy = why;
        clearInterval(this.timer);
        this.farewells.forEach((resolve) => resolve());
        this.onClosed(why);
    }
}

function present<Value>(value: Value | undefined): Value {
    if (value === undefined) {
        throw new Error("not connected yet");
    }
    return value;
}
