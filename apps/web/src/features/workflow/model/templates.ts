/** Templates of task code files. */
import { type Role, roleOf, type Task } from '@hivemind/workflow'

const describe: Record<Role, string> = {
  sensor: 'Emits one number after another, as a thermometer would; it runs on every device.',
  actuator: 'Acts on the device it runs on.',
  compute: 'Called with the values of its data by name; what it returns is the value of its output.',
}

/** Code that runs without changes, in the language of the path; `null` when that is neither JavaScript nor Python. */
export function codeTemplate(task: Task): string | null {
  const role = roleOf(task)
  if (/\.m?js$/.test(task.code)) return javascript(task, role)
  if (/\.py$/.test(task.code)) return python(task, role)
  return null
}

const isBarrier = (task: Task): boolean => task.directives.synchronize !== undefined

function javascript(task: Task, role: Role): string {
  const head = `// ${task.name}: ${describe[role]}\n`
  if (role === 'sensor')
    return `${head}export async function* run(inputs, args, context) {
  const items = context.maxItems ?? 10
  for (let n = 0; n < items; n++) {
    yield 20 + 5 * Math.sin(n / 3)
  }
}
`
  const [first] = task.dataIn
  const read = first ? `  const ${safe(first)} = inputs[${quoted(first)}]\n` : ''
  if (isBarrier(task) && first)
    return `${head}// Behind a barrier each input is a list of { device, seq, value }, from all devices.
export function run(inputs, args, context) {
${read}  return { count: ${safe(first)}.length }
}
`
  return `${head}export function run(inputs, args, context) {
${read}  context.log(\`item \${context.seq} on \${context.device}\`)
  return ${first ? safe(first) : 'null'}
}
`
}

function python(task: Task, role: Role): string {
  const head = `# ${task.name}: ${describe[role]}\n`
  if (role === 'sensor')
    return `${head}import math


def run(inputs, args, context):
    items = 10 if context.maxItems is None else context.maxItems
    for n in range(items):
        yield 20 + 5 * math.sin(n / 3)
`
  const [first] = task.dataIn
  const read = first ? `    ${safe(first)} = inputs[${quoted(first)}]\n` : ''
  if (isBarrier(task) && first)
    return `${head}# Behind a barrier each input is a list of {'device', 'seq', 'value'}, from all devices.
def run(inputs, args, context):
${read}    return {'count': len(${safe(first)})}
`
  return `${head}def run(inputs, args, context):
${read}    context.log(f'item {context.seq} on {context.device}')
    return ${first ? safe(first) : 'None'}
`
}

const quoted = (name: string): string => `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
/** Variable name for a data item; `value` when its name is no valid variable name. */
const safe = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) && !clashes.has(name) ? name : 'value')
const clashes = new Set([
  'inputs',
  'args',
  'context',
  'return',
  'class',
  'import',
  'in',
  'for',
  'is',
  'from',
  'with',
])
