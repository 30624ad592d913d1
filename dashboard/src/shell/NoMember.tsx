/** What is shown instead of a workspace of which the person is no member. It looks the same whether or not there is one. */
import { openWorkspace, pageWorkspace } from '../api/client';
import { useWorkspaces } from '../api/queries';
import { Button } from '../ui/parts';
import { Frame } from './Frame';
import { signOut } from './session';

export function NoMember() {
  const workspaces = useWorkspaces();
  const mine = workspaces.data?.items ?? [];
  const isNamed = pageWorkspace() !== undefined;
  return (
    <Frame title={isNamed ? 'You are not a member of this workspace' : 'You are in no workspace'}>
      <p className="muted">
        {isNamed ? 'The link may be for somebody else, or the workspace was deleted. ' : ''}
        {workspaces.data !== undefined && mine.length === 0 ? 'Ask an admin of a workspace for an invite.' : 'Open one of yours, or ask an admin for an invite.'}
      </p>
      <WorkspaceChoice />
    </Frame>
  );
}

/** Opens one of the person's workspaces, or signs out. */
export function WorkspaceChoice({ except }: { except?: string | undefined }) {
  const mine = useWorkspaces().data?.items ?? [];
  return (
    <div className="row wrap">
      {mine
        .filter((one) => one.id !== except)
        .map((one) => (
          <Button key={one.id} large onClick={() => openWorkspace(one.id)}>
            Open {one.name}
          </Button>
        ))}
      <Button large onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}
