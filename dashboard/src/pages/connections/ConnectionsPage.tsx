/** Which source feeds which destination. */
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useConnections, useDestinations, useSources } from '../../api/queries';
import { useSearchState } from '../../lib/search';
import { circuitState } from '../../lib/states';
import { plural, shortId } from '../../lib/text';
import { Page } from '../../shell/Page';
import { AtControl } from '../../ui/AtControl';
import { Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Blank, Button, ButtonLink, SourceName, StateLabel, Toggle } from '../../ui/parts';
import { toast } from '../../ui/toast';

type Connection = Schemas['Connection'];

export function ConnectionsPage() {
  const search = useSearchState();
  const [, navigate] = useLocation();
  const connections = useConnections();
  const sources = useSources();
  const byId = new Map((sources.data?.items ?? []).map((one) => [one.id, one]));
  return (
    <Page title="Connections" actions={<ButtonLink to={search.href({ new: '1' })} kind="primary" icon="plus">New connection</ButtonLink>}>
      <div className="list">
        <Gate query={connections} what="Connections">
          {(data) =>
            data.items.length === 0 ? (
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

function NewConnection({ onClose }: { onClose: () => void }) {
  const search = useSearchState();
  const [, navigate] = useLocation();
  const sources = useSources();
  const destinations = useDestinations();
  const choose = { value: '', label: 'Choose one' };
  return (
    <Dialog title="New connection" onClose={onClose}>
      {sources.data && destinations.data ? (
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
          <Field name="source_id" label="From" value={search.get('source')} options={[choose, ...sources.data.items.map((one) => ({ value: one.id, label: one.name }))]} />
          <Field
            name="destination_id"
            label="To"
            value={search.get('destination')}
            options={[choose, ...destinations.data.items.map((one) => ({ value: one.id, label: one.name }))]}
            hint="Everything passes until you add a filter."
          />
        </Form>
      ) : (
        <>
          <Gate query={sources} what="Sources" rows={2}>
            {() => null}
          </Gate>
          <Gate query={destinations} what="Destinations" rows={2}>
            {() => null}
          </Gate>
        </>
      )}
    </Dialog>
  );
}
