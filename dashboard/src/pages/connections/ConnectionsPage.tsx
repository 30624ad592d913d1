/** Which source feeds which destination. */
import { useMutation, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useConnections, useDestination, useDestinations, useSource, useSources, useSourcesById } from '../../api/queries';
import { useDebounced } from '../../lib/debounced';
import { useSearchState } from '../../lib/search';
import { circuitState } from '../../lib/states';
import { count, plural, shortId } from '../../lib/text';
import { Page } from '../../shell/Page';
import { AtControl } from '../../ui/AtControl';
import { Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Blank, Button, ButtonLink, SourceName, StateLabel, Toggle } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { Paging } from '../events/EventsPage';
import { NameSearch } from '../sources/SourcesPage';

type Connection = Schemas['Connection'];

const PAGE_SIZE = 50;

export function ConnectionsPage() {
  const search = useSearchState();
  const [, navigate] = useLocation();
  const page = Number(search.get('page')) || 1;
  const connections = useConnections({ q: search.get('q'), page, limit: PAGE_SIZE });
  const byId = useSourcesById((connections.data?.items ?? []).map((one) => one.source_id));
  return (
    <Page title="Connections" actions={<ButtonLink to={search.href({ new: '1' })} kind="primary" icon="plus">New connection</ButtonLink>}>
      <div className="views">
        <span className="end">
          <NameSearch value={search.get('q')} onChange={(q) => search.set({ q, page: undefined }, { replace: true })} />
        </span>
      </div>
      <div className="list">
        <Gate query={connections} what="Connections">
          {(data) =>
            data.items.length === 0 && search.get('q') !== '' ? (
              <Blank icon="filtered" title="No source or destination of a connection has this in its name" action={<Button onClick={() => search.set({ q: undefined })}>Show all</Button>} />
            ) : data.items.length === 0 ? (
              <Blank icon="conns" title="No connections yet" action={<ButtonLink to="/connections?new=1" kind="primary">New connection</ButtonLink>}>
                A connection sends the events of a source to a destination: all of them, or those that pass a filter.
              </Blank>
            ) : (
              <table>
                <thead>
                  <tr>
                    <th className="c-name">From</th>
                    <th className="c-name">To</th>
                    <th className="wide">Filter</th>
                    <th className="wide">Transformation</th>
                    <th className="wide c-circuit">Destination</th>
                    <th className="c-toggle r">Enabled</th>
                  </tr>
                </thead>
                <tbody>
                  {data.items.map((one) => {
                    const source = byId.get(one.source_id);
                    return (
                      <tr
                        key={one.id}
                        onClick={(event) => {
                          if (!(event.target as HTMLElement).closest('a,button')) navigate(`/connections/${one.id}`);
                        }}
                      >
                        <td className="sum">
                          <SourceName name={source?.name ?? shortId(one.source_id)} color={source?.color} />
                        </td>
                        <td className="src-c">
                          <Link href={`/connections/${one.id}`} className="strong">
                            {one.destination.name}
                          </Link>
                        </td>
                        <td className="wide muted">{one.filter_rules === null ? 'Everything passes' : plural(one.filter_rules.rules.length, 'rule')}</td>
                        <td className="wide muted">{one.transformation === null ? 'Unchanged' : plural(stepsOf(one.transformation), 'step')}</td>
                        <td className="wide">
                          <StateLabel state={one.destination.status === 'paused' ? 'paused' : circuitState(one.destination.circuit_state)} />
                        </td>
                        <td className="r dl">
                          <EnabledToggle connection={one} />
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            )
          }
        </Gate>
        {connections.data && <Paging search={search} total={connections.data.total} page={page} pageSize={PAGE_SIZE} />}
      </div>
      {search.get('new') !== '' && <NewConnection onClose={() => search.set({ new: undefined, source: undefined, destination: undefined })} />}
    </Page>
  );
}

export function stepsOf(transformation: Schemas['Transformation']): number {
  const { set_headers = [], rename_headers = [], remove_headers = [], merge_body_fields = {} } = transformation;
  return set_headers.length + rename_headers.length + remove_headers.length + (Object.keys(merge_body_fields).length > 0 ? 1 : 0);
}

export function EnabledToggle({ connection }: { connection: Connection }) {
  const change = useMutation({
    mutationFn: (enabled: boolean) => call('PATCH /api/v1/connections/{id}', { path: { id: connection.id }, body: { enabled } }),
    onSuccess: (saved) => {
      toast(saved.enabled ? 'Enabled: waiting deliveries go out' : 'Disabled: new events are not delivered here');
      void changed('connections', 'events');
    },
  });
  const isOn = change.isPending ? change.variables : connection.enabled;
  return (
    <AtControl of={change}>
      <Toggle label={`The connection to ${connection.destination.name} is enabled`} isOn={isOn} onChange={(on) => change.mutate(on)} />
    </AtControl>
  );
}

/** How many a picker lists at once; typing a part of the name finds the others. */
const PICKED_FROM = 50;

function NewConnection({ onClose }: { onClose: () => void }) {
  const search = useSearchState();
  const [, navigate] = useLocation();
  return (
    <Dialog title="New connection" onClose={onClose}>
      <Form
        onSubmit={async (values) => {
          const made = await call('POST /api/v1/connections', { body: { source_id: text(values, 'source_id'), destination_id: text(values, 'destination_id') } });
          await changed('connections');
          toast('Connected. New events are delivered');
          navigate(`/connections/${made.id}`);
        }}
        footer={(isBusy) => (
          <footer>
            <Button type="submit" kind="primary" disabled={isBusy}>
              Connect
            </Button>
          </footer>
        )}
      >
        <SourcePicker chosen={search.get('source')} />
        <DestinationPicker chosen={search.get('destination')} />
      </Form>
    </Dialog>
  );
}

function SourcePicker({ chosen }: { chosen: string }) {
  const [q, setQ] = useState('');
  const found = useSources({ q: useDebounced(q), page: 1, limit: PICKED_FROM });
  const named = useSource(chosen, chosen !== '');
  return <Picker name="source_id" label="From" what="Sources" query={found} named={named.data} chosen={chosen} q={q} onSearch={setQ} />;
}

function DestinationPicker({ chosen }: { chosen: string }) {
  const [q, setQ] = useState('');
  const found = useDestinations({ q: useDebounced(q), page: 1, limit: PICKED_FROM });
  const named = useDestination(chosen, false, chosen !== '');
  return <Picker name="destination_id" label="To" what="Destinations" query={found} named={named.data} chosen={chosen} q={q} onSearch={setQ} hint="Everything passes until you add a filter." />;
}

type Named = { id: string; name: string };

type PickerProps = {
  name: string;
  label: string;
  what: string;
  query: UseQueryResult<{ items: Named[]; total: number }>;
  /** The one that the address names, which the list need not have. */
  named: Named | undefined;
  chosen: string;
  q: string;
  onSearch: (q: string) => void;
  hint?: string;
};

/** A select over the first of many, with a field that finds others by name. */
function Picker({ name, label, what, query, named, chosen, q, onSearch, hint }: PickerProps) {
  return (
    <Gate query={query} what={what} rows={2}>
      {({ items, total }) => {
        const rest = named === undefined || q !== '' || items.some((one) => one.id === named.id) ? items : [named, ...items];
        const isMore = q !== '' || total > items.length;
        return (
          <div className="stack-s">
            {isMore && <input className="field" type="search" aria-label={`Find ${what.toLowerCase()} by name`} placeholder={`Find one of ${count(total)} by name`} value={q} onInput={(event) => onSearch(event.currentTarget.value)} />}
            <Field key={rest.map((one) => one.id).join()} name={name} label={label} value={q === '' ? chosen : rest.length === 1 ? rest[0]?.id : ''} options={[{ value: '', label: rest.length === 0 ? 'Nothing has this name' : 'Choose one' }, ...rest.map((one) => ({ value: one.id, label: one.name }))]} hint={hint} />
          </div>
        );
      }}
    </Gate>
  );
}
