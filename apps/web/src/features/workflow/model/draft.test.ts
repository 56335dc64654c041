import { describe, expect, it } from 'vitest'
import { type Draft, isOfAnother, parseDraft, stampOf } from './draft.ts'

const draft: Draft = { base: 3, text: 'a\r\nb', nodes: {}, at: '2026-11-21T08:00:00.000Z', page: 'one' }

describe('a draft', () => {
  it('is read back as it was kept, also one that says no page', () => {
    expect(parseDraft(JSON.stringify(draft))).toEqual(draft)
    const { page, ...old } = draft
    expect(page).toBe('one')
    expect(parseDraft(JSON.stringify(old))).toEqual({ ...draft, page: '' })
  })
  it('is none when what is stored makes no sense', () => {
    for (const stored of [null, '', '{', '[]', '"x"', '{"base":"3"}']) expect(parseDraft(stored)).toBeNull()
  })
  it('of another tab is not written over before it was seen', () => {
    expect(isOfAnother(draft, { page: 'two', seen: '', text: 'c', nodes: {} })).toBe(true)
    expect(
      isOfAnother(draft, { page: 'two', seen: stampOf({ ...draft, at: '1' }), text: 'c', nodes: {} }),
    ).toBe(true)
    expect(isOfAnother(draft, { page: 'two', seen: stampOf(draft), text: 'c', nodes: {} })).toBe(false)
  })
  it("is no other's when this tab kept it, or when the text is the same", () => {
    expect(isOfAnother(draft, { page: 'one', seen: '', text: 'c', nodes: {} })).toBe(false)
    expect(isOfAnother(draft, { page: 'two', seen: '', text: draft.text, nodes: {} })).toBe(false)
    expect(
      isOfAnother(draft, { page: 'two', seen: '', text: draft.text, nodes: { a: { x: 1, y: 2 } } }),
    ).toBe(true)
    expect(isOfAnother(null, { page: 'two', seen: '', text: 'c', nodes: {} })).toBe(false)
  })
})
