import type { ExplorationJob } from '../../api/types.ts'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { ScatterPlot } from './ScatterPlot.tsx'

const ignore = () => undefined

/** The front of the candidates that a running exploration has simulated so far. */
export function FrontSoFar({ soFar }: { soFar: NonNullable<ExplorationJob['soFar']> }) {
  return (
    <Panel title={`Front so far: ${soFar.done} of ${format.count(soFar.of, 'candidate')} simulated`}>
      <div data-testid="front-so-far">
        <ScatterPlot
          candidates={soFar.front}
          constraints={[]}
          selected={undefined}
          onSelect={ignore}
          testId="scatter-so-far"
        />
      </div>
      <p className="text-xs text-muted">
        The most promising candidates are simulated first. Cancel keeps the candidates simulated so far.
      </p>
    </Panel>
  )
}
