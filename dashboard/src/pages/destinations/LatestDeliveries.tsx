/** The latest deliveries to a destination: a strip of ticks for their states, and the newest ones as a list. */
import { Link, useLocation } from 'wouter';
import type { Schemas } from '../../api/client';
import { useDeliveries, useSourcesById } from '../../api/queries';
import { deliveryPath } from '../../lib/deliveryLink';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { deliveryState, reasonBesideLabel, STATES, type Tone } from '../../lib/states';
import { count, shortId } from '../../lib/text';
import { clock, withTimes } from '../../lib/time';
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

export function LatestDeliveries({ destination }: { destination: Schemas['Destination'] }) {
  const deliveries = useDeliveries({ destination_id: destination.id, status: STATUSES, limit: STRIP }, POLL_MILLISECONDS);
  const items = deliveries.data?.items ?? [];
  return (
    <>
      {items.length > 0 && <HealthStrip items={items} />}
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

function HealthStrip({ items }: { items: Item[] }) {
  const { zone } = usePreferences();
  const now = useNow();
  const counts = TONES.map((one) => ({ ...one, number: items.filter((item) => toneOf(item) === one.tone).length })).filter((one) => one.number > 0);
  const words = counts.map((one) => `${count(one.number)} ${one.label.toLowerCase()}`).join(', ');
  return (
    <Panel
      title={`Last ${count(items.length)} deliveries`}
      note="the newest on the right"
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
      <div className="health" role="img" aria-label={`The last ${count(items.length)} deliveries: ${words}`}>
        {[...items].reverse().map((one) => (
          <i key={one.id} className={`h-${toneOf(one)}`} title={withTimes(one.reason, zone, now)} />
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
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
