import { describe, expect, it } from 'vitest'
import { nameParts, nameSize } from './nameFit.ts'

describe('the name of a task on its card', () => {
  const box = { width: 140, height: 52 }
  it('is broken where its words begin', () => {
    expect(nameParts('obstacleAvoidance')).toEqual(['obstacle', 'Avoidance'])
    expect(nameParts('face_recognition')).toEqual(['face_', 'recognition'])
    expect(nameParts('plan')).toEqual(['plan'])
    expect(nameParts('größeMessen2Mal')).toEqual(['größe', 'Messen2', 'Mal'])
  })
  it('is as large as wanted where it fits', () => expect(nameSize('judge', 26, box)).toBe(26))
  it('takes two lines rather than small letters', () => {
    const size = nameSize('obstacleAvoidance', 26, box)
    expect(size).toBeGreaterThan(20)
    expect(2 * size).toBeLessThanOrEqual(box.height)
  })
  it('never goes below a least size, however long it is', () => {
    expect(nameSize('a'.repeat(200), 26, box)).toBe(12)
  })
})
