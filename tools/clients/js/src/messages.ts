/**
 * The protocol's messages as plain objects. docs/wire_format.md says what each field means and when a
 * message is legal; names are the same, in camelCase.
 *
 * Units    Positions and lengths are millimetres, angles 65,536ths of a turn: integers all of them.
 * Ids      Entities, ticks and server times are numbers: a u64 is read exactly up to 2^53, and beyond
 *          it is an error, never another number. Nonces are bigints.
 */
import { Authority, Shape, SlotAudience, SlotType, SlotWriter } from "./marchland_generated.js";

export { Authority, Shape, SlotAudience, SlotType, SlotWriter };

export const protocolMajor = 3;
export const protocolMinor = 2;

export interface Position {
    x: number;
    y: number;
    z: number;
}

export interface View {
    shape?: Shape;
    radiusMm?: number;
    leaveRadiusMm?: number;
    halfYMm?: number;
    leaveHalfYMm?: number;
    halfZMm?: number;
    leaveHalfZMm?: number;
    halfOpening?: number;
    leaveHalfOpening?: number;
}

// ---- a player's

export interface Hello {
    type: "Hello";
    protocolMajor: number;
    protocolMinor: number;
    kind?: number;
    spawn?: Position;
    view?: View;
    state?: Uint8Array;
    facing?: number;
    token?: string;
    resumeToken?: Uint8Array;
    lastTick?: number;
    /** Of the Transfer that it follows. */
    carried?: Uint8Array;
    /** Frames may name who moves by rank: unpackMoves. */
    readsRanks?: boolean;
}

export interface Move {
    type: "Move";
    seq: number;
    position: Position;
    facing?: number;
    correctionSeen?: number;
    /** Millimetres a tick, with which it goes on until the next Move; absent: it stays. */
    velocity?: Position;
}

export interface SetView {
    type: "SetView";
    view: View;
}

export interface SetFrameRate {
    type: "SetFrameRate";
    /** No more than that; 0: as many as the server gives. */
    framesHz: number;
}

export interface Ping {
    type: "Ping";
    nonce: bigint;
}

export interface Leave {
    type: "Leave";
}

export interface KeyframeRequest {
    type: "KeyframeRequest";
}

export interface SetState {
    type: "SetState";
    state?: Uint8Array;
}

export interface SendMessage {
    type: "SendMessage";
    /** 1 for the first of a session, and one more for each: Client.sendMessage() counts. */
    number: number;
    kind: number;
    payload?: Uint8Array;
}

// ---- a service's

export interface ServiceHello {
    type: "ServiceHello";
    protocolMajor: number;
    protocolMinor: number;
    name: string;
    token?: string;
    resumeToken?: Uint8Array;
    /** It is asked before a player comes in. */
    admits?: boolean;
}

export interface Layers {
    layers: number;
    layersSeen: number;
}

export interface Notify {
    radiusMm: number;
    leaveRadiusMm: number;
}

export interface SpawnOne {
    ref?: number;
    kind?: number;
    position: Position;
    facing?: number;
    layers?: Layers;
    view?: View;
    notify?: Notify;
    state?: Uint8Array;
    importance?: number;
    watches?: boolean;
}

export interface Spawn {
    type: "Spawn";
    entities: SpawnOne[];
}

export interface Despawn {
    type: "Despawn";
    entities: number[];
}

export interface MoveMany {
    type: "MoveMany";
    /** packMoves() makes them. */
    moves: Uint8Array;
}

export interface ChangeOne {
    entity: number;
    position?: Position;
    facing?: number;
    layers?: Layers;
    view?: View;
    notify?: Notify;
    state?: Uint8Array;
    /** 0: as if nobody had changed it. */
    framesHz?: number;
    /** Of the zone's limit: how fast a player's client may move it. 0: it stands; 65,535: unchecked. */
    speedPercent?: number;
    /** Who says where a player's entity is; zone: as its configuration says. */
    authority?: Authority;
    /** With `position`, where a service moves it: seq of the player's newest Move that this answers. */
    moveAck?: number;
}

export interface Change {
    type: "Change";
    entities: ChangeOne[];
}

/** Sends a player to another zone. */
export interface TransferPlayer {
    type: "TransferPlayer";
    entity: number;
    address: string;
    /** For its Hello there. */
    token?: string;
    carried?: Uint8Array;
}

/** What is absent is as the player asked for. The rest of a change is said once it is in. */
export type AdmittedWith = Omit<ChangeOne, "entity" | "framesHz" | "speedPercent" | "authority" | "moveAck">;

/** The answer to a PlayerAsks. */
export interface AdmitPlayer {
    type: "AdmitPlayer";
    request: number;
    /** What it comes in with; what is absent: as it asked to. */
    given?: AdmittedWith;
    /** It does not come in, and is sent this. */
    refusal?: string;
}

export interface Circle {
    centre: Position;
    radiusMm: number;
}

/** Of players' messages those of these kinds come, from here on; and where players are. */
export interface Subscribe {
    type: "Subscribe";
    kinds?: number[];
    /** In each tick. */
    positions?: boolean;
    /** Only who is there; absent: all. */
    within?: Circle;
    /** Moves of players whose entities services move. */
    moves?: boolean;
}

/** To one of `to`, `toEverybody`, `toViewersOf`, or whom `within` and `layers` are true of. */
export interface MessageTo {
    /** Players. */
    to?: number[];
    /** All players who are in the zone. */
    toEverybody?: boolean;
    kind?: number;
    payload?: Uint8Array;
    /** Whoever sees that entity. */
    toViewersOf?: number;
    /** Players whose entity is there. */
    within?: Circle;
    /** Players who see one of these. */
    layers?: number;
}

/** Whom a message is for, beside some by their ids and all. */
export type Audience = Pick<MessageTo, "toViewersOf" | "within" | "layers">;

export interface SendMessages {
    type: "SendMessages";
    messages: MessageTo[];
}

export type ClientMessage =
    | Hello | Move | SetView | SetFrameRate | Ping | Leave | KeyframeRequest | SetState | SendMessage
    | ServiceHello | Spawn | Despawn | MoveMany | Change | TransferPlayer | AdmitPlayer | Subscribe | SendMessages;

// ---- the server's, to a player

export interface Crowd {
    visibleMax: number;
    stickyPercent: number;
    rings: { beyondMm: number; everyTicks: number }[];
    frameBytesMax: number;
    staleTicksMax: number;
}

export interface SendLimit {
    perSecondMax: number;
    bytesMax: number;
}

export interface StateSlot {
    name: string;
    type: SlotType;
    writer: SlotWriter;
    audience: SlotAudience;
    radiusMm: number;
    layers: number;
    bytesMax: number;
}

export interface Welcome {
    type: "Welcome";
    protocolMajor: number;
    protocolMinor: number;
    entity: number;
    tick: number;
    tickRateHz: number;
    dimensions: number;
    worldMin: Position;
    worldMax: Position;
    spawn: Position;
    view: Required<View>;
    leaveRadiusMmMax: number;
    crowd?: Crowd;
    serverTimeUs: number;
    quantumMm: number;
    /** Empty: this session cannot be resumed. */
    resumeToken: Uint8Array;
    resumeGraceMs: number;
    resumed: boolean;
    /** SetStates; 0: players may not send any. */
    statesPerSecondMax: number;
    messages?: SendLimit;
    /** Of the session's newest message that was taken. */
    messageNumber: number;
    slots: StateSlot[];
    /** That the client gets, unless it asks for fewer. */
    framesHz: number;
    /** 0: every move is sent. */
    predictionErrorMm: number;
    predictionMsMax: number;
    /** 0: the zone keeps no state. */
    restartGraceMs: number;
}

export interface Pong {
    type: "Pong";
    nonce: bigint;
    tick: number;
    /** The newest that would survive a crash of the server; 0: none would. */
    safeTick: number;
}

export enum LeaveReason { gone = 1, outOfRange = 2, hidden = 3, capped = 4 }

export interface Left {
    entity: number;
    reason: LeaveReason;
}

export interface Entered {
    entity: number;
    kind: number;
    position: Position;
    /** World.apply() unpacks it. */
    state: Uint8Array;
    /** Millimetres a tick; absent: none. */
    velocity?: Position;
}

/** From a service; `source`: to whoever sees that entity, or 0. */
export interface MessageDelivered {
    kind: number;
    payload: Uint8Array;
    source: number;
}

export interface Correction {
    number: number;
    position: Position;
}

export interface Frame {
    type: "Frame";
    tick: number;
    moveAck: number;
    borderStale: boolean;
    leaves: Left[];
    enters: Entered[];
    /** World.apply() unpacks them. */
    moves: Uint8Array;
    timeScale: number;
    isCapped: boolean;
    isSlowed: boolean;
    isOverBudget: boolean;
    /** Some that could be seen are not sent yet. */
    isFilling: boolean;
    /** When the tick was due. 0: as expected (docs/wire_format.md); Client and what it calls back have the time itself. */
    serverTimeUs: number;
    /** World.apply() unpacks them. */
    states: Uint8Array;
    isKeyframe: boolean;
    correction?: Correction;
    watcher: number;
    messages: MessageDelivered[];
    /** Some before these did not reach this client. */
    messagesLost: boolean;
}

/** The player goes on in another zone: Client follows. */
export interface Transfer {
    type: "Transfer";
    address: string;
    token: string;
    carried: Uint8Array;
}

export interface ErrorMessage {
    type: "Error";
    code: number;
    text: string;
}

/** What operators have to say to players; `stopsInMs`: the server stops then, at the latest; 0: it does not say. */
export interface Notice {
    type: "Notice";
    text: string;
    stopsInMs: number;
}

// ---- the server's, to a service

export interface SpawnedOne {
    entity: number;
    ref: number;
}

export interface ServiceWelcome {
    type: "ServiceWelcome";
    protocolMajor: number;
    protocolMinor: number;
    tick: number;
    serverTimeUs: number;
    tickRateHz: number;
    dimensions: number;
    worldMin: Position;
    worldMax: Position;
    leaveRadiusMmMax: number;
    notifyLeaveRadiusMmMax: number;
    quantumMm: number;
    resumeToken: Uint8Array;
    resumeGraceMs: number;
    resumed: boolean;
    messageBytesMax: number;
    entitiesMax: number;
    watchersMax: number;
    entities: SpawnedOne[];
    slots: StateSlot[];
    restartGraceMs: number;
}

export interface Spawned {
    type: "Spawned";
    entities: SpawnedOne[];
}

/** It wants to come in, and waits for an AdmitPlayer. */
export interface PlayerAsks {
    type: "PlayerAsks";
    request: number;
    kind: number;
    /** Absent: the zone chooses. */
    spawn?: Position;
    /** Of its token. */
    subject: string;
    /** Of its token: JSON, or empty. */
    claims: string;
    /** From another zone, as its client says. */
    carried: Uint8Array;
    waitMs: number;
}

export interface PlayerJoined {
    type: "PlayerJoined";
    entity: number;
    kind: number;
    position: Position;
    state: Uint8Array;
    /** Of its token. */
    subject: string;
    /** Of its token, those that the server's configuration names: JSON, or empty. */
    claims: string;
    /** From another zone, as its client says. */
    carried: Uint8Array;
    /** Of the PlayerAsks whose answer let it in; 0: there was none. */
    request: number;
}

/** `whileAway` is none of the server's: it was gone when the service resumed. */
export enum PlayerLeftReason { left = 1, lost = 2, removed = 3, tooSlow = 4, closed = 5, transferred = 6, whileAway = 255 }

export interface PlayerLeft {
    type: "PlayerLeft";
    entity: number;
    reason: PlayerLeftReason;
}

/** Its connection is lost; it is waited for so long. */
export interface PlayerAway {
    type: "PlayerAway";
    entity: number;
    graceMs: number;
}

/** It has a new connection; the claims are those of the token that it showed now. */
export interface PlayerBack {
    type: "PlayerBack";
    entity: number;
    claims: string;
}

/** A player's, of a kind that the service has subscribed to; the position is the entity's in that tick. */
export interface PlayerMessage {
    type: "PlayerMessage";
    entity: number;
    kind: number;
    tick: number;
    position: Position;
    payload: Uint8Array;
}

/** So many messages of players waited too long to be read; those that follow are newer. */
export interface MessagesLost {
    type: "MessagesLost";
    count: number;
}

/** What a player asks for whose entity services move; the newest that was not sent yet. */
export interface PlayerMove {
    type: "PlayerMove";
    entity: number;
    seq: number;
    tick: number;
    position: Position;
    facing?: number;
    velocity?: Position;
}

/** Where players are at the end of a tick, in ascending id; or a part of it. */
export interface Positions {
    type: "Positions";
    tick: number;
    /** Id of the first of `players`; each other's is the one before and its step. */
    first: number;
    players: { step: number; position: Position }[];
    /** Of the same tick, in the next message. */
    hasMore: boolean;
    /** A part of the server was late: some may be missing. */
    borderStale: boolean;
    /** Ticks before this one that waited too long to be read. */
    ticksLost: number;
}

/** All players who were there when the service connected have been announced. */
export interface PlayersListed {
    type: "PlayersListed";
}

export interface CommandRefused {
    type: "CommandRefused";
    command: number;
    entity: number;
    ref: number;
    reason: number;
}

/** Of a type that this version does not know, and need not. */
export interface Skipped {
    type: "Skipped";
}

export type ServerMessage =
    | Welcome | Pong | Frame | ErrorMessage | Notice
    | Transfer | ServiceWelcome | Spawned | PlayerJoined | PlayerLeft | PlayerAway | PlayerBack
    | PlayerMessage | MessagesLost | PlayerAsks | Positions | PlayerMove | PlayersListed | CommandRefused
    | Skipped;
