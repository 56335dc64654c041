/** The tools of the fabric as scripts of a few lines: what they are asked and what they give is seen, and nothing is built. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const VERILOG = `module Ecpix5 ();\nendmodule\nmodule BuildId (\n  output wire [31:0]   value\n);\n\n  assign value = 32'h0;\n\nendmodule\n`
const DISTIL = [
  { name: 'sources', default: 64, values: [2, 4, 64], unit: 'senders', limits: 'one of 2, 4, 64', doc: '' },
  { name: 'slots', default: 4, values: [2, 4], unit: 'frames', limits: 'one of 2, 4', doc: '' },
  { name: 'bufferBytes', default: 9, values: [1, 9], unit: 'B', limits: 'one of 1, 9', doc: '' },
]
const SCHEMA = {
  shell: [{ name: 'memoryKiB', default: 64, values: [64], unit: 'KiB', limits: '64', doc: '' }],
  distil: DISTIL,
  dispatch: [
    { name: 'workers', default: 4, values: [2, 4], unit: 'workers', limits: 'one of 2, 4', doc: '' },
  ],
  rmem: [
    { name: 'sets', default: 16, values: [16, 32], unit: 'sets', limits: 'one of 16, 32', doc: '' },
    { name: 'bufferBytes', default: 9, values: [9], unit: 'B', limits: '9', doc: '' },
  ],
  rpc: [{ name: 'flows', default: 8, values: [2, 8], unit: 'flows', limits: 'one of 2, 8', doc: '' }],
}

/**
 * Makes `root` a project with such tools, and puts its `bin` first on the PATH. Each call of a tool adds its name to the file `calls`.
 * A model that verilator compiles ends at once. The clock of a seed is 100 MHz and 10 more for each; 125 MHz are required. Gives a function that restores the PATH.
 */
export function writeFakeTools(root: string): () => void {
  const put = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
    chmodSync(path.join(root, file), 0o755)
  }
  const tool = (name: string, script: string): void =>
    put(
      `.cache/hdl-tools/bin/yowasp-${name}`,
      `#!/usr/bin/env node\nconst fs = require('node:fs')\nconst after = (flag) => process.argv[process.argv.indexOf(flag) + 1]\nfs.appendFileSync('${root}/calls', '${name}\\n')\n${script}\n`,
    )
  put('hdl-spinal/src/main/scala/A.scala', 'object A')
  put('hdl-spinal/build.sbt', '')
  put('hdl-spinal/project/build.properties', '')
  put('hdl-spinal/ecpix5.lpf', 'FREQUENCY')
  put('hdl-spinal/board/board.cpp', '')
  put('hdl-spinal/requirements.txt', 'yowasp-yosys==1.2 \\\nyowasp-nextpnr-ecp5==3.4 \\\n')
  put('.cache/hdl/sbt-launch-1.jar', '')
  put(
    'bin/java',
    `#!/bin/sh\nfor last; do :; done\nset -- $last\necho generate >> ${root}/calls\ncase "$last" in *bufferBytes=1*) echo "[error] requirement failed: bufferBytes must be more"; exit 1;; esac\nfor word; do case $word in /*) out=$word;; esac; done\ncat > $out/schema.json <<'END'\n${JSON.stringify(SCHEMA)}\nEND\ncat > $out/Ecpix5.v <<'END'\n${VERILOG}END\necho "// $4" | grep '^// [a-z+]*$' >> $out/Ecpix5.v\necho '{"interface":"u-u-i-d","blocks":[]}' > $out/registers.json\ntouch $out/registers-shell.h $out/registers-shell.html\n`,
  )
  put(
    'bin/verilator',
    `#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf '#!/bin/sh\\necho no board here >&2\\nexit 1\\n' > "$2"\nchmod +x "$2"\n`,
  )
  tool('yosys', `fs.writeFileSync('netlist.json', fs.readFileSync('Ecpix5.v'))`)
  tool(
    'nextpnr-ecp5',
    `const seed = Number(after('--seed'))
fs.writeFileSync(after('--textcfg'), 'configuration ' + seed)
fs.writeFileSync(after('--write'), ['a', 'core.distil_1.b', 'core.distil_1.c'].flatMap((name, n) => [
  '        "' + name + '": {', '          "type": "' + (n === 2 ? 'DP16KD' : 'TRELLIS_COMB') + '",',
  '            "NEXTPNR_BEL": "X' + (3 + n) + '/Y7/SLICEA.K0",' ]).join('\\n'))
fs.writeFileSync(after('--report'), JSON.stringify({
  detailed_net_timings: [ { event: 'posedge $glbnet$clk', endpoints: [
    { event: 'posedge $glbnet$clk', delay: [0.1, 7.75] }, { event: '<async>', delay: [9, 9] } ] } ],
  fmax: { '$glbnet$clk': { achieved: 100 + 10 * seed, constraint: 125 } },
  critical_paths: [
    { from: 'posedge $glbnet$clk', to: 'posedge $glbnet$clk', path: [
      { type: 'clk-to-q', delay: 0.5, from: { cell: 'a' }, to: { cell: 'a' } },
      { type: 'routing', delay: 7.25, from: { cell: 'a' }, to: { cell: 'b' } } ] },
    { from: '<async>', to: 'posedge $glbnet$clk', path: [] },
    { from: '<async>', to: '<async>', path: [] } ],
  utilization: { TRELLIS_COMB: { used: 12, available: 83640 }, DCUA: { used: 0, available: 2 } } }))`,
  )
  tool(
    'ecppack',
    `const text = fs.readFileSync(after('--input')) + ' usercode ' + after('--usercode')
fs.writeFileSync(after('--bit'), text)
if (process.argv.includes('--svf')) fs.writeFileSync(after('--svf'), 'svf')`,
  )
  tool(
    'ecpunpack',
    `fs.writeFileSync(after('--textcfg'), String(fs.readFileSync(after('--input'))).replace(/ usercode.*/, ''))`,
  )
  const before = process.env.PATH
  process.env.PATH = `${path.join(root, 'bin')}${path.delimiter}${before}`
  return () => {
    process.env.PATH = before
  }
}
