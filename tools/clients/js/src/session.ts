import { ConnectionLost, Link, ServerError } from "./link.js";
import { ClientMessage, Hello, Pong, ServerMessage, ServiceHello, ServiceWelcome, Welcome } from "./messages.js";
import { ProtocolError } from "./protocol_error.js";
import { Open } from "./transport.js";
import { webSockets } from "./web_socket.js";

/** With what a player's session is resumed, also by another object or page. Who has it has the session. */
export interface Resumption {
    /** Of the newest Welcome. */
    resumeToken: Uint8Array;
    /** Where the game sent the player, with the scheme in any case; absent: the zone that it joined. */
    address?: string;
    /** That the game sent it there with, if any. */
    token?: string;
}

/** How patient a session is, a player's or a service's. */
export interface SessionOptions {
    /**
     * Who this is, where the server asks for it; a function is asked before each connection: one that says nothing within
     * welcomeMsMax is a failed attempt.
     */
    token?: string | (() => string | Promise<string>);
    /** Whether a lost connection is resumed, where the server allows it. True by default. */
    resume?: boolean;
    /** For a connection and its Welcome, each time; and for a token before it. */
    welcomeMsMax?: number;
    /**
     * Between the first two attempts to resume; then twice as long each time, up to 4 s, a half more or less by chance. One that
     * succeeds, and is lost again within 5 s, counts as any other. The last attempt is when the grace is over.
     */
    retryMs?: number;
    /**
     * A zone that keeps its state loses everybody in one moment when it restarts: they wait a random part of this once, 3 s by
     * default, before the first attempt where the server said that it stops, else after it.
     */
    restartSpreadMs?: number;
    pingEveryMs?: number;
    /** A server that says nothing for so long is lost: it sends a frame every second. */
    silenceMsMax?: number;
}

const stopping = 11;
/** Codes of docs/wire_format.md after which to connect again: the entity is still there, or may be again when the server is. So it
 * is after 2 and 6, but who sent too much would do so again: the program decides, with `resumption`. */
const lostCodes: ReadonlySet<number> = new Set([8, 9, stopping]);
/** Codes after which a zone to which a player is sent may let it in a little later: it is full, begins just now, or overloaded. */
const busyCodes: ReadonlySet<number> = new Set([10, stopping, 19]);
const retryMsMax = 4000;
const resumeRefused = 15;
const farewellMsMax = 5000;
const welcomeMsMax = 10000;
const askAgainMs = 100;
/** What lasts so long was resumed for good. */
const steadyMs = 5000;
/** In this time what has come is read, also by a program that did something else for long. */
const readMs = 100;

/**
 * What a player's and a service's sessions have in common: a connection that is kept, and resumed when it is lost.
 *
 *     idle -- connect() --> playing <-- resumed --+      closed: leave(), an Error of the server,
 *                              +---- lost --------+      a broken stream, or the grace is over
 *
 * Order    Callbacks come one at a time, in the order of the stream; what they throw ends the session.
 * Errors   connect() rejects, onClosed tells: with a ServerError if the server said why, a ProtocolError
 *          if its stream is broken. Both, where the end came along with the Welcome.
 */
export abstract class Session<AnyWelcome extends Welcome | ServiceWelcome> {
    onLost: (why: Error) => void = () => {};
    onResumed: () => void = () => {};
    /** The player is in another zone: all that is known is that one's. */
    onTransferred: () => void = () => {};
    onClosed: (why: Error | undefined) => void = () => {};

    protected link: Link | undefined;
    protected resumable: Resumption | undefined;
    private newestWelcome: AnyWelcome | undefined;
    private token: SessionOptions["token"];
    /** To where the game sends the player. */
    private openNext: Open | undefined;
    /** Where the game sent the player. */
    private elsewhere: Omit<Resumption, "resumeToken"> = {};
    private isLeaving = false;
    private isClosed = false;
    private closedBy: Error | undefined;
    private timer: ReturnType<typeof setInterval> | undefined;
    private pingedMs = performance.now();
    private welcomedMs = 0;
    /** Before the next attempt; 0: at once. */
    private waitMs = 0;
    private nextNonce = 1n;
    private readonly pings = new Map<bigint, (pong: Pong | undefined) => void>();
    private readonly farewells: (() => void)[] = [];

    protected constructor(
        private open: Open, private readonly patience: SessionOptions, private readonly resumedFrom?: Resumption,
    ) {
        this.token = patience.token;
    }

    /** The first message, without token and resume token. */
    protected abstract hello(): Hello | ServiceHello;
    protected abstract onWelcome(welcome: AnyWelcome): void;
    protected abstract onMessage(message: ServerMessage): void;
    /** Sends what was asked for since. */
    protected sendWaiting(): void {}
    /** Is there more of that, which cannot go out yet? */
    protected hasWaiting(): boolean {
        return false;
    }

    /** Resolves with the first Welcome. Once. */
    async connect(): Promise<AnyWelcome> {
        await (this.resumedFrom === undefined ? this.begin() : this.resumeOrJoin(this.resumedFrom));
        if (this.isClosed) {
            this.link?.send({ type: "Leave" });
            throw this.closedBy ?? new Error("left before the Welcome came");
        }
        this.timer = setInterval(() => this.keepAlive(), this.pingEveryMs);
        return this.welcome;
    }

    /** The newest Welcome. Only after connect(). */
    get welcome(): AnyWelcome {
        return present(this.newestWelcome);
    }

    requestKeyframe(): void {
        this.link?.send({ type: "KeyframeRequest" });
    }

    /** The round trip in milliseconds; nothing when the connection is lost, or gets lost meanwhile. */
    async ping(): Promise<number | undefined> {
        const sentMs = performance.now();
        const pong = await this.pong();
        return pong && performance.now() - sentMs;
    }

    /**
     * Resolves when what was asked for before would survive a crash of the server: a game waits for that before it says
     * "traded". False: not in time, the connection was lost meanwhile, or the zone keeps no state.
     */
    async waitUntilSafe(msMax = 10000): Promise<boolean> {
        const { link } = this;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const overdue = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), msMax); });
        const pongInTime = () => Promise.race([this.pong(), overdue]);
        this.sendWaiting();
        const deadlineMs = performance.now() + msMax;
        while (this.link !== undefined && this.link === link && this.hasWaiting() && performance.now() < deadlineMs) {
            await new Promise((resolve) => setTimeout(resolve, askAgainMs));
        }
        const first = await pongInTime();
        let newest = first;
        // What was taken in before the first Pong is in force two ticks later.
        while (first !== undefined && newest !== undefined && newest.safeTick < first.tick + 2) {
            await new Promise((resolve) => setTimeout(resolve, askAgainMs));
            newest = await pongInTime();
        }
        clearTimeout(timer);
        return newest !== undefined && this.link === link;
    }

    private pong(): Promise<Pong | undefined> {
        if (this.link === undefined) {
            return Promise.resolve(undefined);
        }
        const nonce = this.nextNonce++;
        this.pingedMs = performance.now();
        return new Promise((resolve) => {
            this.pings.set(nonce, resolve);
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
            this.sendWaiting();
            link.send({ type: "Leave" });
            const timer = setTimeout(() => link.abort(new ConnectionLost("no end after Leave")), farewellMsMax);
            this.farewells.push(() => clearTimeout(timer));
        });
    }

    /** Drops the connection as a broken line does: the session is resumed. */
    cut(): void {
        this.link?.abort(new ConnectionLost("cut"));
    }

    protected send(message: ClientMessage): void {
        this.link?.send(message);
    }

    private get pingEveryMs(): number {
        return this.patience.pingEveryMs ?? 5000;
    }

    private async resumeOrJoin({ resumeToken, address, token }: Resumption): Promise<void> {
        const { open, token: ownToken } = this;
        if (address !== undefined) {
            this.goTo(address, token ?? "");
            this.takeNext();
        }
        try {
            await this.begin(resumeToken);
        } catch (error) {
            if (this.isClosed || !isRefused(error)) {
                throw error;
            }
            [this.open, this.token, this.elsewhere] = [open, ownToken, {}];
            await this.begin();
        }
    }

    /** `welcomed` is called before what comes behind the Welcome. */
    private async begin(resumeToken?: Uint8Array, welcomed = () => {}): Promise<void> {
        const { token } = this;
        const msMax = this.patience.welcomeMsMax ?? welcomeMsMax;
        const asked = typeof token === "function" ? await inTime(token(), msMax) : token;
        const first: ClientMessage = {
            ...this.hello(), ...(asked === undefined ? {} : { token: asked }),
            ...(resumeToken === undefined ? {} : { resumeToken }),
        };
        const link: Link = new Link({
            welcomed: (welcome) => {
                const expected = first.type === "Hello" ? "Welcome" : "ServiceWelcome";
                if (welcome.type !== expected) {
                    throw new ProtocolError(`a ${welcome.type} after a ${first.type}`);
                }
                this.link = link;
                this.welcomedMs = performance.now();
                this.newestWelcome = welcome as AnyWelcome;
                const { resumeToken: next } = welcome;
                this.resumable = next.length === 0 ? undefined : { resumeToken: next, ...this.elsewhere };
                this.onWelcome(this.newestWelcome);
                welcomed();
            },
            received: (message) => this.take(message),
            ended: (why) => this.onEnded(why),
        });
        await link.connect(this.open, first, msMax);
    }

    private take(message: ServerMessage): void {
        if (this.isClosed) {
            return;
        }
        if (message.type === "Pong") {
            this.pings.get(message.nonce)?.(message);
            this.pings.delete(message.nonce);
            return;
        }
        this.onMessage(message);
        // In a hidden tab timers come once a minute: pings ride on what the server says, which is something every second.
        if (performance.now() - this.pingedMs >= this.pingEveryMs) {
            void this.ping();
        }
    }

    private onEnded(why: Error): void {
        this.link = undefined;
        for (const settle of this.pings.values()) {
            settle(undefined);
        }
        this.pings.clear();
        if (this.isLeaving || this.isClosed) {
            this.close(undefined);
        } else if (this.openNext !== undefined) {
            void this.follow(why);
        } else if (this.canResume(why)) {
            if (this.callBack(() => this.onLost(why))) {
                void this.connectAgain(why, this.welcome.resumeToken);
            }
        } else {
            this.close(why);
        }
    }

    /** Once the server has closed: its player is in another zone. `token`: empty, the one that it has. */
    protected goTo(address: string, token: string): void {
        this.openNext = this.openOf(address);
        this.resumable = undefined;
        this.token = token === "" ? this.token : token;
        this.elsewhere = { ...this.elsewhere, address: this.openNext.address ?? address, ...(token === "" ? {} : { token }) };
    }

    /** Of several addresses, separated by blanks, the first that can be spoken. */
    private openOf(addresses: string): Open {
        const { speaks, at } = this.open.elsewhere ?? webSockets;
        for (const address of addresses.split(" ")) {
            const open = at(address);
            if (open !== undefined) {
                return open;
            }
        }
        throw new ProtocolError(`sent to ${addresses}, but this connection can speak ${speaks} alone`);
    }

    private takeNext(): void {
        this.open = this.openNext ?? this.open;
        this.openNext = undefined;
    }

    private follow(why: Error): Promise<void> {
        this.takeNext();
        this.waitMs = 0;
        return this.connectAgain(why);
    }

    private canResume(why: Error): boolean {
        const isLost = why instanceof ConnectionLost ||
            (why instanceof ServerError && lostCodes.has(why.code));
        return isLost && (this.patience.resume ?? true) && this.welcome.resumeToken.length > 0;
    }

    /**
     * Until it works, the server says that it is no use, or the grace is over. Without a resume token it goes on in another zone,
     * as one that begins: nothing of the zone before counts.
     */
    private async connectAgain(why: Error, resumeToken?: Uint8Array): Promise<void> {
        const { resumeGraceMs, restartGraceMs } = this.welcome;
        const graceMs = this.patience.resume ?? true ? Math.max(resumeGraceMs, restartGraceMs) : 0;
        const deadlineMs = performance.now() + graceMs;
        let isBack = false;
        const welcomed = () => {
            isBack = true;
            this.isClosed ? this.link?.send({ type: "Leave" })
                : this.callBack(() => resumeToken === undefined ? this.onTransferred() : this.onResumed());
        };
        let newest = why;
        for (const waitMs of this.waitsAfter(why, resumeToken !== undefined)) {
            if (waitMs > 0) {
                const leftMs = Math.max(0, deadlineMs - performance.now());
                await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, leftMs)));
            }
            if (this.isClosed) {
                return;
            }
            try {
                await this.begin(resumeToken, welcomed);
                return;
            } catch (error) {
                if (isBack) {
                    return;  // lost again before begin() was at its end: onEnded() goes on
                }
                newest = error as Error;
                const isNoUse = newest instanceof ProtocolError || (resumeToken === undefined
                    ? newest instanceof ServerError && !busyCodes.has(newest.code) : isRefused(newest));
                if (this.isClosed || performance.now() >= deadlineMs || isNoUse) {
                    break;
                }
            }
        }
        this.close(newest);
    }

    private *waitsAfter(why: Error, isResume: boolean): Generator<number, void> {
        if (performance.now() - this.welcomedMs >= steadyMs) {
            this.waitMs = 0;
        }
        const mayRestart = isResume && this.welcome.restartGraceMs > 0;  // who is sent elsewhere comes alone
        const spreadMs = mayRestart ? (this.patience.restartSpreadMs ?? 3000) * Math.random() : 0;
        const isStopping = mayRestart && why instanceof ServerError && why.code === stopping;
        yield this.nextWaitMs() + (isStopping ? spreadMs : 0);
        if (mayRestart && !isStopping) {
            yield spreadMs;
        }
        for (;;) {
            yield this.nextWaitMs();
        }
    }

    private nextWaitMs(): number {
        const { waitMs } = this;
        this.waitMs = waitMs === 0 ? this.patience.retryMs ?? 500 : Math.min(2 * waitMs, Math.max(waitMs, retryMsMax));
        return waitMs * (0.5 + Math.random());
    }

    /** Calls a callback that the stream does not call: false when it threw, which ends the session. */
    private callBack(callback: () => void): boolean {
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
        const { link } = this;
        const isSilent = (): boolean => link.silentForMs() > (this.patience.silenceMsMax ?? 10000);
        if (!isSilent()) {
            void this.ping();
            return;
        }
        // This timer may come before what is there to be read.
        setTimeout(() => {
            if (isSilent()) {
                link.abort(new ConnectionLost("the server says nothing any more"));
            }
        }, readMs);
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

async function inTime(token: string | Promise<string>, msMax: number): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const overdue = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new ConnectionLost(`no token within ${Math.round(msMax)} ms`)), msMax);
    });
    try {
        return await Promise.race([token, overdue]);
    } finally {
        clearTimeout(timer);
    }
}

function isRefused(why: unknown): boolean {
    return why instanceof ServerError && why.code === resumeRefused;
}

export function present<Value>(value: Value | undefined): Value {
    if (value === undefined) {
        throw new Error("not connected yet");
    }
    return value;
}
