import { test } from 'vitest'
import { edits, incremental, mutants, roundTrip } from '../test/properties.ts'

test('what is printed is read as the same workflow, and is Python', () => roundTrip(300))
test('an edit changes what it concerns and nothing else', () => edits(300))
test('no text makes anything throw', () => mutants(2000, 1))
test('a document that is changed is read like a new one', () => incremental(100, 2))
