// The live map: pictures from the stream into the canvas, the tables and the charts; and the viewer's hands.

import { Camera, Painter, colorOf, placeOf, placeOfSelected } from './draw.js';
import { RecentWork, watch } from './stream.js';

const HISTORY_S = 120;
const CHIPS_MAX = 24;
const CLICK_PX = 14;
const $ = (id) => document.getElementById(id);
const number = (value, digits = 0) => value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });

const canvas = $('map');
const camera = new Camera();
const painter = new Painter(canvas, camera);
const state = {
  picture: null, entities: new Map(), pictureAt: 0, everyMs: 200, selected: null, activeShard: null, hovered: null,
  theme: null,
};

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  state.theme = {
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    isStill: matchMedia('(prefers-reduced-motion: reduce)').matches,
    land: of('--land'), ink: of('--ink'), border: of('--border'), label: of('--label'), accent: of('--accent'),
    second: of('--second'), line: of('--line'), muted: of('--muted'), viewFill: of('--view'), sight: of('--sight'),
    heat: of('--heat').split(' ').map(Number), font: getComputedStyle(document.body).fontFamily,
  };
}

// Pictures

function takePicture(picture) {
  const now = performance.now();
  const blend = blendAt(now);
  const before = state.entities;
  const jump = (picture.world.maxX - picture.world.minX) / 20;
  state.entities = new Map();
  for (const entity of picture.entities) {
    const old = before.get(entity.id);
    const [fromX, fromY] = old ? placeOf(old, blend) : [entity.x, entity.y];
    const isJump = Math.hypot(fromX - entity.x, fromY - entity.y) > jump;
    state.entities.set(entity.id, { ...entity, fromX: isJump ? entity.x : fromX, fromY: isJump ? entity.y : fromY });
  }
  state.everyMs = state.picture ? Math.min(Math.max(now - state.pictureAt, 50), 1000) : 200;
  state.pictureAt = now;
  const worldBefore = state.picture?.world;
  state.picture = picture;
  if (camera.isFitted || JSON.stringify(worldBefore) !== JSON.stringify(picture.world)) {
    camera.fit(picture.world);
  }
  painter.flash(picture.crossings, now);
  recentWork.note(picture, now);
  noteHistory(picture, now);
  showNumbers(picture);
}

function blendAt(now) {
  return state.theme.isStill ? 1 : Math.min(Math.max(now - state.pictureAt, 0) / state.everyMs, 1);
}

function frame(now) {
  requestAnimationFrame(frame); // first: a fault in one frame ends no other
  if (state.picture) {
    if (state.selected && $('follow').checked) {
      const at = placeOfSelected(state.selected, state.entities, blendAt(now));
      if (at) {
        [camera.x, camera.y] = at;
        camera.isFitted = false;
      }
    }
    canvas.dataset.drawn = painter.draw({
      picture: state.picture, entities: state.entities, selected: state.selected, theme: state.theme, now,
      blend: blendAt(now), activeShard: state.hovered ?? state.activeShard,
      options: {
        entities: $('show-entities').checked, heat: $('show-heat').checked, margins: $('show-margins').checked,
        handoffs: $('show-handoffs').checked,
      },
    });
  }
}

// Numbers

function showNumbers(picture) {
  $('players').textContent = number(picture.players);
  $('entities').textContent = number(picture.entityCount);
  $('shard-count').textContent = number(picture.shards.length);
  $('tick').textContent = number(picture.tick);
  $('rate').textContent = ` at ${picture.rateHz} Hz`;
  $('sampled').hidden = picture.stride < 2;
  $('sampled').textContent = `a dot is ${picture.stride} entities`;
  canvas.dataset.entities = picture.entities.length;
  canvas.dataset.tick = picture.tick;
  const budgetUs = 1e6 / picture.rateHz;
  const rows = $('shards');
  const ids = picture.shards.map((it) => it.id).join();
  if (rows.dataset.ids !== ids) {
    rows.dataset.ids = ids;
    rows.replaceChildren(...picture.shards.map(shardRow));
  }
  picture.shards.forEach((shard, i) => {
    const [name, owned, ghosts, tick, load] = rows.children[i].cells;
    name.querySelector('i').style.background = colorOf(shard.id, state.theme);
    name.querySelector('span').textContent = shard.name;
    owned.textContent = number(shard.owned);
    ghosts.textContent = number(shard.ghosts);
    const behind = picture.tick - shard.tick;
    const isLate = behind > Math.max(3, picture.rateHz / 4);
    tick.textContent = isLate ? `${number(behind)} late` : `${number(shard.meanUs / 1000, shard.meanUs < 100e3 ? 1 : 0)} ms`;
    tick.classList.toggle('late', isLate);
    tick.title = isLate ? 'ticks that it is behind the others'
      : `the longest of the last second: ${number(shard.longestUs / 1000, 1)} ms`;
    const percent = (100 * shard.meanUs) / budgetUs;
    load.querySelector('i').style.width = `${Math.min(percent, 100)}%`;
    load.querySelector('.bar').classList.toggle('is-hot', percent > 80);
    load.querySelector('b').textContent = percent < 1000 ? `${number(percent)} %` : '> 999 %';
    rows.children[i].classList.toggle('is-active', shard.id === state.activeShard);
  });
}

function shardRow(shard) {
  const row = document.createElement('tr');
  row.innerHTML = '<td><button type="button"><i></i><span></span></button></td><td></td><td></td><td></td>' +
    '<td><span class="load"><span class="bar"><i></i></span><b></b></span></td>';
  row.addEventListener('pointerenter', () => { state.hovered = shard.id; });
  row.addEventListener('pointerleave', () => { state.hovered = null; });
  row.querySelector('button').addEventListener('click', () => {
    state.activeShard = state.activeShard === shard.id ? null : shard.id;
    showNumbers(state.picture);
  });
  return row;
}

// Charts: a point a second

const recentWork = new RecentWork();
const history = [];
let second = null;
const CHARTS = [
  { title: 'Tick, ms', lines: [['p99', 'second', 1], ['p50', 'accent', 1]], budget: (it) => it.budget },
  { title: 'Players', lines: [['players', 'accent', 0]] },
  { title: 'Frames a second', lines: [['frames', 'accent', 0]] },
  { title: 'MB a second out', lines: [['megabytes', 'accent', 1]] },
];

function noteHistory(picture, now) {
  if (second && picture.frames < second.first.frames) {
    second = null; // another run of the server
  }
  second ??= { at: now, first: picture, tickUs: [] };
  second.tickUs.push(...picture.tickUs);
  const seconds = (now - second.at) / 1000;
  if (seconds < 0.95) {
    return;
  }
  const times = second.tickUs.sort((a, b) => a - b);
  const share = (part) => (times.length ? times[Math.ceil(part * times.length) - 1] / 1000 : 0);
  history.push({
    at: now, p50: share(0.5), p99: share(0.99), players: picture.players, budget: 1000 / picture.rateHz,
    frames: (picture.frames - second.first.frames) / seconds,
    megabytes: (picture.bytes - second.first.bytes) / seconds / 1e6,
  });
  history.splice(0, history.length - HISTORY_S);
  second = { at: now, first: picture, tickUs: [] };
  drawCharts();
}

function makeCharts() {
  for (const chart of CHARTS) {
    const box = document.createElement('div');
    box.className = 'chart';
    box.innerHTML = '<h2><span></span><b></b></h2><canvas role="img"></canvas>';
    box.querySelector('span').textContent = chart.title;
    chart.value = box.querySelector('b');
    chart.canvas = box.querySelector('canvas');
    const point = (event) => {
      const bounds = chart.canvas.getBoundingClientRect();
      state.pointed = Math.round(((event.clientX - bounds.left) / bounds.width) * (HISTORY_S - 1));
      drawCharts();
    };
    chart.canvas.addEventListener('pointermove', point);
    chart.canvas.addEventListener('pointerdown', point);
    chart.canvas.addEventListener('pointerleave', () => {
      state.pointed = null;
      drawCharts();
    });
    $('charts').append(box);
  }
}

function drawCharts() {
  const first = HISTORY_S - history.length;
  const pointed = history[(state.pointed ?? -1) - first];
  const shown = pointed ?? history.at(-1);
  for (const chart of CHARTS) {
    const { canvas: paper, lines } = chart;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [paper.clientWidth, paper.clientHeight];
    paper.width = Math.round(width * ratio);
    paper.height = Math.round(height * ratio);
    if (!shown) {
      continue;
    }
    const text = lines.map(([key, , digits]) => number(shown[key], digits));
    chart.value.innerHTML = '';
    lines.forEach(([key], i) => {
      const part = document.createElement('span');
      part.className = key;
      part.textContent = lines.length > 1 ? `${key} ${text[i]}  ` : text[i];
      chart.value.append(part);
    });
    paper.setAttribute('aria-label', `${chart.title}: ${chart.value.textContent}`);
    const context = paper.getContext('2d');
    context.scale(ratio, ratio);
    const top = 1.15 * Math.max(...history.flatMap((it) => lines.map(([key]) => it[key])), 1e-9);
    const [x, y] = [(i) => ((first + i) / (HISTORY_S - 1)) * (width - 3), (value) => height - 2 - (value / top) * (height - 6)];
    context.strokeStyle = state.theme.line;
    context.strokeRect(0, height - 0.5, width, 0);
    const budget = chart.budget?.(shown);
    if (budget && budget < top) {
      context.setLineDash([3, 3]);
      context.strokeRect(0, y(budget), width, 0);
      context.setLineDash([]);
    }
    for (const [key, color] of lines) {
      context.strokeStyle = state.theme[color];
      context.lineWidth = 1.75;
      context.lineJoin = 'round';
      context.beginPath();
      history.forEach((it, i) => context.lineTo(x(i), y(it[key])));
      context.stroke();
      const at = history.indexOf(shown);
      context.fillStyle = state.theme[color];
      context.beginPath();
      context.arc(x(at), y(shown[key]), 2.5, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

// The selected entity

async function select(id) {
  state.selected = { id, report: null };
  $('entity').hidden = false;
  $('hint').hidden = true;
  $('entity-title').textContent = `Entity ${id}`;
  $('entity-note').textContent = '';
  $('entity-facts').replaceChildren();
  $('seen').replaceChildren();
  await askAboutSelected();
}

function deselect() {
  state.selected = null;
  $('follow').checked = false;
  $('entity').hidden = true;
  $('hint').hidden = false;
}

async function askAboutSelected() {
  const { selected } = state;
  if (!selected || document.hidden || selected.isAsking) {
    return;
  }
  selected.isAsking = true;
  let note = '';
  try {
    const answer = await fetch(`/entity/${selected.id}`);
    if (answer.ok) {
      selected.report = await answer.json();
    } else {
      note = answer.status === 404 ? 'It is not in the zone (any more).' : (await answer.text()).trim();
      selected.report = answer.status === 404 ? null : selected.report;
    }
  } catch {
    note = 'The server does not answer.';
  }
  selected.isAsking = false;
  if (state.selected === selected) {
    $('entity-note').textContent = note;
    showReport(selected.report);
  }
}

/** In the list of that id: of each its name and its value. */
function showFacts(id, facts) {
  $(id).replaceChildren(...facts.flatMap(([name, value]) => {
    const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
    dt.textContent = name;
    dd.textContent = value;
    return [dt, dd];
  }));
}

function showReport(report) {
  showFacts('entity-facts', report ? factsOf(report) : []);
  const ids = report?.in_view ?? [];
  if ($('seen').dataset.ids === ids.join() && $('seen').children.length) {
    return;
  }
  $('seen').dataset.ids = ids.join();
  const chips = ids.slice(0, CHIPS_MAX).map((id) => {
    const chip = document.createElement('button');
    chip.type = 'button';
    chip.textContent = id;
    chip.addEventListener('click', () => select(id));
    return chip;
  });
  const rest = (report?.in_view_count ?? 0) - chips.length;
  $('seen').replaceChildren(...chips, ...(rest > 0 ? [`and ${number(rest)} more`] : []));
}

/** Whom it was sent, and how that differs from who is in its view now: it may keep them in sight, or wait for room. */
function knownOf(report) {
  if (report.known_count > report.known.length || report.in_view_count > report.in_view.length) {
    return number(report.known_count);
  }
  const known = new Set(report.known);
  const view = new Set(report.in_view);
  const more = report.known.filter((id) => !view.has(id)).length;
  const less = report.in_view.filter((id) => !known.has(id)).length;
  return `${number(known.size)}` + (more ? `, ${number(more)} kept in sight` : '') + (less ? `, ${number(less)} not sent yet` : '');
}

const MEMORY_NAMES = { frames: 'Frames', connections: 'Connections’ buffers', entities: 'Entities', known_sets: 'Known sets',
  state: 'State', recorder: 'Recorder', rest: 'The rest' };

/** Every few seconds: it is counted once a second. */
async function askAboutMemory() {
  if (!document.hidden) {
    try {
      const { memory_bytes: memory, resident_bytes: all } = await (await fetch('/status')).json();
      $('memory-all').textContent = `${number(all / 1048576, 1)} MiB`;
      showFacts('memory', Object.entries(memory).map(([owner, bytes]) =>
        [MEMORY_NAMES[owner] ?? owner, `${number(bytes / 1048576, 1)} MiB`]));
    } catch {
      // The stream says that the server does not answer.
    }
  }
  setTimeout(askAboutMemory, 3000);
}
askAboutMemory();

function factsOf(report) {
  const { view, position_m: at } = report;
  const metres = (value) => `${number(value, value % 1 ? 1 : 0)} m`;
  const shape = {
    none: 'none: it sees nobody',
    circle: `circle, ${metres(view.radius_m)}`,
    cylinder: `cylinder, ${metres(view.radius_m)} × ±${metres(view.half_z_m)}`,
    rectangle: `${metres(2 * view.radius_m)} × ${metres(2 * view.half_y_m)}`,
    sector: `sector, ${metres(view.radius_m)}, ±${number(view.half_opening_deg)}°`,
  }[view.shape];
  const still = report.tick - report.moved_tick;
  return [
    ['Shard', report.shard],
    ['Seen across the borders of', report.ghost_in.join(', ') || 'no other shard'],
    ['Position', `${number(at.x, 1)}, ${number(at.y, 1)} m`],
    ['Moved', report.moved_tick === 0 ? 'never' : still === 0 ? 'in the newest tick' : `${number(still)} tick${still > 1 ? 's' : ''} ago`],
    ['In the zone', `${number((report.tick - report.since_tick) / state.picture.rateHz)} s`],
    ['View', shape],
    ['Keeps in sight', view.shape === 'none' ? '–' : `up to ${metres(view.leave_radius_m)}`],
    ['In its view', number(report.in_view_count)],
    ['Known to its client', knownOf(report)],
    ['Connection', !report.connection ? 'none: a service’s, or lost' : `${report.connection.address}`
      + (report.connection.subject ? `, ${report.connection.subject}` : '')],
    ['Waits to be sent', !report.connection ? '–' : report.connection.unsent_bytes === 0 ? 'nothing'
      : `${number(report.connection.unsent_bytes)} B for ${number(report.connection.blocked_ms)} ms`],
    ['Frames', !report.takes_frames ? 'takes none' : report.refused_ticks === 0 ? 'takes each'
      : `none for ${number(report.refused_ticks)} ticks`],
  ];
}

/** The entity that is drawn nearest to a place, no further away than so many pixels. */
function nearest(px, py, pxMax) {
  let found = null;
  let best = pxMax;
  for (const entity of state.entities.values()) {
    const [x, y] = camera.toScreen(...placeOf(entity, blendAt(performance.now())));
    const distance = Math.hypot(x - px, y - py);
    if (distance < best) {
      [found, best] = [entity.id, distance];
    }
  }
  return found;
}

// Hands

const pointers = new Map();
let moved = 0;

function placeIn(event) {
  const bounds = canvas.getBoundingClientRect();
  return [event.clientX - bounds.left, event.clientY - bounds.top];
}

canvas.addEventListener('pointerdown', (event) => {
  canvas.setPointerCapture(event.pointerId);
  canvas.classList.add('is-dragging');
  if (pointers.size === 0) {
    moved = 0;
  }
  pointers.set(event.pointerId, placeIn(event));
});
canvas.addEventListener('pointermove', (event) => {
  const before = pointers.get(event.pointerId);
  if (!before || !state.picture) {
    return;
  }
  const at = placeIn(event);
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  const [dx, dy] = [at[0] - before[0], at[1] - before[1]];
  moved += Math.hypot(dx, dy);
  if (moved > 4) {
    camera.pan(dx / pointers.size, dy / pointers.size);
    $('follow').checked = false;
    if (other) {
      const span = (place) => Math.max(Math.hypot(place[0] - other[0], place[1] - other[1]), 1);
      camera.zoom(span(at) / span(before), (at[0] + other[0]) / 2, (at[1] + other[1]) / 2);
    }
  }
  pointers.set(event.pointerId, at);
});
const release = (event) => {
  const wasDown = pointers.delete(event.pointerId);
  if (pointers.size === 0) {
    canvas.classList.remove('is-dragging');
    if (wasDown && event.type === 'pointerup' && moved <= 4) {
      const id = nearest(...placeIn(event), event.pointerType === 'touch' ? 2 * CLICK_PX : CLICK_PX);
      id === null ? deselect() : select(id);
    }
  }
};
canvas.addEventListener('pointerup', release);
canvas.addEventListener('pointercancel', release);
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  if (state.picture) {
    camera.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), ...placeIn(event));
  }
}, { passive: false });

const KEYS = {
  ArrowLeft: () => camera.pan(60, 0), ArrowRight: () => camera.pan(-60, 0), ArrowUp: () => camera.pan(0, 60),
  ArrowDown: () => camera.pan(0, -60), '+': () => camera.zoom(1.3), '=': () => camera.zoom(1.3),
  '-': () => camera.zoom(1 / 1.3), 0: () => camera.fit(state.picture.world), d: () => $('show-entities').click(),
  h: () => $('show-heat').click(), g: () => $('show-margins').click(), f: () => $('show-handoffs').click(),
  e: () => {
    const id = nearest(camera.width / 2, camera.height / 2, Infinity);
    id === null || select(id);
  },
  Escape: deselect,
};
window.addEventListener('keydown', (event) => {
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const isTyping = event.target.closest?.('input:not([type=checkbox]), select, textarea') != null;
  if (act && !isTyping && state.picture && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    if (event.key.startsWith('Arrow')) {
      $('follow').checked = false;
    }
    act();
  }
});
$('zoom-in').addEventListener('click', KEYS['+']);
$('zoom-out').addEventListener('click', KEYS['-']);
$('fit').addEventListener('click', () => state.picture && KEYS[0]());
$('deselect').addEventListener('click', deselect);
$('find').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (/^\d+$/.test($('find-id').value)) {
    await select(Number($('find-id').value));
    $('follow').checked = state.selected?.report !== null;
    $('entity').scrollIntoView({ block: 'nearest' });
  }
});

// Life

function onResize() {
  painter.resize();
  if (state.picture && camera.isFitted) {
    camera.fit(state.picture.world);
  }
  drawCharts();
}

readTheme();
makeCharts();
new ResizeObserver(onResize).observe(canvas);
for (const query of ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)']) {
  matchMedia(query).addEventListener('change', () => {
    readTheme();
    drawCharts();
  });
}
setInterval(askAboutSelected, 1000);
watch({
  onPicture: takePicture,
  onState: (name, text) => {
    if ($('state').textContent !== text) { // a screen reader says each change
      $('state').dataset.state = name;
      $('state').textContent = text;
    }
  },
});
requestAnimationFrame(frame);
