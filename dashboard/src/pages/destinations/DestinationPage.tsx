/** One destination: its circuit, what failed, what feeds it, and its settings. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useConnections, useDeadLetters, useDestination, useDestinationStats, useSourcesById } from '../../api/queries';
import { deliveryPath } from '../../lib/deliveryLink';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { circuitState, errorLabel } from '../../lib/states';
import { count, plural } from '../../lib/text';
import { clock, coarse, countdown, dateTime, seconds, withTimes } from '../../lib/time';
import { forgetUnsaved } from '../../lib/unsaved';
import { Page } from '../../shell/Page';
import { ErrorNote } from '../../ui/form';
import { Gate, Together } from '../../ui/gate';
import { KeepEdits } from '../../ui/KeepEdits';
import { Dialog } from '../../ui/overlay';
import { Badge, Blank, Button, ButtonLink, Chip, CopyButton, Facts, Panel, SourceName, StateLabel, Tabs } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { AUTH_NAMES } from './auth';
import { DestinationForm } from './DestinationForm';
import { DestinationToggle } from './DestinationsPage';
import { LatencyChart } from './LatencyChart';
import { LatestDeliveries, useLatest } from './LatestDeliveries';
import { RetryRuler } from './RetryRuler';
import { TestDelivery } from './TestDelivery';

type Destination = Schemas['Destination'];

const FAILED_ROWS = 50;

export function DestinationPage() {
  const { id = '', tab = '' } = useParams<{ id: string; tab?: string }>();
  const destination = useDestination(id, 3_000);
  return (
    <Page title={destination.data?.name ?? 'Destination'} up={<Link href="/destinations">Destinations</Link>}>
      <Tabs
        label="Destination"
        tabs={[
          { href: `/destinations/${id}`, label: 'Overview', isOn: tab === '' },
          { href: `/destinations/${id}/failed`, label: 'Failed deliveries', isOn: tab === 'failed' },
          { href: `/destinations/${id}/settings`, label: 'Settings', isOn: tab === 'settings' },
        ]}
        end={
          // On a phone this is a line of its own, whose room is kept while the destination is read.
          <>
            {destination.data && (
              <>
                <code className="cut url-end">{destination.data.url}</code>
                <CopyButton text={destination.data.url} label="Copy the URL" />
                <DestinationToggle destination={destination.data} />
              </>
            )}
          </>
        }
      />
      <Gate query={destination} what="The destination">
        {(data) => (
          <>
            {tab === '' && <Overview destination={data} />}
            {tab === 'failed' && <Failed destination={data} />}
            {tab === 'settings' && <Settings destination={data} />}
          </>
        )}
      </Gate>
    </Page>
  );
}

function Overview({ destination }: { destination: Destination }) {
  const stats = useDestinationStats(destination.id);
  const latest = useLatest(destination.id);
  return (
    <Together queries={[stats, latest]} rows={12}>
      <div className="dest">
        <div>
          <CircuitCard destination={destination} waiting={stats.data?.waiting} />
          <LatestDeliveries destination={destination}>
            <Gate query={stats} what="The latency" rows={3}>
              {({ histogram }) => <LatencyChart buckets={histogram} />}
            </Gate>
          </LatestDeliveries>
          <TestDelivery destination={destination} />
        </div>
        <div>
          <Panel title="Delivery" end={<Link className="link" href={`/destinations/${destination.id}/settings`}>Edit</Link>}>
            <Facts
              facts={[
                ['Status', destination.status === 'paused' ? <StateLabel state="paused" /> : 'Active'],
                ['Timeout', seconds(destination.timeout_ms / 1000)],
                ['Signing', AUTH_NAMES[destination.auth_config.type]],
                ['In flight', `at most ${destination.max_in_flight} per node`],
                ['Rate limit', destination.rate_limit === null ? 'none' : `${destination.rate_limit.per_second} per second per node`],
                ['Custom headers', <HeaderList destination={destination} />],
              ]}
            />
          </Panel>
          <Panel title="Retry schedule">
            <RetryRuler intervals={destination.retry_policy.intervals_seconds} />
          </Panel>
          <FedBy destination={destination} />
        </div>
      </div>
    </Together>
  );
}

function HeaderList({ destination }: { destination: Destination }) {
  const all = Object.entries(destination.custom_headers);
  if (all.length === 0) return <>none</>;
  return (
    <>
      {all.map(([name, value]) => (
        <div key={name} className="mono">
          {name}: {value}
        </div>
      ))}
    </>
  );
}

function CircuitCard({ destination, waiting }: { destination: Destination; waiting: Schemas['WaitingDeliveries'] | undefined }) {
  const now = useNow();
  const state = circuitState(destination.circuit_state);
  const isHeld = destination.circuit_state !== 'closed' || destination.status === 'paused';
  const isOpen = destination.circuit_state === 'open' && destination.circuit_reopen_at !== null;
  const sentences = {
    closed: 'Deliveries go out as they come. After 5 failures in a row the circuit opens, and deliveries wait instead of failing.',
    open: `Attempts kept failing. ${held(waiting)} Nothing is lost: they go out when a probe succeeds.`,
    half_open: 'One probe is on its way. If it succeeds, the held deliveries follow; if not, the circuit opens again for longer.',
  };
  return (
    <section className="panel circ" aria-label="Circuit">
      <div className="cd">
        <span>
          <Chip state={state} />
        </span>
        {isOpen && (
          <>
            <span className="big">{countdown(destination.circuit_reopen_at ?? '', now)}</span>
            <span className="muted small">until one probe is sent</span>
          </>
        )}
        {destination.status === 'paused' && (
          <span className="gap-top">
            <StateLabel state="paused" />
          </span>
        )}
      </div>
      <div className="tx">
        <p className="why">{sentences[destination.circuit_state]}</p>
        <CircuitStates current={destination.circuit_state} />
        {isHeld && waiting !== undefined && waiting.count > 0 && (
          <p>
            <ButtonLink to={`/events?destination=${destination.id}&status=pending,delivering`}>See what waits</ButtonLink>
          </p>
        )}
      </div>
    </section>
  );
}

/** `412 deliveries are held, the oldest for 6 min.` */
function held(waiting: Schemas['WaitingDeliveries'] | undefined): string {
  if (waiting === undefined || waiting.count === 0) return 'Deliveries are held.';
  const oldest = waiting.oldest_age_seconds === null ? '' : `, the oldest for ${coarse(waiting.oldest_age_seconds * 1000)}`;
  return `${plural(waiting.count, 'delivery is held', 'deliveries are held')}${oldest}.`;
}

const STEPS: { state: Schemas['CircuitState']; label: string; x: number; tone: string }[] = [
  { state: 'closed', label: 'Healthy', x: 0, tone: 'delivered' },
  { state: 'open', label: 'Circuit open', x: 232, tone: 'failed' },
  { state: 'half_open', label: 'Recovering', x: 464, tone: 'retrying' },
];

function CircuitStates({ current }: { current: Schemas['CircuitState'] }) {
  return (
    <svg viewBox="0 0 572 64" className="circuit-map" role="img" aria-label="Five failures open the circuit; after the cooldown a probe decides whether it closes or opens again">
      <g fill="none" stroke="var(--line-control)">
        <path d="M107 17h122m-6-4l6 4-6 4" />
        <path d="M339 17h122m-6-4l6 4-6 4" />
        <path d="M516 32v18H286V36m-4 5l4-6 4 6" />
      </g>
      <text className="axis" x="168" y="10" textAnchor="middle">
        5 failures
      </text>
      <text className="axis" x="400" y="10" textAnchor="middle">
        cooldown passes
      </text>
      <text className="axis" x="400" y="61" textAnchor="middle">
        probe fails: wait longer
      </text>
      {STEPS.map((step) => {
        const isHere = step.state === current;
        return (
          <g key={step.state}>
            <rect x={step.x + 0.5} y="2.500" width="106" height="29" rx="6" fill={isHere ? `var(--${step.tone}-bg)` : 'var(--surface)'} stroke={isHere ? `var(--${step.tone}-border)` : 'var(--line-control)'} />
            <text x={step.x + 53} y="21" textAnchor="middle" className={isHere ? `step t-${step.tone}` : 'step'}>
              {step.label}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function Failed({ destination }: { destination: Destination }) {
  const { zone } = usePreferences();
  const now = useNow();
  const [, navigate] = useLocation();
  const letters = useDeadLetters({ destination_id: destination.id, limit: FAILED_ROWS });
  return (
    <Gate query={letters} what="Failed deliveries" rows={4}>
      {(data) =>
        data.items.length === 0 ? (
          <Blank icon="delivered" title="No failed deliveries">
            Every delivery in the retention window got through, or still has attempts left.
          </Blank>
        ) : (
          <table className="fits">
            <thead>
              <tr>
                <th className="c-at">Ended</th>
                <th className="c-state">State</th>
                <th className="c-err">Error</th>
                <th className="wide">Reason</th>
                <th className="c-n r">Attempts</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((one) => (
                <tr key={one.id} onClick={() => navigate(deliveryPath(one))}>
                  <td className="mono">
                    <Link href={deliveryPath(one)}>{clock(one.finished_at, zone)}</Link>
                  </td>
                  <td>
                    <StateLabel state={one.status === 'failed' ? 'rejected' : 'gaveup'} />
                  </td>
                  <td>{errorLabel(one.last_error_code, one.last_response_status)}</td>
                  <td className="wide muted cut" title={withTimes(one.reason, zone, now)}>
                    {withTimes(one.reason, zone, now)}
                  </td>
                  <td className="r">{one.attempt_count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Gate>
  );
}

function FedBy({ destination }: { destination: Destination }) {
  const connections = useConnections({ destination_id: destination.id });
  const own = connections.data?.items ?? [];
  const sources = useSourcesById(own.map((one) => one.source_id));
  const total = connections.data?.total ?? 0;
  return (
    <Panel title={<>Fed by <Badge>{count(total)}</Badge></>} flush end={<ButtonLink kind="quiet" to={`/connections?new=1&destination=${destination.id}`}>Connect</ButtonLink>}>
      <Gate query={connections} what="Connections" rows={2}>
        {() =>
          own.length === 0 ? (
            <Blank icon="conns" title="No connections" />
          ) : (
            <ul className="links">
              {own.map((one) => {
                const source = sources.get(one.source_id);
                return (
                  <li key={one.id}>
                    <Link href={`/connections/${one.id}`} className="cut">
                      <SourceName name={source?.name ?? 'a source'} color={source?.color} />
                    </Link>
                    <span className="muted small">{one.enabled ? (one.filter_rules === null ? 'everything' : plural(one.filter_rules.rules.length, 'rule')) : 'disabled'}</span>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Gate>
    </Panel>
  );
}

function Settings({ destination }: { destination: Destination }) {
  const [isDeleting, setDeleting] = useState(false);
  const { zone } = usePreferences();
  return (
    <div className="pad">
      <div className="narrow stack">
        <Panel title="Settings" note={`last changed ${dateTime(destination.updated_at, zone)}`}>
          <KeepEdits stored={destination} edits={settingsOf}>
            {(stored) => <DestinationForm destination={stored} onSaved={() => undefined} />}
          </KeepEdits>
        </Panel>
        <Panel title="Delete">
          <div className="row wrap">
            <p className="muted grow">Ends its waiting deliveries as failed and removes its connections. The history keeps its name.</p>
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete destination
            </Button>
          </div>
        </Panel>
        {isDeleting && <DeleteDestination destination={destination} onClose={() => setDeleting(false)} />}
      </div>
    </div>
  );
}

/** What the form edits: all but what the page itself toggles and what the server changes. */
function settingsOf({ name, url, timeout_ms, retry_policy, max_in_flight, rate_limit, auth_config, custom_headers, secret_headers }: Destination): unknown {
  return [name, url, timeout_ms, retry_policy, max_in_flight, rate_limit, auth_config, custom_headers, secret_headers];
}

function DeleteDestination({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/destinations/{id}', { path: { id: destination.id } }),
    onSuccess: () => {
      forgetUnsaved();
      toast(`${destination.name} is deleted`);
      navigate('/destinations');
      void changed('destinations', 'connections', 'events', 'dlq');
    },
  });
  return (
    <Dialog title={`Delete ${destination.name}?`} onClose={onClose}>
      <div className="in stack">
        <p>This cannot be undone. Deliveries waiting for it end as failed.</p>
        <div className="fld">
          <label htmlFor="confirm-name">
            Type <b className="strong">{destination.name}</b> to confirm
          </label>
          <input id="confirm-name" className="field" autoComplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </div>
        {remove.error && <ErrorNote error={remove.error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" disabled={name !== destination.name || remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </footer>
    </Dialog>
  );
}
