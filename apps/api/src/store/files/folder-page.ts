/** A folder of the store as a page of links. */
import { Html, html } from '../../common/html.ts'
import type { Entry } from './file-tree.ts'

const style = new Html(`
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid light-dark(#d9dee3, #333a42) }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
a { color: light-dark(#1d5fd1, #7fb0ff); overflow-wrap: anywhere }
`)

/** The page of a folder at a path: its entries with their addresses, and the address of the folder it is in. */
export function folderPage(
  names: readonly string[],
  above: string,
  entries: readonly { href: string; entry: Entry }[],
): string {
  const title = `/${names.join('/')}`
  const rows = entries.map(
    ({ href, entry: { name, object } }) =>
      html`<tr><td><a href="${href}">${object ? name : `${name}/`}</a></td>${
        object
          ? html`<td>${object.type}</td><td class="n">${object.size.toLocaleString('en')}</td><td>${new Date(object.timestamp / 1000).toISOString()}</td>`
          : html`<td></td><td class="n"></td><td></td>`
      }</tr>`,
  )
  const empty =
    names.length === 1 && names[0] === 'at'
      ? html`<p>Name a time in the address, in UTC: at/2026-11-25T08:00:00Z/</p>`
      : html`<p>This folder is empty.</p>`
  const up = names.length > 0 ? html`<p><a href="${above}">One folder up</a></p>` : html``
  const table = html`<table><thead><tr><th>Name</th><th>Type</th><th class="n">Bytes</th><th>Written</th></tr></thead><tbody>${rows}</tbody></table>`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1>${up}${entries.length > 0 ? table : empty}</main></body>
</html>
`.text
}
