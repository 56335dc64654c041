import { Cpu } from 'lucide-react'
import { Link } from 'react-router'

/** Link to the Devices screen. */
export function DevicesLink() {
  return (
    <Link
      to="/devices"
      title="Devices"
      aria-label="Devices"
      data-testid="devices-link"
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink"
    >
      <Cpu className="size-4" aria-hidden="true" />
    </Link>
  )
}
