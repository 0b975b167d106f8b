import { Drawing } from "./drawing.js";
import { encode } from "./encode.js";
import {
    Correction, Frame, Hello, LeaveReason, Position, SendMessage, ServerMessage, View, Welcome, protocolMajor, protocolMinor,
} from "./messages.js";
import { OwnWay } from "./own_way.js";
import { ProtocolError } from "./protocol_error.js";
import { Slots, State } from "./packed_state.js";
import { Resumption, Session, SessionOptions, present } from "./session.js";
import { Open } from "./transport.js";
import { Changes, Seen, World } from "./world.js";

/** What the Hello says, and how patient the client is. */
export interface ClientOptions extends SessionOptions {
    kind?: number;
    spawn?: Position;
    view?: View;
    /** Packed: Slots.pack(). */
    state?: Uint8Array;
    facing?: number;
    /** connect() resumes that session (`resumed` of its Welcome), and joins anew where the zone refuses its resume token. */
    resumption?: Resumption;
}

/** As many messages as a second allows go in this time: what is held up on its way comes closer together. */
const messagesInMs = 1250;

/**
 * A player's session: says Hello, keeps who is seen in `world` and where to draw them in `drawing`, answers corrections, pings,
 * and resumes when the connection is lost.
 *
 * Order    A frame is applied to `world` before its callbacks: onLeave, onEnter, onMove and onState of each entity, onService, then
 *          onFrame.
 */
export class Client extends Session<Welcome> {
    onEnter: (entity: Seen) => void = () => {};
    onMove: (entity: Seen) => void = () => {};
    onState: (entity: Seen) => void = () => {};
    /** Without a reason: a keyframe does not have it any more. */
    onLeave: (entity: Seen, reason: LeaveReason | undefined) => void = () => {};
    /** What a service says to this player; `source`: to whoever sees that entity, else 0. */
    onService: (kind: number, payload: Uint8Array, source: number) => void = () => {};
    onFrame: (changes: Changes, frame: Frame) => void = () => {};
    onCorrection: (correction: Correction) => void = () => {};
    /** The server sends its players a notice; it stops in so many milliseconds at the latest, 0: it does not say. */
    onNotice: (text: string, stopsInMs: number) => void = () => {};

    private kept: World | undefined;
    private carried: Uint8Array | undefined;
    /** The game sent it from where it began. */
    private isElsewhere = false;
    /** Until the zone that it was sent to has answered. */
    private isArriving = false;
    private drawn: Drawing | undefined;
    private ownPosition: Position | undefined;
    private newestSeq = 0;
    private correctionSeen = 0;
    private way: OwnWay | undefined;
    /** Of this connection's newest frame that said when its tick was due. */
    private timed: { tick: number; serverTimeUs: number } | undefined;
    private facing: number | undefined;
    /** Messages that the server may not have, in order. */
    private unconfirmed: SendMessage[] = [];
    private newestMessage = 0;
    private isConfirming = false;
    /** What the server may not have been sent. */
    private newestView: View | undefined;
    private framesHz = 0;
    /** When messages went out on this connection, of the last messagesInMs. */
    private sentAt: number[] = [];

    constructor(open: Open, private readonly options: ClientOptions = {}) {
        super(open, options, options.resumption);
    }

    /**
     * For the options of a later Client, also of this page when it is loaded again: to be kept after each Welcome (connect(),
     * onResumed, onTransferred), and to be kept secret. Nothing: the zone resumes none.
     */
    get resumption(): Resumption | undefined {
        return this.resumable;
    }

    /** Who is seen: `for (const entity of client.world)`. Only after connect(). */
    get world(): World {
        return present(this.kept);
    }

    /** Where to draw them, smoothly, at any moment. Only after connect(). */
    get drawing(): Drawing {
        return present(this.drawn);
    }

    /** Where the client's own entity is: what was sent last, or what the server put in its place. */
    get position(): Position {
        return present(this.ownPosition);
    }

    /** Says where the entity is now; returns the move's seq. More than one a tick is pointless. */
    move(position: Position, facing?: number): number {
        this.way?.forget(position);
        return this.sendMove(position, facing);
    }

    /**
     * The same where the server goes on by itself (`predictionErrorMm` of the Welcome), with fewer moves: to be called
     * once in every tick, also while the entity stands. A move is sent, with a velocity, when what the server expects is
     * wrong by more than that bound, or ends. Others see the entity within twice the bound. False: none was needed.
     */
    step(position: Position, facing?: number): boolean {
        if (facing !== undefined && facing !== this.facing) {
            this.way?.sayAgain();
        }
        const velocity = present(this.way).step(position);
        if (velocity === undefined) {
            this.ownPosition = position;
            return false;
        }
        this.sendMove(position, facing, velocity);
        return true;
    }

    private sendMove(position: Position, facing?: number, velocity?: Position): number {
        this.newestSeq = (this.newestSeq + 1) >>> 0;
        this.ownPosition = position;
        this.facing = facing ?? this.facing;
        const goesOn = velocity !== undefined && (velocity.x !== 0 || velocity.y !== 0 || velocity.z !== 0);
        this.send({
            type: "Move", seq: this.newestSeq, position, correctionSeen: this.correctionSeen,
            ...(facing === undefined ? {} : { facing }), ...(goesOn ? { velocity } : {}),
        });
        return this.newestSeq;
    }

    /** No more frames a second than that, as for a hidden tab; 0: as many as the server gives. */
    setFrameRate(framesHz: number): void {
        this.send({ type: "SetFrameRate", framesHz });
        this.framesHz = framesHz;
    }

    /** Also while the connection is lost: it is said when it is back. */
    setView(view: View): void {
        this.send({ type: "SetView", view });
        this.newestView = { ...view };
    }

    /** Slots of the own entity, by name: those whose writer is the player. */
    setState(state: State): void {
        this.send({ type: "SetState", state: this.world.slots.pack(state) });
    }

    /**
     * To the services of the game, where `welcome.messages` allows it: in order and each once, also over a
     * resume (a restart of the server may deliver one twice). False, and nothing is sent: as many as a second allows went
     * just now, or are on their way; try again a little later. Services answer in `frame.messages`. Throws RangeError where the
     * payload has more than 1,024 bytes, or than `welcome.messages` allows.
     */
    sendMessage(kind: number, payload: Uint8Array = new Uint8Array()): boolean {
        const { perSecondMax: max, bytesMax } = this.welcome.messages ?? { perSecondMax: 0, bytesMax: Infinity };
        const message: SendMessage = { type: "SendMessage", number: 0, kind, payload: new Uint8Array(payload) };
        encode(message);
        if (payload.length > bytesMax) {
            throw new RangeError(`${payload.length} bytes, where the zone takes ${bytesMax}`);
        }
        const since = performance.now() - messagesInMs;
        this.sentAt = this.sentAt.filter((at) => at > since);
        const hasRoom = Math.max(this.unconfirmed.length, this.sentAt.length) < max;
        if (hasRoom) {
            message.number = ++this.newestMessage;
            this.unconfirmed.push(message);
            this.sendNumbered(message);
        }
        if (2 * this.unconfirmed.length > max && !this.isConfirming) {
            this.isConfirming = true;
            void this.ping().then(() => { this.isConfirming = false; });
        }
        return hasRoom;
    }

    private sendNumbered(message: SendMessage): void {
        this.sentAt.push(performance.now());
        this.send(message);
    }

    /** What was said before it is taken in when it is answered. */
    override async ping(): Promise<number | undefined> {
        const newest = this.newestMessage;
        const view = this.newestView;
        const rttMs = await super.ping();
        if (rttMs !== undefined) {
            this.newestView = this.newestView === view ? undefined : this.newestView;
            this.unconfirmed = this.unconfirmed.filter(({ number }) => number > newest);
        }
        return rttMs;
    }

    protected override hello(): Hello {
        const { kind, spawn, view, state, facing } = this.options;
        const hello: Hello = { type: "Hello", protocolMajor, protocolMinor, readsRanks: true };
        if (this.kept !== undefined && !this.isArriving) {
            // It goes on: what else it could say does not count, but the view is checked.
            return { ...hello, lastTick: this.kept.tick };
        }
        return {
            ...hello, ...(this.carried === undefined ? {} : { carried: this.carried }),
            ...Object.fromEntries(Object.entries({ kind, spawn: this.isElsewhere ? undefined : spawn, view, state, facing })
                .filter(([, value]) => value !== undefined)),
        };
    }

    protected override onWelcome(welcome: Welcome): void {
        this.correctionSeen = 0;
        this.timed = undefined;
        this.way = new OwnWay(welcome);
        // `resumed` answers a Hello without a resume token, too, where another login had the entity.
        const isKept = welcome.resumed && this.kept !== undefined && !this.isArriving;
        if (!isKept || !this.world.fits(welcome)) {
            this.kept = new World(welcome.quantumMm, new Slots(welcome.slots), welcome.entity);
            this.drawn = new Drawing(welcome.tickRateHz);
        }
        this.ownPosition = isKept ? this.ownPosition : welcome.spawn;
        this.isArriving = false;
        if (this.newestView !== undefined) {
            this.send({ type: "SetView", view: this.newestView });
        }
        if (this.framesHz !== 0) {
            this.send({ type: "SetFrameRate", framesHz: this.framesHz });  // it holds for a connection
        }
        // A server that crashed may know fewer.
        this.unconfirmed = this.unconfirmed.filter(({ number }) => number > welcome.messageNumber);
        this.newestMessage = welcome.messageNumber;
        this.sentAt = [];
        for (const message of this.unconfirmed) {
            message.number = ++this.newestMessage;
            this.sendNumbered(message);
        }
    }

    protected override onMessage(message: ServerMessage): void {
        switch (message.type) {
            case "Frame":
                this.onFrameMessage(message);
                break;
            case "Transfer":
                // Where it begins there, that zone decides. What was said and not confirmed is lost.
                this.carried = new Uint8Array(message.carried);
                this.isElsewhere = this.isArriving = true;
                this.unconfirmed = [];
                this.newestView = undefined;
                this.goTo(message.address, message.token);
                break;
            case "Notice":
                this.onNotice(message.text, message.stopsInMs);
                break;
            default:
                throw new ProtocolError(`a ${message.type} while playing`);
        }
    }

    private onFrameMessage(frame: Frame): void {
        if (frame.serverTimeUs !== 0) {
            this.timed = { tick: frame.tick, serverTimeUs: frame.serverTimeUs };
        } else if (this.timed !== undefined) {
            const { tick, serverTimeUs } = this.timed;
            frame.serverTimeUs = serverTimeUs + Math.floor((frame.tick - tick) * 1e6 / Math.max(1, this.welcome.tickRateHz));
        }
        const changes = this.world.apply(frame);
        this.drawing.apply(changes, frame);
        // A keyframe has the number that holds already: moves that were sent since are made after it.
        if (frame.correction !== undefined && frame.correction.number !== this.correctionSeen) {
            this.correctionSeen = frame.correction.number;
            this.ownPosition = frame.correction.position;
            this.way?.forget();
            this.onCorrection(frame.correction);
        }
        changes.left.forEach(({ entity, reason }) => this.onLeave(entity, reason));
        changes.entered.forEach((entity) => this.onEnter(entity));
        changes.moved.forEach((entity) => this.onMove(entity));
        changes.stateChanged.forEach((entity) => this.onState(entity));
        frame.messages.forEach(({ kind, payload, source }) => this.onService(kind, payload, source));
        this.onFrame(changes, frame);
    }
}
