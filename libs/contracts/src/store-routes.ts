/** The routes of the store. Keys have slashes, so that they are parameters of the query. */
import { z } from 'zod'
import { type KeyNeed, route } from './route.ts'
import * as s from './store.ts'

const number = () => z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
/** The moment a read looks at: after a version was written, or at a time; the latest when both are absent. */
const moment = { version: number().optional(), time: number().optional() }
const expected = {
  /** Writes only when this is the version of the object; 0 for none. */
  expectedVersion: number().optional(),
}
const range = {
  afterVersion: number().optional(),
  toVersion: number().optional(),
  fromTime: number().optional(),
  toTime: number().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
}

const read = (at: string): KeyNeed => ({ right: 'read', at })
const write = (at: string): KeyNeed => ({ right: 'write', at })

/** Routes below `/store`, by the names of their operations. */
export const storeRoutes = {
  listStorePools: route({
    method: 'get',
    path: '/store/pools',
    summary: 'Pools of the store, in and below a path; with an access key those that it reaches',
    query: z.strictObject({ prefix: s.StorePath.optional() }),
    answer: z.array(s.StorePool),
    accessKey: { ...read('prefix'), filtered: true },
    status: 200,
  }),
  createStorePool: route({
    method: 'post',
    path: '/store/pools',
    summary: 'Create a pool; 409 when a different one is in its place',
    body: s.NewStorePool,
    answer: s.StorePool,
    accessKey: write('path'),
    status: 201,
  }),
  removeStorePool: route({
    method: 'delete',
    path: '/store/pools',
    summary: 'Remove a pool with all its objects',
    query: z.strictObject({ path: s.StorePath }),
    answer: null,
    status: 204,
  }),
  listStoreObjects: route({
    method: 'get',
    path: '/store/objects',
    summary: 'Objects under a prefix by page, at a version or time, without their bytes',
    query: z.strictObject({
      prefix: s.StorePath,
      ...moment,
      after: z.string().max(1024).optional(),
      limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
    }),
    answer: s.StoreObjectPage,
    accessKey: read('prefix'),
    status: 200,
  }),
  getStoreObject: route({
    method: 'get',
    path: '/store/object',
    summary: 'The bytes of an object, in its own media type, at a version or time; ETag is the version',
    query: z.strictObject({ key: s.StorePath, ...moment }),
    answer: 'application/octet-stream',
    accessKey: read('key'),
    status: 200,
  }),
  putStoreObject: route({
    method: 'put',
    path: '/store/object',
    summary: 'Write an object of any size; 409 when its version is not the expected one',
    query: z.strictObject({
      key: s.StorePath,
      type: z.string().max(255).default('application/octet-stream'),
      ...expected,
    }),
    binary: true,
    answer: s.StoreObject,
    accessKey: write('key'),
    status: 200,
  }),
  removeStoreObject: route({
    method: 'delete',
    path: '/store/object',
    summary: 'Write a version that says removed; earlier versions stay readable',
    query: z.strictObject({ key: s.StorePath, ...expected }),
    answer: s.StoreObject,
    accessKey: write('key'),
    status: 200,
  }),
  previewStoreObject: route({
    method: 'get',
    path: '/store/preview',
    summary: 'An object as JSON can show it',
    query: z.strictObject({ key: s.StorePath, ...moment }),
    answer: s.StorePreview,
    accessKey: read('key'),
    status: 200,
  }),
  listStoreVersions: route({
    method: 'get',
    path: '/store/versions',
    summary: 'The kept versions of one key, oldest first',
    query: z.strictObject({ key: s.StorePath, ...range }),
    answer: z.array(s.StoreObject),
    accessKey: read('key'),
    status: 200,
  }),
  listStoreChanges: route({
    method: 'get',
    path: '/store/changes',
    summary: 'The kept versions of all keys under a prefix, oldest first',
    query: z.strictObject({ prefix: s.StorePath, ...range }),
    answer: z.array(s.StoreObject),
    accessKey: read('prefix'),
    status: 200,
  }),
  watchStore: route({
    method: 'get',
    path: '/store/watch',
    summary:
      'Writes under a prefix as they come; with `after` or the header Last-Event-ID first those after that version',
    query: z.strictObject({ prefix: s.StorePath, after: number().optional() }),
    answer: 'text/event-stream',
    accessKey: read('prefix'),
    status: 200,
  }),
  createStoreTopic: route({
    method: 'post',
    path: '/store/topics',
    summary: 'Create a topic, which is a pool below /cms/topics; 409 when a different one is in its place',
    body: s.NewStoreTopic,
    answer: s.StorePool,
    accessKey: write('path'),
    status: 201,
  }),
  publishToStoreTopic: route({
    method: 'post',
    path: '/store/messages',
    summary: 'Publish a message; its version is its offset',
    query: z.strictObject({
      topic: s.StorePath,
      type: z.string().max(255).default('application/octet-stream'),
    }),
    binary: true,
    answer: s.StoreObject,
    accessKey: write('topic'),
    status: 201,
  }),
  subscribeToStoreTopics: route({
    method: 'get',
    path: '/store/messages',
    summary:
      'Messages of the topics in and below a path as they come; with `after` or the header Last-Event-ID first those after that event, with an empty `after` from the beginning',
    query: z.strictObject({ path: s.StorePath, after: z.string().max(16_384).optional() }),
    answer: 'text/event-stream',
    accessKey: read('path'),
    status: 200,
  }),
}
