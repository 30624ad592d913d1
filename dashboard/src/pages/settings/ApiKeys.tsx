/** API keys for programs. A key is shown once, and from then on only its prefix. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, serverUrl, type Schemas } from '../../api/client';
import { changed, useApiKeys } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { may, type Role } from '../../lib/roles';
import { dateTime } from '../../lib/time';
import { ErrorNote, Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Ago, Blank, Button, CopyButton, Note, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

export function ApiKeys({ role }: { role: Role | undefined }) {
  const keys = useApiKeys();
  const { zone } = usePreferences();
  const canManage = may(role, 'manage-keys');
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Schemas['ApiKey'] | null>(null);
  return (
    <>
      <Panel title="API keys" note={canManage ? undefined : 'only admins and owners create and delete them'} flush end={canManage && <Button icon="plus" onClick={() => setCreating(true)}>New key</Button>}>
        <Gate query={keys} what="The keys" rows={3}>
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="api" title="No API keys">
                Programs call the API with a key; people sign in.
              </Blank>
            ) : (
              <table className="fits">
                <thead>
                  <tr>
                    <th>Name</th>
                    <th className="c-key">Key</th>
                    <th className="wide c-n">Access</th>
                    <th className="wide c-at">Last used</th>
                    <th className="wide">Expires</th>
                    <th className="c-act" />
                  </tr>
                </thead>
                <tbody>
                  {data.items.map((key) => (
                    <tr key={key.id}>
                      <td className="cut strong">{key.name}</td>
                      <td className="mono muted">{key.prefix}…</td>
                      <td className="wide muted">{key.access === 'read' ? 'read' : 'read, write'}</td>
                      <td className="wide muted">{key.last_used_at === null ? 'never' : <Ago time={key.last_used_at} />}</td>
                      <td className="wide muted">{key.expires_at === null ? 'never' : dateTime(key.expires_at, zone)}</td>
                      <td className="r">
                        {canManage && (
                          <Button kind="quiet" onClick={() => setDeleted(key)}>
                            Delete
                          </Button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Gate>
      </Panel>
      <Note icon="replays">To rotate a key: create a new one, use it in place of the old one, and delete the old one when “Last used” stops changing.</Note>
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
      {deleted && <DeleteKey apiKey={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Schemas['CreatedApiKey'] | null>(null);
  if (made) {
    const env = `SLUICE_URL=${serverUrl('')}\nSLUICE_API_KEY=${made.key}`;
    return (
      <Dialog title={`Key ${made.name}`} onClose={onClose}>
        <div className="in stack">
          <Note icon="verified">Shown once. Copy it now; the server keeps only its hash.</Note>
          <div className="with-copy">
            <code className="code grow">{made.key}</code>
            <CopyButton kind="primary" text={made.key}>
              Copy
            </CopyButton>
          </div>
          <h3>As environment variables</h3>
          <div className="with-copy">
            <pre className="code grow">{env}</pre>
            <CopyButton text={env} />
          </div>
        </div>
        <footer>
          <Button onClick={onClose}>Done</Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form
        onSubmit={async (values) => {
          const until = text(values, 'expires_at');
          setMade(
            await call('POST /api/v1/api-keys', {
              body: { name: text(values, 'name'), access: text(values, 'access'), expires_at: until === '' ? null : new Date(until).toISOString() },
            }),
          );
          await changed('api-keys');
        }}
        footer={(isBusy) => (
          <footer>
            <Button type="submit" kind="primary" disabled={isBusy}>
              Create key
            </Button>
          </footer>
        )}
      >
        <Field name="name" label="Name" autoFocus hint="Where it will be used." />
        <Field
          name="access"
          label="Access"
          value="full"
          options={[
            { value: 'full', label: 'read and write' },
            { value: 'read', label: 'read only' },
          ]}
        />
        <Field name="expires_at" label="Expires (optional)" type="datetime-local" />
      </Form>
    </Dialog>
  );
}

function DeleteKey({ apiKey, onClose }: { apiKey: Schemas['ApiKey']; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/api-keys/{id}', { path: { id: apiKey.id } }),
    onSuccess: () => {
      toast(`${apiKey.name} no longer works`);
      void changed('api-keys');
      onClose();
    },
  });
  return (
    <Dialog title={`Delete the key ${apiKey.name}?`} onClose={onClose}>
      <div className="in stack">
        <p>
          Whatever uses <code>{apiKey.prefix}…</code> gets 401 at once. This cannot be undone.
          {apiKey.last_used_at !== null && (
            <>
              {' '}
              It was last used <Ago time={apiKey.last_used_at} />.
            </>
          )}
        </p>
        {remove.error && <ErrorNote error={remove.error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete key
        </Button>
      </footer>
    </Dialog>
  );
}
