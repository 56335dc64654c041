/** Where a command deploys to. */
import { openTarget, TARGET_KINDS, type Target, type TargetKind, type TargetOptions } from '@hivemind/deploy'
import { type Command, Option } from 'commander'
import { deploymentFault } from './deployment.ts'

const targetHelp =
  'where tasks in the cloud run: this machine, or the cluster of KUBECONFIG with Knative (docs/knative.md)'

/** Adds `--target` to a command. */
export function addTargetOption(command: Command): Command {
  return command.addOption(
    new Option('--target <kind>', targetHelp)
      .choices([...TARGET_KINDS])
      .default('local' satisfies TargetKind),
  )
}

/** Opens the target that `--target` names. */
export function commandTarget(kind: TargetKind, options: TargetOptions = {}): Promise<Target> {
  return openTarget(kind, options, process.env).catch((error: unknown) => {
    throw deploymentFault(error)
  })
}
