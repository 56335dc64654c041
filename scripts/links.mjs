/**
 * Checks that every relative link of the Markdown files leads to a file, and to a heading of it where it names one.
 * Links to other sites are not followed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './lib/run.mjs'

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** Text without what only looks like links and headings: code, in blocks and in lines. */
const withoutCode = (text) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '')

const headings = new Map()
/** The anchors of a Markdown file; a heading that comes again gets a number. */
function anchorsOf(file) {
  const known = headings.get(file)
  if (known) return known
  const anchors = new Set()
  const text = readFileSync(file, 'utf8').replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
  for (const [, heading] of text.matchAll(/^#{1,6} +(.+)$/gm)) {
    const anchor = anchorOf(heading)
    let unique = anchor
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  headings.set(file, anchors)
  return anchors
}

/** What is wrong with a link of a file; `null` when nothing is. */
function faultOf(file, target) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return null
  const [link, anchor] = target.split('#')
  const to = link === '' ? file : path.resolve(path.dirname(file), decodeURI(link))
  if (!existsSync(to)) return `there is no ${path.relative(root, to)}`
  if (anchor && to.endsWith('.md') && !anchorsOf(to).has(anchor))
    return `${path.relative(root, to)} has no heading '#${anchor}'`
  return null
}

/** The Markdown files of the repository, relative to its root. */
function markdownFiles(folder = '') {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name)
    if (entry.isDirectory())
      return entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name)
        ? []
        : markdownFiles(name)
    return name.endsWith('.md') ? [name] : []
  })
}

const files = markdownFiles()
const faults = []
let links = 0
for (const name of files) {
  const file = path.join(root, name)
  const text = withoutCode(readFileSync(file, 'utf8'))
  for (const [, target] of text.matchAll(/\]\(\s*<?([^)>\s]+)>?(?:\s+"[^"]*")?\s*\)/g)) {
    links++
    const fault = faultOf(file, target)
    if (fault) faults.push(`${name}: '${target}': ${fault}.`)
  }
}
if (links === 0) faults.push('No link was found in any Markdown file.')
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exit(1)
}
console.log(`${links} links in ${files.length} Markdown files lead somewhere.`)
