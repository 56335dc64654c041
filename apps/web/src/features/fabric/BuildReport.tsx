import { Download } from 'lucide-react'
import { fabricFileUrl } from '../../api/client.ts'
import type { FabricBuild } from '../../api/types.ts'
import * as format from '../reports/format.ts'
import { BuildPicture } from './BuildPicture.tsx'
import { signedBy, testsOf, usedResources } from './fabric.ts'

const heading = 'text-xs font-semibold text-muted'
const BITSTREAMS = ['fabric.bit', 'fabric.svf']

/** What a seed gave, in a line. */
function outcomeOf({ seed, clocks, isTimingMet, problem }: FabricBuild['seeds'][number]): string {
  if (problem) return `Seed ${seed} was given up: ${problem}`
  const speeds = clocks.map(({ name, achievedMhz }) => `${name} ${format.number(achievedMhz, 4)} MHz`)
  return `Seed ${seed}: ${speeds.join(', ')}; timing ${isTimingMet ? '' : 'not '}met`
}

/** Clocks, use of the device, slowest paths, seeds, parameters and files of a build. */
export function BuildReport({ build }: { build: FabricBuild }) {
  return (
    <div className="grid gap-4 text-sm lg:grid-cols-2">
      <section>
        <h4 className={heading}>Clocks</h4>
        <ul>
          {build.clocks.map(({ name, achievedMhz, requiredMhz }) => (
            <li key={name} className="break-words">
              {name}: {format.number(achievedMhz, 4)} MHz, {format.number(requiredMhz, 4)} MHz needed
            </li>
          ))}
        </ul>
        <h4 className={`${heading} mt-3`}>Slowest paths</h4>
        <ul>
          {build.criticalPaths.map(({ from, to, clock, delayNs, routingNs }) => (
            <li key={`${clock} ${from} ${to}`} className="break-all">
              {format.number(delayNs)} ns ({format.number(routingNs)} ns in wires): {from} → {to}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h4 className={heading}>Use of the device ({build.device})</h4>
        <ul className="flex flex-col gap-1">
          {usedResources(build).map(({ resource, used, available }) => (
            <li key={resource}>
              <div className="flex justify-between gap-2">
                <span className="truncate">{resource}</span>
                <span className="whitespace-nowrap tabular-nums">
                  {format.whole(used)} of {format.whole(available)} ({format.share(used / available)})
                </span>
              </div>
              <div className="h-1.5 overflow-hidden rounded-full bg-sunken" aria-hidden="true">
                <div
                  className="h-full bg-accent"
                  style={{ width: `${Math.min(100, (100 * used) / available)}%` }}
                />
              </div>
            </li>
          ))}
        </ul>
      </section>
      <div className="lg:col-span-2">
        <BuildPicture build={build.id} />
      </div>
      <p className="break-words text-muted lg:col-span-2">
        {Object.entries(build.parameters)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')}
        . Interface {build.interface}.
      </p>
      <p className="break-words lg:col-span-2" data-testid="tests">
        {testsOf(build)} {signedBy(build)}
      </p>
      <section className="lg:col-span-2">
        <h4 className={heading}>Seeds of place and route</h4>
        <ul data-testid="seeds">
          {build.seeds.map((seed) => (
            <li key={seed.seed} className="break-words">
              {outcomeOf(seed)}
              {seed.seed === build.seed && '; packed'}
            </li>
          ))}
        </ul>
      </section>
      <p className="flex flex-wrap gap-3 lg:col-span-2">
        {BITSTREAMS.filter((name) => name in build.files).map((name) => (
          <a
            key={name}
            href={fabricFileUrl(build.id, name)}
            download
            className="inline-flex items-center gap-1 text-accent-strong underline"
          >
            <Download className="size-4" aria-hidden="true" />
            {name}
          </a>
        ))}
      </p>
    </div>
  )
}
