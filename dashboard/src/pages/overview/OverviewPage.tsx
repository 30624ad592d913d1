/** Shows whether anything is wrong: what needs attention, four numbers, deliveries over time, and the health of sources and destinations. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { serverNow, type Schemas } from '../../api/client';
import { useDestinationsById, useStatsBefore, useStatsByDestination, useStatsBySource, useStatsOverview, useVolumeBySource } from '../../api/queries';
import { useSearchState } from '../../lib/search';
import { circuitState } from '../../lib/states';
import { moreOrLess, notTaken, percent, windowBefore } from '../../lib/stats';
import { count, plural, size } from '../../lib/text';
import { coarse, duration } from '../../lib/time';
import { Page } from '../../shell/Page';
import { Gate, Together } from '../../ui/gate';
import { Blank, Panel, Segments, SourceName, StateLabel } from '../../ui/parts';
import { Rate } from '../../ui/Rate';
import { Attention, useChecks } from './Attention';
import { Histogram } from './Histogram';
import { Sparkline } from './Sparkline';

const WINDOWS = [
  { value: '1h', label: '1 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
  { value: '30d', label: '30 d' },
];
/** How many rows a table has here. The page of its own has all of them. */
const MAX_ROWS = 10;

export function OverviewPage() {
  const search = useSearchState();
  const window = WINDOWS.find((one) => one.value === search.get('window'))?.value ?? '24h';
  const stats = useStatsOverview(window);
  const checks = useChecks(window);
  return (
    <Page
      title="Overview"
      actions={<Segments label="Window" value={window} options={WINDOWS} onChange={(to) => search.set({ window: to === '24h' ? undefined : to }, { replace: true })} />}
    >
      <div className="pad">
        <Together queries={[stats, ...Object.values(checks)]} rows={16}>
          <Attention window={window} />
          <Gate query={stats} what="The statistics" rows={8}>
            {(data) => (
              <>
                <Numbers stats={data} />
                <Histogram stats={data} />
              </>
            )}
          </Gate>
          <div className="grid2 even">
            <Sources window={window} />
            <Destinations window={window} />
          </div>
        </Together>
      </div>
    </Page>
  );
}

function Numbers({ stats }: { stats: Schemas['StatsOverview'] }) {
  const { totals, waiting, histogram } = stats;
  const latency = totals.latency_ms;
  const before = useStatsBefore(windowBefore(stats)).data;
  const past = before?.totals;
  return (
    <section className="panel numbers" aria-label="Numbers">
      <Figure title="Events received" value={count(totals.events)} values={histogram.map((one) => one.events)}>
        {before && <Change>{moreOrLess({ window: stats.window, value: totals.events }, { window: before.window, value: before.totals.events }, serverNow())}</Change>}
        {totals.unverified > 0 ? `${count(totals.unverified)} not verified` : 'all accepted'}
        {notTaken(totals.refused) > 0 && `, ${count(notTaken(totals.refused))} refused`}
      </Figure>
      <Figure title="Delivered" value={percent(totals.success_rate)} values={histogram.map((one) => one.success_rate)}>
        <Change>{past && past.success_rate !== null && `${percent(past.success_rate)} before`}</Change>
        {count(totals.succeeded)} of {plural(totals.succeeded + totals.failed + totals.exhausted, 'finished delivery', 'finished deliveries')}
      </Figure>
      <Figure title="Delivery latency, p95" value={latency === null ? '–' : duration(latency.p95)} values={histogram.map((one) => one.latency_ms?.p95 ?? null)}>
        <Change>{past && past.latency_ms !== null && `${duration(past.latency_ms.p95)} before`}</Change>
        {latency === null ? 'no response yet' : `median ${duration(latency.p50)}, p99 ${duration(latency.p99)}`}
      </Figure>
      <Figure title="Waiting now" value={count(waiting.count)} values={histogram.map((one) => one.pending)}>
        {waiting.oldest_age_seconds === null ? 'nothing waiting' : `oldest ${coarse(waiting.oldest_age_seconds * 1000)}`}
      </Figure>
    </section>
  );
}

function Figure({ title, value, values, children }: { title: string; value: string; values: (number | null)[]; children: ReactNode }) {
  return (
    <div>
      <h2 className="small">{title}</h2>
      <p className="row">
        <span className="big num">{value}</span>
        <Sparkline values={values} />
      </p>
      <p className="muted small">{children}</p>
    </div>
  );
}

/** What the number was in the window before, ahead of the rest of its line. */
function Change({ children }: { children: string | false | undefined }) {
  return children ? <>{children}, </> : null;
}

function Sources({ window }: { window: string }) {
  const sources = useStatsBySource(window);
  const volumes = useVolumeBySource(window);
  const bytes = new Map((volumes.data?.items ?? []).map((one) => [one.source_id, one.bytes]));
  return (
    <Panel title="Sources" flush end={<Link className="link" href="/sources">All {sources.data?.total === undefined ? '' : count(sources.data.total)}</Link>}>
      <Gate query={sources} what="The sources" rows={4}>
        {(data) =>
          data.items.length === 0 ? (
            <Blank icon="sources" title="No sources" />
          ) : (
            <table className="fits">
              <thead>
                <tr>
                  <th>Name</th>
                  <th className="r c-num">Events</th>
                  <th className="r c-num wide">Size</th>
                  <th className="r c-num">Delivered</th>
                  <th className="r c-num">Refused</th>
                </tr>
              </thead>
              <tbody>
                {data.items.slice(0, MAX_ROWS).map((one) => {
                  const size_ = bytes.get(one.source_id);
                  const refused = one.refused['401'] + notTaken(one.refused);
                  return (
                    <tr key={one.source_id}>
                      <td className="cut">
                        <Link href={`/sources/${one.source_id}`}>
                          <SourceName name={one.source_name} color={one.color} />
                        </Link>
                      </td>
                      <td className="r num">{count(one.events)}</td>
                      <td className="r num wide muted">{size_ === undefined ? '–' : size(size_)}</td>
                      <td className="r num">
                        <Rate share={one.success_rate} />
                      </td>
                      <td className="r num">{refused === 0 ? <span className="muted">0</span> : <Link className="t-failed" href={`/sources/${one.source_id}/refusals`}>{count(refused)}</Link>}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )
        }
      </Gate>
    </Panel>
  );
}

function Destinations({ window }: { window: string }) {
  const stats = useStatsByDestination(window);
  const shown = (stats.data?.items ?? []).slice(0, MAX_ROWS).filter((one) => !one.deleted);
  const byId = useDestinationsById(shown.map((one) => one.destination_id), 15_000);
  return (
    <Panel title="Destinations" flush end={<Link className="link" href="/destinations">All {stats.data?.total === undefined ? '' : count(stats.data.total)}</Link>}>
      <Gate query={stats} what="The destinations" rows={4}>
        {(data) =>
          data.items.length === 0 ? (
            <Blank icon="dests" title="No destinations" />
          ) : (
            <table className="fits">
              <thead>
                <tr>
                  <th>Name</th>
                  <th className="wide o-state">Circuit</th>
                  <th className="r c-num">Delivered</th>
                  <th className="r c-num wide">p95</th>
                  <th className="r c-num">Waiting</th>
                </tr>
              </thead>
              <tbody>
                {data.items.slice(0, MAX_ROWS).map((one) => {
                  const known = byId.get(one.destination_id);
                  return (
                    <tr key={one.destination_id}>
                      <td className="cut">{one.deleted ? <span className="muted">{one.destination_name}</span> : <Link href={`/destinations/${one.destination_id}`}>{one.destination_name}</Link>}</td>
                      <td className="wide">{one.deleted ? <span className="muted">deleted</span> : known && <StateLabel state={circuitState(known.circuit_state)} />}</td>
                      <td className="r num">
                        <Rate share={one.success_rate} />
                      </td>
                      <td className="r num wide muted">{one.latency_ms === null ? '–' : duration(one.latency_ms.p95)}</td>
                      <td className="r num">{count(one.waiting.count)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )
        }
      </Gate>
    </Panel>
  );
}
