/** How the roles of tasks are named and pictured. */
import type { Role } from '@hivemind/workflow'
import { Cpu, Hourglass, type LucideIcon, Network, Radar, Zap } from 'lucide-react'

/** A role as the canvas shows it. */
export type ShownRole = Role | 'barrier' | 'nfu'

export const roleIcons: Record<ShownRole, LucideIcon> = {
  sensor: Radar,
  actuator: Zap,
  compute: Cpu,
  barrier: Hourglass,
  nfu: Network,
}

export const roleNames: Record<ShownRole, string> = {
  sensor: 'Sensor',
  actuator: 'Actuator',
  compute: 'Compute',
  barrier: 'Barrier',
  nfu: 'Network functional unit',
}
