// Makes screenshots small: few colours in an indexed PNG. Strong colours are rare but carry the meaning, so they count for more. Only what Chromium writes is read.
import { deflateSync, inflateSync, crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MAX_COLORS = 36;
const SATURATION_WEIGHT = 60;

function saturation(color) {
  const parts = [color >> 16, (color >> 8) & 255, color & 255];
  return (Math.max(...parts) - Math.min(...parts)) / 255;
}

function* chunks(png) {
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

function pixels(png) {
  const all = [...chunks(png)];
  const header = all[0].data;
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const channels = { 2: 3, 6: 4 }[header[9]];
  const raw = inflateSync(Buffer.concat(all.filter((one) => one.type === 'IDAT').map((one) => one.data)));
  const stride = width * channels;
  const out = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const a = x >= channels ? out[y * stride + x - channels] : 0;
      const b = y > 0 ? out[(y - 1) * stride + x] : 0;
      const c = x >= channels && y > 0 ? out[(y - 1) * stride + x - channels] : 0;
      const p = a + b - c;
      const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const predicted = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
      out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + predicted;
    }
  }
  return { width, height, channels, out };
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

export function shrink(png) {
  const { width, height, channels, out } = pixels(png);
  const color = (i) => (out[i * channels] << 16) | (out[i * channels + 1] << 8) | out[i * channels + 2];
  const counts = new Map();
  for (let i = 0; i < width * height; i++) counts.set(color(i), (counts.get(color(i)) ?? 0) + 1);
  const palette = [...counts].map(([one, times]) => [one, times * (1 + SATURATION_WEIGHT * saturation(one))]).sort((a, b) => b[1] - a[1]).slice(0, MAX_COLORS).map(([one]) => one);
  const index = new Map(palette.map((one, i) => [one, i]));
  const nearest = (one) => {
    let best = 0;
    let distance = Infinity;
    palette.forEach((other, i) => {
      const [r, g, b] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
      const d = r * r + g * g + b * b;
      if (d < distance) [best, distance] = [i, d];
    });
    return best;
  };
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const one = color(y * width + x);
      let i = index.get(one);
      if (i === undefined) index.set(one, (i = nearest(one)));
      rows[y * (width + 1) + 1 + x] = i;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('PLTE', colors), chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
