/** Keeps a bug in one page from breaking the others. */
import { Component, type ReactNode } from 'react';
import { Blank, Button } from '../ui/parts';

type Props = { children: ReactNode; resetKey: string };

export class ErrorBoundary extends Component<Props, { error: Error | null; key: string }> {
  override state = { error: null as Error | null, key: '' };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (before.resetKey !== this.props.resetKey && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="main">
        <header className="bar" />
        <main className="page scroll">
          <Blank
            tone="failed"
            icon="unverified"
            title="This page has a bug"
            action={<Button onClick={() => this.setState({ error: null })}>Show the page again</Button>}
          >
            {this.state.error.message}. The other pages work, and the relay is not affected.
          </Blank>
        </main>
      </div>
    );
  }
}
