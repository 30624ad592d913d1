/** The sources and, in a second tab, the trash. */
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { call, serverUrl, type Schemas } from '../../api/client';
import { changed, useSources, useTrash } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { useSearchState } from '../../lib/search';
import { count } from '../../lib/text';
import { dateTime } from '../../lib/time';
import { Page } from '../../shell/Page';
import { ErrorNote, Field, Form, text } from '../../ui/form';
import { AtControl } from '../../ui/AtControl';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Blank, Button, ButtonLink, CopyButton, SourceName, StateLabel, Tabs, Toggle } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { PROVIDER_NAMES, providerOf } from './providers';

type Source = Schemas['SourceListItem'];

const PAGE_SIZE = 50;

export function SourcesPage() {
  const search = useSearchState();
  const isTrash = search.get('view') === 'trash';
  return (
    <Page
      title="Sources"
      actions={<ButtonLink to={search.href({ new: '1' })} kind="primary" icon="plus">New source</ButtonLink>}
    >
      <Tabs
        label="Sources"
        tabs={[
          { href: search.href({ view: undefined, page: undefined }), label: 'In use', isOn: !isTrash },
          { href: search.href({ view: 'trash', page: undefined }), label: 'Trash', isOn: isTrash },
        ]}
        end={!isTrash && <NameSearch value={search.get('q')} onChange={(q) => search.set({ q, page: undefined }, { replace: true })} />}
      />
      {isTrash ? <Trash /> : <List />}
      {search.get('new') !== '' && <NewSource onClose={() => search.set({ new: undefined })} />}
    </Page>
  );
}

export function NameSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return <input className="field name-search" type="search" aria-label="Find by name" placeholder="Find by name" value={value} onInput={(event) => onChange(event.currentTarget.value)} />;
}

function List() {
  const search = useSearchState();
  const [, navigate] = useLocation();
  const page = Number(search.get('page')) || 1;
  const sources = useSources({ q: search.get('q'), page, limit: PAGE_SIZE });
  return (
    <div className="list">
      <Gate query={sources} what="Sources">
        {(data) =>
          data.items.length === 0 ? (
            search.get('q') !== '' ? (
              <Blank icon="filtered" title="No source has this in its name" action={<Button onClick={() => search.set({ q: undefined })}>Show all</Button>} />
            ) : (
              <Blank icon="sources" title="No sources yet" action={<ButtonLink to="/sources?new=1" kind="primary">New source</ButtonLink>}>
                A source is a URL that others send webhooks to.
              </Blank>
            )
          ) : (
            <table>
              <thead>
                <tr>
                  <th className="c-name">Name</th>
                  <th className="wide">URL</th>
                  <th className="wide c-ver">Verification</th>
                  <th className="c-num r">Events</th>
                  <th className="c-toggle r">Active</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((source) => (
                  <tr
                    key={source.id}
                    onClick={(event) => {
                      if (!(event.target as HTMLElement).closest('a,button')) navigate(`/sources/${source.id}`);
                    }}
                  >
                    <td className="sum">
                      <Link href={`/sources/${source.id}`} className="strong">
                        <SourceName name={source.name} color={source.color} />
                      </Link>
                    </td>
                    <td className="wide">
                      <span className="with-copy">
                        <code className="cut muted">{serverUrl(source.ingest_path)}</code>
                        <CopyButton text={serverUrl(source.ingest_path)} label={`Copy the URL of ${source.name}`} />
                      </span>
                    </td>
                    <td className="wide muted">{PROVIDER_NAMES[providerOf(source.verification_config.provider)]}</td>
                    <td className="r dl">{count(source.event_count)}</td>
                    <td className="r at">
                      <PauseToggle source={source} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Gate>
      {sources.data && sources.data.total > PAGE_SIZE && (
        <nav className="paging" aria-label="Pages">
          <Button disabled={page <= 1} onClick={() => search.set({ page: page > 2 ? String(page - 1) : undefined })}>Newer</Button>
          <span className="muted small">Page {page} of {Math.ceil(sources.data.total / PAGE_SIZE)}</span>
          <Button disabled={page * PAGE_SIZE >= sources.data.total} onClick={() => search.set({ page: String(page + 1) })}>Older</Button>
        </nav>
      )}
    </div>
  );
}

export function PauseToggle({ source }: { source: Pick<Source, 'id' | 'name' | 'status'> }) {
  const change = useMutation({
    mutationFn: (status: Source['status']) => call('PATCH /api/v1/sources/{id}', { path: { id: source.id }, body: { status } }),
    onSuccess: (saved) => {
      toast(saved.status === 'paused' ? `${saved.name} is paused: events are stored, deliveries wait` : `${saved.name} is active`);
      void changed('sources', 'events');
    },
  });
  const isActive = change.isPending ? change.variables === 'active' : source.status === 'active';
  return (
    <span className="with-toggle">
      {!isActive && <StateLabel state="paused" />}
      <AtControl of={change}>
        <Toggle label={`${source.name} is active`} isOn={isActive} onChange={(isOn) => change.mutate(isOn ? 'active' : 'paused')} />
      </AtControl>
    </span>
  );
}

function NewSource({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Dialog title="New source" onClose={onClose}>
      <Form
        onSubmit={async (values) => {
          const made = await call('POST /api/v1/sources', { body: { name: text(values, 'name'), description: text(values, 'description') || null, token: text(values, 'token') || null } });
          await changed('sources');
          toast(`${made.name} is ready`);
          navigate(`/sources/${made.id}`);
        }}
        footer={(isBusy) => (
          <footer>
            <Button type="submit" kind="primary" disabled={isBusy}>
              Create source
            </Button>
          </footer>
        )}
      >
        <Field name="name" label="Name" autoFocus placeholder="shop-prod" hint="Who sends, such as the system and its environment." />
        <Field name="description" label="Description" />
        <Field name="token" label="Token (optional)" mono autoComplete="off" hint="Empty: a random one. To rebuild an installation with the same URLs: 22 to 64 letters and digits." />
      </Form>
    </Dialog>
  );
}

function Trash() {
  const trash = useTrash();
  const { zone } = usePreferences();
  const restore = useMutation({
    mutationFn: (id: string) => call('POST /api/v1/sources/{id}/restore', { path: { id } }),
    onSuccess: (source) => {
      toast(`${source.name} is back, with its URL and connections`);
      void changed('sources', 'connections', 'events');
    },
  });
  return (
    <div className="list">
      {restore.error && <ErrorNote error={restore.error} />}
      <Gate query={trash} what="The trash">
        {(data) =>
          data.items.length === 0 ? (
            <Blank icon="sources" title="The trash is empty">
              Deleted sources stay here for 7 days. Their URL answers 404 meanwhile, and their deliveries wait.
            </Blank>
          ) : (
            <table>
              <thead>
                <tr>
                  <th className="c-name">Name</th>
                  <th className="wide c-num r">Events</th>
                  <th className="wide">Deleted</th>
                  <th>Gone for good</th>
                  <th className="c-act" />
                </tr>
              </thead>
              <tbody>
                {data.items.map((source) => (
                  <tr key={source.id}>
                    <td className="sum">
                      <SourceName name={source.name} color={source.color} />
                    </td>
                    <td className="wide r">{count(source.event_count)}</td>
                    <td className="wide muted">{dateTime(source.trashed_at, zone)}</td>
                    <td className="muted src-c">{dateTime(source.purge_at, zone)}</td>
                    <td className="r dl">
                      <Button disabled={restore.isPending} onClick={() => restore.mutate(source.id)}>
                        Restore
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Gate>
    </div>
  );
}
