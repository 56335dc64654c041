import { expect, it } from 'vitest'
import { checkIdl, type IdlField, type IdlModel, printIdl } from './idl.ts'

const field = (id: number, name: string, type: IdlField['type']): IdlField => ({ id, name, type })
const model: IdlModel = {
  namespace: 'test',
  structs: [
    {
      name: 'Item',
      fields: [
        field(1, 'name', 'string'),
        field(2, 'payload', 'binary'),
        field(3, 'size', 'i64'),
        field(4, 'weights', { list: 'double' }),
        field(5, 'tags', { map: ['string', 'bool'] }),
      ],
    },
  ],
  exceptions: [{ name: 'Refused', fields: [field(1, 'why', 'string')] }],
  services: [
    {
      name: 'Echo',
      functions: [
        {
          name: 'echo',
          params: [field(1, 'item', { struct: 'Item' }), field(2, 'times', 'i32')],
          returns: { list: { struct: 'Item' } },
          throws: [field(1, 'refused', { struct: 'Refused' })],
        },
        { name: 'slow', params: [field(1, 'ms', 'i32')], returns: 'i32', throws: [] },
      ],
    },
  ],
}
it('prints IDL text and finds faults of a model', () => {
  const text = printIdl(model)
  expect(text).toContain('struct Item')
  expect(text).toContain('throws (1: Refused refused)')
  const broken = { ...model, services: [{ name: 'class', functions: [] }] }
  expect(checkIdl(broken).join(' ')).toContain('reserved')
})
