/** One source: its URL, its connections, how it is verified, what it answers and refuses, and its settings. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { call, serverUrl, type Schemas } from '../../api/client';
import { changed, useEvents, useSource, useSourceConnections } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { curl } from '../../lib/requests';
import { circuitState } from '../../lib/states';
import { size } from '../../lib/text';
import { clock, dateTime } from '../../lib/time';
import { forgetUnsaved } from '../../lib/unsaved';
import { Page } from '../../shell/Page';
import { AtControl, Confirm } from '../../ui/AtControl';
import { Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { KeepEdits } from '../../ui/KeepEdits';
import { Blank, Button, ButtonLink, CopyButton, Facts, Panel, StateLabel, Tabs } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { Verification as EventVerification } from '../events/EventsPage';
import { PauseToggle } from './SourcesPage';
import { PROVIDER_NAMES, providerOf } from './providers';
import { Refusals } from './Refusals';
import { ResponseForm } from './ResponseForm';
import { TokenPanel } from './TokenPanel';
import { VerificationForm } from './VerificationForm';

type Source = Schemas['Source'];

export const SAMPLE_BODY = '{"type":"order.created","data":{"id":1,"total":148.50}}';

const TABS = [
  { id: '', label: 'Overview' },
  { id: 'verification', label: 'Verification' },
  { id: 'response', label: 'Response' },
  { id: 'refusals', label: 'Refused' },
  { id: 'settings', label: 'Settings' },
];

export function SourcePage() {
  const { id = '', tab = '' } = useParams<{ id: string; tab?: string }>();
  const source = useSource(id);
  return (
    <Page title={source.data?.name ?? 'Source'} up={<Link href="/sources">Sources</Link>}>
      <Tabs
        label="Source"
        tabs={TABS.map((one) => ({ href: `/sources/${id}${one.id === '' ? '' : `/${one.id}`}`, label: one.label, isOn: one.id === tab }))}
        end={<>{source.data && <PauseToggle source={source.data} />}</>}
      />
      <div className="pad">
        <Gate query={source} what="The source">
          {(data) => (
            <>
              {tab === '' && <Overview source={data} />}
              {tab === 'verification' && (
                <KeepEdits key="verification" stored={data} edits={(one) => one.verification_config}>
                  {(one) => <VerificationForm source={one} />}
                </KeepEdits>
              )}
              {tab === 'response' && (
                <KeepEdits key="response" stored={data} edits={(one) => one.response_config}>
                  {(one) => <ResponseForm source={one} />}
                </KeepEdits>
              )}
              {tab === 'refusals' && <Refusals id={data.id} />}
              {tab === 'settings' && <Settings source={data} />}
            </>
          )}
        </Gate>
      </div>
    </Page>
  );
}

function Overview({ source }: { source: Source }) {
  const { zone } = usePreferences();
  const url = serverUrl(source.ingest_path);
  const command = curl('POST', url, [{ name: 'Content-Type', value: 'application/json' }], SAMPLE_BODY);
  return (
    <div className="dest">
      <div>
        <Panel title="URL" note="anything that speaks HTTP can post to it" end={<Link className="link" href={`/sources/${source.id}/settings`}>Rotate token</Link>}>
          <div className="stack">
            <UrlField url={url} />
            <div className="code-head">
              <span className="muted small">Try it with curl</span>
              <span className="end row">
                <CopyButton kind="normal" text={command}>
                  Copy command
                </CopyButton>
                <SendTest source={source} />
              </span>
            </div>
            <pre className="code">{command}</pre>
          </div>
        </Panel>
        <LatestEvents source={source} />
      </div>
      <div>
        <Panel title="Settings" end={<Link href={`/sources/${source.id}/settings`} className="link">Edit</Link>}>
          <Facts
            facts={[
              ['Status', source.status === 'paused' ? <StateLabel state="paused" /> : 'Active'],
              ['Verification', <Link className="link" href={`/sources/${source.id}/verification`}>{PROVIDER_NAMES[providerOf(source.verification_config.provider)]}</Link>],
              ['Response', <Link className="link" href={`/sources/${source.id}/response`}>{source.response_config === null ? '200, the default' : `${source.response_config.status}, your own`}</Link>],
              ['Description', source.description ?? '–'],
              ['Created', dateTime(source.created_at, zone)],
            ]}
          />
        </Panel>
        <FeedsInto source={source} />
      </div>
    </div>
  );
}

export function UrlField({ url }: { url: string }) {
  const at = url.lastIndexOf('/') + 1;
  return (
    <div className="url">
      <span className="cut">
        {url.slice(0, at)}
        <b className="strong">{url.slice(at)}</b>
      </span>
      <CopyButton kind="primary" text={url}>
        Copy
      </CopyButton>
    </div>
  );
}

/** Asks the server to create a test event, signed as the source expects. */
export function SendTest({ source }: { source: Source }) {
  const send = useMutation({
    mutationFn: () =>
      call('POST /api/v1/sources/{id}/test-event', {
        path: { id: source.id },
        body: source.verification_config.provider === 'none' ? { body: SAMPLE_BODY } : {},
      }),
    onSuccess: ({ verification_status, verification_reason }) => {
      toast(verification_status === 'failed' ? `The test event is stored, but refused. ${verification_reason ?? ''}` : 'The test event is stored');
      void changed('events', 'sources');
    },
  });
  return (
    <AtControl of={send}>
      <Button disabled={send.isPending} onClick={() => send.mutate()}>
        Send test event
      </Button>
    </AtControl>
  );
}

function LatestEvents({ source }: { source: Source }) {
  const { zone } = usePreferences();
  const [, navigate] = useLocation();
  const events = useEvents({ source_id: source.id, limit: 8 }, 3_000);
  return (
    <Panel title="Latest events" flush end={<Link className="link" href={`/events?source=${source.id}`}>Open in Events</Link>}>
      <Gate query={events} what="Events" rows={4}>
        {(data) =>
          data.items.length === 0 ? (
            <Blank icon="events" title="No events yet">
              An event appears here the moment it is stored.
            </Blank>
          ) : (
            <table className="fits">
              <thead>
                <tr>
                  <th>Received</th>
                  <th>Verification</th>
                  <th className="wide r">Size</th>
                  <th className="r">Delivered</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((event) => (
                  <tr key={event.id} onClick={() => navigate(`/events/${event.id}?source=${source.id}`)}>
                    <td className="mono">
                      <Link href={`/events/${event.id}?source=${source.id}`}>{clock(event.received_at, zone, true)}</Link>
                    </td>
                    <td>
                      <EventVerification event={event} />
                    </td>
                    <td className="wide r muted">{size(event.body_size)}</td>
                    <td className="r">
                      {event.delivered_count}/{event.delivery_count}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Gate>
    </Panel>
  );
}

function FeedsInto({ source }: { source: Source }) {
  const connections = useSourceConnections(source.id);
  return (
    <Panel title="Feeds into" flush end={<ButtonLink kind="quiet" to={`/connections?new=1&source=${source.id}`}>Connect</ButtonLink>}>
      <Gate query={connections} what="Connections" rows={2}>
        {(data) =>
          data.items.length === 0 ? (
            <Blank icon="conns" title="No connections">
              Events are stored and go nowhere.
            </Blank>
          ) : (
            <ul className="links">
              {data.items.map((one) => (
                <li key={one.id}>
                  <Link href={`/connections/${one.id}`} className="cut">
                    {one.destination.name}
                  </Link>
                  {one.enabled ? <StateLabel state={one.destination.status === 'paused' ? 'paused' : circuitState(one.destination.circuit_state)} /> : <span className="muted small">disabled</span>}
                </li>
              ))}
            </ul>
          )
        }
      </Gate>
    </Panel>
  );
}

function Settings({ source }: { source: Source }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="narrow stack">
      <Panel title="Name and colour">
        <KeepEdits stored={source} edits={({ name, description, color }) => [name, description, color]}>
          {(stored) => (
            <Form
              onSubmit={async (values) => {
                await call('PATCH /api/v1/sources/{id}', {
                  path: { id: source.id },
                  body: { name: text(values, 'name'), description: text(values, 'description') || null, color: text(values, 'color') },
                });
                await changed('sources');
              }}
              onDone={() => toast('Saved')}
              footer={(isBusy) => (
                <div>
                  <Button type="submit" kind="primary" disabled={isBusy}>
                    Save
                  </Button>
                </div>
              )}
            >
              <Field name="name" label="Name" value={stored.name} />
              <Field name="description" label="Description" value={stored.description ?? ''} />
              <Field name="color" label="Colour" type="color" value={stored.color} hint="The bar beside its name." />
            </Form>
          )}
        </KeepEdits>
      </Panel>
      <TokenPanel source={source} />
      <Panel title="Delete">
        <div className="row wrap">
          <p className="muted grow">Moves the source to the trash, where it can be restored for 7 days. Its URL answers 404 at once, and its deliveries wait.</p>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Move to the trash
          </Button>
        </div>
      </Panel>
      {isDeleting && <DeleteSource source={source} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function DeleteSource({ source, onClose }: { source: Source; onClose: () => void }) {
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/sources/{id}', { path: { id: source.id } }),
    onSuccess: () => {
      forgetUnsaved();
      navigate('/sources');
      toast(`${source.name} moved to the trash`, () => {
        void call('POST /api/v1/sources/{id}/restore', { path: { id: source.id } }).then(() => changed('sources', 'connections', 'events'));
      });
      void changed('sources', 'connections', 'events');
    },
  });
  return (
    <Confirm title={`Move ${source.name} to the trash?`} action="Move to the trash" of={remove} onConfirm={() => remove.mutate()} onClose={onClose}>
      Senders get 404 from now on. Restoring it within 7 days brings back its URL, events and connections.
    </Confirm>
  );
}
