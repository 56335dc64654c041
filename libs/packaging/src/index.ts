export { agentArchive } from './agent.ts'
export { type Entries, type Entry, EPOCH, writeEntries, writeFile } from './archive.ts'
export { application, tree } from './packages.ts'
