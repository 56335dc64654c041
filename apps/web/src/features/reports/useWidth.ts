import { useEffect, useRef, useState } from 'react'

/** The width of an element as it changes, in whole pixels; `first` until it is on the page. */
export function useWidth(first = 640, least = 320) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(first)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(least, Math.floor(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [least])
  return { box, width }
}
