// Formal proofs of hdl-spinal: properties in `hdl-spinal/formal` against the Verilog that SpinalHDL generates.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { folder as cached, fabricTools, hashOf, hdl } from './hdl.mjs'
import { environment, run } from './run.mjs'

const formal = path.join(hdl, 'formal')
/**
 * Cycles from reset in which a planted bug must show, and every cover be reached, unless the proof says otherwise: `steps`, and
 * `refute` (`FIRST:LAST`) when a bug is looked for in the last of them alone.
 */
const STEPS = 12
/** Cycles of an induction, unless the proof says otherwise: `induction`. */
const INDUCTION_STEPS = 3

/**
 * Checks every proof of a `file` in the Verilog of its engine, and that each planted bug is refuted from reset; as many questions at once
 * as there are cores. A proof that held on this machine with the same Verilog, properties and tools is not repeated; `quick` leaves out
 * the slow ones, and two of three planted bugs. Resolves to `{ proofs, bugs, failures }`.
 */
export async function prove(verilog, { again = false, quick = false, only, file = 'proofs.json' } = {}) {
  const result = { proofs: 0, bugs: 0, failures: [] }
  const written = JSON.parse(readFileSync(path.join(formal, file), 'utf8'))
  const all = quick ? written.map(withFewerBugs) : written
  // Yosys is compiled when it is first used: not by several at once
  await tool({ work: os.tmpdir(), seconds: 0 }, 'yowasp-yosys', ['-V'])
  await Promise.all(
    all.map(async (proof) => {
      if (only && proof.name !== only) return
      if (quick && proof.isSlow) {
        console.log(`  ${proof.name}: takes minutes, and is left to the full \`npm run hdl:test\`.`)
        return
      }
      try {
        const seconds = await check(proof, verilog, again)
        result.proofs += 1
        result.bugs += proof.bugs.length
        const cost = seconds === undefined ? 'held before' : `${seconds.toFixed(0)} s`
        console.log(
          `  ${proof.name}: ${proof.claim}. Proved by induction; ${proof.bugs.length} planted bugs caught (${cost}).`,
        )
      } catch (error) {
        if (!(error instanceof ProofError)) throw error
        result.failures.push(`${proof.name}: ${error.message}`)
        console.error(`  ${proof.name}: ${error.message}`)
      }
    }),
  )
  return result
}

const withFewerBugs = (proof) => ({ ...proof, bugs: proof.bugs.filter((_, index) => index % 3 === 0) })

class ProofError extends Error {}

/** Resolves to the seconds that its tools worked, or nothing when it held before. Throws `ProofError`. */
async function check(proof, verilog, again) {
  const properties = readFileSync(path.join(formal, proof.properties), 'utf8')
  const sound = moduleOf(verilog, proof.module)
  const others = [
    ...(proof.with ?? []).map((name) => moduleOf(verilog, name)),
    ...(proof.cut ?? []).map((name) => portsOf(moduleOf(verilog, name))),
  ]
  const pieces = [
    JSON.stringify(proof),
    properties,
    sound,
    ...others,
    ...['requirements.txt', '../scripts/lib/hdl-proofs.mjs'].map((file) =>
      readFileSync(path.join(hdl, file), 'utf8'),
    ),
  ]
  const stamp = path.join(cached, `proved-${hashOf(pieces.map((each) => Buffer.from(each)))}`)
  if (existsSync(stamp) && !again) return undefined
  const work = mkdtempSync(path.join(os.tmpdir(), 'hivemind-proof-'))
  try {
    const bench = { proof, properties, sound, others, work, seconds: 0 }
    const parts = [proveSound(bench), ...proof.bugs.map((bug, n) => refute(bench, bug, `bug${n}`))]
    const failed = (await Promise.allSettled(parts)).find(({ status }) => status === 'rejected')
    if (failed) throw failed.reason
    writeFileSync(stamp, '')
    return bench.seconds
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function proveSound(bench) {
  const { proof } = bench
  const steps = String(proof.steps ?? STEPS)
  await model(bench, 'sound', bench.sound)
  const questions = [
    ['an assertion fails', ['--presat', '-t', String(INDUCTION_STEPS + 1)]],
    ['the induction does not hold', ['-i', '-t', String(proof.induction ?? INDUCTION_STEPS)]],
    ['a state that must be reachable is not reached', ['-c', '-t', steps]],
  ]
  for (const [failure, args] of questions) {
    const { code, output } = await solve(bench, 'sound', args)
    if (code !== 0) throw new ProofError(`${failure}.\n${lastLines(output, 12)}`)
  }
}

async function refute(bench, [find, replacement], name) {
  const { sound } = bench
  if (sound.split(find).length !== 2)
    throw new ProofError(`a planted bug must change one place; ${sound.split(find).length - 1} hold: ${find}`)
  await model(
    bench,
    name,
    sound.replace(find, () => replacement),
  )
  const { steps = STEPS, refute: window = steps } = bench.proof
  const { code, output } = await solve(bench, name, ['-t', String(window)])
  // a solver that is missing or fails is no refutation
  if (code === 0 || !output.includes('Assert failed'))
    throw new ProofError(`this planted bug is not caught: ${replacement}\n${lastLines(output, 3)}`)
}

/** The text of a module of generated Verilog, without what is for simulation alone. */
function moduleOf(verilog, name) {
  const text = new RegExp(`^module ${name} [^]*?^endmodule$`, 'm').exec(verilog)?.[0]
  if (!text) throw new ProofError(`the generated Verilog has no module ${name}.`)
  return text.replaceAll('`ifndef SYNTHESIS', '`ifdef NEVER')
}

/** A module without its contents: what it drives may take any value in any cycle. */
function portsOf(text) {
  const header = text.slice(0, text.indexOf(');')).replaceAll(/output +reg /g, 'output wire')
  const outputs = [...header.matchAll(/output +wire +(\[\S+\])? *(\w+)/g)]
  const free = outputs.map(
    ([, range = '', name]) => `  (* anyseq *) wire ${range} any_${name};\n  assign ${name} = any_${name};`,
  )
  return `${header});\n${free.join('\n')}\nendmodule`
}

/** Writes `NAME.smt2`: the module with its properties, or the properties' own top module around it. */
async function model(bench, name, text) {
  const { proof, properties, others, work } = bench
  const defines = Object.entries(proof.define ?? {}).map(([key, value]) => `\`define ${key} ${value}\n`)
  const inside = proof.top ? text : text.replace(/endmodule$/, () => `${properties}\nendmodule`)
  // a property of a wire that does not exist would hold, or fail, by chance
  const all = [
    '`default_nettype none',
    ...defines,
    inside,
    ...others,
    ...(proof.top ? [properties] : []),
  ].join('\n')
  writeFileSync(path.join(work, `${name}.v`), `${all}\n`)
  const top = proof.top ?? proof.module
  const script = [
    `read_verilog -sv -formal ${name}.v`,
    // a case that became a ROM would hold anything at the start of an induction
    `hierarchy -check -top ${top}; proc -norom; flatten`,
    ...(proof.free ? [`cutpoint ${proof.free.map((wire) => `w:${wire}`).join(' ')}`] : []),
    ...(proof.keep ? [`connect -set st ${proof.keep}`] : []),
    'opt_clean; async2sync; dffunmap',
    `write_smt2 -wires ${name}.smt2`,
  ]
  const { code, output } = await tool(bench, 'yowasp-yosys', ['-q', '-p', script.join('; ')])
  if (code !== 0) throw new ProofError(`Yosys does not read it.\n${lastLines(output, 8)}`)
}

const solve = (bench, name, args) => tool(bench, 'yowasp-yosys-smtbmc', ['-s', 'z3', ...args, `${name}.smt2`])

/** Tools that may still be started, and those that wait to be. */
let free = os.availableParallelism()
const waiting = []

/** Runs a tool when a core is free. */
async function tool(bench, name, args) {
  if (free > 0) free -= 1
  else await new Promise((resolve) => waiting.push(resolve))
  const began = Date.now()
  try {
    const file = path.join(fabricTools, 'bin', name)
    return await run(file, args, { quiet: true, cwd: bench.work, env: toolEnvironment() })
  } finally {
    bench.seconds += (Date.now() - began) / 1000
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
}

/** The environment of the tools: their own folder first, and what they compile once is kept beside them. */
export function toolEnvironment() {
  const env = environment({ YOWASP_CACHE_DIR: path.join(fabricTools, 'compiled') })
  return { ...env, PATH: `${path.join(fabricTools, 'bin')}${path.delimiter}${env.PATH}` }
}

const lastLines = (text, count) => text.trim().split('\n').slice(-count).join('\n')
