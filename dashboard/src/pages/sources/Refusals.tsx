/** The requests that a source refused, by minute and reason. */
import { serverNow } from '../../api/client';
import { useRefusals } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { useSearchState } from '../../lib/search';
import { REFUSALS } from '../../lib/stats';
import { count } from '../../lib/text';
import { dateTime, windowStart } from '../../lib/time';
import { Gate } from '../../ui/gate';
import { Blank, Panel, Segments } from '../../ui/parts';
import { Paging } from '../events/EventsPage';

const WINDOWS = [
  { value: '1h', label: '1 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
];
const PAGE_SIZE = 50;
/** The API accepts at most seven days. They end when the server handles the request, which is a little later than now, so this shortens them. */
const MARGIN_MILLISECONDS = 60_000;

export function Refusals({ id }: { id: string }) {
  const search = useSearchState();
  const { zone } = usePreferences();
  const window = WINDOWS.find((one) => one.value === search.get('window'))?.value ?? '24h';
  const page = Number(search.get('page')) || 1;
  const refusals = useRefusals(id, page, PAGE_SIZE, window, () => windowStart(window, serverNow() + MARGIN_MILLISECONDS));
  return (
    <div className="stack">
      <Panel
        title="Refused requests"
        note="the last few seconds may be missing"
        flush
        end={<Segments label="Window" value={window} options={WINDOWS} onChange={(to) => search.set({ window: to === '24h' ? undefined : to, page: undefined }, { replace: true })} />}
      >
        <Gate query={refusals} what="The refused requests" rows={6}>
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="delivered" title="Nothing was refused">
                Every request to this source in this time was accepted.
              </Blank>
            ) : (
              <div className="list lines">
                <table>
                  <thead>
                    <tr>
                      <th className="a-when">Minute</th>
                      <th className="r c-num">Requests</th>
                      <th className="c-num">Status</th>
                      <th>Why</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.items.map((one) => (
                      <tr key={`${one.minute} ${one.status} ${one.reason}`}>
                        <td className="at mono muted">{dateTime(one.minute, zone).slice(0, 16)}</td>
                        <td className="r num dl">{count(one.count)}</td>
                        <td className="src-c mono">{one.status}</td>
                        <td className="sum cut" title={REFUSALS[one.reason]}>
                          {REFUSALS[one.reason]}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Gate>
      </Panel>
      {refusals.data && <Paging search={search} total={refusals.data.total} page={page} pageSize={PAGE_SIZE} />}
    </div>
  );
}
