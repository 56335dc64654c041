/**
 * The client of the API, typed by the document that the service itself publishes (schema.d.ts).
 * Every call resolves with the answer's body or throws an `ApiProblem`; an aborted one throws the `AbortError`.
 */
import createClient, { type Client } from 'openapi-fetch'
import { ApiProblem, asProblem, isAbort, problemOf } from './problem.ts'
import type { components, operations, paths } from './schema.d.ts'
import type { Page } from './usePages.ts'

export { ApiProblem, asProblem, isAbort } from './problem.ts'

type Schemas = components['schemas']
type Body<Operation extends keyof operations> = operations[Operation] extends {
  requestBody: { content: { 'application/json': infer B } }
}
  ? B
  : never

interface Reply<T> {
  data?: T
  error?: unknown
  response: Response
}

async function answer<T>(call: Promise<Reply<T>>): Promise<T> {
  let reply: Reply<T>
  try {
    reply = await call
  } catch (error) {
    throw isAbort(error) ? error : asProblem(error)
  }
  if (!reply.response.ok) throw problemOf(reply.response.status, reply.response.statusText, reply.error)
  return reply.data as T
}

/** The calls over one openapi-fetch client, one for each route and named as it is there. */
function callsOver(http: Client<paths>) {
  const at = <P extends object>(path: P, signal?: AbortSignal) => ({ params: { path }, signal })
  return {
    health: (signal?: AbortSignal) => answer(http.GET('/health', { signal })),
    listExamples: (signal?: AbortSignal) => answer(http.GET('/examples', { signal })),
    check: (body: Body<'check'>, signal?: AbortSignal) => answer(http.POST('/check', { body, signal })),

    listProjects: (query: Partial<Page> = {}, signal?: AbortSignal) =>
      answer(http.GET('/projects', { params: { query }, signal })),
    createProject: (body: Body<'createProject'>) => answer(http.POST('/projects', { body })),
    getProject: (project: string, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}', at({ project }, signal))),
    renameProject: (project: string, name: string) =>
      answer(http.PATCH('/projects/{project}', { ...at({ project }), body: { name } })),
    deleteProject: (project: string) => answer(http.DELETE('/projects/{project}', at({ project }))),

    listVersions: (project: string, query: Partial<Page<number>> = {}, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/versions', { params: { path: { project }, query }, signal })),
    getVersion: (project: string, version: number, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/versions/{version}', at({ project, version }, signal))),
    saveVersion: (project: string, body: Body<'saveVersion'>) =>
      answer(http.POST('/projects/{project}/versions', { ...at({ project }), body })),

    /** Makes version `version` the newest again, as a new version after `base`. */
    rollBack: (project: string, version: number, base: number) =>
      answer(
        http.POST('/projects/{project}/versions/{version}/roll-back', {
          ...at({ project, version }),
          body: { base },
        }),
      ),
    compareVersions: (project: string, version: number, from: number, signal?: AbortSignal) =>
      answer(
        http.GET('/projects/{project}/versions/{version}/changes', {
          params: { path: { project, version }, query: { from } },
          signal,
        }),
      ),
    /** The file's text as the version has it. */
    getVersionFile: (project: string, version: number, path: string, signal?: AbortSignal) =>
      answer<string | undefined>(
        http.GET('/projects/{project}/versions/{version}/file', {
          params: { path: { project, version }, query: { path } },
          parseAs: 'text',
          signal,
        }),
      ),
    unsavedFiles: (project: string, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/unsaved-files', at({ project }, signal))),

    listFiles: (project: string, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/files', at({ project }, signal))),
    /** The file's text and the hash of its content, empty for a large one; `null` when there is no such file. */
    findFile: async (project: string, path: string, signal?: AbortSignal) => {
      const call = http.GET('/projects/{project}/file', {
        params: { path: { project }, query: { path } },
        parseAs: 'text',
        signal,
      })
      try {
        // The response of an empty file has no body.
        const text = (await answer<string | undefined>(call)) ?? ''
        const { response } = await call
        return { text, hash: response.headers.get('ETag')?.replaceAll('"', '') ?? '' }
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
    /** Writes a file. With `expected`, the hash of its content or `none`, it is a conflict (409) when that is not so. */
    putFile: (project: string, path: string, text: string, expected?: string) =>
      answer(
        http.PUT('/projects/{project}/file', {
          params: { path: { project }, query: { path, ...(expected && { expected }) } },
          body: { text },
        }),
      ),
    deleteFile: (project: string, path: string) =>
      answer(http.DELETE('/projects/{project}/file', { params: { path: { project }, query: { path } } })),

    listProjectFleets: (project: string, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/fleets', at({ project }, signal))),
    /** A fleet of a project; `null` when there is none of this name. */
    findProjectFleet: async (project: string, fleet: string, signal?: AbortSignal) => {
      try {
        return await answer(http.GET('/projects/{project}/fleets/{fleet}', at({ project, fleet }, signal)))
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
    /** Makes or replaces an own fleet. A conflict (409) when `expected` is not the hash of the one there, or `none`. */
    putProjectFleet: (project: string, body: Schemas['Fleet'], expected: string) =>
      answer(
        http.PUT('/projects/{project}/fleets/{fleet}', {
          params: { path: { project, fleet: body.name }, query: { expected } },
          body,
        }),
      ),
    deleteProjectFleet: (project: string, fleet: string, expected?: string) =>
      answer(
        http.DELETE('/projects/{project}/fleets/{fleet}', {
          params: { path: { project, fleet }, query: { ...(expected && { expected }) } },
        }),
      ),

    getProfile: (project: string, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/profile', at({ project }, signal))),
    importProfile: (project: string, body: Schemas['Profile']) =>
      answer(http.PUT('/projects/{project}/profile', { ...at({ project }), body })),
    measureProfile: (project: string, body: Body<'measureProfile'>) =>
      answer(http.POST('/projects/{project}/profile/measurements', { ...at({ project }), body })),
    startProfile: (project: string, body: Body<'startProfile'>) =>
      answer(http.POST('/projects/{project}/profile-jobs', { ...at({ project }), body })),
    getProfileJob: (job: string, signal?: AbortSignal) =>
      answer(http.GET('/profile-jobs/{job}', at({ job }, signal))),
    cancelProfileJob: (job: string) => answer(http.POST('/profile-jobs/{job}/cancel', at({ job }))),

    listExplorations: (project: string, query: Partial<Page> = {}, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/explorations', { params: { path: { project }, query }, signal })),
    startExploration: (project: string, body: Body<'startExploration'>) =>
      answer(http.POST('/projects/{project}/explorations', { ...at({ project }), body })),
    getExploration: (exploration: string, signal?: AbortSignal) =>
      answer(http.GET('/explorations/{exploration}', at({ exploration }, signal))),
    cancelExploration: (exploration: string) =>
      answer(http.POST('/explorations/{exploration}/cancel', at({ exploration }))),

    listDeployments: (project: string, query: Partial<Page> = {}, signal?: AbortSignal) =>
      answer(http.GET('/projects/{project}/deployments', { params: { path: { project }, query }, signal })),
    createDeployment: (project: string, body: Body<'createDeployment'>) =>
      answer(http.POST('/projects/{project}/deployments', { ...at({ project }), body })),
    /** What `createDeployment` would change of the deployment that the new one replaces. */
    planDeployment: (project: string, body: Body<'planDeployment'>, signal?: AbortSignal) =>
      answer(http.POST('/projects/{project}/deployments/plan', { ...at({ project }, signal), body })),
    /** The newest log lines of a cloud function or an edge agent. */
    deploymentLogs: (
      deployment: string,
      query: operations['deploymentLogs']['parameters']['query'],
      signal?: AbortSignal,
    ) =>
      answer(http.GET('/deployments/{deployment}/logs', { params: { path: { deployment }, query }, signal })),
    listDevices: (signal?: AbortSignal) => answer(http.GET('/devices', { signal })),
    dialIn: (signal?: AbortSignal) => answer(http.GET('/devices/address', { signal })),
    enrolDevice: (body: Body<'enrolDevice'>) => answer(http.POST('/devices', { body })),
    removeDevice: (device: string) => answer(http.DELETE('/devices/{device}', at({ device }))),
    listTargets: (signal?: AbortSignal) => answer(http.GET('/targets', { signal })),
    createTarget: (body: Body<'createTarget'>) => answer(http.POST('/targets', { body })),
    replaceTarget: (target: string, body: Body<'replaceTarget'>) =>
      answer(http.PUT('/targets/{target}', { ...at({ target }), body })),
    removeTarget: (target: string) => answer(http.DELETE('/targets/{target}', at({ target }))),
    checkTarget: (target: string, signal?: AbortSignal) =>
      answer(http.POST('/targets/{target}/check', at({ target }, signal))),
    tryTarget: (body: Body<'tryTarget'>) => answer(http.POST('/target-checks', { body })),
    listFabricParameters: (signal?: AbortSignal) => answer(http.GET('/fabric/parameters', { signal })),
    listFabricBuilds: (signal?: AbortSignal) => answer(http.GET('/fabric/builds', { signal })),
    getFabricFloorplan: (build: string, signal?: AbortSignal) =>
      answer(http.GET('/fabric/builds/{build}/floorplan', { params: { path: { build } }, signal })),
    startFabricBuild: (body: Body<'startFabricBuild'>) => answer(http.POST('/fabric/builds', { body })),
    listNetworkFunctions: (signal?: AbortSignal) => answer(http.GET('/network-functions', { signal })),
    changeNetworkFunction: (name: string, body: Body<'changeNetworkFunction'>) =>
      answer(http.PATCH('/network-functions/{name}', { ...at({ name }), body })),
    listFabricBoards: (signal?: AbortSignal) => answer(http.GET('/fabric/boards', { signal })),
    startFabricBoard: (body: Body<'startFabricBoard'>) => answer(http.POST('/fabric/boards', { body })),
    stopFabricBoard: (board: string) => answer(http.DELETE('/fabric/boards/{board}', at({ board }))),
    loadFabricBoard: (board: string, body: Body<'loadFabricBoard'>) =>
      answer(http.POST('/fabric/boards/{board}/loads', { ...at({ board }), body })),
    getFabricRegisters: (board: string, signal?: AbortSignal) =>
      answer(http.GET('/fabric/boards/{board}/registers', at({ board }, signal))),
    setFabricRegisters: (board: string, body: Body<'setFabricRegisters'>) =>
      answer(http.PATCH('/fabric/boards/{board}/registers', { ...at({ board }), body })),
    startFabricTraffic: (board: string, body: Body<'startFabricTraffic'>) =>
      answer(http.PUT('/fabric/boards/{board}/traffic', { ...at({ board }), body })),
    getFabricTraffic: (board: string, signal?: AbortSignal) =>
      answer(http.GET('/fabric/boards/{board}/traffic', at({ board }, signal))),
    stopFabricTraffic: (board: string) =>
      answer(http.DELETE('/fabric/boards/{board}/traffic', at({ board }))),
    listJobs: (query: operations['listJobs']['parameters']['query'], signal?: AbortSignal) =>
      answer(http.GET('/jobs', { params: { query }, signal })),
    getJobLog: (job: string, signal?: AbortSignal) =>
      answer(http.GET('/jobs/{job}/log', { params: { path: { job }, query: { limit: 10_000 } }, signal })),
    cancelJob: (job: string) => answer(http.POST('/jobs/{job}/cancel', at({ job }))),
    getDeployment: (deployment: string, signal?: AbortSignal) =>
      answer(http.GET('/deployments/{deployment}', at({ deployment }, signal))),
    undeploy: (deployment: string) =>
      answer(http.POST('/deployments/{deployment}/undeploy', at({ deployment }))),

    compareDeployment: (deployment: string, profile: 'deployed' | 'now', signal?: AbortSignal) =>
      answer(
        http.GET('/deployments/{deployment}/comparison', {
          params: { path: { deployment }, query: { profile } },
          signal,
        }),
      ),

    listRuns: (
      project: string,
      query: NonNullable<operations['listRuns']['parameters']['query']> = {},
      signal?: AbortSignal,
    ) => answer(http.GET('/projects/{project}/runs', { params: { path: { project }, query }, signal })),
    startRun: (deployment: string, body: Body<'startRun'>) =>
      answer(http.POST('/deployments/{deployment}/runs', { ...at({ deployment }), body })),
    getRun: (run: string, signal?: AbortSignal) => answer(http.GET('/runs/{run}', at({ run }, signal))),
    listSpans: (
      run: string,
      query: NonNullable<operations['listSpans']['parameters']['query']>,
      signal?: AbortSignal,
    ) => answer(http.GET('/runs/{run}/spans', { params: { path: { run }, query }, signal })),
    listStorePools: (signal?: AbortSignal) => answer(http.GET('/store/pools', { signal })),
    createStorePool: (body: Body<'createStorePool'>) => answer(http.POST('/store/pools', { body })),
    removeStorePool: (path: string) => answer(http.DELETE('/store/pools', { params: { query: { path } } })),
    listAccessKeys: (signal?: AbortSignal) => answer(http.GET('/store/access-keys', { signal })),
    createAccessKey: (body: Body<'createAccessKey'>) => answer(http.POST('/store/access-keys', { body })),
    removeAccessKey: (key: string) => answer(http.DELETE('/store/access-keys/{key}', at({ key }))),
    listStoreObjects: (query: operations['listStoreObjects']['parameters']['query'], signal?: AbortSignal) =>
      answer(http.GET('/store/objects', { params: { query }, signal })),
    listStoreVersions: (
      query: operations['listStoreVersions']['parameters']['query'],
      signal?: AbortSignal,
    ) => answer(http.GET('/store/versions', { params: { query }, signal })),
    previewStoreObject: (
      query: operations['previewStoreObject']['parameters']['query'],
      signal?: AbortSignal,
    ) => answer(http.GET('/store/preview', { params: { query }, signal })),
    removeStoreObject: (query: operations['removeStoreObject']['parameters']['query']) =>
      answer(http.DELETE('/store/object', { params: { query } })),
    putStoreObject: (query: operations['putStoreObject']['parameters']['query'], bytes: Blob) =>
      answer(
        http.PUT('/store/object', {
          params: { query },
          body: '',
          bodySerializer: () => bytes,
          headers: { 'content-type': 'application/octet-stream' },
        }),
      ),
    cancelRun: (run: string) => answer(http.POST('/runs/{run}/cancel', at({ run }))),
  }
}

export type Api = ReturnType<typeof callsOver>

/** A client of the service below this base address, which ends in `/api`. */
export const createApi = (baseUrl: string): Api => callsOver(createClient<paths>({ baseUrl }))

/** The client of the service that served this page. */
export const api: Api = createApi('/api')

/** Address of the agent of devices, for a download link. */
export const agentUrl = '/api/agent'

/** Address of a run's OpenTelemetry trace, for a download link. */
export const runTraceUrl = (run: string): string => `/api/runs/${encodeURIComponent(run)}/trace`

/** Address of a run's report, for a download link. */
export const runReportUrl = (run: string, format: 'html' | 'json'): string =>
  `/api/runs/${encodeURIComponent(run)}/report?format=${format}`

/** Address of the whole value of an output, for a download link. */
export const outputUrl = (run: string, index: number): string =>
  `/api/runs/${encodeURIComponent(run)}/outputs/${index}`

/** Address of the bytes of one version of an object, for images and download links. */
export const storeObjectUrl = (key: string, version: number): string =>
  `/api/store/object?${new URLSearchParams({ key, version: String(version) })}`

/** Address of a file of a bitstream, for a download link. */
export const fabricFileUrl = (build: string, name: string): string =>
  `/api/fabric/builds/${build}/file?${new URLSearchParams({ name })}`
