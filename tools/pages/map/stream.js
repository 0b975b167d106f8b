// The stream of the live map: tools/server/live_map.cpp writes what is read here.

const MAGIC = 0x3150414d; // "MAP1"
const HEADER_BYTES = 80;
const SHARD_BYTES = 56;
const ENTITY_BYTES = 16;
const CROSSING_BYTES = 12;

const rectAt = (view, at) => ({
  minX: view.getInt32(at, true), minY: view.getInt32(at + 4, true),
  maxX: view.getInt32(at + 8, true), maxY: view.getInt32(at + 12, true),
});

/** One message: a whole picture. Lengths are millimetres. */
export function decode(buffer) {
  const view = new DataView(buffer);
  const u32 = (at) => view.getUint32(at, true);
  const u64 = (at) => Number(view.getBigUint64(at, true));
  if (u32(0) !== MAGIC) {
    throw new Error('not a picture of this page\'s server: reload the page');
  }
  const picture = {
    tick: u64(8), frames: view.getFloat64(16, true), bytes: view.getFloat64(24, true),
    handoffs: view.getFloat64(32, true), rateHz: u32(40), reachMm: u32(44), world: rectAt(view, 48),
    players: u32(64), entityCount: u32(68), stride: u32(72), shards: [], entities: [], crossings: [],
    tickUs: [],
  };
  let at = HEADER_BYTES;
  for (let i = 0; i < u32(4); ++i, at += SHARD_BYTES) {
    picture.shards.push({
      id: view.getUint16(at, true), hasRegion: view.getUint16(at + 2, true) === 1,
      area: rectAt(view, at + 4), nameBytes: u32(at + 20), tick: u64(at + 24), owned: u32(at + 32),
      ghosts: u32(at + 36), tickUs: u32(at + 40), late: u32(at + 44), counted: u32(at + 48),
      ticks: u32(at + 52),
    });
  }
  for (const shard of picture.shards) {
    for (let i = 0; i < shard.counted; ++i, at += ENTITY_BYTES) {
      picture.entities.push({
        id: u64(at), x: view.getInt32(at + 8, true), y: view.getInt32(at + 12, true), shard: shard.id,
      });
    }
  }
  for (let i = 0; i < u32(76); ++i, at += CROSSING_BYTES) {
    picture.crossings.push({
      x: view.getInt32(at, true), y: view.getInt32(at + 4, true),
      from: view.getUint16(at + 8, true), to: view.getUint16(at + 10, true),
    });
  }
  for (const shard of picture.shards) {
    shard.ticksUs = Array.from({ length: shard.ticks }, (_, i) => u32(at + 4 * i));
    at += 4 * shard.ticks;
    picture.tickUs.push(...shard.ticksUs);
  }
  for (const shard of picture.shards) {
    shard.name = new TextDecoder().decode(new Uint8Array(buffer, at, shard.nameBytes));
    at += shard.nameBytes;
  }
  return picture;
}

/** Why there is no stream, as the server says it; null: it would have given one. */
async function reasonOfRefusal() {
  try {
    const answer = await fetch('/map/stream');
    if (answer.status === 401) {
      location.assign('/sign-in');
    }
    return answer.status === 426 ? null : (await answer.text()).trim();
  } catch {
    return 'the server does not answer';
  }
}

const STALE_MS = 5000;

/** What the page says while the connection is open: without pictures it shows what was. */
export class PictureAge {
  #atMs;

  constructor(nowMs) {
    this.#atMs = nowMs;
  }

  note(nowMs) {
    this.#atMs = nowMs;
  }

  stateAt(nowMs) {
    return nowMs - this.#atMs < STALE_MS ? ['live', 'live']
      : ['stale', `no picture since ${new Date(this.#atMs).toLocaleTimeString('en-GB')}`];
  }
}

/** Connects, and again when the connection is lost, until the page is gone. */
export function watch({ onPicture, onState }) {
  let pause = 1000;
  const connect = () => {
    let age = null; // while it is open
    let watching;
    const say = () => onState(...age.stateAt(Date.now()));
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/map/stream`);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      age = new PictureAge(Date.now());
      watching = setInterval(say, 1000);
      pause = 1000;
      say();
    };
    socket.onmessage = (message) => {
      age.note(Date.now());
      onPicture(decode(message.data));
    };
    socket.onclose = async () => {
      clearInterval(watching);
      const reason = age ? null : await reasonOfRefusal();
      onState('lost', reason ?? 'connection lost');
      setTimeout(connect, pause);
      pause = Math.min(2 * pause, 8000);
    };
  };
  connect();
}

/** Says of each shard how long it worked in a tick of the last second: the newest tick alone says little. */
export class RecentWork {
  #pictures = [];

  note(picture, nowMs) {
    this.#pictures = [...this.#pictures.filter(({ atMs }) => atMs > nowMs - 1000), { atMs: nowMs, shards: picture.shards }];
    for (const shard of picture.shards) {
      const recent = this.#pictures.flatMap(({ shards }) => shards.filter(({ id }) => id === shard.id));
      const ticksUs = recent.flatMap((it) => it.ticksUs);
      shard.meanUs = ticksUs.length ? ticksUs.reduce((sum, us) => sum + us, 0) / ticksUs.length : shard.tickUs;
      shard.longestUs = Math.max(shard.tickUs, ...ticksUs);
    }
  }
}
