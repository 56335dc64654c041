/** A process that starts a function, says where it is, and waits. Arguments: folder of code, folder of logs, mode. */
import { LocalFunctions } from '@hivemind/task-runner/functions'
import { functionSpec } from './spec.ts'

const [code = '.', dir = '.', mode = 'bound'] = process.argv.slice(2)
const functions = new LocalFunctions({ dir, mode: mode as 'bound' | 'detached', leaseSeconds: 2 })
await functions.start(functionSpec('work', code))
console.log(JSON.stringify(functions.records()))
setInterval(() => {}, 1000)
