/** Failures grouped by destination and error, with one group in detail. */
import { useMemo, useRef, useState } from 'react';
import { serverNow, type Schemas } from '../../api/client';
import { useDestination, useFailureGroups } from '../../api/queries';
import { inQuery, type Filter } from '../../lib/deadLetters';
import { useSearchState, type SearchState } from '../../lib/search';
import { errorLabel } from '../../lib/states';
import { count, plural, shortId } from '../../lib/text';
import { windowStart } from '../../lib/time';
import { Page } from '../../shell/Page';
import { useShortcut } from '../../shell/Shortcuts';
import { ErrorNote } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
import { SourceFilter } from '../../ui/SourceFilter';
import { Ago, Blank, Button, Segments } from '../../ui/parts';
import { DismissDialog, UndismissDialog } from './DismissDialog';
import { GroupDetail } from './GroupDetail';
import { SendDialog } from './SendDialog';

type Group = Schemas['FailureGroup'];

export function groupKey(group: Group): string {
  return [group.destination_id, group.error_code ?? '', group.response_status ?? ''].join('.');
}

/** Whether a response ended the delivery at once. Otherwise the relay gave up after the last attempt. */
export function isRejected(group: Group): boolean {
  return group.response_status !== null && group.response_status >= 400 && group.response_status < 500 && ![408, 429].includes(group.response_status);
}

export function FailuresPage() {
  const search = useSearchState();
  const list = useFilter(search);
  const [undoError, setUndoError] = useState<Error | null>(null);
  const isResolved = search.get('resolved') === 'true';
  const groups = useFailureGroups({ ...inQuery(list), ...(isResolved ? { resolved: 'true' } : {}) });
  const sort = search.get('sort') === 'last' ? 'last' : 'count';
  const items = [...(groups.data?.items ?? [])].sort((a, b) => (sort === 'last' ? b.last_seen.localeCompare(a.last_seen) : b.count - a.count));
  const chosen = search.get('group');
  const selected = useKept(items, chosen, `${JSON.stringify(list)} ${isResolved}`);
  const current = selected ?? (matchMedia('(max-width: 760px)').matches ? undefined : items[0]);
  const sum = items.reduce((total, one) => total + one.count, 0);
  const step = (by: number) => {
    const next = items[current === undefined ? 0 : items.indexOf(current) + by];
    if (next) search.set({ group: groupKey(next) });
  };
  useShortcut('j', () => step(1));
  useShortcut('k', () => step(-1));
  return (
    <Page title="Failures" className={`failures ${selected === undefined ? '' : 'open'}`}>
      <div className="groups">
        <div className="gh">
          <Segments
            label="Order"
            value={sort}
            options={[
              { value: 'count', label: 'Most events' },
              { value: 'last', label: 'Latest' },
            ]}
            onChange={(to) => search.set({ sort: to === 'last' ? 'last' : undefined })}
          />
        </div>
        <Filters search={search} groups={items} />
        <div className="gh all-acts">
          <Segments
            label="Which"
            value={isResolved ? 'resolved' : 'unresolved'}
            options={[
              { value: 'unresolved', label: 'Unresolved' },
              { value: 'resolved', label: 'Resolved' },
            ]}
            onChange={(to) => search.set({ resolved: to === 'resolved' ? 'true' : undefined, group: undefined })}
          />
          {items.length > 0 && <AllActions list={list} isResolved={isResolved} onUndoFailed={setUndoError} />}
        </div>
        {undoError && (
          <div className="in stack-s">
            <ErrorNote error={undoError} />
            <p className="muted small">The failures are still dismissed. Resolved lists them, and can undo it.</p>
          </div>
        )}
        <Gate query={groups} what="Failures">
          {(data) =>
            data.items.length === 0 && !data.is_exact ? (
              <Blank icon="unverified" title={`None of the newest ${count(data.looked_at)} is ${isResolved ? 'resolved' : 'unresolved'}`}>
                Older ones were not looked at. Choose a source, a destination or a time to look at fewer.
              </Blank>
            ) : data.items.length === 0 ? (
              <Blank icon="delivered" title={isResolved ? 'Nothing is resolved yet' : 'Nothing is unresolved'}>
                {isResolved ? 'Failures that are delivered on a replay, or dismissed, are listed here.' : 'Every delivery got through, still has attempts left, or was dismissed.'}
              </Blank>
            ) : (
              <>
                <ul>
                  {items.map((group) => (
                    <GroupRow key={groupKey(group)} group={group} isSelected={group === current} onSelect={() => search.set({ group: groupKey(group) })} />
                  ))}
                </ul>
                <p className="faint small sum-line">
                  {plural(sum, isResolved ? 'resolved delivery' : 'failed delivery', isResolved ? 'resolved deliveries' : 'failed deliveries')} in {plural(items.length, 'group')}.
                  {!data.is_exact && ` Only the newest ${count(data.looked_at)} were looked at.`}
                </p>
              </>
            )
          }
        </Gate>
      </div>
      {current ? (
        <GroupDetail
          key={`${groupKey(current)} ${JSON.stringify(list)} ${isResolved}`}
          group={current}
          list={list}
          onUndoFailed={setUndoError}
          isResolved={isResolved}
          onBack={() => search.set({ group: undefined })}
          onSent={() => search.set({ group: groupKey(current) }, { replace: true })}
        />
      ) : (
        <div className="gd" />
      )}
    </Page>
  );
}

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
];
const OUTCOMES = [
  { value: '', label: 'Rejected or gave up' },
  { value: 'failed', label: 'Rejected' },
  { value: 'exhausted', label: 'Gave up' },
];

/** The filters in the address. A window such as `24h` keeps its start, so that the count and what is sent are the same. */
function useFilter(search: SearchState): Filter {
  const [source, destination, status, after] = ['source', 'destination', 'status', 'after'].map((name) => search.get(name));
  return useMemo(
    () => ({
      ...(source && { source_id: source }),
      ...(destination && { destination_id: destination }),
      ...((status === 'failed' || status === 'exhausted') && { status: [status] }),
      ...(after && { received_after: windowStart(after, serverNow()) }),
    }),
    [source, destination, status, after],
  );
}

function Filters({ search, groups }: { search: SearchState; groups: Group[] }) {
  const chosen = search.get('destination');
  const named = useDestination(chosen, false, chosen !== '').data;
  const destinations = new Map(groups.map((one) => [one.destination_id, one.destination_name]));
  if (chosen !== '') destinations.set(chosen, named?.name ?? destinations.get(chosen) ?? shortId(chosen));
  return (
    <div className="gh all-acts">
      <SourceFilter chosen={search.get('source') === '' ? [] : [search.get('source')]} onChange={([source]) => search.set({ source, group: undefined })} />
      <Choice search={search} name="destination" label="Destination" options={[{ value: '', label: 'All destinations' }, ...[...destinations].map(([value, label]) => ({ value, label }))]} />
      <Choice search={search} name="status" label="Outcome" options={OUTCOMES} />
      <Choice search={search} name="after" label="Received" options={TIMES} />
    </div>
  );
}

function Choice({ search, name, label, options }: { search: SearchState; name: string; label: string; options: { value: string; label: string }[] }) {
  const value = search.get(name);
  return (
    <select className="field" aria-label={label} value={value} onChange={(event) => search.set({ [name]: event.currentTarget.value, group: undefined })}>
      {options.map((one) => (
        <option key={one.value} value={one.value} selected={one.value === value}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

/** The chosen group. It stays after its last failure is resolved, so that the outcome of a resend can be read. */
function useKept(items: Group[], chosen: string, list: string): Group | undefined {
  const kept = useRef<{ list: string; group: Group } | undefined>(undefined);
  const found = items.find((one) => groupKey(one) === chosen);
  if (found !== undefined) kept.current = { list, group: found };
  const last = kept.current;
  return last !== undefined && last.list === list && groupKey(last.group) === chosen ? last.group : undefined;
}

/** The actions on everything that the list's filter selects. */
function AllActions({ list, isResolved, onUndoFailed }: { list: Filter; isResolved: boolean; onUndoFailed: (error: Error) => void }) {
  const [isShown, setShown] = useState<'send' | 'dismiss' | 'undismiss' | null>(null);
  const dialog = { filter: list, what: Object.keys(list).length === 0 ? 'The whole workspace' : 'Everything that the filters select', onClose: () => setShown(null) };
  return (
    <span className="end row">
      {isResolved ? (
        <Button onClick={() => setShown('undismiss')}>Undo all dismissals</Button>
      ) : (
        <>
          <Button onClick={() => setShown('send')}>Send all groups</Button>
          <Button onClick={() => setShown('dismiss')}>Dismiss all groups</Button>
        </>
      )}
      {isShown === 'send' && <SendDialog {...dialog} />}
      {isShown === 'dismiss' && <DismissDialog {...dialog} onUndoFailed={onUndoFailed} />}
      {isShown === 'undismiss' && <UndismissDialog {...dialog} />}
    </span>
  );
}

function GroupRow({ group, isSelected, onSelect }: { group: Group; isSelected: boolean; onSelect: () => void }) {
  return (
    <li className={isSelected ? 'g1 on' : 'g1'}>
      <Icon name={isRejected(group) ? 'rejected' : 'gaveup'} className="is-failed" />
      <button type="button" className="t cut row-link" aria-pressed={isSelected} onClick={onSelect}>
        {errorLabel(group.error_code, group.response_status)}
      </button>
      <span className="cnt">{count(group.count)}</span>
      <span className="sub cut">{group.destination_name}</span>
      <span className="ago">
        last <Ago time={group.last_seen} />
      </span>
    </li>
  );
}
