export { type BlobContent, BlobError, type BlobHash, BlobStore, type Swept } from './blob-store.ts'
export { FolderDataPort } from './folder-data-port.ts'
