/** One group of failures: what to do, resending in two steps, a sample response, and its deliveries. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Schemas } from '../../api/client';
import { useDeadLetters, useDestination, useEvent, useSourcesById } from '../../api/queries';
import { filterOf, inQuery, type Filter } from '../../lib/deadLetters';
import { deliveryPath } from '../../lib/deliveryLink';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { deliveryState, errorAdvice, errorLabel } from '../../lib/states';
import { count, plural, shortId, visible } from '../../lib/text';
import { clock, duration, when } from '../../lib/time';
import { Gate } from '../../ui/gate';
import { Badge, Blank, Button, Chip, Panel, SourceName, StateLabel } from '../../ui/parts';
import { DestinationToggle } from '../destinations/DestinationsPage';
import { DismissDialog, UndismissDialog } from './DismissDialog';
import { isRejected } from './FailuresPage';
import { SendSteps } from './SendSteps';

type Group = Schemas['FailureGroup'];
type Letter = Schemas['DeadLetter'];

const OUTCOME_MILLISECONDS = 2_000;

type DetailProps = { group: Group; list: Filter; isResolved: boolean; onBack: () => void; onSent: () => void; onUndoFailed: (error: Error) => void };

export function GroupDetail({ group, list, isResolved, onBack, onSent, onUndoFailed }: DetailProps) {
  const [isShown, setShown] = useState<'dismiss' | 'undismiss' | null>(null);
  const [replayId, setReplayId] = useState<string>();
  const { zone } = usePreferences();
  const now = useNow();
  const destination = useDestination(group.destination_id);
  const filter = filterOf(list, group);
  const what = `${errorLabel(group.error_code, group.response_status)} from ${group.destination_name}${Object.keys(list).length === 0 ? '' : ', with the chosen filters'}`;
  // After a resend, this polls to show how many are left.
  const letters = useDeadLetters({ ...inQuery(filter), resolved: String(isResolved), limit: 50 }, replayId === undefined ? false : OUTCOME_MILLISECONDS);
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
            {isResolved ? <Button onClick={() => setShown('undismiss')}>Undo dismissals</Button> : <Button onClick={() => setShown('dismiss')}>Dismiss</Button>}
          </span>
        </div>
        <p className="muted">
          {plural(group.count, 'delivery', 'deliveries')} {isResolved ? 'delivered later or dismissed, ' : ''}since {when(group.first_seen, zone, now)}, all to{' '}
          <Link href={`/destinations/${group.destination_id}`} className="strong">
            {group.destination_name}
          </Link>
          .{!isResolved && ` ${errorAdvice(group.error_code, group.response_status)}`}
        </p>
      </div>
      {!isResolved && (
        <SendSteps
          filter={filter}
          what={what}
          listed={group.count}
          unresolved={letters.data?.total}
          replayId={replayId}
          onSent={(id) => {
            setReplayId(id);
            onSent();
          }}
        />
      )}
      {attempt && (
        <Panel title="Sample response" note={`attempt ${attempt.attempt_number} of the newest event`} end={<Link className="link" href={deliveryPath({ id: group.example_delivery_id, event_id: group.example_event_id })}>Open the event</Link>}>
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
          {(data) => (data.items.length === 0 ? <Blank icon="delivered" title={isResolved ? 'Nothing here is resolved' : 'Nothing here is unresolved any more'} /> : <Letters letters={data.items} />)}
        </Gate>
      </Panel>
      {isShown === 'dismiss' && <DismissDialog filter={filter} what={what} onClose={() => setShown(null)} onUndoFailed={onUndoFailed} />}
      {isShown === 'undismiss' && <UndismissDialog filter={filter} what={what} onClose={() => setShown(null)} />}
    </div>
  );
}

function Now({ letter }: { letter: Letter }) {
  if (letter.latest_status === 'succeeded') return <StateLabel state="delivered" label="Delivered on replay" />;
  if (letter.dismissed_at !== null) return <StateLabel state="filtered" label="Dismissed" />;
  return <StateLabel state={deliveryState({ status: letter.latest_status, hold: null, attempt_count: 0 })} />;
}

function Letters({ letters }: { letters: Letter[] }) {
  const { zone } = usePreferences();
  const [, navigate] = useLocation();
  const sources = useSourcesById(letters.map((one) => one.source_id));
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
          const source = sources.get(letter.source_id);
          return (
            <tr key={letter.id} onClick={() => navigate(deliveryPath(letter))}>
              <td className="mono">
                <Link href={deliveryPath(letter)}>{clock(letter.received_at, zone)}</Link>
              </td>
              <td>
                <SourceName name={source?.name ?? shortId(letter.source_id)} color={source?.color} />
              </td>
              <td className="wide mono muted">{shortId(letter.event_id)}</td>
              <td>
                <Now letter={letter} />
              </td>
              <td className="r">{letter.attempt_count}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
