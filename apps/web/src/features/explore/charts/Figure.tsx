import { createContext, type ReactNode, use, useEffect, useMemo, useRef } from 'react'
import type { PlotData } from './plotData.ts'

/** A plot whose numbers can be exported. */
export interface ExportableFigure {
  title: string
  data: PlotData
}

interface Registry {
  figures: Set<{ current: ExportableFigure }>
}

const RegistryContext = createContext<Registry | null>(null)

/** Collects the plots inside it, so that one menu exports all of them. */
export function Exportable({ children }: { children: ReactNode }) {
  const registry = useMemo<Registry>(() => ({ figures: new Set() }), [])
  return <RegistryContext value={registry}>{children}</RegistryContext>
}

/** Lists the plots that are on the page now. */
export function useExportableFigures(): () => ExportableFigure[] {
  const registry = use(RegistryContext)
  return () => [...(registry?.figures ?? [])].map(({ current }) => current)
}

/** A plot with its title and a note. Its numbers are in the Export menu of the page. */
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
  const registry = use(RegistryContext)
  const own = useRef<ExportableFigure>(undefined)
  own.current = data && { title, data }
  const exists = data !== undefined
  useEffect(() => {
    if (!registry || !exists) return
    const entry = own as { current: ExportableFigure }
    registry.figures.add(entry)
    return () => {
      registry.figures.delete(entry)
    }
  }, [registry, exists])
  return (
    <figure className="m-0 flex min-w-0 flex-col gap-1.5">
      <figcaption>
        <h3 className="text-sm font-semibold">{title}</h3>
      </figcaption>
      {children}
      {note && <p className="text-xs text-muted">{note}</p>}
    </figure>
  )
}
