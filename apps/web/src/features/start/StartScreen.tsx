import { FileUp, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { usePages } from '../../api/usePages.ts'
import { SchemeButton } from '../../shell/SchemeButton.tsx'
import { ScreenLinks } from '../../shell/ScreenLinks.tsx'
import { Button } from '../../ui/Button.tsx'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { useFileDrop } from '../../ui/useFileDrop.ts'
import { type ImportResult, importProject } from './import/importProject.ts'
import { TraceImportDialog } from './import/TraceImportDialog.tsx'
import { ProjectList } from './ProjectList.tsx'

/** The start page: examples, the user's projects, and import of files. */
export function StartScreen() {
  const navigate = useNavigate()
  const examples = useLoad((signal) => api.listExamples(signal), [])
  const projects = usePages(api.listProjects, ({ id }) => id, [])
  const picker = useRef<HTMLInputElement>(null)
  const create = useAction(async (body: Parameters<typeof api.createProject>[0]) => {
    const project = await api.createProject(body)
    await navigate(`/projects/${project.id}`)
  })
  const [traceImport, setTraceImport] = useState<Required<ImportResult>>()
  const importing = useAction(async (file: File) => {
    const { project, trace } = await importProject(file)
    if (trace) setTraceImport({ project, trace })
    else await navigate(`/projects/${project.id}`)
  })
  const busy = create.busy || importing.busy
  const importFile = (file: File): void => {
    if (!busy) void importing.run(file)
  }
  useFileDrop(importFile)
  return (
    <div className="relative h-full overflow-auto">
      <header className="flex items-center justify-between px-6 py-4">
        <div className="flex items-center gap-2 text-lg font-semibold">
          <img src="/icon.svg" alt="" className="size-7" />
          HiveMind
        </div>
        <span className="flex items-center gap-1">
          <ScreenLinks />
          <SchemeButton />
        </span>
      </header>
      <main className="mx-auto flex max-w-5xl flex-col gap-10 px-6 pb-16">
        <section className="flex flex-col gap-3 pt-4">
          <h1 className="text-2xl font-semibold">Program a swarm</h1>
          <p className="max-w-prose text-muted">
            Draw tasks on a canvas, see what each placement between the devices and the cloud costs, deploy
            the one you pick, and watch it run.
          </p>
          <div className="flex flex-wrap gap-2">
            <Button
              look="primary"
              busy={create.busy}
              onClick={() => void create.run({ name: 'Untitled' })}
              data-testid="new-project"
            >
              <Plus className="size-4" aria-hidden="true" />
              New workflow
            </Button>
            <Button
              onClick={() => picker.current?.click()}
              busy={importing.busy}
              disabled={busy}
              data-testid="import-button"
            >
              {!importing.busy && <FileUp className="size-4" aria-hidden="true" />}
              Import a file
            </Button>
            <input
              ref={picker}
              type="file"
              accept=".py,.json,.stg,.txt"
              className="hidden"
              aria-label="Workflow file to import"
              data-testid="import-file"
              onChange={(event) => {
                const file = event.target.files?.[0]
                event.target.value = ''
                if (file) importFile(file)
              }}
            />
          </div>
          <p className="max-w-prose text-xs text-muted">
            You can import a HiveMind workflow (.hive.py), a WfCommons instance (.json) or a Standard Task
            Graph (.stg). Choose a file, or drop it anywhere on this page.
          </p>
          <ProblemNote problem={create.problem ?? importing.problem} />
        </section>

        <section aria-labelledby="examples">
          <h2 id="examples" className="mb-3 text-base font-semibold">
            Examples
          </h2>
          {examples.loading && !examples.data && <Waiting what="Loading the examples" />}
          <ProblemNote problem={examples.problem} retry={examples.reload} />
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {examples.data?.map((example) => (
              <li
                key={example.id}
                data-testid={`example-card-${example.id}`}
                className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4"
              >
                <h3 className="font-semibold">{example.title}</h3>
                <p className="flex-1 text-sm text-muted">{example.summary}</p>
                <div className="flex items-center justify-between">
                  <span className="text-xs text-muted">{example.tasks} tasks</span>
                  <Button
                    disabled={busy}
                    data-testid={`open-example-${example.id}`}
                    aria-label={`Open a copy of ${example.title}`}
                    onClick={() => void create.run({ name: example.title, example: example.id })}
                  >
                    Open a copy
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        </section>

        <section aria-labelledby="projects">
          <h2 id="projects" className="mb-3 text-base font-semibold">
            Your projects
          </h2>
          {projects.loading && !projects.data && <Waiting what="Loading your projects" />}
          <ProblemNote problem={projects.problem} retry={projects.reload} />
          {projects.data?.length === 0 && (
            <div className="rounded-lg border border-dashed border-line-strong">
              <Nothing title="No projects yet">
                Open a copy of an example, create a new workflow, or drop a file anywhere on this page.
              </Nothing>
            </div>
          )}
          {projects.data && projects.data.length > 0 && (
            <div className="flex flex-col gap-3">
              <ProjectList projects={projects.data} onChange={projects.reload} />
              <MoreButton pages={projects} what="projects" />
            </div>
          )}
        </section>
      </main>
      {traceImport && (
        <TraceImportDialog
          trace={traceImport.trace}
          onOpen={() => void navigate(`/projects/${traceImport.project.id}`)}
        />
      )}
    </div>
  )
}
