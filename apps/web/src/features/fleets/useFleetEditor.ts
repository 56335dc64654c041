/** The state of an editor of one fleet: unsaved changes with undo, drafts that outlive the page, saving and its conflicts. */
import type { Fleet } from '@hivemind/swarm'
import { useMemo, useState } from 'react'
import { ApiProblem, api } from '../../api/client.ts'
import { useAction } from '../../api/useLoad.ts'
import { faultsByPath, readDraft, storeDraft, valueAt, withValue } from './draft.ts'
import type { FleetForm } from './FleetFields.tsx'

/** An own fleet as the service has it. */
export interface Saved {
  fleet: Fleet
  hash: string
}

interface Edited {
  fleet: Fleet
  base: string
  /** Earlier states, the newest last, each with the path that was changed next. */
  past: readonly { fleet: Fleet; path: string }[]
}

const same = (a: Fleet, b: Fleet): boolean => JSON.stringify(a) === JSON.stringify(b)

/** An editor of `saved`. `onSaved` gets what the service has after a save, or when the other version is loaded. */
export function useFleetEditor(project: string, saved: Saved, onSaved: (saved: Saved) => void) {
  const { name } = saved.fleet
  const [restored, setRestored] = useState(() => readDraft(project, name) !== undefined)
  const [edited, setEdited] = useState<Edited>(() => {
    const draft = readDraft(project, name)
    return { fleet: draft?.fleet ?? saved.fleet, base: draft?.base ?? saved.hash, past: [] }
  })
  const [isConflict, setConflict] = useState(false)
  const [canStore, setCanStore] = useState(true)
  const { fleet, base, past } = edited
  const isDirty = !same(fleet, saved.fleet)
  const faults = useMemo(() => faultsByPath(fleet), [fleet])

  const change = (next: Edited): void => {
    setEdited(next)
    const draft = { base: next.base, fleet: next.fleet }
    setCanStore(storeDraft(project, name, same(next.fleet, saved.fleet) ? undefined : draft))
  }
  const form: FleetForm = {
    value: (path) => valueAt(fleet, path),
    fault: (path) => faults.get(path),
    set: (path, value) => {
      // What is typed into one field is one step.
      const steps = past.at(-1)?.path === path ? past : [...past, { fleet, path }]
      change({ fleet: withValue(fleet, path, value), base, past: steps })
    },
  }
  const accept = (next: Saved): void => {
    storeDraft(project, name, undefined)
    setEdited({ fleet: next.fleet, base: next.hash, past: [] })
    setConflict(false)
    setRestored(false)
    onSaved(next)
  }
  const put = async (expected: string): Promise<void> => {
    const { hash = '' } = await api.putProjectFleet(project, fleet, expected)
    accept({ fleet, hash })
  }
  const save = useAction(async () => {
    try {
      await put(base)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 409) throw error
      setConflict(true)
    }
  })
  const resolve = useAction(async (which: 'mine' | 'theirs') => {
    const theirs = await api.findProjectFleet(project, name)
    if (which === 'mine') return put(theirs?.hash ?? 'none')
    if (!theirs?.hash) throw new ApiProblem(404, 'It was deleted', 'Keep your version, or leave this page.')
    accept({ fleet: theirs.fleet, hash: theirs.hash })
  })
  return {
    ...{ fleet, faults, form, isDirty, isConflict, canStore, save, resolve },
    wasRestored: restored && isDirty,
    canUndo: past.length > 0,
    undo: () => {
      const last = past.at(-1)
      if (last) change({ fleet: last.fleet, base, past: past.slice(0, -1) })
    },
    discard: () => {
      change({ fleet: saved.fleet, base: saved.hash, past: [...past, { fleet, path: '' }] })
      setConflict(false)
    },
  }
}
