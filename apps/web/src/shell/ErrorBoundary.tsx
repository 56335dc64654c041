import { Component, type ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { Nothing } from '../ui/feedback.tsx'

/** Catches an error of one screen, so that the rest of the page keeps working. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <div role="alert">
        <Nothing title="This screen stopped working">
          <p className="mb-3 font-mono">{error.message}</p>
          <Button onClick={() => this.setState({ error: null })}>Try again</Button>
        </Nothing>
      </div>
    )
  }
}
