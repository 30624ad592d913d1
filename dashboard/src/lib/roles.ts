/** What each role may do beyond reading and routing, as in docs/reference/permissions.md. The dashboard does not offer the rest. */
export type Role = 'owner' | 'admin' | 'member';

export type Permission = 'manage-keys' | 'see-members' | 'manage-members' | 'rename-workspace' | 'transfer-workspace' | 'delete-workspace' | 'change-plan' | 'see-audit-log';

const HOLDERS: Record<Permission, Role[]> = {
  'manage-keys': ['owner', 'admin'],
  'see-members': ['owner', 'admin'],
  'manage-members': ['owner', 'admin'],
  'rename-workspace': ['owner', 'admin'],
  'transfer-workspace': ['owner'],
  'delete-workspace': ['owner'],
  'change-plan': ['owner'],
  'see-audit-log': ['owner', 'admin'],
};

export function may(role: Role | undefined, permission: Permission): boolean {
  return role !== undefined && HOLDERS[permission].includes(role);
}
