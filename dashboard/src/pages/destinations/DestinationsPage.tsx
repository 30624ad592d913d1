/** The destinations with their circuits. */
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useDestinations, useStatsOfDestinations } from '../../api/queries';
import { useNow } from '../../lib/now';
import { useSearchState } from '../../lib/search';
import { circuitState } from '../../lib/states';
import { count, host } from '../../lib/text';
import { coarse, countdown, duration } from '../../lib/time';
import { Page } from '../../shell/Page';
import { AtControl } from '../../ui/AtControl';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Blank, Button, ButtonLink, StateLabel, Toggle } from '../../ui/parts';
import { Rate } from '../../ui/Rate';
import { toast } from '../../ui/toast';
import { Paging } from '../events/EventsPage';
import { NameSearch } from '../sources/SourcesPage';
import { DestinationForm } from './DestinationForm';

type Destination = Schemas['Destination'];

const PAGE_SIZE = 50;

export function DestinationsPage() {
  const search = useSearchState();
  const [, navigate] = useLocation();
  const page = Number(search.get('page')) || 1;
  const destinations = useDestinations({ q: search.get('q'), page, limit: PAGE_SIZE }, 5_000);
  const stats = useStatsOfDestinations((destinations.data?.items ?? []).map((one) => one.id)).data;
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
                    <th className="wide c-num r">Delivered</th>
                    <th className="wide c-num r">p95</th>
                    <th className="wide c-wait r">Waiting</th>
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
                      <Health stats={stats === undefined ? undefined : (stats.get(one.id) ?? null)} />
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

/** The last 24 hours. `undefined`: not known yet; null: nothing was to be delivered. */
function Health({ stats }: { stats: Schemas['DestinationStats'] | null | undefined }) {
  if (!stats) {
    const none = stats === null ? '–' : '';
    return (
      <>
        <td className="wide r faint">{none}</td>
        <td className="wide r faint">{none}</td>
        <td className="wide r faint">{none}</td>
      </>
    );
  }
  const oldest = stats.waiting.oldest_age_seconds;
  return (
    <>
      <td className="wide r num">
        <Rate share={stats.success_rate} />
      </td>
      <td className="wide r num muted">{stats.latency_ms === null ? '–' : duration(stats.latency_ms.p95)}</td>
      <td className="wide r num">
        {count(stats.waiting.count)}
        {stats.waiting.count > 0 && oldest !== null && <span className="muted small">, oldest {coarse(oldest * 1000)}</span>}
      </td>
    </>
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
