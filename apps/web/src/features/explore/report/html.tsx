/** A report as the text of a self-contained HTML file. This module is loaded only when a report is requested. */
import { renderToStaticMarkup } from 'react-dom/server'
import tokens from '../../../styles.css?raw'
import { ReportPage } from './ReportPage.tsx'
import own from './report.css?raw'
import type { ReportInput } from './reportData.ts'

/** The colours of the light scheme, since reports are printed. */
const colours = [...tokens.slice(0, tokens.indexOf('@layer base')).matchAll(/--color-[a-z-]+:[^;]+;/g)]
  .map(([token]) => token)
  .join('')

/** The report as HTML. */
export const reportHtml = (input: ReportInput): string =>
  `<!doctype html>\n${renderToStaticMarkup(<ReportPage input={input} styles={`:root{${colours}}\n${own}`} />)}\n`
