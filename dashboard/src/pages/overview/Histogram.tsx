/** Bars over time. A bar opens its events, and dragging over several opens the events of all of them. */
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Schemas } from '../../api/client';
import { usePreferences } from '../../lib/preferences';
import { axisSteps, eventsHref, partsOf, sumOf } from '../../lib/stats';
import { count } from '../../lib/text';
import { dateTime } from '../../lib/time';
import { TimeAxis, ValueAxis } from '../../ui/axes';
import { Button, Panel } from '../../ui/parts';

const UNITS = { hour: 'per hour', day: 'per day', month: 'per month' };
/** About how many bars have their time below them. */
const LABELS = 8;

export function Histogram({ stats }: { stats: Schemas['StatsOverview'] }) {
  const { zone } = usePreferences();
  const [, navigate] = useLocation();
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const latest = useRef(drag);
  latest.current = drag;
  const hasDeliveries = stats.totals.deliveries > 0;
  const starts = stats.histogram.map((one) => one.start);
  const bars = stats.histogram.map((bucket) => partsOf(bucket, hasDeliveries));
  const steps = axisSteps(Math.max(...bars.map(sumOf)));
  const top = steps.at(-1) ?? 1;
  const [isTable, setTable] = useState(false);
  const href = (a: number, b = a) => eventsHref(starts, stats.window.before, a, b);
  const label = (start: string) => (stats.bucket === 'hour' ? dateTime(start, zone).slice(11, 16) : dateTime(start, 'utc').slice(stats.bucket === 'day' ? 5 : 0, stats.bucket === 'day' ? 10 : 7));

  const isDragging = drag !== null;
  useEffect(() => {
    if (!isDragging) return;
    const end = () => {
      const done = latest.current;
      setDrag(null);
      // A drag that stays on one bar is a click, which the link handles.
      if (done && done.from !== done.to) navigate(href(done.from, done.to));
    };
    const cancel = () => setDrag(null);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', cancel);
    return () => {
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', cancel);
    };
  }, [isDragging]);

  const isIn = (i: number) => drag !== null && drag.from !== drag.to && i >= Math.min(drag.from, drag.to) && i <= Math.max(drag.from, drag.to);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const bar = (event.target as HTMLElement).closest('a');
    if (by === undefined || bar === null) return;
    event.preventDefault();
    const next = by < 0 ? bar.previousElementSibling : bar.nextElementSibling;
    if (next instanceof HTMLElement) next.focus();
  };
  return (
    <Panel
      title={`${hasDeliveries ? 'Deliveries' : 'Events'} ${UNITS[stats.bucket]}`}
      note="click a bar for its events; drag for several"
      end={
        <>
          <span className="legend small">
            {partsOf(stats.totals, hasDeliveries).map((part) => (
              <span key={part.name}>
                <i className={`h-${part.name}`} /> {part.label} <b>{count(part.value)}</b>
              </span>
            ))}
          </span>
          <Button kind="quiet" pressed={isTable} onClick={() => setTable(!isTable)}>
            Table
          </Button>
        </>
      }
    >
      {isTable ? (
        <TableTwin stats={stats} hasDeliveries={hasDeliveries} label={label} href={href} />
      ) : (
        <>
          <div className="hist-box">
            <ValueAxis steps={steps} text={count} />
            <div className="hist" role="group" aria-label="Bars, oldest first. Arrow keys move between them." onKeyDown={step as never}>
              {bars.map((parts, i) => {
                const start = starts[i] ?? '';
                const words = parts.filter((one) => one.value > 0).map((one) => `${count(one.value)} ${one.label.toLowerCase()}`);
                const text = `${label(start)}${i === bars.length - 1 ? ', so far' : ''}: ${words.length === 0 ? 'nothing' : words.join(', ')}`;
                return (
                  <Link
                    key={start}
                    href={href(i)}
                    className={isIn(i) ? 'on' : ''}
                    title={text}
                    aria-label={text}
                    tabIndex={i === bars.length - 1 ? 0 : -1}
                    draggable={false}
                    onPointerDown={(event) => event.button === 0 && setDrag({ from: i, to: i })}
                    onPointerEnter={() => latest.current && setDrag({ from: latest.current.from, to: i })}
                  >
                    {parts.map((part) => part.value > 0 && <i key={part.name} className={`h-${part.name}`} style={{ height: `${(part.value / top) * 100}%` }} />)}
                  </Link>
                );
              })}
            </div>
          </div>
          <TimeAxis starts={starts} labels={LABELS} text={label} />
        </>
      )}
    </Panel>
  );
}

/** The same numbers as the bars, the newest first. */
function TableTwin({ stats, hasDeliveries, label, href }: { stats: Schemas['StatsOverview']; hasDeliveries: boolean; label: (start: string) => string; href: (i: number) => string }) {
  const heads = partsOf(stats.totals, hasDeliveries);
  const last = stats.histogram.length - 1;
  return (
    <div className="hist-table">
      <table>
        <thead>
          <tr>
            <th>From</th>
            {heads.map((part) => (
              <th key={part.name} className="r">
                {part.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stats.histogram
            .map((bucket, i) => (
              <tr key={bucket.start}>
                <td>
                  <Link className="link" href={href(i)}>
                    {label(bucket.start)}
                  </Link>
                  {i === last && <span className="faint"> so far</span>}
                </td>
                {partsOf(bucket, hasDeliveries).map((part) => (
                  <td key={part.name} className="r num">
                    {count(part.value)}
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </div>
  );
}
