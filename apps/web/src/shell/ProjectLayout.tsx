import { Suspense, useState } from 'react'
import { NavLink, Outlet, useMatch, useParams } from 'react-router'
import { api } from '../api/client.ts'
import { useLoad } from '../api/useLoad.ts'
import { ProblemNote, Waiting } from '../ui/feedback.tsx'
import { Breadcrumb } from './Breadcrumb.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { SchemeButton } from './SchemeButton.tsx'
import { ScreenLinks } from './ScreenLinks.tsx'
import { UnsavedNote } from './UnsavedNote.tsx'

const tabs = [
  { to: '.', label: 'Workflow', test: 'tab-workflow' },
  { to: 'fleets', label: 'Fleets', test: 'tab-fleets' },
  { to: 'explore', label: 'Explore', test: 'tab-explore' },
  { to: 'run', label: 'Run', test: 'tab-run' },
  { to: 'runs', label: 'Runs', test: 'tab-runs' },
]

/**
 * The frame of a project's screens: breadcrumb, tabs, and the slot `#header-actions`, which the active screen fills with
 * its own controls.
 */
export function ProjectLayout() {
  const { id = '' } = useParams()
  const project = useLoad((signal) => api.getProject(id, signal), [id])
  const onWorkflow = useMatch('/projects/:id') !== null
  const [saves, setSaves] = useState(0)
  return (
    <div className="flex h-full flex-col print:block print:h-auto">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-3 py-1 lg:grid lg:grid-cols-[minmax(0,1fr)_auto_auto] xl:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
        <Breadcrumb>
          <span className="max-w-56 truncate" data-testid="project-name">
            {project.data?.name ?? '…'}
          </span>
        </Breadcrumb>
        <nav
          aria-label="Screens"
          className="order-last flex items-center gap-1 max-lg:w-full max-lg:justify-center lg:order-none"
        >
          {tabs.map(({ to, label, test }) => (
            <NavLink
              key={to}
              to={to}
              end={to === '.'}
              data-testid={test}
              className={({ isActive }) =>
                `rounded-md px-3 py-1 text-sm font-medium ${isActive ? 'bg-accent-soft text-accent-strong' : 'text-muted hover:bg-sunken hover:text-ink'}`
              }
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="ml-auto flex min-w-0 items-center justify-end gap-2">
          <div id="header-actions" className="flex min-w-0 items-center gap-1" />
          <ScreenLinks />
          <SchemeButton />
        </div>
      </header>
      {!onWorkflow && <UnsavedNote project={id} onSaved={() => setSaves(saves + 1)} />}
      <main className="min-h-0 flex-1">
        {project.problem ? (
          <div className="mx-auto max-w-2xl p-6">
            <ProblemNote problem={project.problem} retry={project.reload} />
          </div>
        ) : (
          <ErrorBoundary key={`${id} ${saves}`}>
            <Suspense fallback={<Waiting what="Loading the screen" />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        )}
      </main>
    </div>
  )
}
