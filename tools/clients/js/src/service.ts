import { encode, itemsMax } from "./encode.js";
import {
    AdmittedWith, Audience, ChangeOne, Circle, ClientMessage, CommandRefused, Frame, MessageTo, PlayerAsks, PlayerJoined, PlayerLeftReason, PlayerMessage, PlayerMove, Position, Positions,
    ServerMessage, ServiceHello, ServiceWelcome, SpawnOne, Subscribe, protocolMajor, protocolMinor,
} from "./messages.js";
import { Moved, packMoves } from "./packed_moves.js";
import { ProtocolError } from "./protocol_error.js";
import { Session, SessionOptions } from "./session.js";
import { Open } from "./transport.js";
import { Slots, State } from "./packed_state.js";
import { Changes, World } from "./world.js";

const waitingBytesMax = 2 ** 20;  // of what is asked for while there is no connection
const prefixBytes = 4;  // that the server's message_bytes_max does not count
const playersMax = 2 ** 20;  // no zone takes so many connections
const spawnCommand = 14;
const nothing: Subscribe = { type: "Subscribe" };

/** An entity of the service. The same object from spawn() to its end, over resumes too. */
export class Owned {
    /** Given by the zone; nothing before, and after its end. */
    id: number | undefined;
    isGone = false;
    /** What it sees, if it watches. */
    world: World | undefined;
    onFrame: (changes: Changes, frame: Frame) => void = () => {};
    /** @internal */ isAskedFor = false;
    /** @internal */ isToGo = false;

    /** @internal */
    constructor(readonly ref: number, readonly spawn: SpawnOne, private readonly changed: Set<Owned>) {
        changed.add(this);
    }

    get position(): Position {
        return this.spawn.position;
    }

    /** The newest of a tick counts, on the nearest quantum. Throws RangeError for what is no place in any world. */
    move(position: Position): void {
        if (!Object.values(inQuanta(position, 1)).every((mm) => mm === (mm | 0))) {
            throw new RangeError(`no place: ${position.x}, ${position.y}, ${position.z}`);
        }
        this.spawn.position = position;
        this.isNew();
    }

    despawn(): void {
        this.isToGo = true;
        this.isNew();
    }

    private isNew(): void {
        if (!this.isGone) {
            this.changed.add(this);
        }
    }
}

/** Who it is, and what it came in with: where it goes from there a watcher sees. */
export interface Player extends PlayerJoined {
    isAway: boolean;
}

/** Where players are at the end of a tick. */
export interface Placed {
    tick: number;
    players: Map<number, Position>;
    /** A part of the server was late: some may be missing. */
    borderStale: boolean;
    /** Ticks before this one that were not read in time. */
    ticksLost: number;
}

/** What waits for flush(): each has one item. */
type Asked = Extract<ClientMessage, { type: "Change" | "SendMessages" | "TransferPlayer" | "Despawn" }>;

/** The same with a state by the slots' names: { health: 100 }. */
export type WithState<Fields> = Omit<Fields, "state"> & { state?: State };

/**
 * A service's session: game logic beside the zone. docs/services.md is a tour.
 *
 * Order    What is asked for goes out with flush(), which is called once a tick, and by itself when something comes in: moves, changes,
 *          messages and who is sent elsewhere, removals, spawns; each of them in the order in which it was asked for. Subscriptions
 *          and answers to questions go at once, behind what waits.
 * Errors   What cannot be sent, a fraction of a millimetre or a text that is too long, is a RangeError of the call that asks for it.
 * Resume   By itself, as players do: what was spawned stays, and moves are sent again. Players stay; who went meanwhile leaves. What was
 *          asked for meanwhile goes out then; of more than 1 MiB the newest.
 */
export class Service extends Session<ServiceWelcome> {
    onJoin: (player: Player) => void = () => {};
    onAway: (player: Player, graceMs: number) => void = () => {};
    onBack: (player: Player) => void = () => {};
    onLeave: (player: Player, reason: PlayerLeftReason) => void = () => {};
    /** Of a kind that was subscribed to. */
    onPlayer: (player: Player, message: PlayerMessage) => void = () => {};
    onMessagesLost: (count: number) => void = () => {};
    /** Of an entity that services move, where subscribeMoves() asked for it: answer it by a change with `position` and `moveAck`. */
    onMove: (player: Player, move: PlayerMove) => void = () => {};
    /** In each tick, where subscribePositions() asked for it. */
    onPositions: (placed: Placed) => void = () => {};
    /** A player waits for admit() or refuse(), then or later. */
    onAsk: (asks: PlayerAsks) => void = ({ request }) => this.admit(request);
    onRefused: (refused: CommandRefused) => void = () => {};
    /** So many messages and changes, asked for while there was no connection, gave way to newer ones. */
    dropped = 0;

    private readonly there = new Map<number, Player>();
    /** Known since before the newest Welcome, and not announced again. */
    private unlisted = new Set<Player>();
    /** They were away before it, were announced again, and may be back. */
    private returning = new Set<Player>();
    private readonly owned = new Map<number, Owned>();
    private readonly byId = new Map<number, Owned>();
    /** Of `owned`: of whom something is to be sent, a spawn, a move or the end. */
    private readonly changed = new Set<Owned>();
    private readonly sentQuanta = new Map<number, Position>();
    private newestRef = 0;
    private subscribed = nothing;
    private placed: Placed | undefined;
    private removed: number[] = [];
    private asked: { message: Asked; bytes: number }[] = [];
    private askedBytes = 0;

    /** `admits`: onAsk is called before a player comes in, where the server's `services.admission` says so. */
    constructor(open: Open, readonly name: string, private readonly options: SessionOptions & { admits?: boolean } = {}) {
        super(open, options);
    }

    /** Who is in the zone. */
    get players(): ReadonlyMap<number, Player> {
        return this.there;
    }

    spawn(one: WithState<Omit<SpawnOne, "ref">>): Owned {
        const spawn = { ...this.packed<Omit<SpawnOne, "ref">>(one), ref: this.newestRef + 1 };
        encode({ type: "Spawn", entities: [spawn] });
        const owned = new Owned(++this.newestRef, spawn, this.changed);
        this.owned.set(owned.ref, owned);
        return owned;
    }

    /**
     * Lets in who asks; with what is given, where that is to be other than it asked for. While the connection is lost nothing is sent:
     * the question is void.
     */
    admit(request: number, given: WithState<AdmittedWith> = {}): void {
        this.sendAtOnce({ type: "AdmitPlayer", request, given: this.packed<AdmittedWith>(given) });
    }

    /** `why`: a text for the player, of up to 256 bytes. */
    refuse(request: number, why = ""): void {
        this.sendAtOnce({ type: "AdmitPlayer", request, refusal: why || "refused" }); // an empty string would not be sent, and let it in
    }

    /** Of own entities and players': what is absent stays. */
    change(one: WithState<ChangeOne>): void {
        this.ask({ type: "Change", entities: [this.packed<ChangeOne>(one)] });
    }

    private ask(message: Asked): void {
        const bytes = encode(message).length;
        this.asked.push({ message, bytes });
        this.askedBytes += bytes;
        while (this.link === undefined && this.askedBytes > waitingBytesMax) {
            this.askedBytes -= this.asked.shift()?.bytes ?? 0;
            ++this.dropped;
        }
    }

    private packed<Fields extends { state?: Uint8Array }>({ state, ...others }: WithState<Fields>): Fields {
        const packed = state && { state: new Slots(this.welcome.slots).pack(state) };
        return { ...others, ...packed } as unknown as Fields;
    }

    removePlayer(id: number): void {
        this.ask({ type: "Despawn", entities: [id] });
    }

    /** Of players' messages those of these kinds come, from here on. */
    subscribe(...kinds: number[]): void {
        this.sendSubscribe({ ...this.subscribed, kinds });
    }

    /** Where players are comes in each tick, from here on: of all, or of those who are in a circle. */
    subscribePositions(within?: Circle): void {
        this.sendSubscribe({ ...this.withoutPositions(), positions: true, ...(within && { within }) });
    }

    unsubscribePositions(): void {
        this.sendSubscribe(this.withoutPositions());
    }

    /** What players ask for whose entities services move comes, from here on. */
    subscribeMoves(wanted = true): void {
        this.sendSubscribe({ ...this.subscribed, moves: wanted });
    }

    private withoutPositions(): Subscribe {
        const { positions, within, ...others } = this.subscribed;
        return others;
    }

    private sendSubscribe(wanted: Subscribe): void {
        encode(wanted);
        this.subscribed = wanted;
        this.sendAtOnce(wanted);
    }

    /** Behind what waits: in the order in which it was asked for. */
    private sendAtOnce(message: ClientMessage): void {
        this.flush();
        this.send(message);
    }

    /** To the players of `to`, to those whom an audience says, or to all who are in the zone. */
    say(kind: number, payload: Uint8Array = new Uint8Array(), to?: readonly number[] | Audience): void {
        const whom = to === undefined ? { toEverybody: true } : to instanceof Array ? { to: [...to] } : to as Audience;
        const message: MessageTo = { kind, payload: new Uint8Array(payload), ...whom };
        if (message.to?.length !== 0) {
            this.ask({ type: "SendMessages", messages: [message] });
        }
    }

    /** Its client goes on at `address`, with that token and what it is to carry there, up to 1 KiB. */
    sendToZone(player: number, address: string, token = "", carried: Uint8Array = new Uint8Array()): void {
        this.ask({ type: "TransferPlayer", entity: player, address, token, carried: new Uint8Array(carried) });
    }

    protected override sendWaiting(): void {
        this.flush();
    }

    /** For an id: their spawn is not answered yet. */
    protected override hasWaiting(): boolean {
        return this.changed.size > 0;
    }

    /** Sends what was asked for since. */
    flush(): void {
        if (this.link === undefined) {
            return;
        }
        // Nothing depends on a spawn, which has no id yet; it may need the place of who goes, whose last words go to those who see it.
        const moves: Moved[] = [];
        const spawns: SpawnOne[] = [];
        const gone: Owned[] = [];
        for (const one of this.changed) {
            if (one.isToGo && (one.id !== undefined || !one.isAskedFor)) {
                gone.push(one);
            } else if (!one.isAskedFor) {
                one.isAskedFor = true;
                spawns.push({ ...one.spawn, position: inQuanta(one.spawn.position, 1) });
            } else if (one.id !== undefined) {
                moves.push(this.moveOf(one.id, one.position));
            } else {
                continue;  // for its id
            }
            this.changed.delete(one);
        }
        moves.sort((a, b) => a.entity - b.entity);
        this.sendLots(moves, (some) => ({ type: "MoveMany", moves: packMoves(some) }));
        const asked = this.asked.map(({ message }) => message);
        [this.asked, this.askedBytes] = [[], 0];
        this.sendLots(asked.flatMap((one) => one.type === "Change" ? one.entities : []), (entities) => ({ type: "Change", entities }));
        this.sendSaid(asked);
        const removed = [
            ...this.removed, ...asked.flatMap((one) => one.type === "Despawn" ? one.entities : []),
            ...gone.flatMap(({ id }) => id === undefined ? [] : [id]),
        ];
        this.removed = [];
        gone.forEach((one) => this.forget(one));
        this.sendLots(removed, (entities) => ({ type: "Despawn", entities }));
        this.sendLots(spawns, (entities) => ({ type: "Spawn", entities }));
    }

    private sendSaid(asked: readonly Asked[]): void {
        let said: MessageTo[] = [];
        const sendThem = (): void => {
            this.sendLots(said, (messages) => ({ type: "SendMessages", messages }));
            said = [];
        };
        for (const one of asked) {
            if (one.type === "SendMessages") {
                said.push(...one.messages);
            } else if (one.type === "TransferPlayer") {
                sendThem();
                this.send(one);
            }
        }
        sendThem();
    }

    /** In messages of no more items than one may have, and no more bytes. */
    private sendLots<Item>(items: readonly Item[], messageOf: (some: Item[]) => ClientMessage): void {
        const sendHalved = (some: Item[]): void => {
            const message = encode(messageOf(some));
            if (some.length > 1 && message.length - prefixBytes > this.welcome.messageBytesMax) {
                const half = Math.ceil(some.length / 2);
                sendHalved(some.slice(0, half));
                sendHalved(some.slice(half));
            } else {
                this.link?.sendBytes(message);
            }
        };
        for (let at = 0; at < items.length; at += itemsMax) {
            sendHalved(items.slice(at, at + itemsMax));
        }
    }

    private moveOf(entity: number, position: Position): Moved {
        const to = inQuanta(position, this.welcome.quantumMm);
        const last = this.sentQuanta.get(entity);
        this.sentQuanta.set(entity, to);
        const from = last ?? { x: 0, y: 0, z: 0 };
        return { entity, isRelative: last !== undefined, x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
    }

    private forget(one: Owned): void {
        this.owned.delete(one.ref);
        this.changed.delete(one);
        this.byId.delete(one.id ?? 0);
        one.id = undefined;
        one.isGone = true;
    }

    private spawned(one: Owned, id: number): void {
        one.id = id;
        this.byId.set(id, one);
        const isKept = this.welcome.resumed && one.world?.own === id && one.world.fits(this.welcome);  // a keyframe comes, which gives the difference
        if (one.spawn.watches === true && !isKept) {
            one.world = new World(this.welcome.quantumMm, new Slots(this.welcome.slots), id);
        }
    }

    protected override hello(): ServiceHello {
        return { type: "ServiceHello", protocolMajor, protocolMinor, name: this.name, admits: this.options.admits ?? false };
    }

    protected override onWelcome(welcome: ServiceWelcome): void {
        const ids = new Map(welcome.entities.map(({ ref, entity }) => [ref, entity]));
        // Those that are no more here were despawned by a message that the server did not read.
        const unknown = welcome.entities.filter(({ ref }) => !this.owned.has(ref));
        this.removed = this.removed.concat(unknown.map(({ entity }) => entity));
        this.unlisted = new Set(this.there.values());
        this.returning.clear();
        this.byId.clear();
        this.sentQuanta.clear();
        for (const one of [...this.owned.values()]) {
            const id = ids.get(one.ref);
            if (id !== undefined) {
                this.spawned(one, id);
                this.changed.add(one);
            } else if (one.id !== undefined) {
                this.forget(one);
            } else {
                one.isAskedFor = false;
                this.changed.add(one);
            }
        }
        this.placed = undefined;
        if (this.subscribed !== nothing) {
            this.send(this.subscribed);
        }
        this.flush();
    }

    protected override onMessage(message: ServerMessage): void {
        switch (message.type) {
            case "Frame": {
                const one = this.byId.get(message.watcher);
                if (one?.world !== undefined) {
                    one.onFrame(one.world.apply(message), message);
                }
                break;
            }
            case "Spawned":
                for (const { ref, entity } of message.entities) {
                    const one = this.owned.get(ref);
                    if (one !== undefined) {
                        this.spawned(one, entity);
                    }
                }
                break;
            case "PlayerJoined":
                this.join(message);
                break;
            case "PlayersListed":
                this.endList();
                break;
            case "PlayerAway": {
                const player = this.player(message.entity);
                if (!this.returning.delete(player)) {
                    player.isAway = true;
                    this.onAway(player, message.graceMs);
                }
                break;
            }
            case "PlayerBack": {
                const player = Object.assign(this.player(message.entity), { isAway: false, claims: message.claims });
                this.returning.delete(player);
                this.onBack(player);
                break;
            }
            case "PlayerLeft":
                this.leaveOf(this.player(message.entity), message.reason);
                break;
            case "PlayerMessage":
                this.onPlayer(this.player(message.entity), message);
                break;
            case "PlayerAsks":
                this.onAsk(message);
                break;
            case "MessagesLost":
                this.onMessagesLost(message.count);
                break;
            case "PlayerMove":
                this.onMove(this.player(message.entity), message);
                break;
            case "Positions":
                this.place(message);
                break;
            case "CommandRefused": {
                const one = message.command === spawnCommand ? this.owned.get(message.ref) : undefined;
                if (one !== undefined) {
                    this.forget(one);
                }
                this.onRefused(message);
                break;
            }
            default:
                throw new ProtocolError(`a ${message.type} to a service`);
        }
        this.flush();
    }

    private join(joined: PlayerJoined): void {
        const known = this.there.get(joined.entity);
        if (known === undefined) {
            const player = { ...joined, isAway: false };
            this.there.set(player.entity, player);
            this.onJoin(player);
            return;
        }
        Object.assign(known, joined);
        this.unlisted.delete(known);
        if (known.isAway) {
            this.returning.add(known);
        }
    }

    /** All who are there were announced. */
    private endList(): void {
        this.unlisted.forEach((player) => this.leaveOf(player, PlayerLeftReason.whileAway));
        for (const player of this.returning) {
            player.isAway = false;
            this.onBack(player);
        }
        this.returning.clear();
    }

    private leaveOf(player: Player, reason: PlayerLeftReason): void {
        this.there.delete(player.entity);
        this.unlisted.delete(player);
        this.returning.delete(player);
        this.onLeave(player, reason);
    }

    private place({ tick, first, players, hasMore, borderStale, ticksLost }: Positions): void {
        if (this.placed?.tick !== tick) {
            this.placed = { tick, players: new Map(), borderStale, ticksLost };
        }
        let id = first;
        for (const { step, position } of players) {
            id += step;
            this.placed.players.set(id, position);
        }
        if (this.placed.players.size > playersMax) {
            throw new ProtocolError(`more than ${playersMax} players in one tick`);
        }
        if (!hasMore) {
            this.onPositions(this.placed);
            this.placed = undefined;
        }
    }

    private player(id: number): Player {
        const player = this.there.get(id);
        if (player === undefined) {
            throw new ProtocolError(`player ${id} is spoken of, and is not there`);
        }
        return player;
    }
}

function inQuanta({ x, y, z }: Position, quantumMm: number): Position {
    const nearest = (mm: number): number => Math.round(mm / quantumMm);
    return { x: nearest(x), y: nearest(y), z: nearest(z) };
}
