/** The parts of Node-RED's embedding API that the agent uses; the packages carry no types. */
declare module '@node-red/runtime' {
  const runtime: {
    init(settings: Record<string, unknown>, server?: null): void
    start(): Promise<void>
    flows: {
      setFlows(options: { flows: { flows: unknown[] }; deploymentType: 'flows' }): Promise<unknown>
    }
  }
  export default runtime
}

declare module '@node-red/util' {
  const util: {
    init(settings: Record<string, unknown>): void
    events: {
      once(name: string, listener: (event: unknown) => void): void
      on(name: string, listener: (event: { id?: string; payload?: { text?: string } }) => void): void
    }
  }
  export default util
}
