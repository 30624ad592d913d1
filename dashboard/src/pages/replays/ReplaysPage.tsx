/** Replays that run in the background, with their progress. */
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useConnections, useReplays, useSources } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { useSearchState } from '../../lib/search';
import { count, shortId } from '../../lib/text';
import { dateTime } from '../../lib/time';
import { Page } from '../../shell/Page';
import { Gate } from '../../ui/gate';
import { Ago, Blank, Button, ButtonLink, StateLabel } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { Paging } from '../events/EventsPage';

type Replay = Schemas['Replay'];

export function ReplaysPage() {
  const search = useSearchState();
  const page = Number(search.get('page')) || 1;
  const replays = useReplays(page);
  const connections = useConnections();
  const sources = useSources();
  const nameOf = (id: string | null) => {
    if (id === null) return 'Several connections';
    const connection = connections.data?.items.find((one) => one.id === id);
    const source = sources.data?.items.find((one) => one.id === connection?.source_id);
    return connection ? `${source?.name ?? 'a source'} to ${connection.destination.name}` : shortId(id);
  };
  return (
    <Page title="Replays">
      <div className="list">
        <Gate query={replays} what="Replays">
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="replays" title="No replay in the last 30 days" action={<ButtonLink to="/failures">Open Failures</ButtonLink>}>
                Replays of more than 2 000 events run here, in the background. Smaller ones start at once and need no page.
              </Blank>
            ) : (
              <>
                <table>
                  <thead>
                    <tr>
                      <th className="c-at">Started</th>
                      <th>Connection</th>
                      <th className="wide c-ver">Of</th>
                      <th className="c-state">State</th>
                      <th>Progress</th>
                      <th className="c-act" />
                    </tr>
                  </thead>
                  <tbody>
                    {data.items.map((replay) => (
                      <Row key={replay.id} replay={replay} name={nameOf(replay.connection_id)} />
                    ))}
                  </tbody>
                </table>
                <Paging search={search} total={data.total} page={page} />
              </>
            )
          }
        </Gate>
      </div>
    </Page>
  );
}

const STATES: Record<Replay['status'], { state: 'delivering' | 'delivered' | 'rejected' | 'held'; label: string }> = {
  running: { state: 'delivering', label: 'Running' },
  paused: { state: 'held', label: 'Paused' },
  completed: { state: 'delivered', label: 'Completed' },
  cancelled: { state: 'held', label: 'Cancelled' },
  failed: { state: 'rejected', label: 'Failed' },
};

function Row({ replay, name }: { replay: Replay; name: string }) {
  const { zone } = usePreferences();
  const cancel = useMutation({
    mutationFn: () => call('POST /api/v1/replays/{id}/cancel', { path: { id: replay.id } }),
    onSuccess: () => {
      toast('Cancelled. Deliveries that were made go out');
      void changed('replays');
    },
    onError: (error) => toast(error.message),
  });
  const done = replay.created + replay.skipped;
  const share = replay.planned === 0 ? (replay.status === 'completed' ? 1 : 0) : Math.min(1, done / replay.planned);
  const { state, label } = STATES[replay.status];
  const pace = replay.status === 'running' ? rate(replay) : null;
  return (
    <tr>
      <td className="muted at" title={dateTime(replay.created_at, zone)}>
        <Ago time={replay.created_at} />
      </td>
      <td className="sum">
        {replay.connection_id === null ? name : <Link href={`/connections/${replay.connection_id}`}>{name}</Link>}
      </td>
      <td className="wide muted">{replay.statuses.join(', ')}</td>
      <td className="dl">
        <StateLabel state={state} label={label} />
      </td>
      <td className="src-c">
        <div className="progress">
          <progress className={state} max={1} value={share} aria-label={`${Math.round(share * 100)} %`} />
          <span className="num small">
            {count(done)} of {replay.is_exact ? '' : 'at least '}
            {count(replay.planned)}
            {replay.skipped > 0 && `, ${count(replay.skipped)} left out`}
            {pace !== null && `, ${count(pace)} per second`}
          </span>
        </div>
        {replay.reason !== null && <p className="t-failed small">{replay.reason}</p>}
      </td>
      <td className="r">
        {(replay.status === 'running' || replay.status === 'paused') && (
          <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        )}
      </td>
    </tr>
  );
}

function rate(replay: Replay): number | null {
  const seconds = (Date.parse(replay.updated_at) - Date.parse(replay.created_at)) / 1000;
  return seconds < 1 ? null : Math.round((replay.created + replay.skipped) / seconds);
}
