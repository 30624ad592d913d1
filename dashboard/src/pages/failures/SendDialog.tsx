/** Resends the dead letters of a filter. Shows the count, offers a rate limit, and asks the user to type the number if there are many. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useResendCount } from '../../api/queries';
import { rateOf, type Filter } from '../../lib/deadLetters';
import { apiCall } from '../../lib/requests';
import { plural } from '../../lib/text';
import { Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Blank, Button, CopyButton } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { RateField } from '../replays/ReplayRow';

type Resent = Schemas['DeadLettersResent'];

/** Above this number, the user must type it before anything is sent. */
const TYPED_ABOVE = 1_000;

/** `12 deliveries`, `at least 12 deliveries`. */
export function resendSize(counted: Pick<Resent, 'would_create' | 'is_exact'>): string {
  return `${counted.is_exact ? '' : 'at least '}${plural(counted.would_create ?? 0, 'delivery', 'deliveries')}`;
}

/** Refreshes every page that shows what a resend changes. */
export function sent(): void {
  void changed('dlq', 'events', 'replays');
}

export function SendDialog({ filter, what, onClose }: { filter: Filter; what: string; onClose: () => void }) {
  const counted = useResendCount(filter);
  return (
    <Dialog title="Send all again?" onClose={onClose}>
      <Gate query={counted} what="The count" rows={2}>
        {(data) =>
          data.would_create === 0 ? (
            <Blank icon="delivered" title="Nothing to send">
              {data.reason ?? 'What matches is under way or was delivered since, or its connection is disabled.'}
            </Blank>
          ) : (
            <SendForm filter={filter} what={what} counted={data} onClose={onClose} />
          )
        }
      </Gate>
    </Dialog>
  );
}

function SendForm({ filter, what, counted, onClose }: { filter: Filter; what: string; counted: Resent; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const number = counted.would_create ?? 0;
  const isTyped = number > TYPED_ABOVE;
  const send = async (values: FormData) => {
    const made = await call('POST /api/v1/dlq/resend', { body: { ...filter, per_second: rateOf(text(values, 'per_second')) } });
    sent();
    onClose();
    if (made.replay_id === undefined) {
      toast(made.reason ?? 'Nothing was left to send');
      return;
    }
    toast(`A replay of ${made.is_exact ? '' : 'at least '}${plural(made.created, 'delivery', 'deliveries')} started`);
    navigate(`/replays/${made.replay_id}`);
  };
  return (
    <Form
      onSubmit={send}
      footer={(isBusy) => (
        <footer>
          <Button onClick={onClose}>Do not send</Button>
          <Button type="submit" kind="primary" disabled={isBusy || (isTyped && typed.trim() !== String(number))}>
            Send {resendSize(counted)}
          </Button>
        </footer>
      )}
    >
      <p>
        {what}: {resendSize(counted)}, oldest first, with the URL and transformation as they are now. Disabled and deleted connections are left out.
      </p>
      <RateField />
      {isTyped && (
        <div className="fld">
          <label htmlFor="confirm-number">Type {number} to confirm</label>
          <input id="confirm-number" className="field" inputMode="numeric" autoComplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </div>
      )}
    </Form>
  );
}

/** The same requests as shell commands. */
export function ApiCalls({ filter, onClose }: { filter: Filter; onClose: () => void }) {
  const calls: [string, string][] = [
    ['Send five first', apiCall('POST', '/api/v1/dlq/resend', JSON.stringify({ ...filter, limit: 5 }))],
    ['Send all', apiCall('POST', '/api/v1/dlq/resend', JSON.stringify(filter))],
    ['Dismiss all', apiCall('POST', '/api/v1/dlq/dismiss', JSON.stringify(filter))],
  ];
  return (
    <Dialog title="As API calls" wide onClose={onClose}>
      <div className="in stack">
        {calls.map(([title, line]) => (
          <div key={title} className="stack-s">
            <h3>{title}</h3>
            <div className="with-copy">
              <pre className="code grow">{line}</pre>
              <CopyButton text={line} label={`Copy: ${title}`} />
            </div>
          </div>
        ))}
        <p className="faint small">
          With <code>"dry_run": true</code> nothing is sent and only the number is returned. <code>"per_second"</code> sets a rate.
        </p>
      </div>
    </Dialog>
  );
}
