/** What there is to know of the sandbox of task code. */

const SENTENCES: Record<string, string> = {
  off: "Task code runs without a sandbox, with the rights of the service: it reads and changes whatever the service can. 'hivemind doctor' says how to get one.",
  refused:
    "No task code runs: this machine has no sandbox for it, and others reach this service. 'hivemind doctor' says how to get one.",
}

/** The sentence for a service in this state; `undefined` when task code runs confined. */
export const sandboxSentence = (state: string | undefined): string | undefined =>
  state === undefined ? undefined : SENTENCES[state]
