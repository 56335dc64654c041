import { createContext, type ReactNode, use } from 'react'
import { download, fileName } from '../../reports/download.ts'
import { csvOf, jsonOf, type PlotData } from './plotData.ts'

/** Parts of the names of downloaded files: project, version, fleet, seed. */
export const FileParts = createContext<readonly (string | number)[]>([])

const look = 'rounded px-1.5 py-0.5 text-xs text-muted hover:bg-sunken hover:text-ink'

/** A plot with its title, a note, and buttons that download its numbers. */
export function Figure({
  title,
  data,
  note,
  children,
}: {
  title: string
  data?: PlotData
  note?: ReactNode
  children: ReactNode
}) {
  const parts = use(FileParts)
  const save = (extension: 'csv' | 'json') => {
    if (!data) return
    const [type, text] = extension === 'csv' ? ['text/csv', csvOf(data)] : ['application/json', jsonOf(data)]
    download(fileName(extension, ...parts, data.name), type ?? '', text ?? '')
  }
  return (
    <figure className="m-0 flex min-w-0 flex-col gap-1.5">
      <figcaption className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="flex-1 text-sm font-semibold">{title}</h3>
        {data && (
          <span className="flex gap-1">
            {(['csv', 'json'] as const).map((extension) => (
              <button
                key={extension}
                type="button"
                className={look}
                aria-label={`${title} as ${extension.toUpperCase()}`}
                onClick={() => save(extension)}
              >
                {extension.toUpperCase()}
              </button>
            ))}
          </span>
        )}
      </figcaption>
      {children}
      {note && <p className="text-xs text-muted">{note}</p>}
    </figure>
  )
}
