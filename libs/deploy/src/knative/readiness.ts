/** What the conditions of a Knative object say. Pure. */
import type { ClusterObject } from './cluster.ts'

/** A Knative Service or Revision, as far as it is looked at. */
export interface KnativeObject extends ClusterObject {
  status?: {
    observedGeneration?: number
    url?: string
    traffic?: { revisionName?: string; url?: string }[]
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
  }
}

/** Whether an object is what it is to be. */
export interface Readiness {
  state: 'ready' | 'waiting' | 'failed'
  /** Why it failed. */
  message?: string
}

/** The condition `Ready` of an object; of an older state than `generation` it says nothing. */
export function conditionOf(object: KnativeObject, generation?: number): Readiness {
  const { observedGeneration, conditions = [] } = object.status ?? {}
  if (generation !== undefined && (observedGeneration ?? 0) < generation) return { state: 'waiting' }
  const ready = conditions.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return { state: 'ready' }
  if (ready?.status !== 'False') return { state: 'waiting' }
  const { reason = 'NotReady', message = '' } = ready
  return { state: 'failed', message: message === '' ? `${reason}.` : message }
}

/** A pod, as far as it is looked at. */
export interface Pod {
  metadata?: { name?: string; labels?: Record<string, string>; deletionTimestamp?: unknown }
  spec?: { containers?: { name: string; resources?: { limits?: Record<string, string> } }[] }
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
    containerStatuses?: {
      name: string
      restartCount?: number
      state?: { waiting?: ContainerEnd; terminated?: ContainerEnd }
      lastState?: { terminated?: ContainerEnd }
    }[]
  }
}

/** How a container has ended, or why it waits. */
export interface ContainerEnd {
  reason?: string
  message?: string
  exitCode?: number
}

/** Reasons for which a container waits in vain until somebody does something. */
const HOPELESS = new Set([
  ...['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'],
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
])
/** A function host ends with it when its code cannot be loaded; starting it again would not help. */
const CANNOT_START = 3
/** The reason of the cluster for ending a container that had more memory than its limit. */
export const OUT_OF_MEMORY = 'OOMKilled'
/** What ends for other reasons is tried so often. */
const MAX_RESTARTS = 3

/** Why the container of a pod will never be ready; `undefined` while there is hope. Knative itself gives up only after minutes. */
export function hopelessness(pod: Pod, container: string): string | undefined {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container)
  const waiting = status?.state?.waiting
  if (waiting?.reason && HOPELESS.has(waiting.reason))
    return `${waiting.reason}: ${waiting.message ?? 'the cluster says no more'}`
  const ended = status?.lastState?.terminated
  if (!ended) return undefined
  if (ended.exitCode !== CANNOT_START && (status.restartCount ?? 0) < MAX_RESTARTS) return undefined
  return howEnded(pod, container, ended)
}

/** A container of a pod has ended: how, behind its function's name. */
export function howEnded(pod: Pod, container: string, { reason = 'Error', exitCode }: ContainerEnd): string {
  if (reason !== OUT_OF_MEMORY) return `its container ended (${reason}, exit code ${exitCode}).`
  const limit = pod.spec?.containers?.find(({ name }) => name === container)?.resources?.limits?.memory
  return `its container used more memory than ${limit ?? 'it may'}, and its node ended it (${reason}). Give the task more, as memory='1GB', or let it use less.`
}
