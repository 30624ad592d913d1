/** The workspace's name, leaving it, and deleting it. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, openWorkspace, type Schemas } from '../../api/client';
import { changed } from '../../api/queries';
import { may } from '../../lib/roles';
import { Confirm } from '../../ui/AtControl';
import { Field, Form, text } from '../../ui/form';
import { Dialog } from '../../ui/overlay';
import { Button, Facts, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

export function WorkspaceSettings({ me }: { me: Schemas['Me'] }) {
  const [isLeaving, setLeaving] = useState(false);
  const leave = useMutation({
    mutationFn: () => call('POST /api/v1/workspaces/{id}/leave', { path: { id: me.workspace.id } }),
    onSuccess: () => openWorkspace(),
  });
  return (
    <>
      <Panel title="Workspace" note={me.role && `you are its ${me.role}`}>
        {may(me.role, 'rename-workspace') ? (
          <Form
            onSubmit={async (values) => {
              await call('PATCH /api/v1/workspaces/{id}', { path: { id: me.workspace.id }, body: { name: text(values, 'name') } });
              await changed('me', 'workspaces');
            }}
            onDone={() => toast('Renamed')}
            footer={(isBusy) => (
              <div>
                <Button type="submit" kind="primary" disabled={isBusy}>
                  Rename
                </Button>
              </div>
            )}
          >
            <Field name="name" label="Name" value={me.workspace.name} />
          </Form>
        ) : (
          <Facts facts={[['Name', me.workspace.name]]} />
        )}
      </Panel>
      <Panel title="Leave">
        <div className="row wrap">
          <p className="muted grow">You lose access to this workspace. Its last owner cannot leave: transfer it first.</p>
          <Button kind="danger" onClick={() => setLeaving(true)}>
            Leave workspace
          </Button>
        </div>
        {isLeaving && (
          <Confirm title={`Leave ${me.workspace.name}?`} action="Leave workspace" keep="Stay" of={leave} onConfirm={() => leave.mutate()} onClose={() => setLeaving(false)}>
            You lose access to its events and settings. Only a new invite lets you in again.
          </Confirm>
        )}
      </Panel>
      {may(me.role, 'delete-workspace') && <DeleteWorkspace me={me} />}
    </>
  );
}

function DeleteWorkspace({ me }: { me: Schemas['Me'] }) {
  const [isOpen, setOpen] = useState(false);
  const { id, name } = me.workspace;
  return (
    <Panel title="Delete">
      <div className="row wrap">
        <p className="muted grow">Its sources answer 404, its keys and invites stop working, and all its data is erased within a day.</p>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Delete workspace
        </Button>
      </div>
      {isOpen && (
        <Dialog title={`Delete ${name}?`} onClose={() => setOpen(false)}>
          <Form
            onSubmit={async (values) => {
              if (text(values, 'typed_name') !== name.trim()) {
                throw new ApiError(422, 'validation_failed', 'The name does not match.', [{ field: 'typed_name', message: `This is not the name. Type ${name}.` }]);
              }
              await call('DELETE /api/v1/workspaces/{id}', { path: { id } });
              openWorkspace();
            }}
            footer={(isBusy) => (
              <footer>
                <Button onClick={() => setOpen(false)}>Keep it</Button>
                <Button type="submit" kind="danger" disabled={isBusy}>
                  Delete workspace
                </Button>
              </footer>
            )}
          >
            <p>
              This cannot be undone. Within two seconds, its URLs, keys, sessions and invites stop working. Waiting deliveries end unsent, and its data is erased within a day. Members keep
              their accounts.
            </p>
            <Field name="typed_name" label={`Type ${name} to confirm`} autoComplete="off" autoFocus />
          </Form>
        </Dialog>
      )}
    </Panel>
  );
}
