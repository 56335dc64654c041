import { Component, type ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { Nothing } from '../ui/feedback.tsx'

/** Keeps a fault of one screen from taking the page with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { fault: Error | null }> {
  override state: { fault: Error | null } = { fault: null }

  static getDerivedStateFromError(fault: Error): { fault: Error } {
    return { fault }
  }

  override render(): ReactNode {
    const { fault } = this.state
    if (!fault) return this.props.children
    return (
      <div role="alert">
        <Nothing title="This screen stopped working">
          <p className="mb-3 font-mono">{fault.message}</p>
          <Button onClick={() => this.setState({ fault: null })}>Try again</Button>
        </Nothing>
      </div>
    )
  }
}
