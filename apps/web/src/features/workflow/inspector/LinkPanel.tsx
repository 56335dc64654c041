import type { Workflow } from '@hivemind/workflow'
import { Trash2 } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { removeSelected } from '../commands.ts'
import { connectEdits } from '../model/palette.ts'
import { useSession } from '../session.ts'
import { Section } from './controls.tsx'
import { DataFields } from './DataPanel.tsx'

/** Fields of an edge: the data that flows over it. */
export function LinkPanel({ id, workflow }: { id: string; workflow: Workflow }) {
  const session = useSession()
  const [from = '', to = ''] = id.split('>')
  const parent = workflow.tasks.find(({ name }) => name === from)
  const child = workflow.tasks.find(({ name }) => name === to)
  const data = workflow.data.find(
    ({ name }) => name === parent?.dataOut && (child?.dataIn.includes(name) ?? false),
  )
  return (
    <>
      <Section title={data ? 'Data' : 'Order only'}>
        {data ? (
          <DataFields key={data.name} item={data} workflow={workflow} />
        ) : (
          <>
            <p className="text-[13px]">
              {from} runs before {to}; no data flows between them.
            </p>
            <div>
              <Button
                onClick={() =>
                  session.document.actions.edit(
                    { kind: 'batch', edits: connectEdits(workflow, from, to) },
                    { label: `Data from ${from} to ${to}` },
                  )
                }
              >
                Add data
              </Button>
            </div>
          </>
        )}
      </Section>
      <div className="border-t border-line p-3">
        <Button look="danger" onClick={() => removeSelected(session)}>
          <Trash2 className="size-4" aria-hidden="true" />
          Delete connection
        </Button>
      </div>
    </>
  )
}
