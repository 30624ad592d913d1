/** Shows what was removed and added between two texts, by signs and not only by colour. */
import { useState } from 'react';
import type { DiffLine } from '../lib/diff';
import { plural, visible } from '../lib/text';

const SIGNS = { same: '', removed: '-', added: '+' };
const CLASSES = { same: '', removed: 'del', added: 'add' };
/** How many unchanged lines stay visible beside a change. */
const CONTEXT = 2;

type Part = { lines: DiffLine[]; isFolded: boolean };

function fold(lines: DiffLine[]): Part[] {
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((one) => one.kind !== 'same'));
  const parts: Part[] = [];
  lines.forEach((line, i) => {
    const isFolded = !near[i];
    const last = parts.at(-1);
    if (last && last.isFolded === isFolded) last.lines.push(line);
    else parts.push({ lines: [line], isFolded });
  });
  return parts;
}

export function DiffView({ sections }: { sections: [title: string, lines: DiffLine[]][] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <ol className="json diff" aria-label="Differences">
      {sections.map(([title, lines]) => {
        const parts = isWhole ? [{ lines, isFolded: false }] : fold(lines);
        return [
          <li key={title}>
            <span className="g" />
            <span className="p">{title}</span>
          </li>,
          ...parts.flatMap((part, i) =>
            part.isFolded ? (
              <li key={`${title}${i}`}>
                <span className="g" />
                <button type="button" className="p fold" onClick={() => setWhole(true)}>
                  {plural(part.lines.length, 'line')} unchanged
                </button>
              </li>
            ) : (
              part.lines.map((line, j) => (
                <li key={`${title}${i}.${j}`} className={CLASSES[line.kind]}>
                  <span className="g">{SIGNS[line.kind]}</span>
                  <span className="l">{visible(line.text)}</span>
                </li>
              ))
            ),
          ),
        ];
      })}
    </ol>
  );
}
