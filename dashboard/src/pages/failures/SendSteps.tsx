/** Sends five first and then all, so that a mistake costs only five deliveries. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client';
import { useReplay } from '../../api/queries';
import type { Filter } from '../../lib/deadLetters';
import { count } from '../../lib/text';
import { ErrorNote } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Button, Facts, Note } from '../../ui/parts';
import { ReplayProgress } from '../replays/ReplayRow';
import { ApiCalls, SendDialog, sent } from './SendDialog';

const FIRST = 5;

type StepsProps = {
  filter: Filter;
  what: string;
  /** How many the list of groups said there are, which is known at once. */
  listed: number;
  /** How many are unresolved now; undefined while that is not known. */
  unresolved: number | undefined;
  /** The replay of the first five, once there is one. */
  replayId: string | undefined;
  onSent: (replayId: string) => void;
};

export function SendSteps({ filter, what, listed, unresolved, replayId, onSent }: StepsProps) {
  const [isShown, setShown] = useState<'all' | 'api' | null>(null);
  const [before, setBefore] = useState<number>();
  const number = unresolved ?? listed;
  const isNothing = number === 0;
  const first = useMutation({
    mutationFn: () => call('POST /api/v1/dlq/resend', { body: { ...filter, limit: FIRST } }),
    onMutate: () => setBefore(unresolved),
    onSuccess: ({ replay_id }) => {
      if (replay_id !== undefined) onSent(replay_id);
      sent();
    },
  });
  return (
    <div className="canary">
      <div>
        <h3 className="step-h">
          <span className="n">1</span>Send five first
        </h3>
        {replayId === undefined ? (
          <p className="muted">The oldest, with the URL and transformation as they are now.</p>
        ) : (
          <FirstFive id={replayId} before={before} now={unresolved} />
        )}
        {first.data?.reason !== undefined && <Note>{first.data.reason}</Note>}
        {first.error && <ErrorNote error={first.error} />}
        <div className="row">
          <Button kind={replayId === undefined ? 'primary' : 'normal'} disabled={isNothing || first.isPending || unresolved === undefined} onClick={() => first.mutate()}>
            {replayId === undefined ? 'Send five first' : 'Send five more'}
          </Button>
        </div>
      </div>
      <div>
        <h3 className="step-h">
          <span className={`n ${replayId === undefined ? 'next' : ''}`}>2</span>Send all
        </h3>
        <Facts
          facts={[
            // What a resend would create takes the server up to five seconds to count: the next step shows it.
            ['How many', `${count(number)} unresolved`],
            ['Left out', 'what is under way, and what was dismissed'],
          ]}
        />
        <div className="row wrap">
          <Button kind={replayId === undefined ? 'normal' : 'primary'} disabled={isNothing} onClick={() => setShown('all')}>
            Send all
          </Button>
          <Button kind="quiet" icon="api" onClick={() => setShown('api')}>
            Show as API call
          </Button>
        </div>
      </div>
      {isShown === 'all' && <SendDialog filter={filter} what={what} onClose={() => setShown(null)} />}
      {isShown === 'api' && <ApiCalls filter={filter} onClose={() => setShown(null)} />}
    </div>
  );
}

/** The replay only creates deliveries. How many stay unresolved shows whether they got through. */
function FirstFive({ id, before, now }: { id: string; before: number | undefined; now: number | undefined }) {
  const replay = useReplay(id);
  return (
    <>
      <Gate query={replay} what="The replay" rows={1}>
        {(data) => <ReplayProgress replay={data} />}
      </Gate>
      <p role="status">
        {before !== undefined && now !== undefined && `${count(before)} were unresolved, ${count(now)} are now, including those under way. `}
        <Link className="link" href={`/replays/${id}`}>
          Open the replay
        </Link>
      </p>
    </>
  );
}
