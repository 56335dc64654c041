/** What an agent is started with: a JSON file that the target writes. */
import { readFile } from 'node:fs/promises'
import type { NodeRedNode, Plan } from '@hivemind/synthesis'

export interface AgentConfig {
  device: string
  deviceIndex: number
  gateway: { host: string; port: number }
  plan: Plan
  /** Node-RED's own JSON array. */
  flow: NodeRedNode[]
  /** Folder of each edge task's unpacked bundle. */
  bundleDirs: Record<string, string>
  /** Scratch folder of this agent. */
  userDir: string
}

/** Reads and checks the file. Rejects with a sentence that names what is missing. */
export async function readConfig(file: string): Promise<AgentConfig> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`The agent's configuration cannot be read: ${error.message}.`)
  })
  let value: Partial<AgentConfig>
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`The agent's configuration '${file}' is not valid JSON: ${(error as Error).message}.`)
  }
  const problems = problemsOf(value)
  if (problems.length > 0)
    throw new Error(`The agent's configuration '${file}' lacks or has wrong: ${problems.join(', ')}.`)
  return value as AgentConfig
}

function problemsOf(value: Partial<AgentConfig> | null): string[] {
  if (typeof value !== 'object' || value === null) return ['everything (it must be a JSON object)']
  const { device, deviceIndex, gateway, plan, flow, bundleDirs, userDir } = value
  const checks: [string, boolean][] = [
    ['device', typeof device === 'string' && device !== ''],
    ['deviceIndex', Number.isInteger(deviceIndex)],
    ['gateway.host', typeof gateway?.host === 'string'],
    ['gateway.port', Number.isInteger(gateway?.port)],
    ['plan', plan?.schema === 'hivemind.plan/1'],
    ['flow', Array.isArray(flow)],
    ['bundleDirs', typeof bundleDirs === 'object' && bundleDirs !== null],
    ['userDir', typeof userDir === 'string' && userDir !== ''],
  ]
  return checks.filter(([, good]) => !good).map(([name]) => name)
}
