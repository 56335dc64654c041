/**
 * Instances that are not part of this repository: HIVEMIND_INSTANCES names a folder of WfCommons `.json` and of `.stg`
 * files, and each of them must come through or be refused in a sentence.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { expectRoundTrip } from '../test/roundtrip.ts'
import { type Imported, readStg, readWfCommons } from './index.ts'

const folder = process.env.HIVEMIND_INSTANCES
const files = folder
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(json|stg)$/.test(name))
  : []

function read(file: string): Imported {
  const text = readFileSync(path.join(folder ?? '', file), 'utf8')
  return file.endsWith('.stg') ? readStg(text, { name: path.basename(file) }) : readWfCommons(text)
}

if (files.length === 0)
  test.skip('instances from elsewhere: set HIVEMIND_INSTANCES to a folder of WfCommons .json or .stg files', () => {})
else
  test.each(files)('%s', (file) => {
    const imported = read(file)
    expect(imported.workflow.tasks.length).toBeGreaterThan(0)
    expectRoundTrip(imported)
  })
