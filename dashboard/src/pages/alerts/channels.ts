/** The kinds of alert channels, and what each needs. */
import type { Schemas } from '../../api/client';

export type Channel = Schemas['AlertConfig']['channel'];

export const CHANNELS: { id: Channel; label: string }[] = [
  { id: 'email', label: 'Mail' },
  { id: 'messenger', label: 'Messenger' },
  { id: 'webhook', label: 'Webhook' },
];

export function labelOf(channel: Channel): string {
  return channel === 'telegram' ? 'Telegram' : CHANNELS.find((one) => one.id === channel)?.label ?? channel;
}

/** The mailbox, chat or URL, as the list shows it. */
export function whereTo(config: Pick<Schemas['AlertConfig'], 'config'>): string {
  const { to, chat_id, url } = config.config;
  return to ?? url ?? (chat_id === undefined ? 'cannot be read: enter it again' : String(chat_id));
}

/** The `config` of a request. A token that is left empty while editing stays as it is. */
export function configBody(channel: Channel, value: (name: string) => string, isEdited: boolean): Schemas['AlertChannelConfig'] {
  switch (channel) {
    case 'email':
      return { to: value('config.to') };
    case 'webhook':
      return { url: value('config.url') };
    case 'telegram':
    case 'messenger': {
      const token = value('config.token');
      const chat_id = value('config.chat_id');
      return isEdited && token === '' ? { chat_id } : { token, chat_id };
    }
  }
}
