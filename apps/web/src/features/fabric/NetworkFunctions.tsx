import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { NetworkFunction } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, Nothing, ProblemNote } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'

/** Servers of network functions that have registered: what they do, where their summaries go, and another function for each. */
export function NetworkFunctions({
  functions,
  onChanged,
}: {
  functions: readonly NetworkFunction[]
  onChanged: () => void
}) {
  return (
    <Panel title="Network functions over CoAP" testId="network-functions">
      {functions.length === 0 ? (
        <Nothing title="No server has registered">
          Start one with <code>hivemind nfu serve 'nfu:average?window=10' --register</code>; docs/nfu.md says
          what it does. It is forgotten 15 seconds after it was last heard of.
        </Nothing>
      ) : (
        <ul className="flex flex-col">
          {functions.map((each) => (
            <FunctionRow key={each.name} server={each} onChanged={onChanged} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

const hopOf = ({ host, port }: { host: string; port: number }): string => `${host}:${port}`

function FunctionRow({ server, onChanged }: { server: NetworkFunction; onChanged: () => void }) {
  const { name, code, wanted, address, next, nextName, counters, runtime, keyed, problem } = server
  const [text, setText] = useState<string>()
  const change = useAction(async () => {
    await api.changeNetworkFunction(name, { code: text ?? code })
    setText(undefined)
    onChanged()
  })
  const done = ['absorbed', 'summaries', 'passed', 'unsent']
    .filter((key) => (counters[key] ?? 0) > 0)
    .map((key) => `${format.whole(counters[key] ?? 0)} ${key}`)
  return (
    <li
      className="flex flex-col gap-2 border-t border-line py-3 first:border-t-0"
      data-testid={`network-function-${name}`}
    >
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-semibold">{name}</h3>
        <Badge tone={problem ? 'danger' : wanted ? 'warn' : 'ok'}>
          {problem ? 'refused' : wanted ? 'changing' : 'runs'}
        </Badge>
        <span className="min-w-0 flex-1 text-sm break-words text-muted">
          {runtime === 'c' ? 'C' : 'Node.js'} at {hopOf(address)}
          {keyed && ', a window for each source'}
          {next && `, summaries go to ${nextName ?? hopOf(next)}`}; {done.join(', ') || 'no readings yet'}
        </span>
      </div>
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void change.run()
        }}
      >
        <label className="flex min-w-0 flex-1 items-center gap-2 text-sm">
          Function
          <input
            className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 font-mono text-[13px]"
            value={text ?? wanted ?? code}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
          />
        </label>
        <Button type="submit" busy={change.busy} disabled={text === undefined || text === code}>
          Change
        </Button>
      </form>
      {problem && (
        <p className="text-sm text-danger">
          It stays {code}: {problem}
        </p>
      )}
      <ProblemNote problem={change.problem} />
    </li>
  )
}
