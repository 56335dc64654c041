import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../api/client.ts'
import { useAction } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { ProblemNote } from '../../../ui/feedback.tsx'

/** Taking what a run measured into the profile of its project. */
export function useTaking(project: string, run: string) {
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  const [wanted, setWanted] = useState<string>()
  const action = useAction(async (tasks: readonly string[]) => {
    setWanted(tasks.length === 1 ? tasks[0] : undefined)
    await api.measureProfile(project, { run, tasks: [...tasks] })
    setTaken((old) => new Set([...old, ...tasks]))
  })
  const { run: act } = action
  const take = useCallback(
    (tasks: readonly string[]): void => {
      act(tasks)
    },
    [act],
  )
  return { taken, take, busy: action.busy, wanted, problem: action.problem }
}
export type Taking = ReturnType<typeof useTaking>

/** Takes the measured times and sizes of one task into the profile. */
export function TakeButton({ task, taking }: { task: string; taking: Taking }) {
  const done = taking.taken.has(task)
  return (
    <Button
      className="!h-7 !px-2 !text-xs"
      data-testid={`take-${task}`}
      busy={taking.busy && taking.wanted === task}
      disabled={done || taking.busy}
      title={`Takes the times and sizes of ${task} in this run into the profile that explorations use`}
      onClick={() => taking.take([task])}
    >
      {done ? 'In the profile' : 'Use in the profile'}
    </Button>
  )
}

/** What was taken, and where it counts. */
export function TakenNote({ project, taking }: { project: string; taking: Taking }) {
  return (
    <div role="status" className="flex flex-col gap-1 empty:hidden">
      {taking.problem && <ProblemNote problem={taking.problem} />}
      {taking.taken.size > 0 && (
        <p className="text-sm" data-testid="taken">
          The profile now has the measured times of {[...taking.taken].join(', ')}.{' '}
          <Link to={`/projects/${project}/explore`} className="font-medium text-accent-strong underline">
            Explore with it
          </Link>
        </p>
      )}
    </div>
  )
}
