import { isUtf8 } from 'node:buffer'
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { check, print } from '@hivemind/dsl'
import {
  FORMATS,
  type Format,
  formatOf,
  ImportError,
  type Imported,
  type ImportedFile,
  MAX_TEXT_LENGTH,
  projectFiles,
  projectName,
  readTrace,
} from '@hivemind/interchange'
import { type Command, Option } from 'commander'
import { otherFault, usageFault, workflowFault } from '../failure.ts'
import { answer, answerJson, say } from '../output.ts'
import { formatDiagnostic, makeFolder } from '../project.ts'

interface ImportOptions {
  format?: Format
  out?: string
  json?: boolean
}

/** Reads a file whole, unless it cannot be what is imported here. */
async function readText(file: string): Promise<string> {
  const found = await stat(file).catch(() => null)
  if (!found) throw usageFault(`There is no file '${file}'.`)
  if (!found.isFile()) throw usageFault(`'${file}' is not a file: name the file to import.`)
  if (found.size > MAX_TEXT_LENGTH)
    throw workflowFault(
      `'${file}' has ${found.size} bytes; at most ${MAX_TEXT_LENGTH} are read. Is it the right file?`,
    )
  const bytes = await readFile(file).catch((error: Error) => {
    throw otherFault(`'${file}' cannot be read: ${error.message}.`)
  })
  if (!isUtf8(bytes)) throw workflowFault(`'${file}' is not UTF-8 text. Is it the right file?`)
  return bytes.toString('utf8')
}

function readImported(file: string, text: string, format = formatOf(text)): Imported {
  if (!format)
    throw workflowFault(
      `'${file}' is neither a WfCommons instance (JSON) nor a Standard Task Graph (lines of numbers). Name its format with --format ${FORMATS.join('|')}.`,
    )
  try {
    return readTrace(text, path.basename(file), format)
  } catch (error) {
    if (error instanceof ImportError) throw workflowFault(`${file}: ${error.message}`)
    throw error
  }
}

/** The text of the workflow, checked: what is written must have no error. */
function checkedFiles(file: string, imported: Imported): ImportedFile[] {
  const files = projectFiles(imported, print(imported.workflow))
  const text = files[0]?.text ?? ''
  const { diagnostics } = check(text, { fileExists: () => true })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0)
    throw workflowFault(
      `'${file}' makes a workflow that is more than the language takes: ${errors
        .slice(0, 5)
        .map((error) => formatDiagnostic(file, error))
        .join('\n')}`,
    )
  return files
}

/** Writes a folder in one step: it is there whole, or not at all. */
async function writeFolder(folder: string, files: readonly ImportedFile[]): Promise<void> {
  const whole = path.resolve(folder)
  if (await lstat(whole).catch(() => null))
    throw usageFault(`'${folder}' exists already: name a folder that does not with --out.`)
  await makeFolder(path.dirname(whole))
  const temporary = `${whole}.${process.pid}.tmp`
  try {
    await mkdir(temporary)
    for (const { path: name, text } of files) {
      const file = path.join(temporary, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    await rename(temporary, whole)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {})
    throw otherFault(`The folder '${folder}' cannot be written: ${(error as Error).message}.`)
  }
}

export function importCommand(program: Command): void {
  program
    .command('import')
    .description('make a project of a workflow from elsewhere: a WfCommons instance or a Standard Task Graph')
    .argument('<file>', 'a WfCommons instance (.json) or a Standard Task Graph (.stg)')
    .addOption(new Option('--format <format>', 'what the file is, when it does not tell').choices(FORMATS))
    .option('--out <folder>', 'the folder to make, instead of one with the name of the workflow')
    .option('--json', 'print what was written, and the notes, as JSON')
    .addHelpText('after', '\nExample:\n  hivemind import montage.json --out montage')
    .action(async (file: string, options: ImportOptions) => {
      const text = await readText(file)
      const read = readImported(file, text, options.format)
      const imported =
        options.out === undefined
          ? read
          : { ...read, name: projectName(path.basename(path.resolve(options.out))) }
      const files = checkedFiles(file, imported)
      const folder = options.out ?? imported.name
      await writeFolder(folder, files)
      const { name, notes, workflow } = imported
      const tasks = workflow.tasks.length
      const edges = workflow.tasks.reduce((sum, task) => sum + task.children.length, 0)
      const written = files.map((one) => path.join(folder, one.path))
      if (options.json) answerJson({ name, folder, tasks, edges, notes, written })
      else {
        answer(written.join('\n'))
        for (const note of notes) say(`note: ${note}`)
        say(`${tasks} ${tasks === 1 ? 'task' : 'tasks'}, ${edges} ${edges === 1 ? 'edge' : 'edges'}`)
      }
    })
}
