/** A retry schedule as marks on a line, and in words. The marks are evenly spaced, because waits grow too fast to be drawn to scale. */
import { plural } from '../../lib/text';
import { seconds } from '../../lib/time';

const WIDTH = 290;
const Y = 12;

export function RetryRuler({ intervals }: { intervals: number[] }) {
  const total = intervals.reduce((sum, one) => sum + one, 0);
  const step = intervals.length === 0 ? 0 : (WIDTH - 20) / intervals.length;
  return (
    <div className="stack-s">
      <svg viewBox={`0 0 ${WIDTH} 36`} width={WIDTH} className="ruler-svg" role="img" aria-label={`Now${intervals.map((one) => `, after ${seconds(one)}`).join('')}`}>
        <path d={`M10 ${Y}H${10 + step * intervals.length}`} stroke="var(--line-strong)" />
        <circle cx="10" cy={Y} r="4.500" fill="var(--text-2)" />
        <text className="axis" x="4" y="32">
          now
        </text>
        {intervals.map((wait, i) => {
          const x = 10 + step * (i + 1);
          return (
            <g key={i}>
              <circle cx={x} cy={Y} r="4" fill="var(--surface)" stroke="var(--text-2)" strokeWidth="1.500" />
              <text className="axis" x={x} y="32" textAnchor={i === intervals.length - 1 ? 'end' : 'middle'} dx={i === intervals.length - 1 ? 8 : 0}>
                {seconds(wait)}
              </text>
            </g>
          );
        })}
      </svg>
      <p className="muted small">
        {intervals.length === 0
          ? 'No retries: a failed attempt is the last one.'
          : `${plural(intervals.length, 'retry', 'retries')} over about ${seconds(total)}. Each wait may vary at random.`}
      </p>
    </div>
  );
}

const UNITS: Record<string, number> = { s: 1, m: 60, min: 60, h: 3600, d: 86400 };

/** Reads `30 s, 2 min, 1 h`. Returns null if a part is not a duration. */
export function parseIntervals(text: string): number[] | null {
  const parts = text.split(',').map((one) => one.trim()).filter((one) => one !== '');
  const all = parts.map((part) => {
    let total = 0;
    let rest = part;
    while (rest !== '') {
      const found = /^(\d+)\s*(s|min|m|h|d)?\s*/.exec(rest);
      if (found === null) return null;
      total += Number(found[1]) * (UNITS[found[2] ?? 's'] ?? 1);
      rest = rest.slice(found[0].length);
    }
    return total;
  });
  return all.includes(null) ? null : (all as number[]);
}
