import { Scroll } from '../../../ui/Panel.tsx'
import { useDocument } from '../session.ts'
import { DataPanel } from './DataPanel.tsx'
import { LinkPanel } from './LinkPanel.tsx'
import { TaskPanel } from './TaskPanel.tsx'
import { TasksPanel } from './TasksPanel.tsx'
import { WorkflowPanel } from './WorkflowPanel.tsx'

/** Fields of the selected task, edge or data; of the whole workflow when nothing is selected. */
export function Inspector() {
  const workflow = useDocument((state) => state.workflow)
  const selection = useDocument((state) => state.selection)
  const stale = useDocument((state) => state.stale)
  const [first, ...others] = selection.tasks
  const task = others.length === 0 ? workflow?.tasks.find(({ name }) => name === first) : undefined
  const data = workflow?.data.find(({ name }) => name === selection.data)
  const [edge] = selection.edges

  let title = 'Workflow'
  let body = workflow ? (
    <WorkflowPanel workflow={workflow} />
  ) : (
    <p className="p-3 text-sm text-muted">
      The text has no TaskGraph yet. Add a task from the palette, or write one in the text.
    </p>
  )
  if (workflow && task) {
    title = `Task ${task.name}`
    body = <TaskPanel key={task.name} task={task} workflow={workflow} />
  } else if (workflow && data) {
    title = `Data ${data.name}`
    body = <DataPanel key={data.name} item={data} workflow={workflow} />
  } else if (workflow && others.length > 0) {
    title = `${selection.tasks.length} tasks`
    const selected = new Set(selection.tasks)
    body = <TasksPanel tasks={workflow.tasks.filter(({ name }) => selected.has(name))} />
  } else if (workflow && edge) {
    title = edge.replace('>', ' → ')
    body = <LinkPanel key={edge} id={edge} workflow={workflow} />
  }
  return (
    <section
      aria-label="Inspector"
      data-testid="inspector"
      className="flex h-full min-h-0 flex-col bg-surface"
    >
      <h2 className="truncate border-b border-line px-3 py-1.5 text-[13px] font-semibold">{title}</h2>
      <Scroll label="Fields" className="min-h-0 flex-1 overflow-y-auto">
        <fieldset disabled={stale}>
          <legend className="sr-only">{title}</legend>
          {stale && (
            <p className="px-3 py-2 text-xs text-warn">The text has syntax errors. Fix them to edit here.</p>
          )}
          {body}
        </fieldset>
      </Scroll>
    </section>
  )
}
