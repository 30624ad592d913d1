/** Shows events the moment they are stored, with the outcomes of their deliveries. */
import { memo, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { BASE_PATH } from '../../api/client';
import { changed, useSources } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { useSearchState } from '../../lib/search';
import { STATES, type StateName } from '../../lib/states';
import { count, shortId, size } from '../../lib/text';
import { clock, type Zone } from '../../lib/time';
import { Page } from '../../shell/Page';
import { useShortcut } from '../../shell/Shortcuts';
import { Icon } from '../../ui/icons';
import { Blank, Button, Marks, Note, SourceName } from '../../ui/parts';
import { Verification } from '../events/EventsPage';
import { add, clear, EMPTY, MAX_ROWS, pause, resume, type EventRow, type Feed, type GapRow, type Outcome, type Row } from './feed';
import { follow, type StreamState } from './stream';

/** How many rows are drawn at first: those that fit into the window, and some more. Scrolling down draws more. */
const firstRows = () => Math.ceil(innerHeight / ROW_HEIGHT) + SPARE_ROWS;
const ROW_HEIGHT = 32;
const SPARE_ROWS = 20;
const MORE_ROWS = 100;
/** How near to the end, in pixels, scrolling draws more rows. */
const MARGIN = 1_000;

export function LivePage() {
  const search = useSearchState();
  const source = search.get('source');
  const sources = useSources();
  const [feed, setFeed] = useState<Feed>(EMPTY);
  const [state, setState] = useState<StreamState>({ name: 'connecting' });
  const [drawn, setDrawn] = useState(firstRows);
  const onScroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => {
    if (scrollTop === 0) setDrawn(firstRows());
    else if (scrollHeight - scrollTop - clientHeight < MARGIN) setDrawn(Math.min(drawn + MORE_ROWS, MAX_ROWS));
  };

  useEffect(() => {
    setFeed((before) => ({ ...EMPTY, isPaused: before.isPaused }));
    return follow(source, {
      onState: setState,
      onMessages: (messages) => setFeed((before) => add(before, messages)),
      onAccessEnded: () => void changed('me'),
    });
  }, [source]);

  const toggle = () => setFeed(feed.isPaused ? resume : pause);
  useShortcut('p', toggle);
  return (
    <Page title="Live" className="live-page">
      <div className="query">
        <select className="field" aria-label="Source" value={source} onChange={(event) => search.set({ source: event.currentTarget.value }, { replace: true })}>
          <option value="" selected={source === ''}>
            All sources
          </option>
          {(sources.data?.items ?? []).map((one) => (
            <option key={one.id} value={one.id} selected={one.id === source}>
              {one.name}
            </option>
          ))}
        </select>
        <Button icon={feed.isPaused ? 'livei' : 'pause'} kind={feed.isPaused ? 'primary' : 'normal'} onClick={toggle}>
          {feed.isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button disabled={feed.rows.length === 0 && feed.heldCount === 0} onClick={() => setFeed(clear)}>
          Clear
        </Button>
      </div>
      <StateLine state={state} feed={feed} onResume={() => setFeed(resume)} />
      <div className="list" onScroll={(event) => onScroll(event.currentTarget)}>
        {(state.name === 'ended' || state.name === 'refused') && (
          <div className="pad" role="alert">
            <Note icon="unverified" tone="failed">
              {state.message} {state.name === 'refused' && 'Retrying.'}
            </Note>
          </div>
        )}
        {feed.rows.length === 0 ? (
          <Blank icon="livei" title={feed.isPaused ? 'Paused' : 'Nothing has arrived since you opened this page'}>
            {feed.isPaused ? 'New events wait until you resume.' : 'An event appears here the moment it is stored. Events has all earlier ones.'}
          </Blank>
        ) : (
          <Rows rows={feed.rows.slice(0, drawn)} />
        )}
      </div>
    </Page>
  );
}

const WORDS: Record<StreamState['name'], { label: string; tone: string }> = {
  connecting: { label: 'Connecting', tone: 'degraded' },
  live: { label: 'Live', tone: '' },
  reconnecting: { label: 'Reconnecting. Nothing is lost', tone: 'degraded' },
  refused: { label: 'Refused', tone: 'down' },
  ended: { label: 'Ended', tone: 'down' },
};

function StateLine({ state, feed, onResume }: { state: StreamState; feed: Feed; onResume: () => void }) {
  const { label, tone } = WORDS[state.name];
  const isHeld = feed.isPaused && state.name === 'live';
  return (
    <div className="views">
      <span className={`live ${isHeld ? 'degraded' : tone}`} role="status">
        <i />
        {isHeld ? 'Paused' : label}
      </span>
      {feed.heldCount > 0 && (
        <button type="button" className="newpill" onClick={onResume}>
          <Icon name="up" />
          {count(feed.heldCount)} new
        </button>
      )}
      <span className="end num faint hide-s">
        {count(feed.rows.length)} of at most {count(MAX_ROWS)} rows
      </span>
    </div>
  );
}

function Rows({ rows }: { rows: Row[] }) {
  const sources = useSources();
  const { zone } = usePreferences();
  const [, navigate] = useLocation();
  const byId = new Map((sources.data?.items ?? []).map((one) => [one.id, one]));
  // One listener for all rows: a Link in each would make 500 rows slow.
  const open = (click: MouseEvent) => {
    const to = (click.target as Element).closest('a')?.dataset.to;
    if (to === undefined || click.ctrlKey || click.metaKey || click.altKey || click.shiftKey || click.button !== 0) return;
    click.preventDefault();
    navigate(to);
  };
  return (
    <table onClick={open as never}>
      <thead>
        <tr>
          <th className="c-at">Stored</th>
          <th className="c-src">Source</th>
          <th className="c-sum">Event</th>
          <th className="wide">Content type</th>
          <th className="wide c-size r">Size</th>
          <th className="wide c-ver">Verification</th>
          <th className="c-dl">Deliveries</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) =>
          row.kind === 'gap' ? (
            <Gap key={row.id} row={row} />
          ) : (
            <EventLine key={row.id} row={row} zone={zone} name={byId.get(row.event.source_id)?.name} color={byId.get(row.event.source_id)?.color} />
          ),
        )}
      </tbody>
    </table>
  );
}

const GAPS: Record<string, string> = {
  retention: 'Events before this have expired.',
  database_replaced: 'The database was replaced. Events between these rows may be missing.',
  deliveries_compacted: 'Outcomes of deliveries may be missing, but no events.',
  not_resumed: 'The stream restarted. Events between these rows may be missing.',
};

function Gap({ row }: { row: GapRow }) {
  return (
    <tr>
      <td colSpan={7} className="muted">
        <span className="state t-retrying">
          <Icon name="silent" />
          {GAPS[row.reason] ?? 'Something between these rows may be missing.'}
        </span>{' '}
        <Link className="link" href="/events">
          Open Events
        </Link>
      </td>
    </tr>
  );
}

const OUTCOMES: Record<Outcome, StateName> = { succeeded: 'delivered', failed: 'rejected', exhausted: 'gaveup' };

/** Drawn again only if it has changed, because many rows arrive at once. */
const EventLine = memo(function EventLine({ row, zone, name, color }: { row: EventRow; zone: Zone; name: string | undefined; color: string | undefined }) {
  const { event } = row;
  const states = row.outcomes.map((one) => OUTCOMES[one]);
  return (
    <tr>
      <td className="at mono muted">{clock(event.received_at, zone, true)}</td>
      <td className="src-c">
        <SourceName name={name ?? shortId(event.source_id)} color={color} />
      </td>
      <td className="sum mono cut">
        <a href={`${BASE_PATH}/events/${event.id}`} data-to={`/events/${event.id}`}>
          {event.method} {shortId(event.id)}
        </a>
      </td>
      <td className="wide muted cut">{event.content_type ?? 'none'}</td>
      <td className="wide r muted">{size(event.body_size)}</td>
      <td className="wide">
        <Verification event={event} />
      </td>
      <td className="dl">{states.length > 0 && <Marks states={states} text={states.map((one) => STATES[one].label).join(', ')} />}</td>
    </tr>
  );
});
