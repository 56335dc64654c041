import { withDevices } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { useMemo, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { InlineSelect } from '../../../ui/fields.tsx'
import { type MetricId, metrics } from '../../explore/metrics.ts'
import * as format from '../../reports/format.ts'
import { estimateOf, type PlacementRule, ruleLabels } from './figures.ts'

const FIGURES: readonly MetricId[] = ['p99', 'energy', 'bandwidth', 'costPerHour']
const DEFAULT_FLEET = 'paper-drones'

/** What a version does to the figures of the workflow: both versions by the same estimator, fleet, profile and rule. */
export function VersionFigures({
  project,
  before,
  after,
  beforeName,
  afterName,
}: {
  project: string
  before: Workflow
  after: Workflow
  beforeName: string
  afterName: string
}) {
  const deployments = useLoad((signal) => api.listDeployments(project, { limit: 1 }, signal), [project])
  const explorations = useLoad((signal) => api.listExplorations(project, { limit: 1 }, signal), [project])
  const profile = useLoad((signal) => api.getProfile(project, signal), [project])
  const deployed = deployments.data?.[0]?.request.placement
  const [chosen, setChosen] = useState<PlacementRule>()
  const rule = chosen ?? (deployed ? 'deployed' : 'cloud')
  const request = explorations.data?.[0]?.request
  const wanted = request?.fleet ?? DEFAULT_FLEET
  const fleets = useLoad(
    async (signal) =>
      (await api.findProjectFleet(project, wanted, signal)) ??
      api.findProjectFleet(project, DEFAULT_FLEET, signal),
    [project, wanted],
  )
  const named = fleets.data?.fleet
  const fleet = useMemo(
    () => (named && request?.devices ? withDevices(named, request.devices) : named),
    [named, request],
  )
  const known = profile.data?.profile
  const ready = known && fleet && deployments.data && explorations.data
  const estimates = useLoad(async () => {
    if (!ready) return undefined
    const conditions = {
      fleet,
      profile: known,
      rule,
      deployed,
      seed: request?.seed ?? 1,
      ...(request?.itemsPerDevice && { itemsPerDevice: request.itemsPerDevice }),
    }
    const [first, second] = await Promise.all([estimateOf(before, conditions), estimateOf(after, conditions)])
    return { first, second }
  }, [ready, before, after, rule])
  const problem =
    profile.problem ?? deployments.problem ?? explorations.problem ?? fleets.problem ?? estimates.problem
  return (
    <section aria-label="What the change does to the figures" className="flex flex-col gap-1.5 text-sm">
      <InlineSelect
        label="Tasks of both"
        testId="version-rule"
        className="w-auto!"
        value={rule}
        options={(Object.keys(ruleLabels) as PlacementRule[])
          .filter((each) => each !== 'deployed' || deployed !== undefined)
          .map((each) => ({ value: each, label: ruleLabels[each] }))}
        onChange={setChosen}
      />
      <ProblemNote problem={problem} />
      {!estimates.data && !problem && <Waiting what="Estimating both versions …" />}
      {estimates.data && (
        <>
          <dl className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums" data-testid="version-figures">
            {FIGURES.map((id) => {
              const { label, of, print, better } = metrics[id]
              const { first, second } = estimates.data ?? {}
              const [from, to] = [first ? of(first) : Number.NaN, second ? of(second) : Number.NaN]
              const change = format.deviation(to, from)
              const same = from === to || change === '±0%'
              const gain = better === 'less' ? to < from : to > from
              return (
                <div key={id} className="flex gap-1.5" data-testid={`version-figure-${id}`}>
                  <dt className="text-muted">{label}</dt>
                  <dd>
                    {print(from)} → {print(to)}{' '}
                    <span className={same ? 'text-muted' : gain ? 'text-ok' : 'text-danger'}>
                      {same
                        ? from === to
                          ? 'the same'
                          : change
                        : change === '–'
                          ? ''
                          : `${change} ${gain ? '(better)' : '(worse)'}`}
                    </span>
                  </dd>
                </div>
              )
            })}
          </dl>
          <p className="text-xs text-muted">
            {beforeName} → {afterName}, by a quick estimate for {fleet?.name}
            {request
              ? fleet?.name === wanted
                ? ' of the newest exploration'
                : `, since ${wanted} is gone`
              : ''}
            , with the profile of now.
          </p>
        </>
      )}
    </section>
  )
}
