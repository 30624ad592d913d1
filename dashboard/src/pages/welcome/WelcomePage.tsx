/** The page for the first minute: a URL, a listener that shows the first event, and where events should go. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { call, serverUrl, type Schemas } from '../../api/client';
import { changed, useConnections, useEvents, useMe, useWholeEvent } from '../../api/queries';
import { curl, quote } from '../../lib/requests';
import { may } from '../../lib/roles';
import { size } from '../../lib/text';
import { Page } from '../../shell/Page';
import { Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Icon } from '../../ui/icons';
import { JsonView } from '../../ui/JsonView';
import { Ago, Button, ButtonLink, CopyButton, Panel, Segments, Skeleton } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { SAMPLE_BODY, SendTest, UrlField } from '../sources/SourcePage';

type Source = Schemas['Source'];

export function WelcomePage() {
  const source = useFirstSource();
  return (
    <Page title="Welcome">
      <div className="first">
        <div>
          <h2 className="ttl">Send your first event</h2>
          <p className="muted">Anything that speaks HTTP can post to this address. No sign-up on the other side, no special format.</p>
        </div>
        <Gate query={source} what="Your first source">
          {(data) => <Ready source={data} />}
        </Gate>
      </div>
    </Page>
  );
}

/** The oldest source; a new workspace gets one, so that there is a URL to copy at once. */
function useFirstSource() {
  return useQuery({
    queryKey: ['sources', 'first'],
    queryFn: async (): Promise<Source> => {
      const newest = await call('GET /api/v1/sources', { query: { limit: 1 } });
      if (newest.total === 0) return call('POST /api/v1/sources', { body: { name: 'first' } });
      const oldest = await call('GET /api/v1/sources', { query: { limit: 1, page: newest.total } });
      return (oldest.items[0] ?? newest.items[0])!;
    },
    staleTime: Infinity,
  });
}

function Ready({ source }: { source: Source }) {
  const [form, setForm] = useState<'curl' | 'httpie' | 'javascript'>('curl');
  const url = serverUrl(source.ingest_path);
  const events = useEvents({ source_id: source.id, limit: 1 }, 1_000);
  const connections = useConnections({ source_id: source.id, limit: 1 });
  const first = events.data?.items[0];
  const commands = {
    curl: curl('POST', url, [{ name: 'Content-Type', value: 'application/json' }], SAMPLE_BODY),
    httpie: `http POST ${quote(url)} type=order.created data:='{"id":1,"total":148.50}'`,
    javascript: `await fetch(${JSON.stringify(url)}, {\n  method: 'POST',\n  headers: { 'Content-Type': 'application/json' },\n  body: ${JSON.stringify(SAMPLE_BODY)},\n});`,
  };
  const own = connections.data?.items ?? [];
  return (
    <>
      <Panel>
        <div className="stack">
          <UrlField url={url} />
          <div className="row wrap">
            <Segments
              label="Command"
              value={form}
              options={[
                { value: 'curl', label: 'curl' },
                { value: 'httpie', label: 'HTTPie' },
                { value: 'javascript', label: 'JavaScript' },
              ]}
              onChange={setForm}
            />
            <span className="end row">
              <CopyButton kind="normal" text={commands[form]}>
                Copy command
              </CopyButton>
              <SendTest source={source} />
            </span>
          </div>
          <pre className="code">{commands[form]}</pre>
        </div>
      </Panel>
      <div className="grid2">
        {first === undefined ? <Waiting /> : <FirstEvent item={first} />}
        <WhereTo source={source} connected={own} />
      </div>
      <SetUp source={source} event={first} isConnected={own.length > 0} />
    </>
  );
}

function Waiting() {
  return (
    <Panel
      title="Waiting for an event"
      flush
      end={
        <span className="live">
          <i />
          Listening
        </span>
      }
    >
      <div className="wait">
        <svg className="pulse" viewBox="0 0 56 56" aria-hidden="true">
          <path d="M6 10h44M11 10v36M45 10v36" stroke="var(--text)" strokeWidth="3" strokeLinecap="round" fill="none" />
          <rect x="19" y="16" width="18" height="13" fill="var(--text)" />
          <g fill="none" stroke="currentColor" strokeWidth="3" strokeLinecap="round">
            <path className="w" d="M17 37c3.700-3 7.300-3 11 0s7.300 3 11 0" />
            <path className="w late" d="M17 45c3.700-3 7.300-3 11 0s7.300 3 11 0" />
          </g>
        </svg>
        <div className="stack-s">
          <p className="lead-line">The gate is open.</p>
          <p className="muted">The event appears here the moment it is stored, with its headers and body. Leave this page open or come back later.</p>
        </div>
      </div>
      <p className="faint small under">
        Nothing after a minute? Check that the sender can reach <code>{location.host}</code>, then look at its own log for the status code.
      </p>
    </Panel>
  );
}

function FirstEvent({ item }: { item: Schemas['EventListItem'] }) {
  const event = useWholeEvent(item.id);
  useEffect(() => {
    document.title = 'First event | Sluice';
  }, []);
  return (
    <Panel title="Your first event is here" flush end={<ButtonLink to={`/events/${item.id}`}>Open</ButtonLink>}>
      <div className="first-event" role="status">
        <p className="row">
          <Icon name="delivered" className="is-delivered" />
          <span className="strong">Stored</span>
          <span className="muted">
            {size(item.body_size)}, {item.content_type ?? 'no content type'}, <Ago time={item.received_at} />
          </span>
        </p>
      </div>
      {event.data ? event.data.body_base64 === undefined && <JsonView text={event.data.body} /> : <Skeleton rows={3} />}
    </Panel>
  );
}

function WhereTo({ source, connected }: { source: Source; connected: Schemas['Connection'][] }) {
  return (
    <Panel title="Where should it go?" flush>
      {connected.map((one) => (
        <div key={one.id} className="opt">
          <p className="row">
            <Icon name="delivered" className="is-delivered" />
            <span>
              New events go to <Link href={`/destinations/${one.destination_id}`} className="strong">{one.destination.name}</Link>.
            </span>
          </p>
        </div>
      ))}
      <div className="opt">
        <Form
          className="bare"
          onSubmit={async (values) => {
            const url = text(values, 'url');
            const destination = await call('POST /api/v1/destinations', { body: { name: nameOf(url), url } });
            await call('POST /api/v1/connections', { body: { source_id: source.id, destination_id: destination.id } });
            await changed('connections', 'destinations');
          }}
          onDone={() => toast('Connected. New events are delivered')}
          footer={(isBusy) => (
            <div>
              <Button type="submit" large disabled={isBusy}>
                Connect
              </Button>
            </div>
          )}
        >
          <Field name="url" label="To a URL" type="url" placeholder="https://api.example.com/webhooks" hint="Creates a destination and connects it. Timeout, signing and retries can be changed later." />
        </Form>
      </div>
      <ToMyMachine source={source} />
    </Panel>
  );
}

/** No destination is needed: the command line sends what arrives to a local port. */
function ToMyMachine({ source }: { source: Source }) {
  const me = useMe();
  // A name that begins with `-` would be an option, and a terminal acts on pasted control characters.
  const name = /^\w[\w.-]*$/.test(source.name) ? source.name : /^-|[\u0000-\u001f\u007f-\u009f]/.test(source.name) ? source.id : quote(source.name);
  const command = `sluice listen ${name} --forward-to 3000/webhooks`;
  return (
    <div className="opt">
      <div className="row">
        <h3>To my machine</h3>
        <span className="end row">
          {may(me.data?.role, 'manage-keys') && (
            <Link className="link small" href="/settings/api-keys">
              Create a key
            </Link>
          )}
          <CopyButton text={command} label="Copy the command" />
        </span>
      </div>
      <pre className="code">{command}</pre>
      <p className="faint small">
        Run once first: <code>sluice login --server {serverUrl('')}</code>
      </p>
    </div>
  );
}

function nameOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return 'first';
  }
}

function SetUp({ source, event, isConnected }: { source: Source; event: Schemas['EventListItem'] | undefined; isConnected: boolean }) {
  const steps: [string, boolean, string?][] = [
    ['Source created', true],
    ['First event received', event !== undefined],
    ['Destination connected', isConnected],
    ['First delivery', (event?.delivered_count ?? 0) > 0],
    ['Signature check on', source.verification_config.provider !== 'none', `/sources/${source.id}/verification`],
  ];
  const next = steps.findIndex(([, isDone]) => !isDone);
  return (
    <Panel title="Set up" note="ticks itself off">
      <ul className="todo">
        {steps.map(([label, isDone, to], i) => (
          <li key={label} className={isDone ? 'done' : ''}>
            <Icon name={isDone ? 'delivered' : 'ring'} className={isDone ? 'is-delivered' : 'faint'} />
            <span className={i === next ? 'strong' : ''}>{to !== undefined && !isDone ? <Link className="link" href={to}>{label}</Link> : label}</span>
            <span className="sr">{isDone ? 'done' : 'open'}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
