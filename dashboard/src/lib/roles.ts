/** What a role may do beyond reading and routing, as docs/reference/permissions.md has it. What it may not do is not offered. */
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
