/** One delivery: its state and reason on one line, and its attempts below, closed at first if there was only one and it succeeded. */
import { Fragment, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { usePreferences } from '../../lib/preferences';
import { useSearchState } from '../../lib/search';
import { deliveryState, errorAdvice, errorLabel, reasonBesideLabel, STATES } from '../../lib/states';
import { visible } from '../../lib/text';
import { clock, duration, withTimes } from '../../lib/time';
import { Icon } from '../../ui/icons';
import { sendingKey } from './Sent';
import { Timeline } from './Timeline';

type Delivery = Schemas['Delivery'];

type RowProps = {
  delivery: Delivery;
  now: number;
  isOlder: boolean;
  /** Whether the address names this delivery. */
  isMarked: boolean;
  eventId: string;
};

export function DeliveryRow({ delivery, now, isOlder, isMarked, eventId }: RowProps) {
  const state = deliveryState(delivery);
  const { zone } = usePreferences();
  const { icon, label, tone } = STATES[state];
  const isPlain = delivery.attempts.length === 1 && delivery.status === 'succeeded';
  const hasTimeline = delivery.attempts.length > 0 || delivery.hold !== null;
  const [isOpen, setOpen] = useState(hasTimeline && (isMarked || (!isPlain && !isOlder)));
  const row = useRef<HTMLLIElement>(null);
  const search = useSearchState();
  const only = delivery.attempts[0];
  useEffect(() => {
    if (isMarked) row.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <li ref={row} className={isMarked ? 'd marked' : 'd'} aria-current={isMarked || undefined}>
      <div className="row">
        <Icon name={icon} className={`is-${tone}`} />
        <Link href={`/destinations/${delivery.destination_id}`} className="strong cut">
          {delivery.destination_name}
        </Link>
        <span className={`t-${tone}`}>{label}</span>
        <span className="muted cut x" title={withTimes(delivery.reason, zone, now)}>
          {delivery.trigger === 'resend' && <span className="faint">Resent. </span>}
          {withTimes(reasonOf(delivery), zone, now)}
        </span>
        {hasTimeline ? (
          <span className="row x">
            {isPlain && only && (
              <Link className="link" href={search.href({ tab: 'sent', attempt: sendingKey(delivery, only) })}>
                Sent request
              </Link>
            )}
            <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide attempts' : 'Attempts'}
            </button>
          </span>
        ) : state === 'filtered' ? (
          <Link className="link x" href={`/connections/${delivery.connection_id}?event=${eventId}`}>
            Open filter
          </Link>
        ) : (
          <span />
        )}
      </div>
      {isOpen && hasTimeline && (
        <>
          <Timeline delivery={delivery} now={now} />
          {(delivery.attempts.length > 0 || delivery.next_attempt_at !== null) && <Attempts delivery={delivery} now={now} />}
        </>
      )}
    </li>
  );
}

function reasonOf(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  if (delivery.status === 'succeeded' && last) {
    return `${last.response_status} in ${duration(last.latency_ms)} on attempt ${last.attempt_number}`;
  }
  return reasonBesideLabel(delivery.reason);
}

function Attempts({ delivery, now }: { delivery: Delivery; now: number }) {
  const { zone } = usePreferences();
  const [open, setOpen] = useState<number | null>(null);
  const next = delivery.finished_at === null ? delivery.next_attempt_at : null;
  return (
    <div className="tabw">
      <table>
        <thead>
          <tr>
            <th className="a-n r">#</th>
            <th className="a-at">Started</th>
            <th className="a-res">Result</th>
            <th className="a-lat r">Latency</th>
            <th className="resp-c">Response</th>
          </tr>
        </thead>
        <tbody>
          {delivery.attempts.map((attempt) => {
            const isGood = attempt.error_code === null;
            return (
              <Fragment key={attempt.attempt_number}>
                <tr>
                  <td className="r muted">{attempt.attempt_number}</td>
                  <td className="mono">
                    <button type="button" className="row-link mono" aria-expanded={open === attempt.attempt_number} title="Show the attempt in full" onClick={() => setOpen(open === attempt.attempt_number ? null : attempt.attempt_number)}>
                      {clock(attempt.attempted_at, zone, true)}
                    </button>
                  </td>
                  <td>
                    <span className={`state ${isGood ? 't-delivered' : 't-failed'}`}>
                      <Icon name={isGood ? 'mk-delivered' : 'mk-failed'} className={isGood ? 'is-delivered' : 'is-failed'} />
                      {isGood ? attempt.response_status : errorLabel(attempt.error_code, attempt.response_status)}
                    </span>
                  </td>
                  <td className="r">{duration(attempt.latency_ms)}</td>
                  <td className="cut muted resp-c">{answerOf(attempt)}</td>
                </tr>
                {open === attempt.attempt_number && (
                  <tr className="full">
                    <td />
                    <td colSpan={4}>
                      <AttemptInFull delivery={delivery} attempt={attempt} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
          {next !== null && Date.parse(next) > now && (
            <tr>
              <td className="r muted">{delivery.attempt_count + 1}</td>
              <td className="mono">{clock(next, zone)}</td>
              <td>
                <span className="state t-retrying">
                  <Icon name="mk-retrying" className="is-retrying" />
                  Scheduled
                </span>
              </td>
              <td className="r">–</td>
              <td className="cut muted resp-c">Each wait may vary at random</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function answerOf(attempt: Schemas['Attempt']) {
  if (attempt.response_body) return <code>{visible(attempt.response_body.slice(0, 200))}</code>;
  return attempt.error_message ?? 'No body';
}

function AttemptInFull({ delivery, attempt }: { delivery: Delivery; attempt: Schemas['Attempt'] }) {
  const search = useSearchState();
  const key = sendingKey(delivery, attempt);
  return (
    <div className="attempt-full">
      <p>
        <code>POST {attempt.request_url}</code>
      </p>
      <p className="row">
        <Link className="link" href={search.href({ tab: 'sent', attempt: key })}>
          Sent request
        </Link>
        <Link className="link" href={search.href({ tab: 'diff', attempt: key })}>
          What was changed
        </Link>
      </p>
      {attempt.error_message !== null && <p>{attempt.error_message}</p>}
      {attempt.error_code !== null && <p className="faint">{errorAdvice(attempt.error_code, attempt.response_status)}</p>}
      {attempt.response_body !== null && attempt.response_body !== '' && <pre className="resp">{visible(attempt.response_body)}</pre>}
    </div>
  );
}
