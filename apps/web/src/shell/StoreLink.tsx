import { Database } from 'lucide-react'
import { Link } from 'react-router'

/** Link to the Store screen. */
export function StoreLink() {
  return (
    <Link
      to="/store"
      title="Store"
      aria-label="Store"
      data-testid="store-link"
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink"
    >
      <Database className="size-4" aria-hidden="true" />
    </Link>
  )
}
