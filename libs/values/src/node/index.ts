export { type BlobContent, BlobError, type BlobHash, BlobStore, type Swept } from './blob-store.ts'
