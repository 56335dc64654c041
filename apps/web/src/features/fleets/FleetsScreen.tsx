import { type Fleet, parseFleet } from '@hivemind/swarm'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { ApiProblem, api } from '../../api/client.ts'
import { useAction, useFocus, useLoad } from '../../api/useLoad.ts'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { useFileDrop } from '../../ui/useFileDrop.ts'
import { copyOf, freeName, newFleet, storeDraft } from './draft.ts'
import { DeleteDialog, NameDialog } from './FleetDialogs.tsx'
import { FleetList } from './FleetList.tsx'
import { type FleetTask, FleetView } from './FleetView.tsx'

/** Larger files hold no fleet. */
const MAX_FILE_BYTES = 1_000_000

/** The fleets of a project: looking, making, copying, changing, renaming, deleting, importing and exporting. */
export default function FleetsScreen() {
  const { id = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const list = useLoad((signal) => api.listProjectFleets(id, signal), [id])
  const [task, setTask] = useState<FleetTask>()
  useFocus(list.reload)
  const shown = search.get('fleet') ?? list.data?.find((fleet) => fleet.own)?.name ?? list.data?.[0]?.name
  const names = list.data?.map((fleet) => fleet.name) ?? []

  const show = (fleet: string | undefined): void => {
    setTask(undefined)
    list.reload()
    setSearch(fleet === undefined ? {} : { fleet })
  }
  const make = async (fleet: Fleet): Promise<void> => {
    await api.putProjectFleet(id, fleet, 'none')
    show(fleet.name)
  }
  const rename = async (fleet: Fleet, hash: string, name: string): Promise<void> => {
    await api.putProjectFleet(id, { ...fleet, name }, 'none')
    await api.deleteProjectFleet(id, fleet.name, hash)
    storeDraft(id, fleet.name, undefined)
    show(name)
  }
  const read = useAction(async (file: File) => {
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error('It is larger than 1 MB. Choose the file of a fleet.')
      setTask({ kind: 'import', fleet: parseFleet(await file.text()) })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new ApiProblem(0, `'${file.name}' was not imported`, why)
    }
  })
  useFileDrop((file) => void read.run(file))

  if (!list.data)
    return list.problem ? (
      <div className="p-4">
        <ProblemNote problem={list.problem} retry={list.reload} />
      </div>
    ) : (
      <Waiting what="Loading the fleets" />
    )
  const current = list.data.find((fleet) => fleet.name === shown)
  return (
    <div className="h-full overflow-y-auto p-4">
      <h1 className="sr-only">Fleets</h1>
      <div className="mx-auto grid max-w-7xl items-start gap-4 md:grid-cols-[17rem_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-3">
          <ProblemNote problem={read.problem} />
          <FleetList
            project={id}
            fleets={list.data}
            shown={shown}
            onNew={() => setTask({ kind: 'new' })}
            onFile={(file) => void read.run(file)}
          />
        </div>
        {shown !== undefined && (
          <FleetView
            key={`${id} ${shown}`}
            project={id}
            name={shown}
            summary={current}
            onTask={setTask}
            onSaved={list.reload}
          />
        )}
      </div>
      {task?.kind === 'new' && (
        <NameDialog
          title="New fleet"
          verb="Make it"
          name={freeName('my-fleet', names)}
          taken={names}
          onName={(name) => make(newFleet(name, name))}
          onClose={() => setTask(undefined)}
        />
      )}
      {task?.kind === 'copy' && (
        <NameDialog
          title={`Copy ${task.fleet.name}`}
          verb="Copy"
          name={freeName(task.fleet.name, names)}
          taken={names}
          onName={(name) => make(copyOf(task.fleet, name, `${task.fleet.label}, changed`))}
          onClose={() => setTask(undefined)}
        />
      )}
      {task?.kind === 'rename' && (
        <NameDialog
          title={`Rename ${task.fleet.name}`}
          verb="Rename"
          name={task.fleet.name}
          taken={names}
          onName={(name) => rename(task.fleet, task.hash, name)}
          onClose={() => setTask(undefined)}
        />
      )}
      {task?.kind === 'import' && (
        <NameDialog
          title="Import a fleet"
          verb="Import"
          name={freeName(task.fleet.name, names)}
          taken={names}
          onName={(name) => make({ ...task.fleet, name })}
          onClose={() => setTask(undefined)}
        />
      )}
      {task?.kind === 'delete' && (
        <DeleteDialog
          project={id}
          name={task.name}
          hash={task.hash}
          onDeleted={() => show(undefined)}
          onClose={() => setTask(undefined)}
        />
      )}
    </div>
  )
}
