/** One group of failures: what to do, a replay in two steps, a sample answer, and its deliveries. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useDeadLetters, useDestination, useEvent, useSources } from '../../api/queries';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { apiCall } from '../../lib/requests';
import { deliveryState, errorAdvice, errorLabel, STATES, type StateName } from '../../lib/states';
import { count, plural, shortId, visible } from '../../lib/text';
import { clock, duration, when } from '../../lib/time';
import { ErrorNote } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
import { Dialog } from '../../ui/overlay';
import { Badge, Button, Chip, CopyButton, Facts, Panel, SourceName, StateLabel } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { DestinationToggle } from '../destinations/DestinationsPage';
import { isRejected } from './FailuresPage';

type Group = Schemas['FailureGroup'];
type Letter = Schemas['DeadLetter'];

const CANARIES = 5;
const FAILED = ['failed', 'exhausted'];
/** Above this number the person types it before the replay starts. */
const TYPED_ABOVE = 1_000;

export function GroupDetail({ group, onBack }: { group: Group; onBack: () => void }) {
  const { zone } = usePreferences();
  const now = useNow(10_000);
  const destination = useDestination(group.destination_id);
  const letters = useDeadLetters({
    destination_id: group.destination_id,
    error_code: group.error_code ?? undefined,
    response_status: group.response_status ?? undefined,
    limit: 50,
  });
  const example = useEvent(group.example_event_id);
  const delivery = example.data?.deliveries.find((one) => one.id === group.example_delivery_id);
  const attempt = delivery?.attempts.at(-1);
  return (
    <div className="gd">
      <div className="head">
        <div className="row wrap">
          <span className="only-s">
            <Button kind="quiet" onClick={onBack}>
              All groups
            </Button>
          </span>
          <h2 className="gd-title">{errorLabel(group.error_code, group.response_status)}</h2>
          <Chip state={isRejected(group) ? 'rejected' : 'gaveup'} />
          <span className="end row">
            {destination.data && (
              <>
                <span className="muted small">{destination.data.name}</span>
                <DestinationToggle destination={destination.data} />
              </>
            )}
          </span>
        </div>
        <p className="muted">
          {plural(group.count, 'delivery', 'deliveries')} since {when(group.first_seen, zone, now)}, all to{' '}
          <Link href={`/destinations/${group.destination_id}`} className="strong">
            {group.destination_name}
          </Link>
          . {errorAdvice(group.error_code, group.response_status)}
        </p>
      </div>
      <Gate query={letters} what="The deliveries" rows={4}>
        {(data) => <Replay group={group} letters={data.items} />}
      </Gate>
      {attempt && (
        <Panel title="Sample answer" note={`attempt ${attempt.attempt_number} of the newest event`} end={<Link className="link" href={`/events/${group.example_event_id}`}>Open the event</Link>}>
          <pre className="resp">
            {attempt.response_status === null ? (
              <span className="t-failed">{attempt.error_message}</span>
            ) : (
              <>
                HTTP/1.1 <b className="t-failed">{attempt.response_status}</b> <span className="faint">in {duration(attempt.latency_ms)}</span>
                {'\n'}
                {visible(attempt.response_body ?? '')}
              </>
            )}
          </pre>
        </Panel>
      )}
      <Panel title={<>Deliveries <Badge>{count(letters.data?.total ?? group.count)}</Badge></>} flush>
        <Gate query={letters} what="The deliveries" rows={4}>
          {(data) => <Letters letters={data.items} />}
        </Gate>
      </Panel>
    </div>
  );
}

function nowState(letter: Letter): StateName {
  return deliveryState({ status: letter.latest_status, reason: '', attempt_count: 0 });
}

function Letters({ letters }: { letters: Letter[] }) {
  const { zone } = usePreferences();
  const [, navigate] = useLocation();
  const sources = useSources();
  return (
    <table className="fits">
      <thead>
        <tr>
          <th className="c-at">Received</th>
          <th className="c-src">Source</th>
          <th className="wide">Event</th>
          <th className="c-now">Now</th>
          <th className="c-n r">Attempts</th>
        </tr>
      </thead>
      <tbody>
        {letters.map((letter) => {
          const source = sources.data?.items.find((one) => one.id === letter.source_id);
          const state = nowState(letter);
          const isReplayed = letter.latest_status === 'succeeded';
          return (
            <tr key={letter.id} onClick={() => navigate(`/events/${letter.event_id}`)}>
              <td className="mono">
                <Link href={`/events/${letter.event_id}`}>{clock(letter.received_at, zone)}</Link>
              </td>
              <td>
                <SourceName name={source?.name ?? shortId(letter.source_id)} color={source?.color} />
              </td>
              <td className="wide mono muted">{shortId(letter.event_id)}</td>
              <td>
                <StateLabel state={state} label={isReplayed ? 'Delivered on replay' : undefined} />
              </td>
              <td className="r">{letter.attempt_count}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Five first, then all: a mistake costs five deliveries. */
function Replay({ group, letters }: { group: Group; letters: Letter[] }) {
  const [sent, setSent] = useState<Letter[]>([]);
  const [isShown, setShown] = useState<'api' | 'confirm' | null>(null);
  const waiting = letters.filter((one) => one.latest_status === 'failed' || one.latest_status === 'exhausted');
  const canaries = waiting.slice(0, CANARIES);
  const connections = [...new Set(letters.map((one) => one.connection_id))];

  const canary = useMutation({
    mutationFn: async (some: Letter[]) => {
      for (const one of some) {
        await call('POST /api/v1/events/{id}/resend', { path: { id: one.event_id }, body: { connection_ids: [one.connection_id] } });
      }
    },
    onMutate: (some) => setSent(some),
    onSettled: () => changed('dlq', 'events'),
  });
  const estimate = useQuery({
    queryKey: ['dlq', 'estimate', connections],
    queryFn: async () => {
      const all = await Promise.all(connections.map((id) => call('POST /api/v1/deliveries/resend-bulk', { body: { connection_id: id, statuses: FAILED, dry_run: true } })));
      return all.reduce((sum, one) => sum + (one.would_create ?? 0), 0);
    },
    enabled: connections.length > 0,
  });
  const all = useMutation({
    mutationFn: async () => {
      const made = await Promise.all(connections.map((id) => call('POST /api/v1/deliveries/resend-bulk', { body: { connection_id: id, statuses: FAILED } })));
      return { created: made.reduce((sum, one) => sum + one.created, 0), isJob: made.some((one) => one.replay_id !== undefined) };
    },
    onSuccess: ({ created, isJob }) => {
      toast(isJob ? `A replay of about ${count(created)} started: see Replays` : `${plural(created, 'delivery', 'deliveries')} on the way`);
      void changed('dlq', 'events', 'replays');
    },
  });
  const rest = estimate.data ?? 0;
  return (
    <div className="canary">
      <div>
        <h3 className="step-h">
          <span className="n">1</span>Replay {Math.min(CANARIES, Math.max(1, sent.length || canaries.length))} first
        </h3>
        {sent.length === 0 ? (
          <>
            <p className="muted">The newest, with the URL and transformation as they are now.</p>
            <div className="row">
              <Button kind="primary" disabled={canaries.length === 0 || canary.isPending} onClick={() => canary.mutate(canaries)}>
                Replay {plural(canaries.length, 'event')}
              </Button>
            </div>
          </>
        ) : (
          <Canaries sent={sent} onAgain={() => setSent([])} />
        )}
        {canary.error && <ErrorNote error={canary.error} />}
      </div>
      <div>
        <h3 className="step-h">
          <span className={`n ${sent.length === 0 ? 'next' : ''}`}>2</span>Replay the rest
        </h3>
        <Facts
          facts={[
            ['How many', estimate.isError ? 'could not be counted' : estimate.data === undefined ? 'counting' : plural(rest, 'event')],
            ['Scope', `all that failed on ${plural(connections.length, 'connection')}, whatever the error`],
            ['Left out', 'what was delivered since, or is under way'],
          ]}
        />
        <div className="row wrap">
          <Button kind={sent.length > 0 ? 'primary' : 'normal'} disabled={rest === 0 || all.isPending} onClick={() => (rest > TYPED_ABOVE ? setShown('confirm') : all.mutate())}>
            Replay {plural(rest, 'event')}
          </Button>
          <Button kind="quiet" icon="api" onClick={() => setShown('api')}>
            Show as API call
          </Button>
        </div>
        {all.error && <ErrorNote error={all.error} />}
      </div>
      {isShown === 'confirm' && <Confirm number={rest} onClose={() => setShown(null)} onConfirm={() => all.mutate()} />}
      {isShown === 'api' && (
        <Dialog title="As API calls" wide onClose={() => setShown(null)}>
          <div className="in stack">
            {connections.map((id) => {
              const text = apiCall('POST', '/api/v1/deliveries/resend-bulk', JSON.stringify({ connection_id: id, statuses: FAILED }));
              return (
                <div key={id} className="with-copy">
                  <pre className="code grow">{text}</pre>
                  <CopyButton text={text} />
                </div>
              );
            })}
            <p className="faint small">
              With <code>"dry_run": true</code> nothing is sent and the number is answered. All of {group.destination_name} can also be read with <code>GET /api/v1/dlq</code>.
            </p>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Canaries({ sent, onAgain }: { sent: Letter[]; onAgain: () => void }) {
  const states = useQuery({
    queryKey: ['dlq', 'canaries', sent.map((one) => one.event_id)],
    queryFn: () =>
      Promise.all(
        sent.map(async (one) => {
          const event = await call('GET /api/v1/events/{id}', { path: { id: one.event_id } });
          const newest = event.deliveries.filter((other) => other.connection_id === one.connection_id).sort((a, b) => (a.id < b.id ? 1 : -1))[0];
          return { state: newest ? deliveryState(newest) : ('waiting' as StateName), status: newest?.attempts.at(-1)?.response_status ?? null };
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.every((one) => one.state === 'delivered' || one.state === 'rejected' || one.state === 'gaveup') ? false : 700),
  });
  const done = states.data?.filter((one) => one.state === 'delivered').length ?? 0;
  return (
    <>
      <ul className="five">
        {(states.data ?? sent.map(() => ({ state: 'delivering' as StateName, status: null }))).map((one, i) => (
          <li key={i}>
            <Icon name={STATES[one.state].icon} className={`is-${STATES[one.state].tone}`} />
            <span>{one.status ?? STATES[one.state].label}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        <p className={done === sent.length ? 't-delivered' : 'muted'} role="status">
          {done} of {sent.length} delivered.
        </p>
        <span className="end">
          <Button kind="quiet" onClick={onAgain}>
            Try others
          </Button>
        </span>
      </div>
    </>
  );
}

function Confirm({ number, onClose, onConfirm }: { number: number; onClose: () => void; onConfirm: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={`Replay ${count(number)} events?`} onClose={onClose}>
      <div className="in stack">
        <p>They run in the background, oldest first, and can be cancelled under Replays.</p>
        <div className="fld">
          <label htmlFor="confirm-number">Type {number} to confirm</label>
          <input id="confirm-number" className="field" inputMode="numeric" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </div>
      </div>
      <footer>
        <Button onClick={onClose}>Do not replay</Button>
        <Button
          kind="primary"
          disabled={typed.trim() !== String(number)}
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          Replay {count(number)} events
        </Button>
      </footer>
    </Dialog>
  );
}
