import { describe, expect, it } from 'vitest'
import { nameFits, nameParts } from './nameFit.ts'

describe('the name of a task on its card', () => {
  const box = { width: 140, height: 52 }
  it('is broken where its words begin', () => {
    expect(nameParts('obstacleAvoidance')).toEqual(['obstacle', 'Avoidance'])
    expect(nameParts('face_recognition')).toEqual(['face_', 'recognition'])
    expect(nameParts('plan')).toEqual(['plan'])
    expect(nameParts('größeMessen2Mal')).toEqual(['größe', 'Messen2', 'Mal'])
  })
  it('may take two lines, but breaks no word', () => {
    expect(nameFits('judge', 22, box)).toBe(true)
    expect(nameFits('obstacleAvoidance', 22, box)).toBe(true)
    expect(nameFits('obstacleAvoidanceAgain', 22, box)).toBe(false)
    expect(nameFits('deduplication', 22, box)).toBe(false)
    expect(nameFits('deduplication', 22, { ...box, width: 166 })).toBe(true)
  })
})
