/** The report as a self-contained page. It is rendered to static HTML: no state, no events, styles included. */
import type { Objective } from '@hivemind/placement'
import { deviceCount } from '@hivemind/swarm'
import type { ReactNode } from 'react'
import * as format from '../../reports/format.ts'
import { markKey } from '../baselineMarks.ts'
import { CurveChart } from '../charts/DeviceCurves.tsx'
import { representatives } from '../charts/FrontBars.tsx'
import { ParallelPicture } from '../charts/ParallelPlot.tsx'
import { LatencyCurves } from '../compare/LatencyCurves.tsx'
import { OverTimeChart } from '../compare/OverTime.tsx'
import { cutSentence, endSentence, goalsOf, overTimeLooks } from '../compare/overTime.ts'
import { handOverLabels } from '../handOver.ts'
import { reasons } from '../pruned.ts'
import { curveGoals } from '../whatif/screen.ts'
import { limitSentences } from '../why/limits.ts'
import { TornadoChart } from '../why/TornadoChart.tsx'
import { objectiveLabel } from '../why/tornadoBars.ts'
import { FrontPicture } from './FrontPicture.tsx'
import { embeddedData, type ReportInput } from './reportData.ts'
import { CandidatesTable, ProfileTable, placementText, TaskTable, tasksOf } from './tables.tsx'

const WIDTH = 720
const MAX_ROWS = 60
/** Longest workflow text shown in full, in lines. A longer one is collapsed, and so not printed. */
const MAX_LINES = 500
const goalTitle = { latency: 'Best latency p99', energy: 'Best energy per device', cost: 'Best cloud cost' }

/** The whole report as an HTML document. */
export function ReportPage({ input, styles }: { input: ReportInput; styles: string }) {
  const { project, job, result, scenario, selected, tasks, why, curves } = input
  const title = `Placements of ${project}`
  const rows = representatives(result.candidates, selected.id, MAX_ROWS)
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{title}</title>
        {/* Only this app's styles; no user input. */}
        <style dangerouslySetInnerHTML={{ __html: styles }} />
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p className="muted">
            {format.count(result.candidates.length, 'candidate')}, {result.front.length} on the front. Version{' '}
            {job.request.version} on {scenario.fleet.label}; created {input.madeAt} with HiveMind{' '}
            {input.version}.
          </p>
          <Part title="Trade-offs">
            <FrontPicture candidates={result.candidates} selected={selected.id} width={WIDTH} />
            <p className="muted">
              Blue: on the front. Grey: dominated. Hollow: violates a constraint. Shapes: {markKey}. Ring: the
              selected candidate.
            </p>
          </Part>
          <Part title="All metrics">
            <ParallelPicture candidates={result.candidates} selected={selected.id} width={WIDTH} />
          </Part>
          <Part title="Front and baselines">
            <CandidatesTable rows={rows} selected={selected.id} tasks={tasksOf(selected, tasks)} />
            {rows.length < result.candidates.length && (
              <p className="muted">
                {rows.length} of {result.candidates.length.toLocaleString('en-GB')} candidates. The data
                embedded in this file has all of them.
              </p>
            )}
          </Part>
          <Part title={`Selected candidate: ${selected.baseline ?? selected.id}`}>
            <p>{placementText(selected, tasksOf(selected, tasks))}</p>
            <ul>
              {[...why.explanation.sentences, ...limitSentences(why.limits)].map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
              {selected.violations.map((violation) => (
                <li key={violation.key}>{violation.message}</li>
              ))}
            </ul>
            <TaskTable candidate={selected} tasks={tasksOf(selected, tasks)} />
          </Part>
          <Part title="A simulated run of the selected candidate">
            <RunFigures run={input.run} />
          </Part>
          <Part title="Sensitivity to the profile">
            {(Object.keys(why.tornado) as Objective[]).map((objective) => (
              <figure key={objective}>
                <figcaption>{objectiveLabel[objective]}</figcaption>
                {why.tornado[objective].length > 0 ? (
                  <TornadoChart objective={objective} swings={why.tornado[objective]} width={WIDTH} />
                ) : (
                  <p className="muted">No entry of the profile changes this metric.</p>
                )}
              </figure>
            ))}
            <p className="muted">
              Quick estimates, with each entry of the profile 20% lower (blue) and 20% higher (orange).
            </p>
          </Part>
          <Part title="Best values by number of devices">
            {curveGoals.map((goal) => (
              <figure key={goal}>
                <figcaption>{goalTitle[goal]}</figcaption>
                <CurveChart
                  goal={goal}
                  curve={curves[goal]}
                  own={deviceCount(scenario.fleet)}
                  width={WIDTH}
                />
              </figure>
            ))}
            <p className="muted">
              Quick estimates. The dotted line is the number of devices of this exploration. A circle marks
              the number from which another placement is best.
            </p>
          </Part>
          <Inputs input={input} />
        </main>
        {/* JSON with every < escaped. */}
        <script type="application/json" id="data" dangerouslySetInnerHTML={{ __html: embeddedData(input) }} />
      </body>
    </html>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function WorkflowText({ text }: { text: string }) {
  const lines = text.split('\n').length
  if (lines <= MAX_LINES) return <pre>{text}</pre>
  return (
    <details>
      <summary>{format.count(lines, 'line')}, also in the data embedded in this file</summary>
      <pre>{text}</pre>
    </details>
  )
}

function RunFigures({ run }: { run: ReportInput['run'] }) {
  return (
    <>
      <figure>
        <figcaption>Cumulative latency distribution</figcaption>
        <LatencyCurves runs={[run]} width={WIDTH} />
      </figure>
      {goalsOf([run]).map((goal) => (
        <figure key={goal}>
          <figcaption>{overTimeLooks[goal].title} over time</figcaption>
          <OverTimeChart runs={[run]} goal={goal} width={WIDTH} />
        </figure>
      ))}
      <p className="muted">
        One simulated run: {endSentence(run)}. {cutSentence(run)}
      </p>
    </>
  )
}

function Inputs({ input }: { input: ReportInput }) {
  const { result, scenario, job } = input
  const { fleet } = scenario
  const { uplink, edgeNodes, cloud } = fleet
  const { profile } = result.inputs
  const facts: [string, ReactNode][] = [
    ['Project', `${input.project}, version ${job.request.version}`],
    ['Explored', job.job.endedAt ?? job.job.createdAt],
    ['HiveMind', input.version],
    ['Random seed', String(result.inputs.seed)],
    ['Readings per device', format.number(result.inputs.itemsPerDevice, 7)],
    [
      'Fleet',
      `${fleet.name}: ${fleet.devices.map((group) => `${group.count} × ${group.class.label} (${group.class.cores} cores at ${group.class.cpuSpeed} of the reference, ${group.class.batteryWh} Wh)`).join(', ')}`,
    ],
    [
      'Link',
      `${uplink.label}: ${uplink.count} × ${format.number(uplink.bandwidthMbps)} Mbit/s, ${uplink.delayMs} ms`,
    ],
    ...(edgeNodes
      ? [
          [
            'Edge nodes',
            `${edgeNodes.count} × ${edgeNodes.label} (${edgeNodes.cores} cores at ${edgeNodes.cpuSpeed} of the reference), call ${edgeNodes.callMs} ms, ${format.number(edgeNodes.link.bandwidthMbps)} Mbit/s and ${edgeNodes.link.delayMs} ms to ${edgeNodes.serves?.join(', ') ?? 'all devices'}, ${format.number(edgeNodes.backhaul.bandwidthMbps)} Mbit/s and ${edgeNodes.backhaul.delayMs} ms to the cloud`,
          ] satisfies [string, ReactNode],
        ]
      : []),
    [
      'Cloud',
      `${cloud.servers} servers of ${cloud.coresPerServer} cores, cold start ${cloud.coldStartMs} ms, kept ${cloud.keepAliveS} s, dispatch ${cloud.dispatchMs} ms, data between functions: ${handOverLabels[cloud.handOver.kind ?? 'store'].toLowerCase()} (${cloud.handOver.fixedMs} ms, ${format.number(cloud.handOver.bandwidthMBps)} MB/s), $${cloud.pricePerCoreHour} per core and hour`,
    ],
    ['Profile', profile.note],
    ['SHA-256 of the result', input.hash ?? 'not available in this browser'],
  ]
  return (
    <>
      <Part title="Inputs">
        <dl>
          {facts.map(([term, fact]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
        </dl>
        <ul>
          {reasons(result.pruned.byRule).map(({ rule, reason, count }) => (
            <li key={rule}>
              {format.whole(count)} placements left out: {reason}
            </li>
          ))}
        </ul>
        {result.note && <p>{result.note}</p>}
        <ProfileTable profile={profile} />
        <p className="muted">These figures are estimates of a model, not measurements.</p>
      </Part>
      <Part title="Workflow">
        <WorkflowText text={input.text} />
      </Part>
    </>
  )
}
