/** Alert channels: who is notified when deliveries fail, and whether that works. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { changed, useAlertConfigs, useSources } from '../../api/queries';
import { Page } from '../../shell/Page';
import { AtControl } from '../../ui/AtControl';
import { ErrorNote, Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Ago, Blank, Button, Note, Panel, SourceName, Toggle } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { CHANNELS, configBody, labelOf, whereTo, type Channel } from './channels';

type AlertConfig = Schemas['AlertConfig'];

export function AlertsPage() {
  const configs = useAlertConfigs();
  const sources = useSources();
  const [edited, setEdited] = useState<AlertConfig | 'new' | null>(null);
  const [deleted, setDeleted] = useState<AlertConfig | null>(null);
  const newChannel = (
    <Button icon="plus" kind="primary" onClick={() => setEdited('new')}>
      New channel
    </Button>
  );
  return (
    <Page title="Alerts">
      <div className="pad">
        <div className="stack">
          <Panel title="Alert channels" flush end={newChannel}>
            <Gate query={configs} what="The alert channels" rows={3}>
              {(data) =>
                data.items.length === 0 ? (
                  <Blank icon="alerts" title="Nobody is notified">
                    A channel tells you when deliveries fail, by mail, in a chat or over a webhook.
                  </Blank>
                ) : (
                  <table className="fits">
                    <thead>
                      <tr>
                        <th>Channel</th>
                        <th className="wide">About</th>
                        <th>Last message</th>
                        <th>On</th>
                        <th className="c-act" />
                      </tr>
                    </thead>
                    <tbody>
                      {data.items.map((config) => {
                        const source = sources.data?.items.find((one) => one.id === config.source_id);
                        return (
                          <tr key={config.id}>
                            <td className="cut">
                              <span className="strong">{labelOf(config.channel)}</span> <span className="muted">{whereTo(config)}</span>
                            </td>
                            <td className="wide">{config.source_id === null ? <span className="muted">the whole workspace</span> : <SourceName name={source?.name ?? 'one source'} color={source?.color} />}</td>
                            <td>
                              <LastMessage config={config} />
                            </td>
                            <td>
                              <Enabled config={config} />
                            </td>
                            <td className="r">
                              <TestButton config={config} />{' '}
                              <Button kind="quiet" onClick={() => setEdited(config)}>
                                Edit
                              </Button>{' '}
                              <Button kind="quiet" onClick={() => setDeleted(config)}>
                                Delete
                              </Button>
                            </td>
                          </tr>
                        );
                      })}
                    </tbody>
                  </table>
                )
              }
            </Gate>
          </Panel>
          <Note icon="alerts">
            A channel is notified at once when a delivery fails for good, when a destination cannot be reached and when it works again, and a day before waiting
            deliveries expire. Later alerts about the same destination are combined into one message after 10 minutes, then after an hour, then every 6 hours.
          </Note>
        </div>
      </div>
      {edited !== null && <ChannelDialog config={edited === 'new' ? null : edited} sources={sources.data?.items ?? []} onClose={() => setEdited(null)} />}
      {deleted && <DeleteChannel config={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  );
}

function LastMessage({ config }: { config: AlertConfig }) {
  if (config.confirmed_at === null) return <span className="t-failed small">not confirmed by its owner yet</span>;
  if (config.last_error !== null) return <span className="t-failed small">{config.last_error}</span>;
  return <span className="muted">{config.last_sent_at === null ? 'none yet' : <Ago time={config.last_sent_at} />}</span>;
}

function Enabled({ config }: { config: AlertConfig }) {
  const change = useMutation({
    mutationFn: (enabled: boolean) => call('PATCH /api/v1/alert-configs/{id}', { path: { id: config.id }, body: { enabled } }),
    onSuccess: () => changed('alert-configs'),
  });
  const isOn = change.isPending ? change.variables : config.enabled;
  return (
    <AtControl of={change}>
      <Toggle label={`${labelOf(config.channel)} ${whereTo(config)} is enabled`} isOn={isOn} onChange={(on) => change.mutate(on)} />
    </AtControl>
  );
}

function TestButton({ config }: { config: AlertConfig }) {
  const test = useMutation({
    mutationFn: async () => {
      const result = await call('POST /api/v1/alert-configs/{id}/test', { path: { id: config.id } });
      if (!result.sent) throw new Error(result.error ?? 'The test message was not sent.');
    },
    onSuccess: () => toast('The test message was sent'),
    onSettled: () => changed('alert-configs'),
  });
  return (
    <AtControl of={test}>
      <Button disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? 'Testing…' : 'Test'}
      </Button>
    </AtControl>
  );
}

function ChannelDialog({ config, sources, onClose }: { config: AlertConfig | null; sources: Schemas['Source'][]; onClose: () => void }) {
  const [channel, setChannel] = useState<Channel>(config?.channel ?? 'email');
  const save = async (values: FormData) => {
    const body = configBody(channel, (name) => text(values, name), config !== null);
    if (config !== null) {
      await call('PATCH /api/v1/alert-configs/{id}', { path: { id: config.id }, body: { config: body } });
    } else {
      const source = text(values, 'source_id');
      await call('POST /api/v1/alert-configs', { body: { channel, config: body, source_id: source === '' ? null : source } });
    }
    await changed('alert-configs');
  };
  return (
    <Dialog title={config === null ? 'New alert channel' : `Edit ${labelOf(config.channel).toLowerCase()}`} onClose={onClose}>
      <Form
        onSubmit={save}
        onDone={() => {
          toast(config === null ? 'Channel created' : 'Saved');
          onClose();
        }}
        footer={(isBusy) => (
          <footer>
            <Button type="submit" kind="primary" disabled={isBusy}>
              {config === null ? 'Create channel' : 'Save'}
            </Button>
          </footer>
        )}
      >
        {config === null && (
          <Field name="channel" label="Channel" value={channel} options={CHANNELS.map((one) => ({ value: one.id, label: one.label }))} onChange={(value) => setChannel(value as Channel)} />
        )}
        {channel === 'email' && <Field name="config.to" label="Mailbox" type="email" value={config?.config.to} hint="One address. Unless it is a member's, its owner is asked by mail and must confirm it." />}
        {(channel === 'messenger' || channel === 'telegram') && (
          <>
            <Field name="config.token" label="Bot token" mono autoComplete="off" hint={config === null ? 'The bot must be a member of the chat.' : 'Leave it empty to keep the token.'} />
            <Field name="config.chat_id" label="Chat" mono value={config?.config.chat_id} hint="The number of the chat, or @ and the name of a channel." />
          </>
        )}
        {channel === 'webhook' && <Field name="config.url" label="URL" type="url" mono value={config?.config.url} hint="It gets a POST with JSON." />}
        {config === null && (
          <Field name="source_id" label="About" value="" options={[{ value: '', label: 'the whole workspace' }, ...sources.map((one) => ({ value: one.id, label: one.name }))]} />
        )}
      </Form>
    </Dialog>
  );
}

function DeleteChannel({ config, onClose }: { config: AlertConfig; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/alert-configs/{id}', { path: { id: config.id } }),
    onSuccess: () => {
      toast('Channel deleted');
      void changed('alert-configs');
      onClose();
    },
  });
  return (
    <Dialog title="Delete this channel?" onClose={onClose}>
      <div className="in stack">
        <p>
          {labelOf(config.channel)} <code>{whereTo(config)}</code> gets no more messages.
        </p>
        {remove.error && <ErrorNote error={remove.error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete channel
        </Button>
      </footer>
    </Dialog>
  );
}
