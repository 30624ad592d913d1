/** Shows events the moment they are stored, with the outcomes of their deliveries. */
import { memo, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { pageAddress } from '../../api/client';
import { changed, useSourcesById } from '../../api/queries';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { useSearchState } from '../../lib/search';
import { STATES, type StateName } from '../../lib/states';
import { count, shortId, size, visible } from '../../lib/text';
import { clock, type Zone } from '../../lib/time';
import { Page } from '../../shell/Page';
import { useShortcut } from '../../shell/Shortcuts';
import { Icon } from '../../ui/icons';
import { SourceFilter } from '../../ui/SourceFilter';
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

/** Why the rows hold still. The reader resumes the first; the others end when the reader is done. */
type Holds = { isPaused: boolean; isScrolled: boolean; isFocused: boolean; isPointedAt: boolean };

const NO_HOLDS: Holds = { isPaused: false, isScrolled: false, isFocused: false, isPointedAt: false };

const isReading = (holds: Holds) => holds.isScrolled || holds.isFocused || holds.isPointedAt;

export function LivePage() {
  const search = useSearchState();
  const source = search.get('source');
  const [feed, setFeed] = useState<Feed>(EMPTY);
  const [holds, setHolds] = useState(NO_HOLDS);
  const [state, setState] = useState<StreamState>({ name: 'connecting' });
  const [drawn, setDrawn] = useState(firstRows);
  const list = useRef<HTMLDivElement>(null);
  const latest = useRef(holds);

  const hold = (change: Partial<Holds>) => {
    const next = { ...latest.current, ...change };
    if ((Object.keys(next) as (keyof Holds)[]).every((one) => next[one] === latest.current[one])) return;
    latest.current = next;
    setHolds(next);
    setFeed((before) => (next.isPaused || isReading(next) ? pause(before) : before.isPaused ? resume(before) : before));
  };
  const onScroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => {
    hold({ isScrolled: scrollTop > 0 });
    if (scrollTop === 0) setDrawn(firstRows());
    else if (scrollHeight - scrollTop - clientHeight < MARGIN) setDrawn(Math.min(drawn + MORE_ROWS, MAX_ROWS));
  };
  const showNew = () => {
    if (list.current?.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
    if (list.current) list.current.scrollTop = 0;
    setDrawn(firstRows());
    hold(NO_HOLDS);
  };
  const empty = () => {
    setFeed(clear);
    hold({ ...NO_HOLDS, isPaused: latest.current.isPaused });
  };

  useEffect(() => {
    latest.current = { ...NO_HOLDS, isPaused: latest.current.isPaused };
    setHolds(latest.current);
    setFeed({ ...EMPTY, isPaused: latest.current.isPaused });
    return follow(source, {
      onState: setState,
      onMessages: (messages) => setFeed((before) => add(before, messages)),
      onAccessEnded: () => void changed('me'),
    });
  }, [source]);

  const toggle = () => hold({ isPaused: !latest.current.isPaused });
  useShortcut('p', toggle);
  return (
    <Page title="Live" className="live-page">
      <div className="query">
        <SourceFilter isMultiple chosen={source === '' ? [] : source.split(',')} onChange={(ids) => search.set({ source: ids.join() }, { replace: true })} />
        <Button icon={holds.isPaused ? 'livei' : 'pause'} kind={holds.isPaused ? 'primary' : 'normal'} onClick={toggle}>
          {holds.isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button disabled={feed.rows.length === 0 && feed.heldCount === 0} onClick={empty}>
          Clear
        </Button>
      </div>
      <StateLine state={state} feed={feed} holds={holds} onResume={showNew} />
      <div
        ref={list}
        className="list"
        onScroll={(event) => onScroll(event.currentTarget)}
        onPointerMove={(event) => hold({ isPointedAt: event.pointerType === 'mouse' && (event.target as Element).closest('tbody') !== null })}
        onPointerLeave={() => hold({ isPointedAt: false })}
        onFocusCapture={(event) => hold({ isFocused: (event.target as Element).closest('tbody') !== null })}
        onBlurCapture={() => hold({ isFocused: false })}
      >
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
  reconnecting: { label: 'Reconnecting', tone: 'degraded' },
  refused: { label: 'Refused', tone: 'down' },
  ended: { label: 'Ended', tone: 'down' },
};

function StateLine({ state, feed, holds, onResume }: { state: StreamState; feed: Feed; holds: Holds; onResume: () => void }) {
  const { label, tone } = WORDS[state.name];
  const isHeld = feed.isPaused && state.name === 'live';
  return (
    <div className="views">
      <span className={`live ${isHeld ? 'degraded' : tone}`} role="status">
        <i />
        <span>
          {isHeld ? (holds.isPaused ? 'Paused' : 'Paused while you read') : label}
          {'retryAt' in state && <Countdown until={state.retryAt} />}
          {state.name === 'reconnecting' && '. Nothing is lost'}
        </span>
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

/** Screen readers are told the state, but not each second. */
function Countdown({ until }: { until: number }) {
  useNow();
  return <span aria-hidden="true" className="num">, {Math.max(0, Math.ceil((until - Date.now()) / 1000))} s</span>;
}

function Rows({ rows }: { rows: Row[] }) {
  const byId = useSourcesById(rows.flatMap((row) => (row.kind === 'event' ? [row.event.source_id] : [])));
  const { zone } = usePreferences();
  const [, navigate] = useLocation();
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
        <a href={pageAddress(`/events/${event.id}`)} title={event.id} data-to={`/events/${event.id}`}>
          {event.event_type === null ? `${event.method} ${shortId(event.id)}` : `${event.method === 'POST' ? '' : `${event.method} `}${visible(event.event_type)}`}
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
