import { FileText, Printer } from 'lucide-react'
import { api } from '../../../api/client.ts'
import type { Candidate, Exploration, ExplorationJob } from '../../../api/types.ts'
import { useAction } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { ProblemNote } from '../../../ui/feedback.tsx'
import { download, fileName } from '../../reports/download.ts'
import { curvesOf } from '../charts/DeviceCurves.tsx'
import { canonical, sha256 } from '../whatif/canonical.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { askOnce } from '../whatif/work.ts'
import { explainInWorker } from '../why/WhyPanel.tsx'
import { printPage } from './print.ts'

interface Props {
  name: string
  files: readonly (string | number)[]
  job: ExplorationJob
  result: Exploration
  scenario: Scenario
  text: string
  selected: Candidate
  tasks: readonly string[]
}

/** Buttons that download the report of an exploration as a self-contained HTML file, or print it. */
export function ReportButtons({ files, ...what }: Props) {
  const make = async (): Promise<string> => {
    const { name, job, result, scenario, text, selected, tasks } = what
    const [{ reportHtml }, { version }, why, curves, runs, hash] = await Promise.all([
      import('./html.tsx'),
      api.health(),
      explainInWorker(scenario, result, selected),
      curvesOf(scenario, result.candidates),
      askOnce<'distributions'>({
        kind: 'distributions',
        scenario,
        placements: [{ id: selected.id, placement: selected.placement }],
        batteries: false,
      }),
      sha256(canonical(result)),
    ])
    const [run] = runs
    if (!run) throw new Error('The selected candidate could not be simulated. Try again.')
    const madeAt = new Date().toISOString()
    return reportHtml({
      project: name,
      job,
      result,
      scenario,
      text,
      selected,
      tasks,
      why,
      curves,
      run,
      version,
      hash,
      madeAt,
    })
  }
  const save = useAction(async () =>
    download(fileName('html', ...files, 'report'), 'text/html', await make()),
  )
  const print = useAction(async () => printPage(await make()))
  return (
    <>
      <Button data-testid="exploration-report" busy={save.busy} onClick={() => void save.run()}>
        {!save.busy && <FileText className="size-4" aria-hidden="true" />}
        Report
      </Button>
      <Button
        data-testid="exploration-print"
        busy={print.busy}
        title="Opens the print dialog, which can save a PDF"
        onClick={() => void print.run()}
      >
        {!print.busy && <Printer className="size-4" aria-hidden="true" />}
        Print or save as PDF
      </Button>
      <ProblemNote problem={save.problem ?? print.problem} />
    </>
  )
}
