/** Grouped and stacked bars as SVG, in the manner of the paper's figures; plain text, the same bytes for the same numbers. */

/** One bar: its parts from the bottom up, and an optional marker. */
interface Bar {
  parts: number[]
  marker?: number
}

export interface Plot {
  title: string
  unit: string
  /** Labels of the groups, one below each. */
  groups: string[]
  /** Names of the bars of a group, in order; with several parts a bar, of the parts. */
  legend: string[]
  /** For each group its bars. */
  bars: Bar[][]
}

/** Colours that readers with protanopia or deuteranopia tell apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00']
const WIDTH = 960
const HEIGHT = 360
const FRAME = { left: 64, right: 16, top: 56, bottom: 40 }
const TICKS = 4

const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const at = (value: number) => String(Math.round(value * 10) / 10)

/** A round number that is at least `value`: 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  let power = 1
  while (power < value) power *= 10
  while (power / 10 >= value) power /= 10
  return [0.2, 0.5, 1].map((share) => share * power).find((each) => each >= value) ?? power
}

/** The plot as an SVG document. */
export function svgOf({ title, unit, groups, legend, bars }: Plot): string {
  const stacked = bars.some((group) => group.some(({ parts }) => parts.length > 1))
  const heights = bars.flatMap((group) =>
    group.flatMap(({ parts, marker = 0 }) => [parts.reduce((sum, each) => sum + each, 0), marker]),
  )
  const top = roundUp(Math.max(...heights))
  const inner = { width: WIDTH - FRAME.left - FRAME.right, height: HEIGHT - FRAME.top - FRAME.bottom }
  const y = (value: number) => FRAME.top + inner.height * (1 - value / top)
  const step = inner.width / groups.length
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="${text(title)}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${FRAME.left}" y="18" font-size="14" fill="#111111">${text(title)}</text>`,
  ]
  legend.forEach((name, index) => {
    const x = FRAME.left + index * (inner.width / Math.max(4, legend.length))
    lines.push(
      `<rect x="${at(x)}" y="28" width="12" height="12" fill="${COLOURS[index % COLOURS.length]}"/>`,
      `<text x="${at(x + 16)}" y="38" fill="#111111">${text(name)}</text>`,
    )
  })
  for (let tick = 0; tick <= TICKS; tick++) {
    const value = (top * tick) / TICKS
    lines.push(
      `<line x1="${FRAME.left}" x2="${WIDTH - FRAME.right}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="#cccccc"/>`,
      `<text x="${FRAME.left - 6}" y="${at(y(value) + 4)}" text-anchor="end" fill="#333333">${Number(value.toPrecision(3))}</text>`,
    )
  }
  lines.push(`<text x="4" y="${FRAME.top - 6}" fill="#333333">${text(unit)}</text>`)
  groups.forEach((name, group) => {
    const own = bars[group] ?? []
    const width = (step * 0.8) / Math.max(1, own.length)
    own.forEach(({ parts, marker }, index) => {
      const x = FRAME.left + group * step + step * 0.1 + index * width
      let below = 0
      parts.forEach((value, part) => {
        const colour = COLOURS[(stacked ? part : index) % COLOURS.length]
        lines.push(
          `<rect x="${at(x)}" y="${at(y(below + value))}" width="${at(width * 0.92)}" height="${at(y(below) - y(below + value))}" fill="${colour}"/>`,
        )
        below += value
      })
      if (marker !== undefined)
        lines.push(
          `<circle cx="${at(x + width * 0.46)}" cy="${at(y(marker))}" r="3" fill="#ffffff" stroke="#111111"/>`,
        )
    })
    lines.push(
      `<text x="${at(FRAME.left + (group + 0.5) * step)}" y="${HEIGHT - 20}" text-anchor="middle" fill="#333333">${text(name)}</text>`,
    )
  })
  return `${[...lines, '</svg>'].join('\n')}\n`
}
