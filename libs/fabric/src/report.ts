import type { ClockTiming, CriticalPath, Utilisation } from './manifest.ts'

interface PathStep {
  type: string
  delay: number
  from: { cell: string }
  to: { cell: string }
}

/** The report of nextpnr, as far as it is read. */
interface Report {
  fmax: Record<string, { achieved: number; constraint: number }>
  critical_paths: { from: string; to: string; path: PathStep[] }[]
  utilization: Record<string, { used: number; available: number }>
}

const round = (value: number): number => Math.round(value * 100) / 100
const clockName = (name: string): string => name.replace(/^\$glbnet\$/, '')
const edgeClock = (edge: string): string => clockName(edge.replace(/^(pos|neg)edge /, ''))

/** Reads nextpnr's JSON report: clocks, the slowest path of each, and what of the device is used. */
export function readReport(text: string): {
  clocks: ClockTiming[]
  criticalPaths: CriticalPath[]
  utilisation: Utilisation[]
} {
  const report = JSON.parse(text) as Report
  const clocks = Object.entries(report.fmax).map(([name, { achieved, constraint }]) => ({
    name: clockName(name),
    achievedMhz: round(achieved),
    requiredMhz: round(constraint),
  }))
  const criticalPaths = report.critical_paths
    .filter(({ from, to }) => from === to && from !== '<async>')
    .map(({ from, path }) => {
      const sum = (steps: PathStep[]): number => round(steps.reduce((total, step) => total + step.delay, 0))
      return {
        from: path[0]?.to.cell ?? '',
        to: path.at(-1)?.to.cell ?? '',
        clock: edgeClock(from),
        delayNs: sum(path),
        routingNs: sum(path.filter((step) => step.type === 'routing')),
      }
    })
  const utilisation = Object.entries(report.utilization)
    .filter(([, { used }]) => used > 0)
    .map(([resource, { used, available }]) => ({ resource, used, available }))
  return { clocks, criticalPaths, utilisation }
}

/** Whether every clock is as fast as it must be. */
export const isTimingMet = (clocks: ClockTiming[]): boolean =>
  clocks.every((clock) => clock.achievedMhz >= clock.requiredMhz)

/** How much slower or faster than required the worst clock is; 1 is exactly as required. */
export const worstRatio = (clocks: ClockTiming[]): number =>
  Math.min(...clocks.map((clock) => clock.achievedMhz / clock.requiredMhz))
