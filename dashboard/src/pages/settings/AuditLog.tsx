/** Who changed what, when, and from where. The filters are in the address. */
import { useAuditLog, useMembers } from '../../api/queries';
import type { Schemas } from '../../api/client';
import { usePreferences } from '../../lib/preferences';
import { may } from '../../lib/roles';
import { useSearchState, type SearchState } from '../../lib/search';
import { shortId } from '../../lib/text';
import { dateTime } from '../../lib/time';
import { Gate } from '../../ui/gate';
import { Blank, Button, Panel } from '../../ui/parts';
import { Paging } from '../events/EventsPage';
import { ACTIONS } from './actions';

type Entry = Schemas['AuditLogEntry'];

const PAGE_SIZE = 50;
const FILTERS = ['actor', 'action', 'after', 'before'];

export function AuditLog({ me }: { me: Schemas['Me'] }) {
  const search = useSearchState();
  const isAllowed = may(me.role, 'see-audit-log');
  const page = Number(search.get('page')) || 1;
  const entries = useAuditLog(
    { actor_id: search.get('actor'), action: search.get('action'), after: search.get('after'), before: search.get('before'), page, limit: PAGE_SIZE },
    isAllowed,
  );
  if (!isAllowed) {
    return (
      <Blank icon="verified" title="Your role cannot see the audit log">
        An admin or owner of the workspace can.
      </Blank>
    );
  }
  const isFiltered = FILTERS.some((name) => search.get(name) !== '');
  return (
    <>
      <Filters me={me} search={search} isFiltered={isFiltered} />
      <Panel title="Audit log" note="kept for 400 days; has names of fields, never their values" flush>
        <Gate query={entries} what="The audit log" rows={8}>
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="events" title={isFiltered ? 'No changes match these filters' : 'No changes yet'} />
            ) : (
              <div className="list lines">
                <table>
                  <thead>
                    <tr>
                      <th className="a-when">When</th>
                      <th>What</th>
                      <th className="a-who">Who</th>
                      <th className="wide a-who">From</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.items.map((entry) => (
                      <EntryRow key={entry.id} entry={entry} search={search} />
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Gate>
      </Panel>
      {entries.data && <Paging search={search} total={entries.data.total} page={page} pageSize={PAGE_SIZE} />}
    </>
  );
}

function EntryRow({ entry, search }: { entry: Entry; search: SearchState }) {
  const { zone } = usePreferences();
  const { actor, target } = entry;
  const who = actor.name ?? (actor.kind === 'operator' ? 'the operator' : 'a deleted account');
  const what = `${entry.action} ${target.name ?? shortId(target.id)}${entry.fields.length > 0 ? `: ${entry.fields.join(', ')}` : ''}`;
  return (
    <tr>
      <td className="at mono muted">{dateTime(entry.created_at, zone)}</td>
      <td className="sum cut" title={what}>
        <span className="mono">{entry.action}</span> <span className="strong">{target.name ?? shortId(target.id)}</span>
        {entry.fields.length > 0 && <span className="faint small"> {entry.fields.join(', ')}</span>}
      </td>
      <td className="src-c cut">
        {actor.id === null ? (
          <span className="muted">{who}</span>
        ) : (
          <button type="button" className="link" title={`Only changes by ${who}`} onClick={() => search.set({ actor: actor.id ?? undefined, page: undefined })}>
            {who}
          </button>
        )}
        {actor.kind === 'key' && <span className="faint small"> key</span>}
      </td>
      <td className="wide mono muted cut">{entry.address ?? '–'}</td>
    </tr>
  );
}

function Filters({ me, search, isFiltered }: { me: Schemas['Me']; search: SearchState; isFiltered: boolean }) {
  const members = useMembers(me.workspace.id, true);
  const actor = search.get('actor');
  const people = (members.data?.items ?? []).map((one) => ({ id: one.user_id, name: one.name }));
  const known = actor === '' || people.some((one) => one.id === actor) ? people : [...people, { id: actor, name: shortId(actor) }];
  const set = (name: string, value: string) => search.set({ [name]: value, page: undefined });
  return (
    <div className="row wrap" role="search">
      <select className="field" aria-label="Who" value={actor} onChange={(event) => set('actor', event.currentTarget.value)}>
        <option value="" selected={actor === ''}>
          Everybody
        </option>
        {known.map((one) => (
          <option key={one.id} value={one.id} selected={one.id === actor}>
            {one.name}
          </option>
        ))}
      </select>
      <select className="field" aria-label="What" value={search.get('action')} onChange={(event) => set('action', event.currentTarget.value)}>
        <option value="" selected={search.get('action') === ''}>
          Every change
        </option>
        {ACTIONS.map((action) => (
          <option key={action} value={action} selected={action === search.get('action')}>
            {action}
          </option>
        ))}
      </select>
      <TimeField label="From" value={search.get('after')} onChange={(to) => set('after', to)} />
      <TimeField label="Until" value={search.get('before')} onChange={(to) => set('before', to)} />
      {isFiltered && <Button onClick={() => search.set({ actor: undefined, action: undefined, after: undefined, before: undefined, page: undefined })}>All changes</Button>}
    </div>
  );
}

/** The field shows the browser's time zone, and the address has UTC. */
function TimeField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const at = Date.parse(value);
  const shown = Number.isNaN(at) ? '' : dateTime(value, 'local').slice(0, 16).replace(' ', 'T');
  return (
    <label className="check-label">
      {label}
      <input
        key={value}
        type="datetime-local"
        className="field"
        defaultValue={shown}
        // A half-typed year is already a valid one, so the value is read only when the field loses focus.
        onBlur={(event) => {
          const text = event.currentTarget.value;
          if (text !== shown) onChange(text === '' ? '' : new Date(text).toISOString());
        }}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
    </label>
  );
}
