/** The actions that the audit log records, as listed in docs/reference/audit-log.md. */
export const ACTIONS = [
  'alert_config.created', 'alert_config.updated', 'alert_config.deleted', 'alert_config.tested',
  'api_key.created', 'api_key.deleted',
  'connection.created', 'connection.updated', 'connection.deleted', 'connection.resent',
  'dead_letters.dismissed', 'dead_letters.undismissed',
  'destination.created', 'destination.updated', 'destination.deleted', 'destination.tested',
  'event.resent',
  'invite.created', 'invite.deleted', 'invite.accepted',
  'member.role_changed', 'member.removed', 'member.left',
  'person.password_changed', 'person.password_reset', 'person.session_ended', 'person.account_deleted',
  'replay.started', 'replay.paused', 'replay.resumed', 'replay.updated', 'replay.cancelled',
  'source.created', 'source.updated', 'source.deleted', 'source.restored', 'source.tested',
  'source.token_rotated',
  'workspace.created', 'workspace.renamed', 'workspace.transferred', 'workspace.plan_changed',
  'workspace.suspended', 'workspace.resumed',
];
