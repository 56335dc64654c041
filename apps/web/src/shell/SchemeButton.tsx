import { Monitor, Moon, Sun } from 'lucide-react'
import { chooseScheme, type SchemeChoice, useSchemeChoice } from './scheme.ts'

const next: Record<SchemeChoice, SchemeChoice> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: Monitor, light: Sun, dark: Moon }

/** Switches the colour scheme: system, light, dark. */
export function SchemeButton() {
  const choice = useSchemeChoice()
  const Icon = icons[choice]
  const label = `Colours: ${choice}. Switch to ${next[choice]}`
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      onClick={() => chooseScheme(next[choice])}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  )
}
