/** The files of an imported project: everything a folder needs to be checked, explored, deployed and run. */
import { columnOf, PROFILE_COLUMNS } from '@hivemind/swarm'
import { type Imported, REPLAY_PATH } from './convert.ts'
import { REPLAY_CODE } from './replay.ts'

/** A text file of an imported project. */
export interface ImportedFile {
  /** Relative to the project, with '/' between folders. */
  path: string
  text: string
}

const PROFILE_INDENT = 1

/**
 * The files of the project's folder. `text` is the workflow as the language prints it
 * (`print(imported.workflow)` of `@hivemind/dsl`).
 */
export function projectFiles(imported: Imported, text: string): ImportedFile[] {
  const { name, about, profile } = imported
  return [
    { path: `${name}.hive.py`, text: `# Imported: ${oneLine(about)}\n\n${text}` },
    { path: 'profile.json', text: `${JSON.stringify(profile, null, PROFILE_INDENT)}\n` },
    { path: REPLAY_PATH, text: REPLAY_CODE },
    { path: 'README.md', text: readme(imported) },
  ]
}

const oneLine = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')

/** Text of the trace as Markdown shows it literally. */
const plain = (text: string) => oneLine(text).replace(/[\\`*_[\]<>#|]/g, '\\$&')

function readme({ name, about, workflow, profile, notes }: Imported): string {
  const edges = workflow.tasks.reduce((sum, task) => sum + task.children.length, 0)
  const times = Object.values(profile.tasks).map(
    (task) => columnOf(task, PROFILE_COLUMNS[0])?.serviceMs.mean ?? 0,
  )
  const total = times.reduce((sum, ms) => sum + ms, 0) / 1000
  const longest = times.reduce((most, ms) => Math.max(most, ms), 0) / 1000
  const seconds = (value: number) => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3))
  return `# ${plain(name)}

${plain(about)} Written by \`hivemind import\`.

${workflow.tasks.length} tasks, ${edges} edges; ${seconds(total)} s of work on one reference core, ${seconds(longest)} s the longest task.

\`\`\`sh
hivemind check .
hivemind explore .
hivemind run .
\`\`\`

- \`${name}.hive.py\`: the workflow. \`traceId\` and \`traceName\` of a task are what the trace calls it, where that is no
  name of the language.
- \`profile.json\`: the times and sizes of the trace, which exploration goes by. \`hivemind profile\` would replace them by
  those of the replay below; give it another file with \`--out\`.
- \`${REPLAY_PATH}\`: the code of every task. It computes for a thousandth of the traced time and hands over as many bytes
  as the trace says, up to limits that stand at its top. A task argument \`speed=0.1\` makes it a tenth.
- Each device runs the whole workflow once, as every HiveMind workflow without a barrier does.

${notes.length === 0 ? 'Everything was carried over as it is.' : `What is not as it was in the trace:\n\n${notes.map((note) => `- ${plain(note)}`).join('\n')}`}
`
}
