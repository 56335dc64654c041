import type { ExplorationJob } from '../../api/types.ts'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { ScatterPlot } from './ScatterPlot.tsx'

const nothing = () => undefined

/** While an exploration goes on: of the candidates simulated so far, those that no other of them beats. */
export function FrontSoFar({ soFar }: { soFar: NonNullable<ExplorationJob['soFar']> }) {
  return (
    <Panel title={`The front so far: ${soFar.done} of ${format.count(soFar.of, 'candidate')} simulated`}>
      <div data-testid="front-so-far">
        <ScatterPlot
          candidates={soFar.front}
          constraints={[]}
          selected={undefined}
          onSelect={nothing}
          testId="scatter-so-far"
        />
      </div>
      <p className="text-xs text-muted">
        The most promising candidates come first. Cancel keeps those that are simulated by then.
      </p>
    </Panel>
  )
}
