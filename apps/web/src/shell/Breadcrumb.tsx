import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

/** The product name as a link to the start page, and where the user is below it. */
export function Breadcrumb({ children }: { children: ReactNode }) {
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-1 text-sm">
      <Link to="/" className="flex items-center gap-2 rounded-md px-1.5 py-1 font-semibold hover:bg-sunken">
        <img src="/icon.svg" alt="" className="size-5" />
        HiveMind
      </Link>
      <ChevronRight className="size-4 shrink-0 text-muted" aria-hidden="true" />
      {children}
    </nav>
  )
}
