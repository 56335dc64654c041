/** Makes one file of JavaScript of a program and all it imports. Arguments: the program, the file. */
import { rolldown } from 'rolldown'

const [input, file] = process.argv.slice(2) as [string, string]
const bundle = await rolldown({ input, platform: 'node' })
await bundle.write({ file, format: 'esm' })
await bundle.close()
