/** A report as one HTML page that needs nothing beside it. */
import type { ConstraintResult, RunOutput } from '@hivemind/orchestrator'
import { verdictWord } from '@hivemind/swarm'
import { Html, html, type Part } from '../common/html.ts'
import type { Report, ReportTask } from './report.ts'

const style = new Html(`
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#59636e, #a3adb8); --line: light-dark(#d9dee3, #333a42); --measured: light-dark(#1d5fd1, #7fb0ff); --estimated: light-dark(#b5bdc6, #59636e); --bad: light-dark(#b3261e, #ff9d94); --good: light-dark(#176a33, #7bd69a) }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: light-dark(#fff, #14171c); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: 13px/1.45 ui-monospace, monospace }
.soft { color: var(--soft) }
.succeeded { color: var(--good) } .failed, .cancelled { color: var(--bad) }
.headline { font-size: 1.15rem; margin: .25rem 0 }
.measured { fill: var(--measured) } .estimated { fill: var(--estimated) }
text { font: 12px system-ui, sans-serif; fill: var(--ink) }
svg { width: 100%; height: auto }
`)

function figure(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  return value.toLocaleString(
    'en',
    size >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  )
}
function duration(ms: number): string {
  if (ms < 1_000) return `${figure(ms)} ms`
  return ms < 120_000 ? `${figure(ms / 1_000)} s` : `${figure(ms / 60_000)} min`
}

/** Of values of single devices and items, of which a stream has very many. */
const MOST_DEVICE_OUTPUTS = 12
const MOST_CHARACTERS = 20_000
/** Longer values are folded away. */
const MOST_OPEN_CHARACTERS = 600

function shown(value: unknown, indent = 2): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, indent) ?? 'null')
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text
}

function outputRow({ task, data, device, seq, value }: RunOutput): Html {
  const wide = device === '*'
  const where = wide ? 'whole swarm' : `${device}, item ${seq}`
  const pretty = shown(value)
  const content =
    pretty.length <= MOST_OPEN_CHARACTERS
      ? html`<pre>${wide ? pretty : shown(value, 0)}</pre>`
      : html`<details><summary>The whole value</summary><pre>${shown(value, 0)}</pre></details>`
  return html`<tr><th scope="row">${data}<br><span class="soft">${task}, ${where}</span></th><td>${content}</td></tr>`
}

/** The figures and words among the values, in large type. */
function headlines(swarmWide: RunOutput[]): Html[] {
  return swarmWide
    .flatMap(({ data, value }): [string, unknown][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, field]) => [`${data}.${name}`, field])
        : [[data, value]],
    )
    .filter(([, value]) => ['number', 'boolean', 'string'].includes(typeof value))
    .filter(([, value]) => String(value).length <= 200)
    .slice(0, 8)
    .map(
      ([name, value]) =>
        html`<p class="headline"><strong>${name}</strong>: ${
          typeof value === 'number'
            ? value.toLocaleString('en', { maximumSignificantDigits: 6 })
            : String(value)
        }</p>`,
    )
}

/** The values of the sinks: those of the whole swarm first. */
function outputs(all: RunOutput[]): Html {
  if (all.length === 0) return html`<p class="soft">The run has no outputs.</p>`
  const swarmWide = all.filter(({ device }) => device === '*')
  const ofDevices = all.filter(({ device }) => device !== '*')
  const more = ofDevices.length - MOST_DEVICE_OUTPUTS
  const rest = more > 0 ? html`<p class="soft">${more} more are in the JSON report.</p>` : ''
  const rows = [...swarmWide, ...ofDevices.slice(0, MOST_DEVICE_OUTPUTS)].map(outputRow)
  return html`${headlines(swarmWide)}<table><tbody>${rows}</tbody></table>${rest}`
}

function bars(tasks: ReportTask[]): Html {
  const longest = Math.max(
    1e-9,
    ...tasks.flatMap(({ measured, estimated }) => [measured?.p50Ms ?? 0, estimated?.p50Ms ?? 0]),
  )
  const row = 44
  const bar = (ms: number, y: number, kind: 'measured' | 'estimated') => {
    const width = Math.max(1, (ms / longest) * 440)
    return html`<rect class="${kind}" x="200" y="${y}" width="${width.toFixed(1)}" height="14" rx="2"/><text x="${(206 + width).toFixed(1)}" y="${y + 11}">${duration(ms)}</text>`
  }
  const rows = tasks.map(({ task, tier, measured, estimated }, index) => {
    const y = index * row + 6
    return html`<text x="0" y="${y + 13}">${task.length > 26 ? `${task.slice(0, 25)}…` : task}</text><text x="0" y="${y + 28}" class="soft">${tier}</text>${measured ? bar(measured.p50Ms, y, 'measured') : ''}${estimated ? bar(estimated.p50Ms, y + 16, 'estimated') : ''}`
  })
  return html`<svg viewBox="0 0 740 ${tasks.length * row + 34}" role="img" aria-label="Median time of each task, measured and estimated; the table below has the figures">${rows}<rect class="measured" x="200" y="${tasks.length * row + 10}" width="14" height="14"/><text x="220" y="${tasks.length * row + 21}">measured</text><rect class="estimated" x="300" y="${tasks.length * row + 10}" width="14" height="14"/><text x="320" y="${tasks.length * row + 21}">estimated</text></svg>`
}

function taskTable(tasks: ReportTask[]): Html {
  const ms = (value: number | undefined) =>
    html`<td class="n">${value === undefined ? '–' : figure(value)}</td>`
  const rows = tasks.map(
    ({ task, tier, done, failed, measured, estimated }) =>
      html`<tr><th scope="row">${task}</th><td>${tier}</td><td class="n">${done}</td><td class="n">${failed}</td>${ms(measured?.p50Ms)}${ms(estimated?.p50Ms)}${ms(measured?.p99Ms)}${ms(estimated?.p99Ms)}${ms(measured?.breakdown.network)}${ms(measured?.breakdown.management)}${ms(measured?.breakdown.dataExchange)}${ms(measured?.breakdown.execution)}</tr>`,
  )
  return html`<table><thead><tr><th>Task</th><th>Tier</th><th class="n">Done</th><th class="n">Failed</th><th class="n">Median</th><th class="n">estimate</th><th class="n">p99</th><th class="n">estimate</th><th class="n">Network</th><th class="n">Manage&shy;ment</th><th class="n">Data exchange</th><th class="n">Execution</th></tr></thead><tbody>${rows}</tbody></table><p class="soft">Times in ms. Median and p99 from ready to run to the end; the last four columns are means of the measured time's parts.</p>`
}

/** Times of the invocations that waited for their function to start, beside those of the others. */
function coldStarts(tasks: readonly ReportTask[]): Html | string {
  const rows = tasks.flatMap(({ task, starts }) =>
    starts
      ? [
          html`<tr><th scope="row">${task}</th><td class="n">${starts.cold}</td><td class="n">${figure(starts.coldP50Ms)}</td><td class="n">${figure(starts.coldP99Ms)}</td><td class="n">${starts.warm}</td><td class="n">${starts.warm > 0 ? figure(starts.warmP50Ms) : '–'}</td><td class="n">${starts.warm > 0 ? figure(starts.warmP99Ms) : '–'}</td></tr>`,
        ]
      : [],
  )
  if (rows.length === 0) return ''
  return html`<h2>Cold starts</h2><table><thead><tr><th>Task</th><th class="n">Cold</th><th class="n">Median</th><th class="n">p99</th><th class="n">Warm</th><th class="n">Median</th><th class="n">p99</th></tr></thead><tbody>${rows}</tbody></table><p class="soft">Times in ms. A cold invocation waited until a container or a process of its function had started.</p>`
}

function facts(rows: [string, Part][]): Html {
  return html`<table><tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`
}

/** The verdict on each constraint, with its rule. */
function constraints(judged: readonly ConstraintResult[]): Html | string {
  if (judged.length === 0) return ''
  const looks = { met: 'succeeded', missed: 'failed', 'not judged': 'soft' }
  const rows = judged.map((verdict) => {
    const { key, rule = '', text } = verdict
    const word = verdictWord(verdict)
    return html`<tr><th scope="row">${key}<br><span class="soft">${rule}</span></th><td class="${looks[word]}">${word}</td><td>${text}</td></tr>`
  })
  return html`<h2>Constraints</h2><table><tbody>${rows}</tbody></table>`
}

/** Tasks that missed deadlines. */
function deadlines(tasks: readonly ReportTask[]): Html | string {
  const late = tasks.filter(({ missed = 0, dropped = 0 }) => missed + dropped > 0)
  if (late.length === 0) return ''
  const rows = late.map(
    ({ task, missed = 0, dropped = 0 }) =>
      html`<li>${task}: ${missed} ended after their deadline, ${dropped} were given up because of it.</li>`,
  )
  return html`<h2>Missed deadlines</h2><ul>${rows}</ul>`
}

function overall({ run, estimate, workflow }: Report): Html {
  const limits = new Map(workflow.constraints.map(({ key, limit }) => [key, limit]))
  const rows: [string, Part, string, string][] = [
    [
      'Execution time',
      duration(run.execTimeMs),
      estimate ? duration(estimate.execTimeMs) : '–',
      limits.get('execTime') ?? '',
    ],
  ]
  if (estimate) {
    rows.push(
      ['Latency p99 of an item', '–', duration(estimate.latencyMs.p99), limits.get('latency') ?? ''],
      ['Energy of a device', '–', `${figure(estimate.energyJ)} J`, limits.get('energy') ?? ''],
      ['Bandwidth', '–', `${figure(estimate.bandwidthMBps)} MB/s`, ''],
      ['Cloud cost', '–', `${figure(estimate.costPerHour)} $/h`, limits.get('cost') ?? ''],
    )
  }
  return html`<table><thead><tr><th>Whole run</th><th class="n">Measured</th><th class="n">Estimated for this machine</th><th class="n">Constraint</th></tr></thead><tbody>${rows.map(([name, measured, estimated, limit]) => html`<tr><th scope="row">${name}</th><td class="n">${measured}</td><td class="n">${estimated}</td><td class="n">${limit}</td></tr>`)}</tbody></table>`
}

export function reportPage(report: Report): string {
  const { project, workflow, run, deployment, machine, versions } = report
  const losses =
    report.losses.length === 0
      ? html`<p>Nothing was lost.</p>`
      : html`<ul>${report.losses.map((loss) => html`<li>${loss}</li>`)}</ul>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${workflow.name}: run of ${run.startedAt.slice(0, 16).replace('T', ' ')}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${workflow.name}, version ${workflow.version}</h1>
<p class="soft">Project ${project.name}. Run ${run.id}, ${run.startedAt} to ${run.endedAt}.</p>
<p>The run <strong class="${run.state}">${run.state}</strong> after ${duration(run.execTimeMs)}, with ${report.invocations} invocations.${run.message ? html` ${run.message}` : ''}</p>
</header>
<h2>Outputs</h2>
${outputs(report.outputs)}
<h2>Estimate and measurement</h2>
${overall(report)}
<h2>Median time of each task</h2>
${bars(report.tasks)}
${taskTable(report.tasks)}
${coldStarts(report.tasks)}
${constraints(report.constraints ?? [])}
${deadlines(report.tasks)}
<h2>Losses</h2>
${losses}
<h2>What it depends on</h2>
${facts([
  ['Placement', Object.entries(deployment.placement).map(([task, tier]) => html`${task}: ${tier}<br>`)],
  ['Edge agents', deployment.agents],
  [
    'Chosen from',
    deployment.candidate
      ? `candidate ${deployment.candidate}${deployment.exploration ? ` of exploration ${deployment.exploration}` : ''}`
      : 'no exploration',
  ],
  ['Inputs', html`<pre>${shown(report.inputs)}</pre>`],
  ['Items for each device', report.itemsPerDevice ?? 'unlimited'],
  ['Seed of the estimate', report.estimateSeed],
  ['Constraints', workflow.constraints.map(({ key, limit }) => `${key} ${limit}`).join(', ') || 'none'],
  ['Machine', `${machine.processor}, ${machine.cores} cores, ${machine.memoryGB} GB, ${machine.system}`],
  [
    'Versions',
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  ],
])}
<p class="soft">Made ${report.madeAt}.</p>
</body>
</html>
`.text
}
