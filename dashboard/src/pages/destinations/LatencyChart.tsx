/** How long attempts to a destination took over the last day: the median and the 95th percentile of each hour. */
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { usePreferences } from '../../lib/preferences';
import { latencySteps, linePath } from '../../lib/stats';
import { dateTime, duration } from '../../lib/time';
import { TimeAxis, ValueAxis } from '../../ui/axes';
import { Blank, Button, Panel } from '../../ui/parts';

const WIDTH = 800;
const HEIGHT = 96;
/** About how many hours have their time below them. */
const LABELS = 6;

export function LatencyChart({ buckets }: { buckets: Schemas['StatsBucket'][] }) {
  const { zone } = usePreferences();
  const [isTable, setTable] = useState(false);
  const label = (start: string) => dateTime(start, zone).slice(11, 16);
  const [p95, p50] = [buckets.map((one) => one.latency_ms?.p95 ?? null), buckets.map((one) => one.latency_ms?.p50 ?? null)];
  const known = p95.filter((one) => one !== null);
  const steps = latencySteps(Math.max(...known));
  const top = steps.at(-1) ?? 1;
  return (
    <Panel
      title="Latency"
      note="per hour, last 24 hours"
      end={
        <>
          <span className="legend small">
            <span>
              <i className="l-p95" /> p95
            </span>
            <span>
              <i className="l-p50" /> median
            </span>
          </span>
          <Button kind="quiet" pressed={isTable} disabled={known.length === 0} onClick={() => setTable(!isTable)}>
            Table
          </Button>
        </>
      }
    >
      {known.length === 0 ? (
        <div className="lat-none">
          <Blank icon="dests" title="No attempt in the last 24 hours">
            An attempt counts once it is answered, or times out.
          </Blank>
        </div>
      ) : isTable ? (
        <LatencyTable buckets={buckets} label={label} />
      ) : (
        <>
          <div className="lat-box">
            <ValueAxis steps={steps} text={duration} />
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`Latency per hour: at most ${duration(Math.max(...known))} at p95. The table has each hour.`}>
              <path className="l-p50" d={linePath(p50, top, WIDTH, HEIGHT)} />
              <path className="l-p95" d={linePath(p95, top, WIDTH, HEIGHT)} />
            </svg>
          </div>
          <TimeAxis starts={buckets.map((one) => one.start)} labels={LABELS} text={label} />
        </>
      )}
    </Panel>
  );
}

/** The same numbers as the lines, the newest first. */
function LatencyTable({ buckets, label }: { buckets: Schemas['StatsBucket'][]; label: (start: string) => string }) {
  return (
    <div className="hist-table">
      <table>
        <thead>
          <tr>
            <th>From</th>
            <th className="r">Median</th>
            <th className="r">p95</th>
            <th className="r">p99</th>
          </tr>
        </thead>
        <tbody>
          {[...buckets].reverse().map((bucket) => (
            <tr key={bucket.start}>
              <td>{label(bucket.start)}</td>
              {[bucket.latency_ms?.p50, bucket.latency_ms?.p95, bucket.latency_ms?.p99].map((value, i) => (
                <td key={i} className="r num">
                  {value === undefined ? '–' : duration(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
