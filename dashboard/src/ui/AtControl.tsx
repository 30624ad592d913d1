/** What went wrong, at the control that was used, and the question before an action that cannot be taken back. */
import type { UseMutationResult } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import { ErrorNote } from './form';
import { Dialog } from './overlay';
import { Button } from './parts';

type Failing = { error: Error | null; reset: () => void };

/** Shows the error of the control's last call below it, until it is closed or the next call. */
export function AtControl({ of, children }: { of: Failing; children: ReactNode }) {
  const id = useId();
  return (
    <span className="at-control" aria-describedby={of.error === null ? undefined : id}>
      {children}
      {of.error !== null && (
        <span className="why-not" role="alert" id={id}>
          <span>
            {of.error instanceof ApiError && of.error.status === 403 && <b>Your role cannot do this. </b>}
            {of.error.message}
          </span>
          <Button kind="quiet" icon="x" label="Close the message" onClick={of.reset} />
        </span>
      )}
    </span>
  );
}

type ConfirmProps = {
  title: string;
  children: ReactNode;
  /** The label of the button that does it. */
  action: string;
  /** The label of the button that does not. */
  keep?: string;
  onConfirm: () => void;
  onClose: () => void;
  of: Pick<UseMutationResult<unknown, Error, never>, 'error' | 'isPending'>;
};

/** Asks before an action, and shows its error if it fails. The caller closes it when the action is done. */
export function Confirm({ title, children, action, keep = 'Keep it', onConfirm, onClose, of }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="in stack">
        <p className="wrap-text">{children}</p>
        {of.error !== null && <ErrorNote error={of.error} />}
      </div>
      <footer>
        <Button onClick={onClose}>{keep}</Button>
        <Button kind="danger" disabled={of.isPending} onClick={onConfirm}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
