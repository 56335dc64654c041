/** A report as the text of an HTML file that needs nothing else. Loaded only when somebody asks for a report. */
import { renderToStaticMarkup } from 'react-dom/server'
import tokens from '../../../styles.css?raw'
import { ReportPage } from './ReportPage.tsx'
import own from './report.css?raw'
import type { ReportInput } from './reportData.ts'

/** The colours of the light scheme: a report is for paper. */
const colours = [...tokens.slice(0, tokens.indexOf('@layer base')).matchAll(/--color-[a-z-]+:[^;]+;/g)]
  .map(([token]) => token)
  .join('')

export const reportHtml = (input: ReportInput): string =>
  `<!doctype html>\n${renderToStaticMarkup(<ReportPage input={input} styles={`:root{${colours}}\n${own}`} />)}\n`
