import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { FabricBuild } from '../../api/types.ts'
import { useEvery, useFocus, useLoad } from '../../api/useLoad.ts'
import { Breadcrumb } from '../../shell/Breadcrumb.tsx'
import { SchemeButton } from '../../shell/SchemeButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Badge, Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { BuildDialog } from './BuildDialog.tsx'
import { BuildJob } from './BuildJob.tsx'
import { BuildReport } from './BuildReport.tsx'
import { isActive, marginOf } from './fabric.ts'

const POLL_INTERVAL_MS = 1_000
/** Jobs shown above the builds. */
const JOB_LIMIT = 5

/** Bitstreams of the fabric: those that are kept, a new one, and the progress of those being built. */
export default function FabricScreen() {
  const builds = useLoad((signal) => api.listFabricBuilds(signal), [])
  const jobs = useLoad((signal) => api.listJobs({ kind: 'fabric', limit: JOB_LIMIT }, signal), [])
  const [isNew, setIsNew] = useState(false)
  const [chosen, setChosen] = useState<string>()
  const reload = () => {
    builds.reload()
    jobs.reload()
  }
  useFocus(reload)
  useEvery(POLL_INTERVAL_MS, jobs.data?.some(isActive) ?? false, reload)
  return (
    <div className="flex h-full flex-col print:block print:h-auto">
      <header className="flex h-12 shrink-0 items-center justify-between gap-3 border-b border-line bg-surface px-3">
        <Breadcrumb>
          <span>Fabric</span>
        </Breadcrumb>
        <SchemeButton />
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto p-4">
        <h1 className="sr-only">Fabric</h1>
        <div className="mx-auto flex max-w-5xl flex-col gap-4">
          <ProblemNote problem={builds.problem ?? jobs.problem} retry={reload} />
          {jobs.data && jobs.data.length > 0 && (
            <Panel title="Recent jobs" testId="fabric-jobs">
              <ul className="flex flex-col gap-3">
                {jobs.data.map((job) => (
                  <BuildJob key={job.id} record={job} onChanged={reload} />
                ))}
              </ul>
            </Panel>
          )}
          {!builds.data && builds.loading && <Waiting what="Loading the bitstreams" />}
          {builds.data && (
            <Panel
              title="Bitstreams"
              testId="fabric-builds"
              actions={
                <Button data-testid="new-build" onClick={() => setIsNew(true)}>
                  <Plus className="size-4" aria-hidden="true" />
                  Build a bitstream
                </Button>
              }
            >
              {builds.data.length === 0 ? (
                <Nothing title="No bitstream yet">
                  A bitstream configures an FPGA to average sensor readings in the network. Building one takes
                  minutes; docs/fabric.md explains what it does.
                </Nothing>
              ) : (
                <ul className="flex flex-col">
                  {builds.data.map((build) => (
                    <BuildRow
                      key={build.id}
                      build={build}
                      isOpen={build.id === chosen}
                      onToggle={() => setChosen(build.id === chosen ? undefined : build.id)}
                    />
                  ))}
                </ul>
              )}
            </Panel>
          )}
        </div>
        {isNew && <BuildDialog onStarted={jobs.reload} onClose={() => setIsNew(false)} />}
      </main>
    </div>
  )
}

function BuildRow({
  build,
  isOpen,
  onToggle,
}: {
  build: FabricBuild
  isOpen: boolean
  onToggle: () => void
}) {
  const margin = marginOf(build)
  return (
    <li
      className="flex flex-col gap-3 border-t border-line py-3 first:border-t-0"
      data-testid={`build-${build.id.slice(0, 8)}`}
    >
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-mono text-sm font-semibold">{build.id.slice(0, 8)}</h3>
        <Badge tone={build.isTimingMet ? 'ok' : 'warn'}>
          {build.isTimingMet ? 'timing met' : 'timing not met'}
        </Badge>
        <span className="min-w-0 flex-1 text-sm text-muted">
          {build.engine} for {build.board}
          {margin &&
            `, ${format.number(margin.achievedMhz, 4)} MHz of ${format.number(margin.requiredMhz, 4)} MHz`}
        </span>
        <Button aria-expanded={isOpen} onClick={onToggle}>
          Report
        </Button>
      </div>
      {isOpen && <BuildReport build={build} />}
    </li>
  )
}
