import { canonical } from '@hivemind/workflow'
import { Download } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Candidate, Exploration, ExplorationJob } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { download, fileName } from '../reports/download.ts'
import { candidatesCsv } from './candidates.ts'
import { curvesOf } from './charts/DeviceCurves.tsx'
import { type ExportableFigure, useExportableFigures } from './charts/Figure.tsx'
import { csvOf, jsonOf } from './charts/plotData.ts'
import { printPage } from './report/print.ts'
import type { Scenario } from './whatif/knobs.ts'
import { sha256 } from './whatif/sha256.ts'
import { askOnce } from './whatif/work.ts'
import { explainInWorker } from './why/WhyPanel.tsx'

interface Props {
  name: string
  files: readonly (string | number)[]
  job: ExplorationJob
  result: Exploration
  /** Without it there is no report. */
  scenario: Scenario | null | undefined
  text: string
  selected: Candidate | undefined
  tasks: readonly string[]
}

const item =
  'cursor-pointer rounded px-2 py-1 outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent-strong'

async function reportOf(what: Props & { scenario: Scenario; selected: Candidate }): Promise<string> {
  const { name, job, result, scenario, text, selected, tasks } = what
  const [{ reportHtml }, { version }, why, curves, runs, hash] = await Promise.all([
    import('./report/html.tsx'),
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
    madeAt: new Date().toISOString(),
  })
}

/** All that can be taken out of an exploration: its report, its candidates, and the numbers of every plot. */
export function ExportMenu(props: Props) {
  const { files, result, scenario, selected, tasks } = props
  const figures = useExportableFigures()
  const [listed, setListed] = useState<readonly ExportableFigure[]>([])
  const report = useAction(async (print: boolean) => {
    if (!scenario || !selected) return
    const html = await reportOf({ ...props, scenario, selected })
    if (print) printPage(html)
    else download(fileName('html', ...files, 'report'), 'text/html', html)
  })
  return (
    <>
      <DropdownMenu.Root onOpenChange={(open) => open && setListed(figures())}>
        <DropdownMenu.Trigger asChild>
          <Button data-testid="export" busy={report.busy}>
            {!report.busy && <Download className="size-4" aria-hidden="true" />}
            Export
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            className="z-40 max-h-96 overflow-y-auto rounded-md border border-line bg-raised p-1 text-sm shadow-lg"
          >
            {scenario && selected && (
              <>
                <DropdownMenu.Item
                  className={item}
                  data-testid="exploration-report"
                  onSelect={() => void report.run(false)}
                >
                  Report (HTML)
                </DropdownMenu.Item>
                <DropdownMenu.Item
                  className={item}
                  data-testid="exploration-print"
                  onSelect={() => void report.run(true)}
                >
                  Print, or save as PDF
                </DropdownMenu.Item>
              </>
            )}
            <DropdownMenu.Item
              className={item}
              onSelect={() => download(fileName('csv', ...files), 'text/csv', candidatesCsv(result, tasks))}
            >
              All candidates as CSV
            </DropdownMenu.Item>
            <DropdownMenu.Item
              className={item}
              onSelect={() =>
                download(
                  fileName('json', ...files),
                  'application/json',
                  `${JSON.stringify(result, null, 2)}\n`,
                )
              }
            >
              The exploration as JSON
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Label className="px-2 py-1 text-xs text-muted">
              Numbers of the plots
            </DropdownMenu.Label>
            {listed.flatMap(({ title, data }) => [
              <DropdownMenu.Item
                key={`${title} csv`}
                className={item}
                onSelect={() => download(fileName('csv', ...files, data.name), 'text/csv', csvOf(data))}
              >
                {title} as CSV
              </DropdownMenu.Item>,
              <DropdownMenu.Item
                key={`${title} json`}
                className={item}
                onSelect={() =>
                  download(fileName('json', ...files, data.name), 'application/json', jsonOf(data))
                }
              >
                {title} as JSON
              </DropdownMenu.Item>,
            ])}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <ProblemNote problem={report.problem} />
    </>
  )
}
