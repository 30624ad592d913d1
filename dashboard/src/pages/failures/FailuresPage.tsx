/** Failures grouped by destination and error, with one group in detail. */
import { useRef, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useFailureGroups, useSources } from '../../api/queries';
import { filterOf } from '../../lib/deadLetters';
import { useSearchState } from '../../lib/search';
import { errorLabel } from '../../lib/states';
import { count, plural } from '../../lib/text';
import { Page } from '../../shell/Page';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
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
  const source = search.get('source');
  const isResolved = search.get('resolved') === 'true';
  const groups = useFailureGroups({ ...filterOf(source), ...(isResolved ? { resolved: 'true' } : {}) });
  const sources = useSources();
  const sort = search.get('sort') === 'last' ? 'last' : 'count';
  const items = [...(groups.data?.items ?? [])].sort((a, b) => (sort === 'last' ? b.last_seen.localeCompare(a.last_seen) : b.count - a.count));
  const chosen = search.get('group');
  const selected = useKept(items, chosen, `${source} ${isResolved}`);
  const current = selected ?? (matchMedia('(max-width: 760px)').matches ? undefined : items[0]);
  const sum = items.reduce((total, one) => total + one.count, 0);
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
          <select className="field end" aria-label="Source" value={source} onChange={(event) => search.set({ source: event.currentTarget.value, group: undefined })}>
            <option value="" selected={source === ''}>
              All sources
            </option>
            {(sources.data?.items ?? []).map((one) => (
              <option key={one.id} value={one.id} selected={one.id === source}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
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
          {items.length > 0 && <AllActions source={source} sourceName={sources.data?.items.find((one) => one.id === source)?.name} isResolved={isResolved} />}
        </div>
        <Gate query={groups} what="Failures">
          {(data) =>
            data.items.length === 0 ? (
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
          key={`${groupKey(current)} ${source} ${isResolved}`}
          group={current}
          source={source}
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

/** The chosen group. It stays after its last failure is resolved, so that the outcome of a resend can be read. */
function useKept(items: Group[], chosen: string, list: string): Group | undefined {
  const kept = useRef<{ list: string; group: Group } | undefined>(undefined);
  const found = items.find((one) => groupKey(one) === chosen);
  if (found !== undefined) kept.current = { list, group: found };
  const last = kept.current;
  return last !== undefined && last.list === list && groupKey(last.group) === chosen ? last.group : undefined;
}

/** The actions on everything that the list's filter selects. */
function AllActions({ source, sourceName, isResolved }: { source: string; sourceName: string | undefined; isResolved: boolean }) {
  const [isShown, setShown] = useState<'send' | 'dismiss' | 'undismiss' | null>(null);
  const dialog = { filter: filterOf(source), what: source === '' ? 'The whole workspace' : `All of ${sourceName ?? 'the source'}`, onClose: () => setShown(null) };
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
      {isShown === 'dismiss' && <DismissDialog {...dialog} />}
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
