import { deviceCount, type Fleet } from '@hivemind/swarm'
import { Cloud, Cpu, type LucideIcon, RadioTower, Wifi } from 'lucide-react'
import type { ReactNode } from 'react'
import * as format from '../reports/format.ts'

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const counted = (value: unknown, noun: string): string =>
  isNumber(value) ? format.count(value, noun) : `? ${noun}s`
const print = (value: unknown): string => (isNumber(value) ? format.number(value) : '?')

/** A fleet at a glance: its devices, its link, its edge nodes and its cloud. */
export function FleetPicture({ fleet }: { fleet: Fleet }) {
  const { devices, uplink, edgeNodes, cloud } = fleet
  const count = deviceCount(fleet)
  return (
    <ol
      aria-label="The fleet at a glance"
      data-testid="fleet-picture"
      className={`grid gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)] ${edgeNodes ? 'lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)]' : ''}`}
    >
      <Box icon={Cpu} title={counted(count, 'device')}>
        {devices.map((group, index) => (
          <li key={index}>
            {print(group.count)} × {group.class.label}: {counted(group.class.cores, 'core')} at{' '}
            {print(group.class.cpuSpeed)}, {print(group.class.batteryWh)} Wh
          </li>
        ))}
      </Box>
      <Box icon={Wifi} title="Link">
        <li>
          {print(uplink.count)} × {print(uplink.bandwidthMbps)} Mbit/s, {print(uplink.delayMs)} ms one way
        </li>
        {isNumber(count) && count > 0 && isNumber(uplink.bandwidthMbps) && isNumber(uplink.count) && (
          <li>
            {format.number((uplink.bandwidthMbps * uplink.count) / count)} Mbit/s for each device when all
            send
          </li>
        )}
      </Box>
      {edgeNodes && (
        <Box icon={RadioTower} title="Edge nodes">
          <li>
            {print(edgeNodes.count)} × {edgeNodes.label}: {counted(edgeNodes.cores, 'core')} at{' '}
            {print(edgeNodes.cpuSpeed)}
          </li>
          <li>
            {print(edgeNodes.link.bandwidthMbps)} Mbit/s to the devices,{' '}
            {print(edgeNodes.backhaul.bandwidthMbps)} Mbit/s to the cloud
          </li>
        </Box>
      )}
      <Box icon={Cloud} title="Cloud">
        <li>
          {counted(cloud.servers, 'server')} of {counted(cloud.coresPerServer, 'core')} at{' '}
          {print(cloud.cpuSpeed)}
        </li>
        <li>${print(cloud.pricePerCoreHour)} per core and hour</li>
      </Box>
    </ol>
  )
}

function Box({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <li className="flex min-w-0 gap-2 rounded-md border border-line bg-sunken p-2">
      <Icon className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden="true" />
      <div className="min-w-0 text-xs">
        <p className="text-sm font-semibold">{title}</p>
        <ul className="break-words text-muted tabular-nums">{children}</ul>
      </div>
    </li>
  )
}
