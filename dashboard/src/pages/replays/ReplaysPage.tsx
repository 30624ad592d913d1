/** Replays that run in the background, with their progress, or only the one whose id is in the address. */
import { useParams } from 'wouter';
import type { Schemas } from '../../api/client';
import { useConnectionsById, useReplays, useSourcesById } from '../../api/queries';
import { useSearchState } from '../../lib/search';
import { count, shortId } from '../../lib/text';
import { Page } from '../../shell/Page';
import { Gate } from '../../ui/gate';
import { Blank, ButtonLink } from '../../ui/parts';
import { Paging } from '../events/EventsPage';
import { ReplayDetail } from './ReplayDetail';
import { ReplayRow } from './ReplayRow';
import { connectionName } from './words';

type Replay = Schemas['Replay'];

export function ReplaysPage() {
  const { id } = useParams<{ id?: string }>();
  if (id !== undefined) return <ReplayDetail key={id} id={id} />;
  return (
    <Page title="Replays">
      <div className="list">
        <AllReplays />
      </div>
    </Page>
  );
}

function AllReplays() {
  const search = useSearchState();
  const page = Number(search.get('page')) || 1;
  const replays = useReplays(page);
  return (
    <Gate query={replays} what="Replays">
      {(data) =>
        data.items.length === 0 ? (
          <Blank icon="replays" title="No replays in the last 30 days" action={<ButtonLink to="/failures">Open Failures</ButtonLink>}>
            Failures that are sent again are shown here with their progress, and can be paused, slowed down and cancelled.
          </Blank>
        ) : (
          <>
            <ReplayTable replays={data.items} />
            <Paging search={search} total={data.total} page={page} />
          </>
        )
      }
    </Gate>
  );
}

function ReplayTable({ replays }: { replays: Replay[] }) {
  const connections = useConnectionsById(replays.flatMap((one) => one.connection_id ?? []));
  const sources = useSourcesById([...connections.values()].map((one) => one.source_id));
  const nameOf = (replay: Replay) => {
    if (replay.connection_id === null) return `${count(replay.connection_ids.length)} connections`;
    return connectionName(connections.get(replay.connection_id), sources) ?? shortId(replay.connection_id);
  };
  return (
    <table>
      <thead>
        <tr>
          <th className="c-at">Started</th>
          <th>Connection</th>
          <th className="wide c-ver">Scope</th>
          <th className="c-state">State</th>
          <th>Progress</th>
          <th className="c-replay" />
        </tr>
      </thead>
      <tbody>
        {replays.map((replay) => (
          <ReplayRow key={replay.id} replay={replay} name={nameOf(replay)} />
        ))}
      </tbody>
    </table>
  );
}
