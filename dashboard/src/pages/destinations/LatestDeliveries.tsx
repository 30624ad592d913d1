/** The latest deliveries to a destination: a strip of ticks for their states, and the newest ones as a list. */
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Schemas } from '../../api/client';
import { useDeliveries, useSourcesById } from '../../api/queries';
import { deliveryPath } from '../../lib/deliveryLink';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { deliveryState, reasonBesideLabel, STATES, type Tone } from '../../lib/states';
import { latencyShare } from '../../lib/stats';
import { count, shortId } from '../../lib/text';
import { clock, duration, seconds, withTimes } from '../../lib/time';
import { Gate } from '../../ui/gate';
import { Blank, Panel, SourceName, StateLabel } from '../../ui/parts';

type Item = Schemas['DeliveryListItem'];

const STRIP = 100;
const ROWS = 8;
const POLL_MILLISECONDS = 5_000;

/** Filtered deliveries are left out: they were never meant for the destination and say nothing about its health. */
const STATUSES = 'pending,delivering,succeeded,failed,exhausted';

const TONES: { tone: Tone; label: string }[] = [
  { tone: 'failed', label: 'Failed' },
  { tone: 'held', label: 'Held' },
  { tone: 'retrying', label: 'Waiting' },
  { tone: 'delivered', label: 'Delivered' },
];

const toneOf = (one: Item) => STATES[deliveryState(one)].tone;

export const useLatest = (destination: string) => useDeliveries({ destination_id: destination, status: STATUSES, limit: STRIP }, POLL_MILLISECONDS);

/** @param children what stands between the strip and the list */
export function LatestDeliveries({ destination, children }: { destination: Schemas['Destination']; children: ReactNode }) {
  const deliveries = useLatest(destination.id);
  const items = deliveries.data?.items ?? [];
  return (
    <>
      {items.length > 0 && <HealthStrip items={items} timeout={destination.timeout_ms} />}
      {children}
      <Panel title="Latest deliveries" flush end={<Link className="link" href={`/events?destination=${destination.id}`}>Open in Events</Link>}>
        <Gate query={deliveries} what="Deliveries" rows={4}>
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="dests" title="No deliveries yet">
                The next event of a connected source that passes its filter goes here.
              </Blank>
            ) : (
              <DeliveryTable items={data.items.slice(0, ROWS)} />
            )
          }
        </Gate>
      </Panel>
    </>
  );
}

/** How high a tick is if there was no attempt: something, so that it can be pointed at. */
const LEAST = 0.2;

/** Each tick's colour is the delivery's state, and its height the latency of its last attempt. What is held fills the height. */
export function HealthStrip({ items, timeout }: { items: Item[]; timeout: number }) {
  const { zone } = usePreferences();
  const now = useNow();
  const counts = TONES.map((one) => ({ ...one, number: items.filter((item) => toneOf(item) === one.tone).length })).filter((one) => one.number > 0);
  const height = (one: Item) => (toneOf(one) === 'held' ? 1 : Math.max(LEAST, one.last_latency_ms === null ? 0 : latencyShare(one.last_latency_ms, timeout)));
  const latencies = items.flatMap((one) => one.last_latency_ms ?? []).sort((a, b) => a - b);
  const median = latencies[Math.floor((latencies.length - 1) / 2)];
  const slowest = latencies.at(-1);
  const took = median === undefined || slowest === undefined ? '' : `. Their last attempts took ${duration(median)} in the middle, ${duration(slowest)} at most`;
  const words = counts.map((one) => `${count(one.number)} ${one.label.toLowerCase()}`).join(', ');
  return (
    <Panel
      title={`Last ${count(items.length)} deliveries`}
      note={`height is latency, full at the timeout of ${seconds(timeout / 1000)}`}
      end={
        <span className="legend small">
          {counts.map((one) => (
            <span key={one.tone}>
              <i className={`h-${one.tone}`} /> {one.label} <b>{count(one.number)}</b>
            </span>
          ))}
        </span>
      }
    >
      <div className="health" role="img" aria-label={`The last ${count(items.length)} deliveries, the newest on the right: ${words}${took}`}>
        {[...items].reverse().map((one) => (
          <i
            key={one.id}
            className={`h-${toneOf(one)}`}
            style={{ height: `${Math.round(height(one) * 100)}%` }}
            title={`${clock(one.received_at, zone)}${one.last_latency_ms === null ? '' : `, ${duration(one.last_latency_ms)}`}: ${withTimes(one.reason, zone, now)}`}
          />
        ))}
      </div>
    </Panel>
  );
}

function DeliveryTable({ items }: { items: Item[] }) {
  const { zone } = usePreferences();
  const now = useNow();
  const [, navigate] = useLocation();
  const sources = useSourcesById(items.map((one) => one.source_id));
  return (
    <table className="fits">
      <thead>
        <tr>
          <th className="c-at">Received</th>
          <th className="c-src">Source</th>
          <th className="c-state">State</th>
          <th className="wide">Reason</th>
          <th className="wide c-n r">Latency</th>
        </tr>
      </thead>
      <tbody>
        {items.map((one) => {
          const source = sources.get(one.source_id);
          return (
            <tr key={one.id} onClick={() => navigate(deliveryPath(one))}>
              <td className="mono">
                <Link href={deliveryPath(one)}>{clock(one.received_at, zone)}</Link>
              </td>
              <td className="cut">
                <SourceName name={source?.name ?? shortId(one.source_id)} color={source?.color} />
              </td>
              <td>
                <StateLabel state={deliveryState(one)} />
              </td>
              <td className="wide muted cut" title={withTimes(one.reason, zone, now)}>
                {withTimes(reasonBesideLabel(one.reason), zone, now)}
              </td>
              <td className="wide r num muted">{one.last_latency_ms === null ? '' : duration(one.last_latency_ms)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
