/** Where a deployment runs, by the target of the service. */
const SENTENCES: Record<string, string> = {
  local: 'It then runs on this machine: cloud functions and edge agents as processes of their own.',
  knative: 'Its functions then run on Knative, and edge agents as processes of this machine.',
}

/** A sentence for whoever is about to deploy; empty while the target is not known. */
export const whereItRuns = (target: string | undefined): string => SENTENCES[target ?? ''] ?? ''
