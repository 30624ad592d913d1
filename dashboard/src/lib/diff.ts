/** The shortest difference between two lists of lines, by their longest common subsequence. */

import { bodyBytes, hexDump } from './bytes';
import { formatJson } from './json';

export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string };

/** If the product of the two lengths is larger, only the common start and end are found. */
const MAX_CELLS = 1_000_000;

/** @param keyOf what of a line is compared; without it, all */
export function diff(before: string[], after: string[], keyOf: (line: string) => string = (line) => line): DiffLine[] {
  const isSame = (a: string | undefined, b: string | undefined) => a === b || (a !== undefined && b !== undefined && keyOf(a) === keyOf(b));
  let start = 0;
  while (start < before.length && start < after.length && isSame(before[start], after[start])) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && isSame(before.at(-1 - end), after.at(-1 - end))) end++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...after.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end), isSame),
    ...after.slice(after.length - end).map(same),
  ];
}

function middle(before: string[], after: string[], isSame: (a: string | undefined, b: string | undefined) => boolean): DiffLine[] {
  const removed = before.map((text): DiffLine => ({ kind: 'removed', text }));
  const added = after.map((text): DiffLine => ({ kind: 'added', text }));
  if (before.length === 0 || after.length === 0 || before.length * after.length > MAX_CELLS) return [...removed, ...added];

  const columns = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * columns);
  const at = (i: number, j: number) => longest[i * columns + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      longest[i * columns + j] = isSame(before[i], after[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && isSame(before[i], after[j])) {
      lines.push({ kind: 'same', text: after[j++] ?? '' });
      i++;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: before[i++] ?? '' });
    } else {
      lines.push({ kind: 'added', text: after[j++] ?? '' });
    }
  }
  return lines;
}

type Body = { body: string; body_base64?: string };

/** How much of a binary body is compared; the rest only as a whole. */
const MAX_HEX_BYTES = 4_096;

/** The lines of a body as they are shown: formatted JSON, other text, or a hex dump. */
export function bodyLines(body: string, base64: string | undefined): string[] {
  if (base64 === undefined) return (formatJson(body) ?? body).split('\n');
  const bytes = bodyBytes(body, base64);
  const lines = hexDump(bytes, MAX_HEX_BYTES).split('\n');
  return bytes.length > MAX_HEX_BYTES ? [...lines, `${bytes.length - MAX_HEX_BYTES} more bytes`] : lines;
}

/** Compares two bodies by their lines. A comma that only a following member adds or removes is no change. */
export function diffBodies(before: Body, after: Body): DiffLine[] {
  const lines = diff(bodyLines(before.body, before.body_base64), bodyLines(after.body, after.body_base64), isBothJson(before, after) ? withoutComma : undefined);
  const isHidden = before.body_base64 !== after.body_base64 && lines.every((line) => line.kind === 'same');
  return isHidden ? [...lines, { kind: 'removed', text: 'the bytes that follow' }, { kind: 'added', text: 'other bytes' }] : lines;
}

function isBothJson(before: Body, after: Body): boolean {
  return [before, after].every((one) => one.body_base64 === undefined && formatJson(one.body) !== null);
}

function withoutComma(line: string): string {
  return line.endsWith(',') ? line.slice(0, -1) : line;
}
