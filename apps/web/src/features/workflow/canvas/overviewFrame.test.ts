import { describe, expect, it } from 'vitest'
import { boundsOf, frameOf } from './overviewFrame.ts'

const size = { width: 150, height: 100 }

describe('the overview of a canvas', () => {
  it('holds all tasks, in the middle', () => {
    const shown = boundsOf([
      { x: -400, y: 100, width: 200, height: 60 },
      { x: 9_000, y: 700, width: 200, height: 60 },
    ])
    expect(shown).toEqual({ x: -400, y: 100, width: 9_600, height: 660 })
    const { x, y, width, height } = frameOf(shown, size).fromCanvas(shown)
    expect(x + width / 2).toBeCloseTo(75)
    expect(y + height / 2).toBeCloseTo(50)
    expect(width).toBeCloseTo(120)
    expect(width / height).toBeCloseTo(9_600 / 660)
  })

  it('finds the place on the canvas under a pixel', () => {
    const frame = frameOf({ x: 40, y: -3_000, width: 500, height: 8_000 }, size)
    const { x, y } = frame.fromCanvas({ x: 123, y: 456, width: 0, height: 0 })
    const back = frame.toCanvas({ x, y })
    expect(back.x).toBeCloseTo(123)
    expect(back.y).toBeCloseTo(456)
  })

  it('draws one task, or none, in a size that is still one of a task', () => {
    const one = { x: 0, y: 0, width: 192, height: 60 }
    expect(frameOf(one, size).fromCanvas(one).width).toBeCloseTo(19.2)
    expect(frameOf(boundsOf([]), size).toCanvas({ x: 75, y: 50 })).toEqual({ x: 0, y: 0 })
  })
})
