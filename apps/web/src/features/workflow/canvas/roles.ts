/** How the roles of tasks are named and pictured. */
import { Cpu, Hourglass, type LucideIcon, Network, Radar, Zap } from 'lucide-react'
import type { TaskData } from './graph.ts'

export const roleIcons: Record<TaskData['role'], LucideIcon> = {
  sensor: Radar,
  actuator: Zap,
  compute: Cpu,
  barrier: Hourglass,
  nfu: Network,
}

export const roleNames: Record<TaskData['role'], string> = {
  sensor: 'Sensor',
  actuator: 'Actuator',
  compute: 'Compute',
  barrier: 'Barrier',
  nfu: 'Network functional unit',
}
