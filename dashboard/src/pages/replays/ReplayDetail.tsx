/** One replay: how far it is and how fast, what can be done with it, what it covers, and what is left unresolved. */
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { useConnectionsById, useDeadLetters, useReplay, useSourcesById } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { errorLabel } from '../../lib/states';
import { count, plural, shortId } from '../../lib/text';
import { dateTime, duration } from '../../lib/time';
import { Page } from '../../shell/Page';
import { Gate } from '../../ui/gate';
import { Badge, ButtonLink, CopyButton, Facts, Panel } from '../../ui/parts';
import { Actions, ReplayChip, usePace } from './ReplayRow';
import { connectionName, isOver, progressOf, secondsLeft, sentenceOf, shareOf, STATE_NAMES } from './words';

type Replay = Schemas['Replay'];

/** More names than these would be a list that nobody reads. */
const MAX_NAMES = 20;
const LEFT_MILLISECONDS = 3_000;

export function ReplayDetail({ id }: { id: string }) {
  const replay = useReplay(id);
  const ids = replay.data?.connection_ids ?? [];
  const connections = useConnectionsById(ids.slice(0, MAX_NAMES));
  const sources = useSourcesById([...connections.values()].map((one) => one.source_id));
  const nameOf = (connection: string) => connectionName(connections.get(connection), sources) ?? shortId(connection);
  const title = replay.data === undefined ? 'Replay' : ids.length === 1 ? nameOf(ids[0] ?? '') : `${count(ids.length)} connections`;
  return (
    <Page title={title} up={<Link href="/replays">Replays</Link>}>
      <Gate query={replay} what="The replay">
        {(data) => (
          <div className="dest">
            <div>
              <Progress replay={data} />
              <Left replay={data} destination={data.connection_id === null ? undefined : connections.get(data.connection_id)?.destination} />
            </div>
            <div>
              <Scope replay={data} />
              <Panel title={<>Connections <Badge>{count(ids.length)}</Badge></>} flush>
                <ul className="links">
                  {ids.slice(0, MAX_NAMES).map((one) => (
                    <li key={one}>
                      <Link href={`/connections/${one}`} className="cut">
                        {nameOf(one)}
                      </Link>
                    </li>
                  ))}
                  {ids.length > MAX_NAMES && <li className="faint small">{plural(ids.length - MAX_NAMES, 'more connection')}</li>}
                </ul>
              </Panel>
            </div>
          </div>
        )}
      </Gate>
    </Page>
  );
}

function Progress({ replay }: { replay: Replay }) {
  const share = shareOf(replay);
  const pace = usePace(replay);
  const left = secondsLeft(replay, pace);
  return (
    <section className="panel circ" aria-label="Progress">
      <div className="cd">
        <span>
          <ReplayChip replay={replay} />
        </span>
        <span className="big num">{Math.floor(share * 100)} %</span>
        <span className="muted small num">{progressOf(replay)}</span>
      </div>
      <div className="tx">
        <p className="why">{sentenceOf(replay)}</p>
        <progress className={`wide-bar ${STATE_NAMES[replay.status].state}`} max={1} value={share} aria-label={`${Math.round(share * 100)} %`} />
        <p className="muted small num" role="status">
          {replay.status === 'running' && (pace === null ? 'Measuring the pace' : `${count(pace)} per second${left === null ? '' : `, about ${duration(left * 1000)} left`}`)}
        </p>
        {isOver(replay) ? (
          <p>
            <ButtonLink to="/failures">Open Failures</ButtonLink>
          </p>
        ) : (
          <Actions replay={replay} />
        )}
      </div>
    </section>
  );
}

/** What the replay was to mend, and is not mended yet. The replay itself only creates deliveries. */
function Left({ replay, destination }: { replay: Replay; destination: Schemas['DestinationSummary'] | undefined }) {
  if (replay.connection_id === null || replay.statuses.every((one) => one === 'succeeded')) {
    return (
      <Panel title="What became of them" end={<Link className="link" href="/failures">Open Failures</Link>}>
        <p className="muted">Deliveries that fail again are listed in Failures, grouped by their destination and error.</p>
      </Panel>
    );
  }
  return <Unresolved replay={replay} connection={replay.connection_id} destination={destination} />;
}

function Unresolved({ replay, connection, destination }: { replay: Replay; connection: string; destination: Schemas['DestinationSummary'] | undefined }) {
  const statuses = replay.statuses.filter((one) => one !== 'succeeded');
  const letters = useDeadLetters(
    {
      connection_id: connection,
      status: statuses.join(),
      error_code: replay.error_code ?? undefined,
      response_status: replay.response_status ?? undefined,
      received_after: replay.since ?? undefined,
      received_before: replay.until ?? undefined,
      resolved: 'false',
      limit: 1,
    },
    LEFT_MILLISECONDS,
  );
  return (
    <Panel title="What became of them" end={destination && <Link className="link" href={`/failures?destination=${destination.id}`}>Open Failures</Link>}>
      <Gate query={letters} what="What is left" rows={1}>
        {({ total, total_is_exact }) =>
          total === 0 ? (
            <p>Nothing that this replay covers is unresolved any more.</p>
          ) : (
            <p>
              <b className="strong num">{plural(total, 'failed delivery', 'failed deliveries')}</b>
              {total_is_exact === false && ' or more'} of what it covers {total === 1 ? 'is' : 'are'} still unresolved, with those under way. An event that failed again counts each time.
            </p>
          )
        }
      </Gate>
    </Panel>
  );
}

function Scope({ replay }: { replay: Replay }) {
  const { zone } = usePreferences();
  const time = (at: string | null, none: string) => (at === null ? none : <span className="num">{dateTime(at, zone)}</span>);
  return (
    <Panel title="What it covers">
      <Facts
        facts={[
          ['Ended as', replay.statuses.join(', ')],
          ['Error', replay.error_code === null && replay.response_status === null ? 'any' : errorLabel(replay.error_code, replay.response_status)],
          ['Received from', time(replay.since, 'any time')],
          ['Received until', time(replay.until, 'it started')],
          ['How many', replay.limit === null ? 'all' : `the first ${count(replay.limit)}`],
          ['Rate', replay.per_second === null ? 'no limit' : `at most ${count(replay.per_second)} per second`],
          ['Left out', count(replay.skipped)],
          ['Started', time(replay.created_at, '')],
          ['Ended', time(replay.finished_at, 'not yet')],
          [
            'Id',
            <span className="row">
              <code className="cut">{shortId(replay.id)}</code>
              <CopyButton text={replay.id} label="Copy the id" />
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}
