import { CircuitBoard, Cloud, Cpu, Database, type LucideIcon } from 'lucide-react'
import { Link } from 'react-router'

const screens: readonly { to: string; label: string; icon: LucideIcon }[] = [
  { to: '/store', label: 'Store', icon: Database },
  { to: '/devices', label: 'Devices', icon: Cpu },
  { to: '/targets', label: 'Targets', icon: Cloud },
  { to: '/fabric', label: 'Fabric', icon: CircuitBoard },
]

/** Links to the screens that belong to no project. */
export function ScreenLinks() {
  return screens.map(({ to, label, icon: Icon }) => (
    <Link
      key={to}
      to={to}
      title={label}
      aria-label={label}
      data-testid={`${to.slice(1)}-link`}
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon className="size-4" aria-hidden="true" />
    </Link>
  ))
}
