/** The destinations with their circuits. */
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useDestinations } from '../../api/queries';
import { useNow } from '../../lib/now';
import { useSearchState } from '../../lib/search';
import { circuitState } from '../../lib/states';
import { host } from '../../lib/text';
import { countdown, seconds } from '../../lib/time';
import { Page } from '../../shell/Page';
import { AtControl } from '../../ui/AtControl';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Blank, Button, ButtonLink, StateLabel, Toggle } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { Paging } from '../events/EventsPage';
import { NameSearch } from '../sources/SourcesPage';
import { DestinationForm } from './DestinationForm';
import { AUTH_NAMES } from './auth';

type Destination = Schemas['Destination'];

const PAGE_SIZE = 50;

export function DestinationsPage() {
  const search = useSearchState();
  const [, navigate] = useLocation();
  const page = Number(search.get('page')) || 1;
  const destinations = useDestinations({ q: search.get('q'), page, limit: PAGE_SIZE }, 5_000);
  const now = useNow();
  return (
    <Page title="Destinations" actions={<ButtonLink to={search.href({ new: '1' })} kind="primary" icon="plus">New destination</ButtonLink>}>
      <div className="views">
        <span className="end">
          <NameSearch value={search.get('q')} onChange={(q) => search.set({ q, page: undefined }, { replace: true })} />
        </span>
      </div>
      <div className="list">
        <Gate query={destinations} what="Destinations">
          {({ items }) => {
            if (items.length === 0) {
              return search.get('q') !== '' ? (
                <Blank icon="filtered" title="No destination has this in its name" action={<Button onClick={() => search.set({ q: undefined })}>Show all</Button>} />
              ) : (
                <Blank icon="dests" title="No destinations yet" action={<ButtonLink to="/destinations?new=1" kind="primary">New destination</ButtonLink>}>
                  A destination is a URL that events are delivered to.
                </Blank>
              );
            }
            return (
              <table>
                <thead>
                  <tr>
                    <th className="c-name">Name</th>
                    <th className="wide">Host</th>
                    <th className="c-circuit">Circuit</th>
                    <th className="wide c-ver">Signing</th>
                    <th className="wide c-num r">Timeout</th>
                    <th className="c-toggle r">Active</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((one) => (
                    <tr
                      key={one.id}
                      onClick={(event) => {
                        if (!(event.target as HTMLElement).closest('a,button')) navigate(`/destinations/${one.id}`);
                      }}
                    >
                      <td className="sum">
                        <Link href={`/destinations/${one.id}`} className="strong">
                          {one.name}
                        </Link>
                      </td>
                      <td className="wide muted mono cut" title={one.url}>
                        {host(one.url)}
                      </td>
                      <td className="src-c">
                        <Circuit destination={one} now={now} />
                      </td>
                      <td className="wide muted">{AUTH_NAMES[one.auth_config.type]}</td>
                      <td className="wide r">{seconds(one.timeout_ms / 1000)}</td>
                      <td className="r dl">
                        <DestinationToggle destination={one} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            );
          }}
        </Gate>
        {destinations.data && <Paging search={search} total={destinations.data.total} page={page} pageSize={PAGE_SIZE} />}
      </div>
      {search.get('new') !== '' && (
        <Dialog title="New destination" wide onClose={() => search.set({ new: undefined })}>
          <DestinationForm onSaved={(made) => navigate(`/destinations/${made.id}`)} />
        </Dialog>
      )}
    </Page>
  );
}

export function Circuit({ destination, now }: { destination: Pick<Destination, 'circuit_state' | 'circuit_reopen_at'>; now: number }) {
  const state = circuitState(destination.circuit_state);
  return (
    <>
      <StateLabel state={state} />
      {state === 'copen' && destination.circuit_reopen_at !== null && <span className="muted num small"> probe in {countdown(destination.circuit_reopen_at, now)}</span>}
    </>
  );
}

export function DestinationToggle({ destination }: { destination: Pick<Destination, 'id' | 'name' | 'status'> }) {
  const change = useMutation({
    mutationFn: (status: Destination['status']) => call('PATCH /api/v1/destinations/{id}', { path: { id: destination.id }, body: { status } }),
    onSuccess: (saved) => {
      toast(saved.status === 'paused' ? `${saved.name} is paused: its deliveries wait` : `${saved.name} is active: waiting deliveries go out`);
      void changed('destinations', 'events', 'connections');
    },
  });
  const isActive = change.isPending ? change.variables === 'active' : destination.status === 'active';
  return (
    <span className="with-toggle">
      {!isActive && <StateLabel state="paused" />}
      <AtControl of={change}>
        <Toggle label={`${destination.name} is active`} isOn={isActive} onChange={(isOn) => change.mutate(isOn ? 'active' : 'paused')} />
      </AtControl>
    </span>
  );
}
