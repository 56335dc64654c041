import { api } from '../../api/client.ts'
import type { FabricFloorplan } from '../../api/types.ts'
import { useLoad } from '../../api/useLoad.ts'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import * as format from '../reports/format.ts'
import { barsOf, memoryPaths, partPaths, summaryOf } from './floorplan.ts'

/** Colours of the shell and the engines, in the order of their registers. */
const COLOURS = [
  'var(--color-arrow)',
  'var(--color-accent)',
  'var(--color-part-network)',
  'var(--color-part-execution)',
  'var(--color-part-management)',
]
const colourOf = (part: number): string => COLOURS[part % COLOURS.length] as string

const heading = 'text-xs font-semibold text-muted'
const [BAR_WIDTH, BARS_HEIGHT] = [8, 90]

/** Where the parts of a bitstream lie on the device, and how close the ends of its paths come to the clock. */
export function BuildPicture({ build }: { build: string }) {
  const { data, problem, reload, loading } = useLoad(
    (signal) => api.getFabricFloorplan(build, signal),
    [build],
  )
  if (problem?.status === 404)
    return (
      <p className="text-sm text-muted">
        This bitstream was built before placements were kept: build it again for a picture of it.
      </p>
    )
  if (!data)
    return loading ? (
      <Waiting what="Loading the floorplan" />
    ) : (
      <ProblemNote problem={problem} retry={reload} />
    )
  return (
    <div className="grid gap-4 text-sm lg:grid-cols-2">
      <Plan plan={data} />
      <section className="flex flex-col gap-3">
        {data.arrivals.map((arrivals) => (
          <Histogram key={arrivals.clock} arrivals={arrivals} />
        ))}
      </section>
    </div>
  )
}

function Plan({ plan }: { plan: FabricFloorplan }) {
  const { columns, rows, parts } = plan
  const memories = memoryPaths(plan)
  const listed = parts.map(
    ({ name, cells, memories: blocks }) =>
      `${name}: ${format.count(cells, 'logic cell')}, ${format.count(blocks, 'block RAM')}`,
  )
  return (
    <section>
      <h4 className={heading}>Floorplan</h4>
      <svg
        viewBox={`0 0 ${columns} ${rows}`}
        role="img"
        aria-label={`Placement on the device. ${listed.join('; ')}.`}
        data-testid="floorplan"
        className="my-1 w-full rounded border border-line bg-sunken"
      >
        {partPaths(plan).map((path, part) => (
          <path key={parts[part]?.name} d={path} fill={colourOf(part)} />
        ))}
        {memories.map((path, part) => (
          <path
            key={parts[part]?.name}
            d={path}
            fill={colourOf(part)}
            stroke="var(--color-ink)"
            strokeWidth={0.25}
          />
        ))}
      </svg>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {listed.map((text, part) => (
          <li key={text} className="flex items-center gap-1.5">
            <span
              className="size-3 rounded-sm"
              style={{ backgroundColor: colourOf(part) }}
              aria-hidden="true"
            />
            {text}
          </li>
        ))}
      </ul>
      <p className="text-muted">
        A square is a tile of the device, the larger the fuller; an outlined bar is a block RAM.
      </p>
    </section>
  )
}

function Histogram({ arrivals }: { arrivals: FabricFloorplan['arrivals'][number] }) {
  const bars = barsOf(arrivals)
  const { ends, late, slowestNs } = summaryOf(arrivals)
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const required = format.number(arrivals.requiredNs)
  const edge = (arrivals.requiredNs / arrivals.binNs) * BAR_WIDTH
  const says = `${format.count(ends, 'end of a path', 'ends of paths')}, the slowest within ${format.number(slowestNs)} ns of ${required} ns${
    late > 0 ? `; ${format.whole(late)} late` : ''
  }`
  return (
    <div>
      <h4 className={`${heading} break-words`}>When paths of {arrivals.clock} end</h4>
      <svg
        viewBox={`0 0 ${Math.max(bars.length * BAR_WIDTH, edge + 1)} ${BARS_HEIGHT}`}
        role="img"
        aria-label={`${arrivals.clock}: ${says}.`}
        data-testid="timing-histogram"
        className="my-1 h-24 w-full border-b border-line"
        preserveAspectRatio="none"
      >
        {bars.map(({ fromNs, toNs, count, isLate }, n) => {
          const height = count === 0 ? 0 : Math.max(1.5, (BARS_HEIGHT * count) / most)
          return (
            <rect
              key={fromNs}
              x={n * BAR_WIDTH + 0.5}
              y={BARS_HEIGHT - height}
              width={BAR_WIDTH - 1}
              height={height}
              fill={isLate ? 'var(--color-danger)' : 'var(--color-accent)'}
            >
              <title>
                {`${format.number(fromNs)} to ${format.number(toNs)} ns: ${format.count(count, 'end', 'ends')}`}
              </title>
            </rect>
          )
        })}
        <line
          x1={edge}
          x2={edge}
          y1={0}
          y2={BARS_HEIGHT}
          stroke="var(--color-danger)"
          strokeWidth={1}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <p className={late > 0 ? 'text-danger' : 'text-muted'}>{says}.</p>
    </div>
  )
}
