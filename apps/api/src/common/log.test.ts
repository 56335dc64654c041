import { expect, test } from 'vitest'
import { createLog, withRequestId } from './log.ts'

function logged(json: boolean, act: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  act(createLog({ json, level: 'info', write: (text) => lines.push(text) }))
  return lines
}

test('JSON lines carry the request, what they are about, and the error', () => {
  const [line = ''] = logged(true, (log) =>
    withRequestId('r7', () => log.error({ run: 'a1', err: new Error('Broken.') }, 'It failed.')),
  )
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    msg: 'It failed.',
    request: 'r7',
    run: 'a1',
    err: { message: 'Broken.' },
  })
  expect(Date.parse(JSON.parse(line).time)).toBeGreaterThan(0)
})

test('a line for people says when, how bad, what, and about which', () => {
  const lines = logged(false, (log) => {
    log.warn({ deployment: 'd1' }, 'Agent 2\n  was lost.')
    log.debug('not shown')
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}Agent 2 was lost\. deployment=d1\n$/)
})
