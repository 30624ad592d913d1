/** Who belongs to the workspace, who is invited, and what each role may do. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { changed, useInvites, useMembers } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { may } from '../../lib/roles';
import { dateTime } from '../../lib/time';
import { AtControl, Confirm } from '../../ui/AtControl';
import { Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog, Menu, type MenuItem } from '../../ui/overlay';
import { Blank, Button, CopyButton, Note, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

type Member = Schemas['Member'];
type Role = Member['role'];

const ROLE_WORDS: Record<Role, string> = {
  owner: 'Everything, including handing the workspace over.',
  admin: 'Also members, invites and API keys, but not the owners.',
  member: 'Sources, destinations, connections, events and replays.',
};

export function Members({ me }: { me: Schemas['Me'] }) {
  const isAllowed = may(me.role, 'manage-members');
  const id = me.workspace.id;
  const members = useMembers(id, isAllowed);
  const invites = useInvites(id, isAllowed);
  const { zone } = usePreferences();
  const [isInviting, setInviting] = useState(false);
  const [made, setMade] = useState<Schemas['CreatedInvite'] | null>(null);
  const [withdrawing, setWithdrawing] = useState<Schemas['Invite'] | null>(null);
  const withdraw = useMutation({
    mutationFn: (invite: string) => call('DELETE /api/v1/workspaces/{id}/invites/{invite_id}', { path: { id, invite_id: invite } }),
    onSuccess: () => {
      setWithdrawing(null);
      toast('The invite no longer works');
      void changed('invites');
    },
  });
  if (!isAllowed) {
    return (
      <Blank icon="verified" title="Your role cannot see the members">
        An admin or owner of the workspace can.
      </Blank>
    );
  }
  return (
    <>
      <Panel title="Members" flush end={<Button icon="plus" onClick={() => setInviting(true)}>Invite</Button>}>
        <Gate query={members} what="The members" rows={3}>
          {(data) => (
            <table className="fits">
              <thead>
                <tr>
                  <th>Name</th>
                  <th className="wide">E-mail</th>
                  <th className="c-n">Role</th>
                  <th className="c-act" />
                </tr>
              </thead>
              <tbody>
                {data.items.map((member) => (
                  <MemberRow key={member.user_id} member={member} me={me} />
                ))}
              </tbody>
            </table>
          )}
        </Gate>
      </Panel>
      <Panel title="Open invites" flush>
        <Gate query={invites} what="The invites" rows={2}>
          {(data) =>
            data.items.length === 0 ? (
              <Blank icon="ring" title="No open invites">
                An invite is a link for one address. It works once, within 7 days.
              </Blank>
            ) : (
              <table className="fits">
                <thead>
                  <tr>
                    <th>E-mail</th>
                    <th className="c-n">Role</th>
                    <th className="wide">Expires</th>
                    <th className="c-act" />
                  </tr>
                </thead>
                <tbody>
                  {data.items.map((invite) => (
                    <tr key={invite.id}>
                      <td className="cut">{invite.email}</td>
                      <td>{invite.role}</td>
                      <td className="wide muted">{dateTime(invite.expires_at, zone)}</td>
                      <td className="r">
                        <Button kind="quiet" onClick={() => setWithdrawing(invite)}>
                          Withdraw
                        </Button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Gate>
      </Panel>
      <Panel title="Roles">
        <dl className="kv">
          {(Object.keys(ROLE_WORDS) as Role[]).map((role) => (
            <div key={role} className="kv-row">
              <dt>{role}</dt>
              <dd>{ROLE_WORDS[role]}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {withdrawing !== null && (
        <Confirm
          title={`Withdraw the invite of ${withdrawing.email}?`}
          action="Withdraw"
          of={withdraw}
          onConfirm={() => withdraw.mutate(withdrawing.id)}
          onClose={() => {
            withdraw.reset();
            setWithdrawing(null);
          }}
        >
          Its link stops working. To let them in later, create another invite.
        </Confirm>
      )}
      {isInviting && (
        <Dialog
          title={made ? 'Send this link' : 'Invite somebody'}
          onClose={() => {
            setInviting(false);
            setMade(null);
          }}
        >
          {made ? (
            <div className="in stack">
              <Note icon="verified">
                Shown once. Only <b>{made.email}</b> can accept it, once, until {dateTime(made.expires_at, zone)}.
              </Note>
              <div className="with-copy">
                <code className="code grow">{made.accept_url}</code>
                <CopyButton kind="primary" text={made.accept_url}>
                  Copy
                </CopyButton>
              </div>
            </div>
          ) : (
            <Form
              onSubmit={async (values) => {
                setMade(await call('POST /api/v1/workspaces/{id}/invites', { path: { id }, body: { email: text(values, 'email'), role: text(values, 'role') } }));
                await changed('invites');
              }}
              footer={(isBusy) => (
                <footer>
                  <Button type="submit" kind="primary" disabled={isBusy}>
                    Create invite
                  </Button>
                </footer>
              )}
            >
              <Field name="email" label="E-mail" type="email" autoFocus />
              <Field
                name="role"
                label="Role"
                value="member"
                options={[
                  { value: 'member', label: 'member' },
                  { value: 'admin', label: 'admin' },
                ]}
              />
            </Form>
          )}
        </Dialog>
      )}
    </>
  );
}

function MemberRow({ member, me }: { member: Member; me: Schemas['Me'] }) {
  const id = me.workspace.id;
  const [isTransferring, setTransferring] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const done = (what: string) => {
    toast(what);
    void changed('members', 'me', 'workspaces');
  };
  const change = useMutation({
    mutationFn: (role: Role) => call('PATCH /api/v1/workspaces/{id}/members/{user_id}', { path: { id, user_id: member.user_id }, body: { role } }),
    onSuccess: (_, role) => done(`${member.name} is now ${role}`),
  });
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/workspaces/{id}/members/{user_id}', { path: { id, user_id: member.user_id } }),
    onSuccess: () => done(`${member.name} is no longer a member`),
  });
  const transfer = useMutation({
    mutationFn: () => call('POST /api/v1/workspaces/{id}/transfer', { path: { id }, body: { user_id: member.user_id } }),
    onSuccess: () => {
      setTransferring(false);
      done(`${member.name} owns the workspace`);
    },
  });
  const isSelf = member.user_id === me.user?.id;
  // Admins cannot change owners.
  const isMine = !isSelf && (me.role === 'owner' || member.role !== 'owner');
  const roles: Role[] = me.role === 'owner' ? ['owner', 'admin', 'member'] : ['admin', 'member'];
  const items: MenuItem[] = [
    ...roles.filter((role) => role !== member.role).map((role) => ({ label: `Make ${role}`, onSelect: () => change.mutate(role) })),
    'line' as const,
    ...(may(me.role, 'transfer-workspace') ? [{ label: 'Transfer the workspace', onSelect: () => setTransferring(true) }] : []),
    { label: 'Remove', danger: true, onSelect: () => setRemoving(true) },
  ];
  return (
    <tr>
      <td className="cut">
        {member.name} {isSelf && <span className="faint small">you</span>}
      </td>
      <td className="wide muted cut">{member.email}</td>
      <td>{member.role}</td>
      <td className="r menu-cell">
        {isMine && (
          <AtControl of={change}>
            <Menu kind="quiet" icon="more" label={`Change ${member.name}`} items={items} align="end" />
          </AtControl>
        )}
        {isRemoving && (
          <Confirm title={`Remove ${member.name}?`} action="Remove" of={remove} onConfirm={() => remove.mutate()} onClose={() => setRemoving(false)}>
            {member.name} loses access to this workspace at once. Only a new invite lets them in again.
          </Confirm>
        )}
        {isTransferring && (
          <Confirm title={`Transfer the workspace to ${member.name}?`} action="Transfer" of={transfer} onConfirm={() => transfer.mutate()} onClose={() => setTransferring(false)}>
            {member.name} becomes its owner, and you become an admin.
          </Confirm>
        )}
      </td>
    </tr>
  );
}
