/** What failed, in groups of a destination and an error; one group in detail. */
import { useSources, useFailureGroups } from '../../api/queries';
import { Page } from '../../shell/Page';
import type { Schemas } from '../../api/client';
import { useSearchState } from '../../lib/search';
import { errorLabel } from '../../lib/states';
import { count, plural } from '../../lib/text';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
import { Ago, Blank, Segments } from '../../ui/parts';
import { GroupDetail } from './GroupDetail';

type Group = Schemas['FailureGroup'];

export function groupKey(group: Group): string {
  return [group.destination_id, group.error_code ?? '', group.response_status ?? ''].join('.');
}

/** Gave up: every attempt was used. Rejected: the first answer ended it. */
export function isRejected(group: Group): boolean {
  return group.response_status !== null && group.response_status >= 400 && group.response_status < 500 && ![408, 429].includes(group.response_status);
}

export function FailuresPage() {
  const search = useSearchState();
  const source = search.get('source');
  const groups = useFailureGroups(source === '' ? {} : { source_id: source });
  const sources = useSources();
  const sort = search.get('sort') === 'last' ? 'last' : 'count';
  const items = [...(groups.data?.items ?? [])].sort((a, b) => (sort === 'last' ? b.last_seen.localeCompare(a.last_seen) : b.count - a.count));
  const selected = items.find((one) => groupKey(one) === search.get('group'));
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
        <Gate query={groups} what="Failures">
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="delivered" title="Nothing failed">
                Every delivery got through, or still has attempts left.
              </Blank>
            ) : (
              <>
                <ul>
                  {items.map((group) => (
                    <GroupRow key={groupKey(group)} group={group} isSelected={group === current} onSelect={() => search.set({ group: groupKey(group) })} />
                  ))}
                </ul>
                <p className="faint small sum-line">
                  {plural(sum, 'failed delivery', 'failed deliveries')} in {plural(items.length, 'group')}.
                  {!data.is_exact && ` Only the newest ${count(data.looked_at)} were looked at.`}
                </p>
              </>
            )
          }
        </Gate>
      </div>
      {current ? <GroupDetail key={groupKey(current)} group={current} onBack={() => search.set({ group: undefined })} /> : <div className="gd" />}
    </Page>
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
