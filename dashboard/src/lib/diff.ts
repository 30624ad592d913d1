/** The shortest difference between two lists of lines, by their longest common subsequence. */

export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string };

/** If the product of the two lengths is larger, only the common start and end are found. */
const MAX_CELLS = 1_000_000;

export function diff(before: string[], after: string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function middle(before: string[], after: string[]): DiffLine[] {
  const removed = before.map((text): DiffLine => ({ kind: 'removed', text }));
  const added = after.map((text): DiffLine => ({ kind: 'added', text }));
  if (before.length === 0 || after.length === 0 || before.length * after.length > MAX_CELLS) return [...removed, ...added];

  const columns = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * columns);
  const at = (i: number, j: number) => longest[i * columns + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      longest[i * columns + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i++] ?? '' });
      j++;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: before[i++] ?? '' });
    } else {
      lines.push({ kind: 'added', text: after[j++] ?? '' });
    }
  }
  return lines;
}
