export { type BlobContent, BlobError, type BlobHash, BlobStore, type Swept } from './blob-store.ts'
export { FolderDataPort } from './folder-data-port.ts'
export { countBuffersAsHeap } from './heap.ts'
export { DataEndpointError, HttpDataPort, type HttpDataPortOptions } from './http-data-port.ts'
