/** HTML that is put together from parts. */

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** HTML whose parts are escaped already; anything else is escaped when it is put in. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type Part = Html | string | number | Part[]

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
function render(part: Part): string {
  if (part instanceof Html) return part.text
  return Array.isArray(part) ? part.map(render).join('') : escapeHtml(String(part))
}

/** A template of HTML: what is put in is escaped, unless it is `Html` itself. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + render(parts[index] ?? '')).join(''))
}
