/** The events of a workspace: filters in the address, a list, and the open event beside it. */
import { memo, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { call, serverNow, type Query, type Schemas } from '../../api/client';
import { useDestination, useEvents, useSource, useSourcesById } from '../../api/queries';
import { isWholeId } from '../../lib/deliveryLink';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { useSearchState, type SearchState } from '../../lib/search';
import type { StateName } from '../../lib/states';
import { count, shortId, size, visible } from '../../lib/text';
import { ago, exactTime, windowStart, type Zone } from '../../lib/time';
import { Page } from '../../shell/Page';
import { useEscape, useShortcut } from '../../shell/Shortcuts';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
import { Menu } from '../../ui/overlay';
import { SourceFilter } from '../../ui/SourceFilter';
import { Blank, Button, Marks, Segments, SourceName, StateLabel } from '../../ui/parts';
import { EventDrawer } from './EventDrawer';

type Item = Schemas['EventListItem'];

const PAGE_SIZE = 50;
/** What somebody may choose to see at once: the server lists no more. */
const MANY = 200;
const POLL_MILLISECONDS = 3_000;

const WINDOWS = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
];

/** Each view is a set of filters in the address. */
const VIEWS: { label: string; verified?: Schemas['VerificationStatus']; status?: string }[] = [
  { label: 'All' },
  { label: 'Failing', status: 'failed,exhausted' },
  { label: 'Waiting', status: 'pending,delivering' },
  { label: 'Filtered', status: 'filtered' },
  { label: 'Not verified', verified: 'failed' },
];

/** The parameters that narrow the list. The page is not one of them. */
const FILTERS = ['source', 'destination', 'status', 'verified', 'after', 'before', 'q'] as const;

const pageNumberOf = (search: SearchState) => Number(search.get('page')) || 1;

/** How many events the list has at once. */
function pageSizeOf(search: SearchState): number {
  return search.get('rows') === String(MANY) ? MANY : PAGE_SIZE;
}

/** Reads the filters from the address. A window such as `1h` starts at a full minute, so that its results can be cached. */
function queryOf(search: SearchState): Query<'GET /api/v1/events'> {
  const minute = Math.floor(serverNow() / 60_000) * 60_000;
  return {
    source_id: search.get('source'),
    destination_id: search.get('destination'),
    status: search.get('status'),
    verification_status: search.get('verified'),
    received_after: search.get('after') && windowStart(search.get('after'), minute),
    received_before: search.get('before'),
    q: search.get('q'),
    page: pageNumberOf(search),
    limit: pageSizeOf(search),
  };
}

export function EventsPage() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const search = useSearchState();
  const key = [...FILTERS, 'page', 'rows'].map((name) => search.get(name)).join('\n');
  const query = useMemo(() => queryOf(search), [key]);
  const events = useEvents(query, POLL_MILLISECONDS);
  const [shown, newCount, showNew] = useStill(events.isPlaceholderData ? undefined : events.data, key);
  const open = (one: string | undefined, options?: { replace?: boolean }) => navigate(eventPath(one, search.text), options);
  useFoundById(search.get('q'), id, events.isPlaceholderData ? undefined : events.data, (found) => open(found, { replace: true }));

  const step = (by: number) => {
    const items = shown?.items ?? [];
    const at = items.findIndex((one) => one.id === id);
    const next = items[at < 0 ? 0 : at + by];
    if (next) open(next.id);
  };
  useShortcut('j', () => step(1));
  useShortcut('k', () => step(-1));
  useEscape(id !== undefined, () => open(undefined));

  return (
    <Page title="Events" className={`events ${id === undefined ? '' : 'open'}`}>
      <FilterBar search={search} />
      <Views search={search} page={shown} newCount={newCount} onShowNew={showNew} isFailing={events.isError} />
      <div className="list">
        <Gate query={{ ...events, data: shown } as typeof events} what="Events" rows={12}>
          {(page) => (page.items.length === 0 ? <NoEvents search={search} /> : <EventTable key={key} items={page.items} selected={id} onOpen={open} />)}
        </Gate>
        {shown && (
          <Paging search={search} total={shown.total} page={pageNumberOf(search)} pageSize={pageSizeOf(search)}>
            {shown.total > PAGE_SIZE && <RowsChoice search={search} />}
          </Paging>
        )}
      </div>
      {id !== undefined && <EventDrawer key={id} id={id} onClose={() => open(undefined)} onStep={step} />}
    </Page>
  );
}

/**
 * The path of the list, or of one of its events, with the list's filters. It drops the delivery or attempt that the address named, because
 * those belong to one event.
 */
function eventPath(id: string | undefined, search: string): string {
  const kept = new URLSearchParams(search);
  kept.delete('delivery');
  kept.delete('attempt');
  const query = kept.toString();
  return `/events${id === undefined ? '' : `/${id}`}${query === '' ? '' : `?${query}`}`;
}

/** Opens the event that a whole id found, whether the id is the event's or a delivery's. Does so once, so that the event can be closed. */
function useFoundById(q: string, opened: string | undefined, page: Schemas['EventPage'] | undefined, onFound: (id: string) => void) {
  const done = useRef(opened === undefined ? '' : q);
  useEffect(() => {
    if (page === undefined || done.current === q || !isWholeId(q)) return;
    done.current = q;
    const [only] = page.items;
    if (only !== undefined && page.items.length === 1) onFound(only.id);
  }, [q, page]);
}

/** Keeps the rows in place while new events arrive: known rows are updated, and new ones wait until the user asks for them. */
function useStill(latest: Schemas['EventPage'] | undefined, key: string) {
  const [shown, setShown] = useState<{ key: string; page: Schemas['EventPage'] } | undefined>(() => latest && { key, page: latest });
  useEffect(() => {
    if (latest === undefined) return;
    setShown((before) => {
      if (before === undefined || before.key !== key || before.page.items.length === 0) return { key, page: latest };
      const byId = new Map(latest.items.map((one) => [one.id, one]));
      // None of the rows matches any longer, and nothing new waits behind them.
      const isGone = !before.page.items.some((one) => byId.has(one.id)) && newerCount(latest.items, before.page.items) === 0;
      if (isGone) return { key, page: latest };
      return { key, page: { ...before.page, items: before.page.items.map((one) => byId.get(one.id) ?? one) } };
    });
  }, [latest, key]);
  const page = shown?.page;
  const newCount = latest === undefined || page === undefined ? 0 : newerCount(latest.items, page.items);
  return [page, newCount, () => latest && setShown({ key, page: latest })] as const;
}

/** How many events are newer than those shown; ids grow with time. Totals cannot tell: they may be inexact, and events expire. */
export function newerCount(latest: { id: string }[], shown: { id: string }[]): number {
  const first = shown[0]?.id ?? '';
  return latest.filter((one) => one.id > first).length;
}

function FilterBar({ search }: { search: SearchState }) {
  const destination = useDestination(search.get('destination'), false, search.get('destination') !== '').data;
  const field = useRef<HTMLInputElement>(null);
  useShortcut('/', () => field.current?.focus());
  const after = search.get('after');
  const source = useSource(search.get('source'), search.get('source') !== '').data;
  const tokens: { name: string; label: string; value: string }[] = [];
  if (search.get('source')) tokens.push({ name: 'source', label: 'source', value: source?.name ?? shortId(search.get('source')) });
  if (search.get('destination')) tokens.push({ name: 'destination', label: 'destination', value: destination?.name ?? shortId(search.get('destination')) });
  if (viewOf(search) === undefined) {
    for (const name of ['status', 'verified']) if (search.get(name)) tokens.push({ name, label: name, value: search.get(name) });
  }
  if (after) tokens.push({ name: 'after', label: 'after', value: after });
  if (search.get('before')) tokens.push({ name: 'before', label: 'before', value: search.get('before') });
  if (search.get('q')) tokens.push({ name: 'q', label: 'id', value: search.get('q') });
  return (
    <form
      className="query"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const value = field.current?.value.trim() ?? '';
        if (value !== '') void named(value).then(([ofSources, ofDestinations]) => search.set(qualifier(value, ofSources, ofDestinations)));
        if (field.current) field.current.value = '';
      }}
    >
      <div className="field">
        <Icon name="search" className="lead" />
        {tokens.map((token) => (
          <button key={token.name} type="button" className="tok" aria-label={`Remove the filter ${token.label} ${token.value}`} onClick={() => search.set({ [token.name]: undefined, page: undefined })}>
            <span>{token.label}:</span>
            {token.value}
            <Icon name="x" />
          </button>
        ))}
        <input
          ref={field}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
          aria-label="Filter by event or delivery id, source:name or destination:name"
          placeholder={tokens.length > 0 ? 'Add a filter' : 'Event or delivery id, source:name or destination:name'}
        />
        <kbd>/</kbd>
      </div>
      <SourceFilter align="end" chosen={search.get('source') === '' ? [] : [search.get('source')]} onChange={([id]) => search.set({ source: id, page: undefined })} />
      <Menu
        align="end"
        items={WINDOWS.map((window) => ({ label: window.label, onSelect: () => search.set({ after: window.value, before: undefined, page: undefined }) }))}
      >
        {WINDOWS.find((window) => window.value === after)?.label ?? 'Since'}
      </Menu>
    </form>
  );
}

/** The view that matches the address, or undefined if none does. */
function viewOf(search: SearchState) {
  return VIEWS.find((one) => search.get('verified') === (one.verified ?? '') && search.get('status') === (one.status ?? ''));
}

type Named = { id: string; name: string };

/** The sources or destinations that a qualifier may mean. The server searches, because there may be thousands. */
async function named(text: string): Promise<[Named[], Named[]]> {
  const [, kind, q] = /^(source|destination):(.+)$/.exec(text) ?? [];
  const query = { q, page: 1, limit: 200 };
  if (kind === 'source') return [(await call('GET /api/v1/sources', { query }).catch(() => ({ items: [] }))).items, []];
  if (kind === 'destination') return [[], (await call('GET /api/v1/destinations', { query }).catch(() => ({ items: [] }))).items];
  return [[], []];
}

/** `source:name`, `destination:name`, `status:failed`, `verified:failed`, `after:1h`, or a part of an id. */
export function qualifier(text: string, sources: Named[], destinations: Named[]): Record<string, string | undefined> {
  const [, name = '', value = ''] = /^(source|destination|status|verified|after|before|id):(.+)$/.exec(text) ?? [];
  if (name === 'source' || name === 'destination') {
    const wanted = value.toLowerCase();
    const all = name === 'source' ? sources : destinations;
    const found = all.find((one) => one.name.toLowerCase() === wanted) ?? all.find((one) => one.name.toLowerCase().includes(wanted));
    return { [name]: found?.id ?? value, page: undefined };
  }
  if (name === 'id' || name === '') return { q: value || text, page: undefined };
  return { [name]: value, page: undefined };
}

function Views({ search, page, newCount, onShowNew, isFailing }: { search: SearchState; page: Schemas['EventPage'] | undefined; newCount: number; onShowNew: () => void; isFailing: boolean }) {
  const pageSize = pageSizeOf(search);
  const first = (pageNumberOf(search) - 1) * pageSize + 1;
  return (
    <div className="views">
      {VIEWS.map((view) => {
        const isOn = viewOf(search) === view;
        return (
          <button key={view.label} type="button" className={isOn ? 'on' : ''} aria-pressed={isOn} onClick={() => search.set({ verified: view.verified, status: view.status, page: undefined })}>
            {view.label}
            {isOn && page && <span>{page.total_is_exact === false ? `${count(page.total)}+` : count(page.total)}</span>}
          </button>
        );
      })}
      <span className="end">
        {newCount > 0 && (
          <button type="button" className="newpill" onClick={onShowNew}>
            <Icon name="up" />
            {newCount >= pageSize ? `${pageSize} or more` : count(newCount)} new
          </button>
        )}
        {page && page.items.length > 0 && (
          <span className="num hide-s">
            {count(first)}–{count(first + page.items.length - 1)} of {page.total_is_exact === false && 'at least '}{count(page.total)}
          </span>
        )}
        <span className={`live ${isFailing ? 'down' : ''}`}>
          <i />
          {isFailing ? 'Trying again' : 'Up to date'}
        </span>
      </span>
    </div>
  );
}

const ROW_HEIGHT = 32;
const SPARE_ROWS = 10;
const MORE_ROWS = 40;
const PAUSE_MILLISECONDS = 40;

/** How many rows are drawn: at once those that fit into the window, then the others, so that a long list is there as fast as a short one. */
function useDrawn(total: number): number {
  const [drawn, setDrawn] = useState(() => Math.ceil(innerHeight / ROW_HEIGHT) + SPARE_ROWS);
  useEffect(() => {
    if (drawn >= total) return;
    const timer = setTimeout(() => setDrawn(drawn + MORE_ROWS), PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [drawn, total]);
  return drawn;
}

function EventTable({ items, selected, onOpen }: { items: Item[]; selected: string | undefined; onOpen: (id: string) => void }) {
  const byId = useSourcesById(items.map((one) => one.source_id));
  const { zone } = usePreferences();
  const now = useNow();
  const drawn = useDrawn(items.length);
  const open = (click: MouseEvent) => {
    const id = (click.target as HTMLElement).closest<HTMLElement>('tbody tr')?.dataset.id;
    if (id !== undefined) onOpen(id);
  };
  return (
    <table onClick={open as never}>
      <thead>
        <tr>
          <th className="c-at">Received</th>
          <th className="c-src">Source</th>
          <th className="c-sum">Event</th>
          <th className="wide">Details</th>
          <th className="wide c-size r">Size</th>
          <th className="wide c-ver">Verification</th>
          <th className="c-dl">Deliveries</th>
        </tr>
      </thead>
      <tbody>
        {items.slice(0, drawn).map((event) => {
          const source = byId.get(event.source_id);
          return <EventRow key={event.id} event={event} name={source?.name} color={source?.color} isSelected={event.id === selected} ago={ago(event.received_at, now)} zone={zone} />;
        })}
      </tbody>
    </table>
  );
}

/** `ago` is the table's to know: 200 clocks would take longer to start than the rows to draw. */
type RowProps = { event: Item; name: string | undefined; color: string | undefined; isSelected: boolean; ago: string; zone: Zone };

/** Drawn again only if it has changed, because a list may have 200. The table hears the clicks. */
const EventRow = memo(function EventRow({ event, name, color, isSelected, ago, zone }: RowProps) {
  return (
    <tr aria-selected={isSelected} data-id={event.id}>
      <td className="at muted">
        <time dateTime={event.received_at} title={exactTime(event.received_at, zone)}>
          {ago}
        </time>
      </td>
      <td className="src-c">
        <SourceName name={name ?? shortId(event.source_id)} color={color} />
      </td>
      <td className="sum mono cut">
        <button type="button" className="row-link mono" title={event.id}>
          {event.method === 'POST' ? '' : `${event.method} `}
          {event.event_type === null ? <span className="muted">{shortId(event.id)}</span> : visible(event.event_type)}
        </button>
      </td>
      <td className="wide muted cut">{whatHappens(event)}</td>
      <td className="wide r muted">{size(event.body_size)}</td>
      <td className="wide">
        <Verification event={event} />
      </td>
      <td className="dl">
        <Deliveries event={event} />
      </td>
    </tr>
  );
});

/** Empty if all is well, so that any text here draws attention. */
function whatHappens(event: Item): string {
  if (event.verification_status === 'failed') return `${event.verification_reason ?? 'The signature did not match.'} Stored, not delivered`;
  const parts = [];
  if (event.failed_count > 0) parts.push(`${event.failed_count} failed`);
  if (event.pending_count > 0) parts.push(`${event.pending_count} waiting or under way`);
  return parts.join(', ');
}

export function Verification({ event }: { event: Pick<Item, 'verification_status'> }) {
  if (event.verification_status === 'failed') return <StateLabel state="unverified" />;
  if (event.verification_status === 'skipped') return <span className="muted">No check</span>;
  return (
    <span className="state">
      <Icon name="verified" className="muted" />
      Verified
    </span>
  );
}

function Deliveries({ event }: { event: Item }) {
  if (event.delivery_count === 0) return <span className="muted">none</span>;
  const filtered = event.delivery_count - event.delivered_count - event.failed_count - event.pending_count;
  const groups: [StateName, number, string][] = [
    ['delivered', event.delivered_count, 'delivered'],
    ['waiting', event.pending_count, 'waiting'],
    ['rejected', event.failed_count, 'failed'],
    ['filtered', filtered, 'filtered'],
  ];
  const states = groups.flatMap(([state, number]) => Array.from({ length: Math.min(number, 7) }, () => state));
  const words = groups.filter(([, number]) => number > 0).map(([, number, word]) => `${number} ${word}`);
  return (
    <>
      <span className="frac">
        {event.delivered_count}/{event.delivery_count}
      </span>
      <Marks states={states} text={words.join(', ')} />
    </>
  );
}

function NoEvents({ search }: { search: SearchState }) {
  const filters = FILTERS.filter((name) => search.get(name) !== '');
  const last = filters.at(-1);
  if (last === undefined) {
    return (
      <Blank icon="events" title="No events yet">
        Post anything to the URL of a source; it appears here the moment it is stored.
      </Blank>
    );
  }
  return (
    <Blank icon="filtered" title="No events match these filters" action={<Button onClick={() => search.set({ [last]: undefined, page: undefined })}>Remove this filter</Button>}>
      The last filter is <code>{last === 'q' ? 'id' : last}:{search.get(last)}</code>.
    </Blank>
  );
}

/** Keeps the first row of the page on the list. */
function RowsChoice({ search }: { search: SearchState }) {
  const now = pageSizeOf(search);
  return (
    <span className="row hide-s">
      <Segments
        label="Events per page"
        value={String(now)}
        options={[PAGE_SIZE, MANY].map((one) => ({ value: String(one), label: one }))}
        onChange={(value) => {
          const page = Math.floor(((pageNumberOf(search) - 1) * now) / Number(value)) + 1;
          search.set({ rows: Number(value) === PAGE_SIZE ? undefined : value, page: page > 1 ? String(page) : undefined });
        }}
      />
      <span className="muted small">per page</span>
    </span>
  );
}

/** @param children what stands beside the buttons, even if there is one page only */
export function Paging({ search, total, page, pageSize = PAGE_SIZE, children }: { search: SearchState; total: number; page: number; pageSize?: number; children?: ReactNode }) {
  const pages = Math.ceil(total / pageSize);
  if (pages <= 1 && !children) return null;
  return (
    <nav className="paging" aria-label="Pages">
      {pages > 1 && (
        <>
          <Button disabled={page <= 1} onClick={() => search.set({ page: page > 2 ? String(page - 1) : undefined })}>
            Newer
          </Button>
          <span className="muted small num">
            Page {count(page)} of {count(pages)}
          </span>
          <Button disabled={page >= pages} onClick={() => search.set({ page: String(page + 1) })}>
            Older
          </Button>
        </>
      )}
      {children}
    </nav>
  );
}
