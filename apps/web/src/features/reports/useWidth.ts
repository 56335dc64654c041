import { useEffect, useRef, useState } from 'react'

/** Current width of the element that `box` refers to, in whole pixels: `initial` until it is on the page, at least `min`. */
export function useWidth(initial = 640, min = 320) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(initial)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(min, Math.floor(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [min])
  return { box, width }
}
