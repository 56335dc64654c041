export { type Backup, type BackupReason, backUp, listBackups, pruneBackups } from './backup.ts'
export { DataFolderError } from './error.ts'
export { lockDataFolder } from './lock.ts'
export { restore } from './restore.ts'
