import { Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import type { FabricBuild } from '../../api/types.ts'
import { useEvery, useFocus, useLoad } from '../../api/useLoad.ts'
import { Breadcrumb } from '../../shell/Breadcrumb.tsx'
import { SchemeButton } from '../../shell/SchemeButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Badge, Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { BoardsPanel } from './BoardsPanel.tsx'
import { BuildDialog } from './BuildDialog.tsx'
import { BuildJob } from './BuildJob.tsx'
import { BuildReport } from './BuildReport.tsx'
import { isActive, marginOf } from './fabric.ts'
import { NetworkFunctions } from './NetworkFunctions.tsx'

const POLL_INTERVAL_MS = 1_000
/** Servers report every five seconds. */
const SERVERS_INTERVAL_MS = 2_500
/** Jobs shown above the builds. */
const JOB_LIMIT = 5

/** The newest builds, starts and loads. */
async function recentJobs(signal: AbortSignal) {
  const kinds = ['fabric', 'fabric-board']
  const lists = await Promise.all(kinds.map((kind) => api.listJobs({ kind, limit: JOB_LIMIT }, signal)))
  return lists
    .flat()
    .toSorted((a, b) => b.job.createdAt.localeCompare(a.job.createdAt))
    .slice(0, JOB_LIMIT)
}

/** Bitstreams of the fabric: those that are kept, a new one, the boards they run on, and the progress of long work. */
export default function FabricScreen() {
  const builds = useLoad((signal) => api.listFabricBuilds(signal), [])
  const boards = useLoad((signal) => api.listFabricBoards(signal), [])
  const jobs = useLoad(recentJobs, [])
  const functions = useLoad((signal) => api.listNetworkFunctions(signal), [])
  const [isNew, setIsNew] = useState(false)
  const [chosen, setChosen] = useState<string>()
  const reload = () => {
    builds.reload()
    boards.reload()
    jobs.reload()
    functions.reload()
  }
  useFocus(reload)
  const isBusy = jobs.data?.some(isActive) ?? false
  useEvery(POLL_INTERVAL_MS, isBusy, reload)
  useEvery(SERVERS_INTERVAL_MS, (functions.data?.length ?? 0) > 0, functions.reload)
  // What a job has made may be newer than the list that came with the news of its end.
  useEffect(() => {
    if (isBusy) return
    builds.reload()
    boards.reload()
  }, [isBusy, builds.reload, boards.reload])
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
          <ProblemNote
            problem={builds.problem ?? boards.problem ?? jobs.problem ?? functions.problem}
            retry={reload}
          />
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
                  A bitstream configures an FPGA to average sensor readings, dispatch requests or serve memory
                  in the network. Building one takes minutes; docs/fabric.md explains what each engine does.
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
          {builds.data && boards.data && (
            <BoardsPanel boards={boards.data} builds={builds.data} onChanged={reload} />
          )}
          {functions.data && <NetworkFunctions functions={functions.data} onChanged={functions.reload} />}
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
          {build.engines.join(', ')} for {build.board}
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
