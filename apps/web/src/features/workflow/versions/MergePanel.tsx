import type { Diagnostic, Merge, MergeConflict, Side } from '@hivemind/dsl'
import type { Version } from '../../../api/types.ts'
import { useSession } from '../session.ts'
import { type Choices, inWords, keyOf } from './mergeWith.ts'
import { VersionCanvas } from './VersionCanvas.tsx'

/** What a merge with the newest version gives: a decision for each conflict, and the result on one canvas with that version. */
export function MergePanel({
  head,
  merged,
  errors,
  choices,
  onChoose,
}: {
  head: Version
  merged: Merge
  /** Of the merged text. */
  errors: readonly Diagnostic[]
  choices: Choices
  onChoose: (conflict: MergeConflict, side: Side) => void
}) {
  const { project } = useSession()
  const theirs = `version ${head.number}`
  return (
    <section aria-label="Merge" className="flex flex-col gap-3" data-testid="merge">
      {merged.conflicts.length === 0 ? (
        <p className="text-sm">You and {theirs} have changed different things: both changes fit together.</p>
      ) : (
        <>
          <p className="text-sm">
            {merged.conflicts.length === 1
              ? 'One thing was changed on both sides. '
              : `${merged.conflicts.length} things were changed on both sides. `}
            Choose whose change is kept:
          </p>
          <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto">
            {merged.conflicts.map((conflict) => (
              <li key={keyOf(conflict)}>
                <Conflict
                  conflict={conflict}
                  theirs={theirs}
                  side={choices[keyOf(conflict)] ?? 'mine'}
                  onChoose={(side) => onChoose(conflict, side)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {merged.left.length > 0 && (
        <div className="text-sm text-danger" role="alert">
          These changes of yours have no place in {theirs}:
          <ul className="list-disc pl-5">
            {merged.left.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          The merged text has {errors.length === 1 ? 'an error' : `${errors.length} errors`}:{' '}
          {errors[0]?.message} It can be mended on the screen before it is saved.
        </p>
      )}
      <VersionCanvas
        project={project.id}
        before={{ name: theirs, text: head.text, number: undefined, layout: head.layout }}
        after={{ name: 'the merge', text: merged.text, number: undefined, layout: head.layout }}
      />
    </section>
  )
}

function Conflict({
  conflict,
  theirs,
  side,
  onChoose,
}: {
  conflict: MergeConflict
  theirs: string
  side: Side
  onChoose: (side: Side) => void
}) {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <legend className="float-left font-mono text-xs break-all">{inWords(conflict, theirs)}</legend>
      {(['mine', 'theirs'] as const).map((each) => (
        <label key={each} className="flex min-h-6 items-center gap-1.5">
          <input
            type="radio"
            name={`merge ${keyOf(conflict)}`}
            checked={side === each}
            onChange={() => onChoose(each)}
          />
          {each === 'mine' ? 'yours' : theirs}
        </label>
      ))}
    </fieldset>
  )
}
