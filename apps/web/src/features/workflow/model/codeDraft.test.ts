import { expect, it } from 'vitest'
import { parseCodeDraft } from './codeDraft.ts'

it('a draft of a code file is read back as it was kept, and nothing else is taken for one', () => {
  const draft = { base: 'none', text: 'a\r\nb', at: '2026-11-21T08:00:00.000Z' }
  expect(parseCodeDraft(JSON.stringify(draft))).toEqual(draft)
  for (const stored of [null, '', '{', '[]', '"x"', 'null', '{"base":3,"text":"","at":""}'])
    expect(parseCodeDraft(stored)).toBeNull()
})
