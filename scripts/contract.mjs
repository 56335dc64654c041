// Writes the web's types from the contract; with `--check` only says whether they are in step.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@hivemind/contracts'
import openapiTS, { astToString } from 'openapi-typescript'

const target = fileURLToPath(new URL('../apps/web/src/api/schema.d.ts', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const ast = await openapiTS(openApiDocument(version), { defaultNonNullable: false, alphabetize: false })
const wanted = `// Made by \`npm run contract\` from libs/contracts; do not edit.\n${astToString(ast)}`

if (!process.argv.includes('--check')) writeFileSync(target, wanted)
else {
  let found = ''
  try {
    found = readFileSync(target, 'utf8')
  } catch {
    // A missing file is out of step.
  }
  if (found !== wanted) {
    console.error(
      'apps/web/src/api/schema.d.ts is out of step with libs/contracts: run `npm run contract` and commit the result.',
    )
    process.exit(1)
  }
  console.log("The web's types are in step with the contract.")
}
