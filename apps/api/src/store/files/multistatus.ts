/** Answers of WebDAV to questions about files (RFC 4918, sections 9.1, 13 and 15). */
import type { Entry } from './file-tree.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Characters that XML 1.0 cannot hold at all become a replacement character. */
const xml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

const element = (name: string, value: string): string => `<D:${name}>${value}</D:${name}>`

/** What WebDAV tells of entries, each with the path under which it is reached. */
export function multistatus(entries: readonly { href: string; entry: Entry }[]): string {
  const responses = entries.map(({ href, entry }) => {
    const found = element('prop', propertiesOf(entry)) + element('status', 'HTTP/1.1 200 OK')
    return element('response', element('href', xml(href)) + element('propstat', found))
  })
  return `<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">${responses.join('')}</D:multistatus>`
}

function propertiesOf({ name, object }: Entry): string {
  if (!object) return element('displayname', xml(name)) + element('resourcetype', '<D:collection/>')
  const written = new Date(object.timestamp / 1000)
  return [
    element('displayname', xml(name)),
    element('resourcetype', ''),
    element('getcontentlength', String(object.size)),
    element('getcontenttype', xml(object.type || 'application/octet-stream')),
    element('getetag', `&quot;${object.version}&quot;`),
    element('getlastmodified', written.toUTCString()),
    element('creationdate', written.toISOString()),
  ].join('')
}
