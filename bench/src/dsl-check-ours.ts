/** Time of one full check of a generated text: prints it as JSON. Argument: number of tasks. */
import { check } from '@hivemind/dsl'
import { medianTime, textOf } from './dsl-text.ts'

const text = textOf(Number(process.argv[2]))
const errors = check(text).diagnostics.filter((each) => each.severity === 'error')
if (errors.length > 0) throw new Error(`The generated text has an error: ${errors[0]?.message}`)
console.log(
  JSON.stringify({
    cpuS: medianTime(() => check(text)),
    version: `Node ${process.version}`,
    kB: text.length / 1000,
  }),
)
