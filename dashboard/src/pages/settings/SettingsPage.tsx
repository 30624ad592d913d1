/** The workspace, its plan, members, keys and audit log; the person's password and sessions; and how this browser shows things. */
import { useParams } from 'wouter';
import { useMe } from '../../api/queries';
import { may } from '../../lib/roles';
import { Page } from '../../shell/Page';
import { Gate } from '../../ui/gate';
import { Tabs } from '../../ui/parts';
import { Account } from './Account';
import { ApiKeys } from './ApiKeys';
import { Appearance } from './Appearance';
import { AuditLog } from './AuditLog';
import { Members } from './Members';
import { PlanUsage } from './PlanUsage';
import { WorkspaceSettings } from './WorkspaceSettings';

export function SettingsPage() {
  const { tab = '' } = useParams<{ tab?: string }>();
  const me = useMe();
  const role = me.data?.role;
  const tabs = [
    { id: '', label: 'Workspace' },
    { id: 'plan', label: 'Plan and usage' },
    ...(may(role, 'see-members') ? [{ id: 'members', label: 'Members' }] : []),
    { id: 'api-keys', label: 'API keys' },
    ...(may(role, 'see-audit-log') ? [{ id: 'audit-log', label: 'Audit log' }] : []),
    { id: 'account', label: 'Account' },
    { id: 'appearance', label: 'Appearance' },
  ];
  return (
    <Page title="Settings">
      <Tabs label="Settings" tabs={tabs.map((one) => ({ href: `/settings${one.id === '' ? '' : `/${one.id}`}`, label: one.label, isOn: one.id === tab }))} />
      <div className="pad">
        <div className={tab === 'audit-log' ? 'stack' : 'narrow stack'}>
          <Gate query={me} what="Your account">
            {(data) => (
              <>
                {tab === '' && <WorkspaceSettings me={data} />}
                {tab === 'plan' && <PlanUsage me={data} />}
                {tab === 'members' && <Members me={data} />}
                {tab === 'api-keys' && <ApiKeys role={data.role} />}
                {tab === 'audit-log' && <AuditLog me={data} />}
                {tab === 'account' && <Account me={data} />}
                {tab === 'appearance' && <Appearance />}
              </>
            )}
          </Gate>
        </div>
      </div>
    </Page>
  );
}
