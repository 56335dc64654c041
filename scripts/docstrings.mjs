/**
 * Lists the exports of the libraries without a docstring, and fails when a library has more than it is allowed. Exports are
 * what the entry points of `libs/NAME/package.json` export, wherever they are declared. `--list` prints every one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { root } from './lib/run.mjs'

/**
 * How many exports of a library may lack a docstring; a library that is not listed may have none. Every export has one now,
 * so the list is empty and stays empty.
 */
const ALLOWED = {}

/** The source files that a library's `package.json` exports. */
function entryPoints(library) {
  const folder = path.join(root, 'libs', library)
  const { exports = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const targets = typeof exports === 'string' ? [exports] : Object.values(exports)
  return targets
    .map((target) => (typeof target === 'string' ? target : target.default))
    .filter((target) => target?.endsWith('.ts'))
    .map((target) => path.join(folder, target))
}

/** The exports of an entry point without a docstring: name, and where it is declared. */
function undocumented(program, checker, file) {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${path.relative(root, file)} exports nothing.`)
  return undocumentedOf(module, checker)
}

function undocumentedOf(module, checker) {
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const declaration = symbol.declarations?.[0]
    if (!declaration) throw new Error(`${exported.name} of ${module.name} is declared nowhere.`)
    // `export * as name`
    if (ts.isSourceFile(declaration)) return undocumentedOf(symbol, checker)
    if (symbol.getDocumentationComment(checker).length > 0) return []
    const source = declaration.getSourceFile()
    const { line } = ts.getLineAndCharacterOfPosition(source, declaration.getStart())
    return [{ name: exported.name, place: `${path.relative(root, source.fileName)}:${line + 1}` }]
  })
}

const libraries = readdirSync(path.join(root, 'libs')).filter((library) =>
  existsSync(path.join(root, 'libs', library, 'package.json')),
)
const files = new Map(libraries.map((library) => [library, entryPoints(library)]))
const program = ts.createProgram({
  rootNames: [...files.values()].flat(),
  options: {
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ESNext,
  },
})
const checker = program.getTypeChecker()
const isListing = process.argv.includes('--list')
const problems = []
for (const [library, entries] of files) {
  const missing = new Map(
    entries.flatMap((file) => undocumented(program, checker, file)).map((each) => [each.place, each]),
  )
  const allowed = ALLOWED[library] ?? 0
  if (missing.size > allowed)
    problems.push(
      `libs/${library}: ${missing.size} exports have no docstring, ${allowed} may. Say in one what each is, with units and errors:`,
      ...[...missing.values()].map(({ name, place }) => `  ${place} ${name}`),
    )
  else if (missing.size < allowed)
    console.log(
      `libs/${library}: only ${missing.size} exports have no docstring now; lower its number in scripts/docstrings.mjs from ${allowed}.`,
    )
  if (isListing) for (const { name, place } of missing.values()) console.log(`${place} ${name}`)
}
for (const library of Object.keys(ALLOWED))
  if (!files.has(library))
    problems.push(`There is no library libs/${library}; remove it from scripts/docstrings.mjs.`)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log(`${libraries.length} libraries: every export has a docstring, but for those allowed.`)
