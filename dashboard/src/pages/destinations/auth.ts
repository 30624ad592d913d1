/** How deliveries prove where they come from, and the fields that each method needs. */
import type { Schemas } from '../../api/client';
import type { ConfigField } from '../../ui/ConfigFields';

export type AuthType = Schemas['AuthConfig']['type'];

export const AUTH_NAMES: Record<AuthType, string> = {
  none: 'None',
  hmac: 'HMAC',
  standard_webhooks: 'Standard Webhooks',
  api_key: 'API key',
  basic_auth: 'Basic authentication',
  unreadable: 'Unreadable',
};

const SECRETS: ConfigField[] = [
  { name: 'secret', label: 'Secret', isSecret: true },
  { name: 'previous_secret', label: 'Previous secret', isSecret: true, isOptional: true, hint: 'While rotating: each delivery carries both signatures.' },
];

export const AUTH_FIELDS: Record<Exclude<AuthType, 'unreadable'>, ConfigField[]> = {
  none: [],
  hmac: SECRETS,
  standard_webhooks: SECRETS,
  api_key: [
    { name: 'header', label: 'Header', initial: 'X-Api-Key' },
    { name: 'key', label: 'Key', isSecret: true },
  ],
  basic_auth: [
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password', isSecret: true },
  ],
};
