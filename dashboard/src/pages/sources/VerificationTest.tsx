/** Checks a stored event by the settings in the form beside it, before they are saved. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { useEvents } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { clock } from '../../lib/time';
import { ErrorNote } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Button, Panel } from '../../ui/parts';

type Trial = Schemas['VerificationTrial'];

const TITLES: Record<Trial['result'], string> = {
  verified: 'It would pass',
  failed: 'It would be refused',
  skipped: 'It would not be checked',
  unknown: 'This event cannot tell',
};

type Props = {
  source: Schemas['Source'];
  /** What to test, as the form is now. */
  trial: () => 'saved' | 'needs-secret' | Record<string, unknown>;
};

export function VerificationTest({ source, trial: trialNow }: Props) {
  const { zone } = usePreferences();
  const events = useEvents({ source_id: source.id, limit: 20 }, 3_000);
  const [chosen, setChosen] = useState('');
  const items = events.data?.items ?? [];
  const event = items.find((one) => one.id === chosen) ?? items[0];
  const trial = useMutation({
    mutationFn: (id: string) => {
      const config = trialNow();
      if (config === 'needs-secret') throw new Error('Enter the secret again to test these changes. A stored secret never leaves the server.');
      return call('POST /api/v1/sources/{id}/verify', { path: { id: source.id }, body: { event_id: id, ...(config === 'saved' ? {} : { verification_config: config }) } });
    },
  });
  return (
    <Panel title="Test" note="nothing is saved">
      {event === undefined ? (
        <p className="muted">Send an event to the source first. It is stored even when it is refused, so that these settings can be tried on it.</p>
      ) : (
        <div className="stack">
          <select className="field" aria-label="Event to check" value={event.id} onChange={(change) => setChosen(change.currentTarget.value)}>
            {items.map((one) => (
              <option key={one.id} value={one.id} selected={one.id === event.id}>
                {clock(one.received_at, zone, true)} {one.id}
              </option>
            ))}
          </select>
          <div>
            <Button disabled={trial.isPending} onClick={() => trial.mutate(event.id)}>
              {event === items[0] ? 'Test against the last event' : 'Test against this event'}
            </Button>
          </div>
          {trial.error && <ErrorNote error={trial.error} />}
          {trial.data && !trial.error && (
            <div className={`verdict ${trial.data.result === 'failed' ? 'bad' : trial.data.result === 'verified' ? '' : 'no'}`} role="status">
              <Icon name={trial.data.result === 'verified' ? 'delivered' : 'unverified'} />
              <div>
                <h2>{TITLES[trial.data.result]}</h2>
                <p>{trial.data.message}</p>
              </div>
            </div>
          )}
        </div>
      )}
    </Panel>
  );
}
