// The map's canvas: where the viewer looks, and what is drawn there.

const FLASH_MS = 1100;
const LINES_MAX = 80; // to those that the selected entity sees; of more only the rings
const ease = (t) => 1 - (1 - t) ** 3;

/** The part of the world that is shown: a middle, in millimetres, and a scale. y is up. */
export class Camera {
  constructor() {
    Object.assign(this, { x: 0, y: 0, pxPerMm: 1, width: 1, height: 1, isFitted: true });
  }

  fit(world) {
    const margin = 1.06;
    this.isFitted = true;
    this.x = (world.minX + world.maxX) / 2;
    this.y = (world.minY + world.maxY) / 2;
    this.pxPerMm = Math.min(this.width / (world.maxX - world.minX + 1), this.height / (world.maxY - world.minY + 1)) / margin;
    this.fitted = this.pxPerMm;
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.pxPerMm, this.height / 2 - (y - this.y) * this.pxPerMm];
  }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.pxPerMm, this.y - (py - this.height / 2) / this.pxPerMm];
  }

  pan(dxPx, dyPx) {
    this.isFitted = false;
    this.x -= dxPx / this.pxPerMm;
    this.y += dyPx / this.pxPerMm;
  }

  /** What is at (px, py) stays there. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.toWorld(px, py);
    this.isFitted = false;
    this.pxPerMm = Math.min(Math.max(this.pxPerMm * factor, this.fitted / 2), 2);
    const [nx, ny] = this.toWorld(px, py);
    this.x += x - nx;
    this.y += y - ny;
  }
}

/** Neighbouring numbers are far apart in hue; all are about as light. */
export function colorOf(shard, theme, alpha = 1) {
  const hue = (232 + shard * 137.508) % 360;
  return `oklch(${theme.isDark ? 0.76 : 0.56} ${theme.isDark ? 0.115 : 0.145} ${hue} / ${alpha})`;
}

export class Painter {
  constructor(canvas, camera) {
    Object.assign(this, { canvas, camera, heat: document.createElement('canvas'), flashes: [] });
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    this.camera.width = Math.max(box.width, 1);
    this.camera.height = Math.max(box.height, 1);
    this.canvas.width = Math.round(this.camera.width * ratio);
    this.canvas.height = Math.round(this.camera.height * ratio);
    this.ratio = ratio;
  }

  flash(crossings, now) {
    const room = 400 - this.flashes.length;
    this.flashes.push(...crossings.slice(0, Math.max(room, 0)).map((it) => ({ ...it, at: now })));
  }

  /** Returns how many entities are in sight. */
  draw({ picture, entities, options, selected, theme, now, blend, activeShard }) {
    const context = this.canvas.getContext('2d');
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
    this.drawShards(context, picture, options, theme, activeShard);
    if (options.heat) {
      this.drawHeat(context, picture, theme);
    }
    this.drawBorders(context, picture, theme, activeShard);
    const drawn = options.entities ? this.drawEntities(context, entities, theme, blend) : 0;
    if (options.handoffs) {
      this.drawFlashes(context, theme, now);
    }
    this.drawLabels(context, picture, theme);
    if (selected?.report) {
      this.drawView(context, selected, entities, theme, blend);
    }
    if (selected) {
      this.drawSelected(context, selected, entities, theme, blend);
    }
    this.drawScale(context, theme);
    return drawn;
  }

  box(area, marginMm = 0) {
    const [left, top] = this.camera.toScreen(area.minX - marginMm, area.maxY + 1 + marginMm);
    const [right, bottom] = this.camera.toScreen(area.maxX + 1 + marginMm, area.minY - marginMm);
    return [left, top, right - left, bottom - top];
  }

  drawShards(context, picture, options, theme, active) {
    context.save();
    context.beginPath();
    context.rect(...this.box(picture.world));
    context.clip();
    context.fillStyle = theme.land;
    context.fillRect(...this.box(picture.world));
    for (const shard of picture.shards.filter((it) => it.hasRegion)) {
      context.fillStyle = colorOf(shard.id, theme, shard.id === active ? 0.26 : 0.13);
      context.fillRect(...this.box(shard.area));
    }
    for (const shard of picture.shards.filter((it) => it.hasRegion && options.margins)) {
      const band = new Path2D();
      band.rect(...this.box(shard.area, picture.reachMm));
      band.rect(...this.box(shard.area));
      context.fillStyle = colorOf(shard.id, theme, shard.id === active ? 0.3 : 0.1);
      context.fill(band, 'evenodd');
      if (shard.id === active) {
        context.setLineDash([5, 4]);
        context.strokeStyle = colorOf(shard.id, theme);
        context.lineWidth = 1.25;
        context.strokeRect(...this.box(shard.area, picture.reachMm));
        context.setLineDash([]);
      }
    }
    context.restore();
  }

  drawBorders(context, picture, theme, active) {
    for (const shard of picture.shards.filter((it) => it.hasRegion)) {
      context.strokeStyle = shard.id === active ? colorOf(shard.id, theme) : theme.border;
      context.lineWidth = shard.id === active ? 2.5 : 1.25;
      context.strokeRect(...this.box(shard.area));
    }
  }

  /** A smooth field over the whole world, the same at every zoom: made once a picture. */
  drawHeat(context, picture, theme) {
    if (this.heatOf !== picture || this.heatTheme !== theme) {
      this.heatOf = picture;
      this.heatTheme = theme;
      this.makeHeat(picture, theme);
    }
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = 'high';
    context.drawImage(this.heat, ...this.box(picture.world));
  }

  makeHeat({ world, entities }, theme) {
    const [width, height] = [world.maxX - world.minX + 1, world.maxY - world.minY + 1];
    const cellMm = Math.sqrt((width * height) / Math.min(Math.max(3 * entities.length, 600), 16000));
    const [columns, rows] = [width, height].map((it) => Math.min(Math.max(Math.round(it / cellMm), 1), 512));
    let field = new Float32Array(columns * rows);
    for (const { x, y } of entities) {
      const column = Math.floor(((x - world.minX) / width) * columns);
      const row = Math.floor(((world.maxY - y) / height) * rows);
      field[row * columns + column] += 1;
    }
    for (let pass = 0; pass < 3; ++pass) {
      field = blurred(blurred(field, columns, rows, 1, columns), rows, columns, columns, 1);
    }
    const even = entities.length / field.length;
    const image = new ImageData(columns, rows);
    field.forEach((here, i) => {
      const hot = Math.min(Math.max(Math.log(here / even / 1.2) / Math.log(60), 0), 1);
      image.data.set([...theme.heat, 215 * hot], 4 * i);
    });
    [this.heat.width, this.heat.height] = [columns, rows];
    this.heat.getContext('2d').putImageData(image, 0, 0);
  }

  drawEntities(context, entities, theme, blend) {
    const { camera } = this;
    const size = Math.min(Math.max(2.2 * Math.sqrt(camera.pxPerMm / camera.fitted), 2), 7);
    const byShard = new Map();
    let drawn = 0;
    for (const entity of entities.values()) {
      const [px, py] = camera.toScreen(...placeOf(entity, blend));
      if (px < -size || py < -size || px > camera.width + size || py > camera.height + size) {
        continue;
      }
      ++drawn;
      let path = byShard.get(entity.shard);
      if (!path) {
        byShard.set(entity.shard, (path = new Path2D()));
      }
      if (size < 2.6) {
        path.rect(px - size / 2, py - size / 2, size, size);
      } else {
        path.moveTo(px + size / 2, py);
        path.arc(px, py, size / 2, 0, 2 * Math.PI);
      }
    }
    for (const [shard, path] of byShard) {
      context.fillStyle = colorOf(shard, theme);
      context.fill(path);
    }
    return drawn;
  }

  drawFlashes(context, theme, now) {
    this.flashes = this.flashes.filter((it) => now - it.at < FLASH_MS);
    for (const flash of this.flashes) {
      const age = Math.max(now - flash.at, 0) / FLASH_MS; // a frame's time may be before that of a message
      const [px, py] = this.camera.toScreen(flash.x, flash.y);
      context.beginPath();
      context.arc(px, py, theme.isStill ? 6 : 2 + 11 * ease(age), 0, 2 * Math.PI);
      context.strokeStyle = colorOf(flash.to, theme, 1 - age);
      context.lineWidth = 2;
      context.stroke();
    }
  }

  /** What the selected entity sees: its view, and a line to each that is in it. */
  drawView(context, selected, entities, theme, blend) {
    const { report } = selected;
    const { view } = report;
    const [px, py] = this.camera.toScreen(...placeOfSelected(selected, entities, blend));
    const px_of = (metres) => metres * 1000 * this.camera.pxPerMm;
    const shape = new Path2D();
    if (view.shape === 'rectangle') {
      shape.rect(px - px_of(view.radius_m), py - px_of(view.half_y_m), 2 * px_of(view.radius_m), 2 * px_of(view.half_y_m));
    } else if (view.shape === 'sector') {
      const [facing, half] = [report.facing_deg, view.half_opening_deg].map((it) => (it * Math.PI) / 180);
      shape.moveTo(px, py);
      shape.arc(px, py, px_of(view.radius_m), -facing - half, -facing + half);
      shape.closePath();
    } else if (view.shape !== 'none') {
      shape.arc(px, py, px_of(view.radius_m), 0, 2 * Math.PI);
    }
    context.fillStyle = theme.viewFill;
    context.fill(shape);
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.stroke(shape);
    const lines = new Path2D();
    for (const id of report.in_view) {
      const seen = entities.get(id);
      if (seen) {
        const [x2, y2] = this.camera.toScreen(...placeOf(seen, blend));
        if (report.in_view.length <= LINES_MAX) {
          lines.moveTo(px, py);
          lines.lineTo(x2, y2);
        }
        lines.moveTo(x2 + 4.5, y2);
        lines.arc(x2, y2, 4.5, 0, 2 * Math.PI);
      }
    }
    context.strokeStyle = theme.sight;
    context.lineWidth = 1;
    context.stroke(lines);
  }

  drawSelected(context, selected, entities, theme, blend) {
    const at = placeOfSelected(selected, entities, blend);
    if (at) {
      context.beginPath();
      context.arc(...this.camera.toScreen(...at), 6, 0, 2 * Math.PI);
      context.lineWidth = 4;
      context.strokeStyle = theme.land;
      context.stroke();
      context.lineWidth = 2;
      context.strokeStyle = theme.accent;
      context.stroke();
    }
  }

  drawLabels(context, picture, theme) {
    context.font = `600 12px ${theme.font}`;
    context.textBaseline = 'middle';
    for (const shard of picture.shards.filter((it) => it.hasRegion)) {
      const [left, top, width, height] = this.box(shard.area);
      const x = Math.max(left, 0);
      const y = Math.max(top, 0);
      const room = Math.min(left + width, this.camera.width) - x;
      const long = `${shard.name}  ${shard.owned.toLocaleString('en')}  ${(shard.meanUs / 1000).toFixed(1)} ms`;
      const text = [long, shard.name].find((it) => context.measureText(it).width + 36 < room);
      if (!text || Math.min(top + height, this.camera.height) - y < 34) {
        continue;
      }
      const wide = context.measureText(text).width + 26;
      context.fillStyle = theme.label;
      context.beginPath();
      context.roundRect(x + 6, y + 6, wide, 20, 10);
      context.fill();
      context.fillStyle = colorOf(shard.id, theme);
      context.beginPath();
      context.arc(x + 16, y + 16, 4, 0, 2 * Math.PI);
      context.fill();
      context.fillStyle = theme.ink;
      context.fillText(text, x + 25, y + 16.5);
    }
  }

  drawScale(context, theme) {
    const wanted = 110 / this.camera.pxPerMm / 1000;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const metres = power * [5, 2, 1].find((it) => it * power <= wanted);
    const width = metres * 1000 * this.camera.pxPerMm;
    const [x, y] = [12, this.camera.height - 12];
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x, y);
    context.lineTo(x + width, y);
    context.lineTo(x + width, y - 5);
    context.stroke();
    context.font = `12px ${theme.font}`;
    context.fillStyle = theme.ink;
    context.fillText(metres >= 1000 ? `${metres / 1000} km` : `${metres} m`, x + 6, y - 10);
  }
}

/** Between where it was in the picture before and where it is. */
export function placeOf(entity, blend) {
  return [entity.fromX + (entity.x - entity.fromX) * blend, entity.fromY + (entity.y - entity.fromY) * blend];
}

/** Where the newest report has it, if the picture has not; null: neither. */
export function placeOfSelected({ id, report }, entities, blend) {
  const entity = entities.get(id);
  return entity ? placeOf(entity, blend) : report && [report.position_m.x * 1000, report.position_m.y * 1000];
}

/** Means of three along one axis. */
function blurred(field, length, lines, step, lineStep) {
  const out = new Float32Array(field.length);
  for (let line = 0; line < lines; ++line) {
    const begin = line * lineStep;
    for (let i = 0; i < length; ++i) {
      const at = begin + i * step;
      out[at] = (field[at] + (i > 0 ? field[at - step] : 0) + (i + 1 < length ? field[at + step] : 0)) / 3;
    }
  }
  return out;
}
