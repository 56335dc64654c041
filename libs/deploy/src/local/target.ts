/**
 * The local target, the embedded default: this machine plays the cloud and the swarm. Cloud functions and edge devices are
 * processes of this machine; see docs/local-target.md.
 */
import path from 'node:path'
import { SwarmTarget, type TargetOptions } from '../target.ts'
import type { Target } from '../types.ts'
import { ProcessHosting } from './functions.ts'

/** This machine as a target. `close` ends its broker and data endpoint. */
export function localTarget(options: TargetOptions = {}): Target {
  return new SwarmTarget(
    {
      kind: 'local',
      place: 'this machine',
      onThisMachine: true,
      hosting: ({ group, dir, life, cores, onStatus }) =>
        new ProcessHosting({
          dir: path.join(dir, 'functions', group),
          bundlesDir: path.join(dir, 'bundles'),
          cores,
          onStatus,
          ...(life === 'bound' ? { mode: 'bound' } : { mode: 'detached', leaseSeconds: life.leaseSeconds }),
        }),
    },
    options,
  )
}
