/** One event: what became of it, its deliveries and attempts, and the request as it was received. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call, serverUrl, type Schemas } from '../../api/client';
import { changed, LARGE_BODY_BYTES, readWholeEvent, useEvent, useSource, useSourceConnections, useWholeEvent, type Event } from '../../api/queries';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { apiCall, curl, httpie, rawHttp } from '../../lib/requests';
import { useSearchState } from '../../lib/search';
import { deliveryState, STATES } from '../../lib/states';
import { count, plural, shortId, size } from '../../lib/text';
import { clock, day, when, type Zone } from '../../lib/time';
import { useShortcut } from '../../shell/Shortcuts';
import { ErrorNote } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
import { Dialog, Menu } from '../../ui/overlay';
import { Ago, Blank, Button, copy, CopyButton, SourceName } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { DeliveryRow } from './DeliveryRow';
import { headline, latestByConnection, titleOf } from './sentence';
import { Verification } from './EventsPage';
import { EventViewer } from './EventViewer';

type DrawerProps = { id: string; onClose: () => void; onStep: (by: number) => void };

export function EventDrawer({ id, onClose, onStep }: DrawerProps) {
  const event = useEvent(id);
  return (
    <section className="drawer" aria-label="Event">
      {event.data === undefined ? (
        <div className="dh">
          <div className="l1">
            <span className="mono faint">{shortId(id)}</span>
            <span className="end">
              <Button kind="quiet" icon="x" label="Close" onClick={onClose} />
            </span>
          </div>
          <Gate query={event} what="The event" rows={4}>
            {() => null}
          </Gate>
        </div>
      ) : (
        <Loaded key={id} event={event.data} onClose={onClose} onStep={onStep} />
      )}
    </section>
  );
}

function Loaded({ event, onClose, onStep }: { event: Event; onClose: () => void; onStep: (by: number) => void }) {
  const now = useNow();
  const { zone } = usePreferences();
  const source = useSource(event.source_id).data;
  const sentence = headline(event, now, zone);
  const latest = latestByConnection(event.deliveries);
  const deliveries = [...latest, ...event.deliveries.filter((one) => !latest.includes(one))];
  const search = useSearchState();
  const [isAsked, setAsked] = useState(false);
  const isLarge = event.body_size > LARGE_BODY_BYTES;
  const whole = useWholeEvent(event.id, isAsked || !isLarge);
  const wanted = (search.get('delivery') || search.get('q')).toLowerCase();
  return (
    <>
      <div className="dh">
        <div className="l1">
          <span className="chip plain">{event.method}</span>
          <h2 className="title cut">{titleOf(event)}</h2>
          <span className="mono faint cut id">{event.id}</span>
          <CopyButton text={event.id} label="Copy the id" />
          <span className="end">
            <Button kind="quiet" label="Previous event (k)" onClick={() => onStep(-1)} className="key">
              <kbd>K</kbd>
            </Button>
            <Button kind="quiet" label="Next event (j)" onClick={() => onStep(1)} className="key">
              <kbd>J</kbd>
            </Button>
            <Button kind="quiet" icon="x" label="Close" onClick={onClose} />
          </span>
        </div>
        <p className="why">
          {sentence.summary} {sentence.name !== undefined && <b className="strong">{sentence.name}</b>}
          {sentence.rest}
        </p>
        <div className="meta">
          <Link href={`/sources/${event.source_id}`}>
            <SourceName name={source?.name ?? shortId(event.source_id)} color={source?.color} />
          </Link>
          <span>
            Received {clock(event.received_at, zone, true)}, <Ago time={event.received_at} />
          </span>
          <Verification event={event} />
          {event.expires_at !== null && <span>Kept until {day(event.expires_at, zone, now)}</span>}
        </div>
        <Actions event={event} latest={latest} source={source} isText={whole.data?.body_base64 === undefined} />
      </div>
      {event.deliveries.length > 0 && (
        <ul className="dv">
          {deliveries.map((delivery, i) => (
            <DeliveryRow key={`${delivery.id} ${delivery.id === wanted}`} delivery={delivery} now={now} isOlder={i >= latest.length} isMarked={delivery.id === wanted} eventId={event.id} />
          ))}
        </ul>
      )}
      {event.payload_unreadable && <ErrorNote error={new Error('The stored headers and body cannot be read. Only the sender still has them, or a backup.')} />}
      <EventViewer
        event={whole.data ?? event}
        deliveries={deliveries}
        latest={latest}
        instead={
          whole.data !== undefined ? undefined : isLarge && !isAsked ? (
            <Blank icon="events" title={`The body is ${size(event.body_size)}`} action={<Button onClick={() => setAsked(true)}>Load it</Button>}>
              Loading and drawing it may take a moment.
            </Blank>
          ) : (
            <Gate query={whole} what="The payload" rows={6}>
              {() => null}
            </Gate>
          )
        }
      />
    </>
  );
}

function Actions({ event, latest, source, isText }: { event: Event; latest: Schemas['Delivery'][]; source: Schemas['Source'] | undefined; isText: boolean }) {
  const [dialog, setDialog] = useState<'choose' | 'api' | 'machine' | null>(null);
  const failed = latest.filter((one) => one.status === 'failed' || one.status === 'exhausted');
  const resend = useMutation({
    mutationFn: (connections?: string[]) =>
      call('POST /api/v1/events/{id}/resend', { path: { id: event.id }, body: connections === undefined ? {} : { connection_ids: connections } }),
    onSuccess: ({ created }) => {
      toast(created === 0 ? 'The source has no connection to send to' : `${plural(created, 'delivery', 'deliveries')} on the way`);
      void changed('events', 'dlq');
    },
  });
  const copying = useMutation({ mutationFn: async (make: (whole: Event) => string) => copy(make(await readWholeEvent(event.id))) });
  useShortcut('r', () => setDialog('choose'));
  useShortcut('y', () => void copy(location.href));
  const url = source ? serverUrl(source.ingest_path) : serverUrl('/in/TOKEN');
  const isRefused = event.verification_status === 'failed';
  return (
    <>
      <div className="acts">
        <Menu
          kind="primary"
          items={[
            { label: 'To all connections', onSelect: () => resend.mutate(undefined) },
            ...(failed.length > 0 ? [{ label: `To the ${failed.length} that failed`, onSelect: () => resend.mutate(failed.map((one) => one.connection_id)) }] : []),
            { label: 'Choose connections', hint: 'r', onSelect: () => setDialog('choose') },
          ]}
        >
          Resend
        </Menu>
        <Menu
          items={[
            { label: 'curl to the source', onSelect: () => copying.mutate((whole) => curl(whole.method, url, whole.header_list, whole.body, whole.body_base64)) },
            { label: 'HTTPie to the source', onSelect: () => copying.mutate((whole) => httpie(whole.method, url, whole.header_list, whole.body, whole.body_base64)) },
            ...(isText ? [{ label: 'Raw HTTP', onSelect: () => copying.mutate((whole) => rawHttp(whole.method, source?.ingest_path ?? '/', whole.header_list, whole.body)) }] : []),
            { label: 'sluice replay', onSelect: () => void copy(replayCommand(event)) },
            { label: isText ? 'Body' : 'Body as Base64', onSelect: () => copying.mutate((whole) => whole.body_base64 ?? whole.body) },
            { label: 'Link to this event', icon: 'link', hint: 'y', onSelect: () => void copy(location.href) },
          ]}
        >
          Copy as
        </Menu>
        <Button onClick={() => setDialog('machine')}>Replay to my machine</Button>
        <Button kind="quiet" icon="api" className="more" onClick={() => setDialog('api')}>
          Show as API call
        </Button>
      </div>
      {isRefused && <p className="faint small">A resend is sent even though the check failed.</p>}
      {resend.error && <ErrorNote error={resend.error} />}
      {copying.error && <ErrorNote error={copying.error} />}
      {dialog === 'choose' && <ChooseConnections event={event} latest={latest} onClose={() => setDialog(null)} onResend={(ids) => resend.mutate(ids)} />}
      {dialog === 'machine' && <ToMyMachine command={replayCommand(event)} onClose={() => setDialog(null)} />}
      {dialog === 'api' && <ApiCalls event={event} onClose={() => setDialog(null)} />}
    </>
  );
}

function ChooseConnections({ event, latest, onClose, onResend }: { event: Event; latest: Schemas['Delivery'][]; onClose: () => void; onResend: (ids: string[]) => void }) {
  const connections = useSourceConnections(event.source_id);
  const [chosen, setChosen] = useState(() => new Set(toChoose(latest)));
  const { zone } = usePreferences();
  const now = useNow();
  return (
    <Dialog title="Resend this event" onClose={onClose}>
      <div className="in">
        <Gate query={connections} what="The connections" rows={3}>
          {({ items, total }) => {
            const shown = new Set(items.map((one) => one.id));
            const ids = [...chosen].filter((id) => shown.has(id));
            const delivered = latest.filter((one) => one.status === 'succeeded' && ids.includes(one.connection_id)).length;
            return (
              <div className="stack">
                {items.length === 0 && <p className="muted">The source has no connection, so there is nowhere to send the event.</p>}
                <ul className="choices">
                  {items.map((one) => (
                    <li key={one.id}>
                      <label>
                        <input
                          type="checkbox"
                          checked={chosen.has(one.id)}
                          onChange={() => {
                            const next = new Set(chosen);
                            if (!next.delete(one.id)) next.add(one.id);
                            setChosen(next);
                          }}
                        />
                        <span>{one.destination.name}</span>
                        <span className="faint small">{[stateOf(latest.find((other) => other.connection_id === one.id), zone, now), ...(one.enabled ? [] : ['disabled'])].join(', ')}</span>
                      </label>
                    </li>
                  ))}
                </ul>
                {total > items.length && <p className="faint small">The first {items.length} of {count(total)} connections. “To all connections” sends to each.</p>}
                <p className="faint small">
                  A resend ignores the filter and uses the current transformation and URL.
                  {delivered > 0 && ` ${plural(delivered, 'destination')} will receive it a second time.`}
                </p>
                <footer>
                  <Button
                    kind="primary"
                    disabled={ids.length === 0}
                    onClick={() => {
                      onResend(ids);
                      onClose();
                    }}
                  >
                    Resend to {plural(ids.length, 'connection')}
                  </Button>
                </footer>
              </div>
            );
          }}
        </Gate>
      </div>
    </Dialog>
  );
}

/** The connections where it failed. If it failed nowhere, those where it has not arrived, apart from those whose filter did not want it. */
function toChoose(latest: Schemas['Delivery'][]): string[] {
  const failed = latest.filter((one) => one.status === 'failed' || one.status === 'exhausted');
  return (failed.length > 0 ? failed : latest.filter((one) => one.status === 'pending' || one.status === 'delivering')).map((one) => one.connection_id);
}

/** What became of the event on a connection. */
function stateOf(delivery: Schemas['Delivery'] | undefined, zone: Zone, now: number): string {
  if (delivery === undefined) return 'not sent yet';
  const label = STATES[deliveryState(delivery)].label.toLowerCase();
  return delivery.finished_at === null ? label : `${label}, ${when(delivery.finished_at, zone, now)}`;
}

function replayCommand(event: Event): string {
  return `sluice replay ${event.id} --forward-to 3000/webhooks`;
}

function ToMyMachine({ command, onClose }: { command: string; onClose: () => void }) {
  return (
    <Dialog title="Replay to my machine" onClose={onClose}>
      <div className="in stack">
        <p>The command line sends this event to a port of the machine it runs on, as it was received. No delivery is created. Change 3000/webhooks to where your program listens.</p>
        <div className="with-copy">
          <pre className="code grow">{command}</pre>
          <CopyButton kind="primary" text={command}>
            Copy
          </CopyButton>
        </div>
        <p className="faint small">
          It needs an API key, which <code>sluice login</code> stores.
        </p>
      </div>
    </Dialog>
  );
}

function ApiCalls({ event, onClose }: { event: Event; onClose: () => void }) {
  const calls: [string, string][] = [
    ['Read this event', apiCall('GET', `/api/v1/events/${event.id}`)],
    ['Send it again', apiCall('POST', `/api/v1/events/${event.id}/resend`, '{}')],
  ];
  return (
    <Dialog title="As API calls" onClose={onClose} wide>
      <div className="in stack">
        {calls.map(([title, text]) => (
          <div key={title} className="stack-s">
            <div className="row">
              <h3>{title}</h3>
              <span className="end">
                <CopyButton text={text} label={`Copy: ${title}`} />
              </span>
            </div>
            <pre className="code">{text}</pre>
          </div>
        ))}
        <p className="faint small">
          <Icon name="verified" size={14} /> Create the key in Settings, API keys.
        </p>
      </div>
    </Dialog>
  );
}
