import { check } from '@hivemind/dsl'
import { createOp, parseNfu } from '@hivemind/nfu'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readArg, showArg } from './args.ts'
import { NODE_HEIGHT, NODE_WIDTH } from './card.ts'
import { applied, difference, inverted, mapped } from './changes.ts'
import { copied, pasted } from './clipboard.ts'
import { createDocument, type Document, isDirty } from './document.ts'
import { type Content, emptyHistory, perform, record, redo, stepOf, undo } from './history.ts'
import { freeName, isName } from './names.ts'
import { newFilesOf } from './newFiles.ts'
import { printOp, readOp } from './op.ts'
import { addItemEdits, connectEdits, connectionRefusal, defaultRelation, paletteItems } from './palette.ts'
import { freeSpot, layered, placeMissing } from './place.ts'
import { codeTemplate } from './templates.ts'

const text = `# A comment that stays.
TaskGraph(list=['sense', 'judge'], constraint=dict(execTime='10s'))

Task(sense, None, reading, 'tasks/sense.js', parentTask=None, childTask=['judge'])
Task(judge, reading, verdict, 'tasks/judge.py', frost=0.5, parentTask=['sense'], childTask=[])
Persist(judge)
`

/** A document whose clock the test moves. */
function open(start = text, nodes = {}): { model: Document; pass: (ms: number) => void } {
  let now = 0
  const model = createDocument({ version: 1, text: start, nodes }, { now: () => now })
  return {
    model,
    pass: (ms) => {
      now += ms
    },
  }
}
const names = (model: Document): string[] => model.getState().workflow?.tasks.map(({ name }) => name) ?? []
const typed = (model: Document, find: string, insert: string): void => {
  const from = model.getState().text.indexOf(find)
  expect(from).toBeGreaterThanOrEqual(0)
  model.actions.type([{ from, to: from + find.length, insert }])
}

describe('changes', () => {
  const someChanges = fc
    .tuple(
      fc.string(),
      fc.array(fc.tuple(fc.nat(30), fc.nat(5), fc.string({ maxLength: 4 })), { maxLength: 5 }),
    )
    .map(([base, raw]) => {
      let at = 0
      const changes = raw.map(([skip, length, insert]) => {
        const from = Math.min(at + skip, base.length)
        const to = Math.min(from + length, base.length)
        at = to + 1
        return { from, to, insert }
      })
      return {
        base,
        changes: changes.filter((one, index) => index === 0 || one.from > (changes[index - 1]?.to ?? 0)),
      }
    })

  it('are taken back by their inverse', () => {
    fc.assert(
      fc.property(someChanges, ({ base, changes }) => {
        expect(applied(applied(base, changes), inverted(base, changes))).toBe(base)
      }),
    )
  })
  it('of a difference turn one text into the other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(applied(a, difference(a, b))).toBe(b)
      }),
    )
  })
  it('carry an offset along', () => {
    const changes = [
      { from: 2, to: 4, insert: 'xyz' },
      { from: 8, to: 8, insert: '!' },
    ]
    expect([0, 2, 3, 6, 9].map((at) => mapped(at, changes))).toEqual([0, 2, 5, 7, 11])
  })
})

describe('history', () => {
  const start = { text: 'abc', nodes: { a: { x: 1, y: 2 } } }
  it('groups a burst of typing, and only that', () => {
    let history = emptyHistory
    let content: Content = start
    for (const [at, group, insert] of [
      [0, 'typing', 'x'],
      [300, 'typing', 'y'],
      [2000, 'typing', 'z'],
      [2100, undefined, '!'],
    ] as const) {
      const step = stepOf(content, [{ from: content.text.length, to: content.text.length, insert }])
      content = perform(content, step)
      history = record(history, step, { label: 'Type', now: at, ...(group ? { group } : {}) })
    }
    expect(history.past).toHaveLength(3)
    const texts: string[] = []
    for (let back = undo(history, content); back; back = undo(back.history, back.content))
      texts.push(back.content.text)
    expect(texts).toEqual(['abcxyz', 'abcxy', 'abc'])
  })
  it('goes back and forth over text and layout together', () => {
    const step = stepOf(
      start,
      [{ from: 0, to: 1, insert: 'A' }],
      [
        { task: 'a', before: { x: 1, y: 2 }, after: { x: 5, y: 6 } },
        { task: 'b', after: { x: 0, y: 0 } },
      ],
    )
    const after = perform(start, step)
    const history = record(emptyHistory, step, { label: 'Both', now: 0 })
    const back = undo(history, after)
    expect(back?.content).toEqual(start)
    const again = back && redo(back.history, back.content)
    expect(again?.content).toEqual(after)
    expect(undo(emptyHistory, start)).toBeNull()
  })
})

describe('a document', () => {
  it('turns an edit of the graph into the text, undoes and redoes it', () => {
    const { model } = open()
    expect(model.actions.edit({ kind: 'renameTask', task: 'judge', to: 'decide' }, { label: 'Rename' })).toBe(
      true,
    )
    expect(names(model)).toEqual(['sense', 'decide'])
    expect(model.getState().text).toContain('# A comment that stays.')
    expect(isDirty(model.getState())).toBe(true)
    model.actions.undo()
    expect(model.getState().text).toBe(text)
    expect(names(model)).toEqual(['sense', 'judge'])
    expect(isDirty(model.getState())).toBe(false)
    model.actions.redo()
    expect(names(model)).toEqual(['sense', 'decide'])
  })
  it('keeps the last good graph while the text has faults of syntax', () => {
    const { model } = open()
    typed(model, 'TaskGraph(', 'TaskGraph((')
    model.actions.flush()
    expect(model.getState().stale).toBe(true)
    expect(names(model)).toEqual(['sense', 'judge'])
    typed(model, 'TaskGraph((', 'TaskGraph(')
    model.actions.flush()
    expect(model.getState()).toMatchObject({ stale: false, text })
  })
  it('is an empty graph when the text is emptied, and all is back after one undo', () => {
    const { model } = open()
    model.actions.type([{ from: 0, to: text.length, insert: '' }])
    model.actions.flush()
    expect(model.getState().stale).toBe(false)
    expect(names(model)).toEqual([])
    model.actions.undo()
    expect(names(model)).toEqual(['sense', 'judge'])
  })
  it('takes the place of a renamed task along, from the canvas and from the text', () => {
    const { model } = open(text, { judge: { x: 500, y: 70, note: 'here' }, sense: { x: 0, y: 0 } })
    model.actions.edit({ kind: 'renameTask', task: 'judge', to: 'decide' }, { label: 'Rename' })
    expect(model.getState().nodes.decide).toEqual({ x: 500, y: 70, note: 'here' })
    expect(model.getState().points.decide).toEqual({ x: 500, y: 70 })
    const renamed = model.getState().text.replaceAll('decide', 'rule')
    model.actions.replaceText(renamed, 'Type')
    expect(model.getState().points.rule).toEqual({ x: 500, y: 70 })
    model.actions.undo()
    model.actions.undo()
    expect(model.getState().points.judge).toEqual({ x: 500, y: 70 })
  })
  it('moves nothing that an edit of the text does not concern', () => {
    const { model } = open()
    const before = model.getState().points
    model.actions.replaceText(
      `${text.replace("'judge']", "'judge', 'more']")}Task(more, None, None, 'tasks/more.js')\n`,
      'Type',
    )
    expect(model.getState().points).toMatchObject(before)
    expect(model.getState().points.more).toBeDefined()
  })
  it('says why an edit makes no sense, and changes nothing', () => {
    const { model } = open()
    expect(model.actions.edit({ kind: 'removeTask', task: 'nobody' }, { label: 'Delete' })).toBe(false)
    expect(model.getState().text).toBe(text)
    expect(model.getState().notice?.text).toContain('nobody')
  })
  it('moves a task, takes it back, and saves a place for every task', () => {
    const { model } = open()
    const first = model.getState().points.judge
    model.actions.move({ judge: { x: 900, y: 900 } })
    expect(isDirty(model.getState())).toBe(true)
    expect(Object.keys(model.actions.layoutToSave())).toEqual(['sense', 'judge'])
    model.actions.undo()
    expect(model.getState().points.judge).toEqual(first)
    expect(isDirty(model.getState())).toBe(false)
  })
  it('takes fixes by hand and all certain ones', () => {
    const broken = text.replace("childTask=['judge'])", "childTask=['judge']))")
    const { model } = open(broken)
    expect(model.getState().diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
    expect(model.actions.fixAll()).toBeGreaterThan(0)
    expect(model.getState().diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    model.actions.undo()
    expect(model.getState().text).toBe(broken)
  })
  it('reads line ends of any kind', () => {
    const { model } = open(text.replaceAll('\n', '\r\n'))
    expect(model.getState().text).toBe(text)
    expect(isDirty(model.getState())).toBe(false)
  })
  it('undoes any mix of edits to the first byte', () => {
    const edits = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('item' as const), at: fc.nat(paletteItems.length - 1) }),
        fc.record({
          kind: fc.constant('type' as const),
          at: fc.nat(400),
          insert: fc.constantFrom('(', "'", ' x', '\n'),
        }),
        fc.record({ kind: fc.constant('remove' as const), at: fc.nat(5) }),
        fc.record({ kind: fc.constant('move' as const), at: fc.nat(5), x: fc.nat(900) }),
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(edits, (list) => {
        const { model, pass } = open()
        for (const edit of list) {
          pass(10_000)
          const { workflow, text } = model.getState()
          const task = workflow?.tasks[edit.at % (workflow.tasks.length || 1)]?.name ?? 'none'
          const item = paletteItems[edit.at]
          if (edit.kind === 'item' && item)
            model.actions.edit({ kind: 'batch', edits: addItemEdits(item, workflow).edits }, { label: 'Add' })
          if (edit.kind === 'type') {
            const at = Math.min(edit.at, text.length)
            model.actions.type([{ from: at, to: at, insert: edit.insert }])
          }
          if (edit.kind === 'remove') model.actions.edit({ kind: 'removeTask', task }, { label: 'Delete' })
          if (edit.kind === 'move') model.actions.move({ [task]: { x: edit.x, y: 0 } })
        }
        const last = model.getState().text
        const { length } = model.getState().history.past
        for (let n = 0; n < length; n++) model.actions.undo()
        expect(model.getState()).toMatchObject({ text, nodes: {} })
        for (let n = 0; n < length; n++) model.actions.redo()
        expect(model.getState().text).toBe(last)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the palette', () => {
  it('adds each item as tasks without errors', () => {
    for (const item of paletteItems) {
      const { model } = open()
      const { name, edits } = addItemEdits(item, model.getState().workflow)
      expect(model.actions.edit({ kind: 'batch', edits }, { label: 'Add' })).toBe(true)
      expect(names(model)).toContain(name)
      const errors = model
        .getState()
        .diagnostics.filter(
          ({ severity, code }) =>
            severity === 'error' && !(item.kind === 'barrier' && code.startsWith('HM5')),
        )
      expect(errors, item.kind).toEqual([])
    }
  })
  it('begins an empty text', () => {
    const { model } = open('')
    const item = paletteItems[0]
    if (!item) throw new Error('no item')
    expect(
      model.actions.edit({ kind: 'batch', edits: addItemEdits(item, null).edits }, { label: 'Add' }),
      model.getState().notice?.text,
    ).toBe(true)
    expect(names(model)).toEqual(['sensor'])
  })
  it('finds what undo and redo lead to, without checking it again', () => {
    const { model } = open()
    const before = model.getState()
    model.actions.edit({ kind: 'setArg', task: 'judge', arg: 'frost', value: 2 }, { label: 'Frost' })
    const after = model.getState()
    expect(after.workflow).not.toBe(before.workflow)
    model.actions.undo()
    expect(model.getState().workflow).toBe(before.workflow)
    expect(model.getState().diagnostics).toBe(before.diagnostics)
    model.actions.redo()
    expect(model.getState().workflow).toBe(after.workflow)
    // What is known of the world has changed: every text is checked anew.
    model.actions.setContext({ fileExists: () => false })
    model.actions.undo()
    expect(model.getState().diagnostics.map(({ code }) => code)).toEqual(['HM802', 'HM802'])
    // Edits go on from the text that was returned to.
    model.actions.edit({ kind: 'setArg', task: 'judge', arg: 'frost', value: 3 }, { label: 'Frost' })
    expect(model.getState().text).toContain('frost=3')
  })
  it('adds a task after the selected one, connected by data', () => {
    const { model } = open('')
    const add = (kind: string, after?: string): void => {
      const item = paletteItems.find((one) => one.kind === kind)
      if (!item) throw new Error(kind)
      const { workflow } = model.getState()
      model.actions.edit(
        { kind: 'batch', edits: addItemEdits(item, workflow, after).edits },
        { label: 'Add' },
      )
      expect(model.getState().notice?.text).toBeUndefined()
    }
    add('sensor')
    add('nfu-filter', 'sensor')
    add('barrier', 'filter')
    add('actuator', 'barrier')
    const { workflow, diagnostics } = model.getState()
    expect(workflow?.tasks.map(({ name, parents, dataIn }) => [name, parents, dataIn])).toEqual([
      ['sensor', [], []],
      ['filter', ['sensor'], ['sensorData']],
      ['barrier', ['filter'], ['filterData']],
      ['actuator', ['barrier'], ['barrierData']],
    ])
    expect(diagnostics).toEqual([])
  })
  it('begins a relation with one that the graph allows', () => {
    const { workflow } = check(
      `${text.replace("'judge']", "'judge', 'act']")}Task(act, None, None, 'act.js')\n`,
    )
    if (!workflow) throw new Error('no workflow')
    expect(defaultRelation(workflow, 'judge', 'sense')).toEqual({ kind: 'serial', a: 'sense', b: 'judge' })
    expect(defaultRelation(workflow, 'sense', 'judge')).toEqual({ kind: 'serial', a: 'sense', b: 'judge' })
    expect(defaultRelation(workflow, 'act', 'judge')).toEqual({ kind: 'parallel', a: 'act', b: 'judge' })
  })
  it('connects tasks so that data flows, and refuses a cycle with a sentence', () => {
    const { model } = open(
      `${text.replace("'judge']", "'judge', 'act']")}Task(act, None, None, 'tasks/act.js')\n`,
    )
    const { workflow } = model.getState()
    if (!workflow) throw new Error('no workflow')
    expect(connectionRefusal(workflow, 'judge', 'sense')).toContain('cycle')
    expect(connectionRefusal(workflow, 'sense', 'judge')).toContain('already')
    expect(connectionRefusal(workflow, 'act', 'act')).not.toBeNull()
    model.actions.edit({ kind: 'batch', edits: connectEdits(workflow, 'judge', 'act') }, { label: 'Connect' })
    expect(model.getState().workflow?.tasks.at(-1)).toMatchObject({ dataIn: ['verdict'], parents: ['judge'] })
  })
})

describe('the clipboard', () => {
  it('pastes tasks under free names, with their data, directives and edges', () => {
    const { workflow } = check(text)
    if (!workflow) throw new Error('no workflow')
    const { model } = open()
    const found = pasted(copied(workflow, ['sense', 'judge']), workflow)
    expect(found && model.actions.edit({ kind: 'batch', edits: found.edits }, { label: 'Paste' })).toBe(true)
    const copy = model.getState().workflow?.tasks.find(({ name }) => name === 'judge2')
    expect(copy).toMatchObject({
      dataIn: ['reading2'],
      dataOut: 'verdict2',
      parents: ['sense2'],
      args: { frost: 0.5 },
      directives: { persist: true },
    })
  })
  it('pastes a schedule, a state and the scope of a relation', () => {
    const { workflow } = check(
      `${text.replace('frost=0.5', "state='device'")}Schedule(judge, priority=2, deadline='1s', onMiss='drop')\nSerial(sense, judge, scope='swarm')\n`,
    )
    if (!workflow) throw new Error('no workflow')
    const { model } = open()
    const found = pasted(copied(workflow, ['sense', 'judge']), workflow)
    expect(found && model.actions.edit({ kind: 'batch', edits: found.edits }, { label: 'Paste' })).toBe(true)
    const after = model.getState().workflow
    expect(after?.tasks.find(({ name }) => name === 'judge2')).toMatchObject({
      args: { state: 'device' },
      directives: { schedule: workflow.tasks[1]?.directives.schedule },
    })
    expect(after?.relations).toEqual([{ kind: 'serial', a: 'sense2', b: 'judge2', scope: 'swarm' }])
  })
  it('lets a copied consumer read what its original reads', () => {
    const { workflow } = check(text)
    if (!workflow) throw new Error('no workflow')
    const { model } = open()
    const found = pasted(copied(workflow, ['judge']), workflow)
    expect(found && model.actions.edit({ kind: 'batch', edits: found.edits }, { label: 'Paste' })).toBe(true)
    expect(model.getState().workflow?.tasks.at(-1)).toMatchObject({ dataIn: ['reading'], parents: ['sense'] })
    expect(model.getState().diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })
  it('takes bare statements, and nothing that is no task', () => {
    expect(pasted("Task(one, None, d, 'tasks/one.js')", null)?.names.get('one')).toBe('one')
    expect(pasted('some words', null)).toBeNull()
  })
})

describe('places', () => {
  const chain = (count: number) =>
    check(
      `TaskGraph(list=[${Array.from({ length: count }, (_, n) => `'t${n}'`).join(', ')}])\n${Array.from(
        { length: count },
        (_, n) =>
          `Task(t${n}, ${n ? `d${n - 1}` : 'None'}, d${n}, 'tasks/t.js', parentTask=${n ? `['t${n - 1}']` : 'None'}, childTask=[${n + 1 < count ? `'t${n + 1}'` : ''}])`,
      ).join('\n')}\n`,
    ).workflow
  it('go from left to right without overlap, and then to the next row', () => {
    const workflow = chain(12)
    if (!workflow) throw new Error('no workflow')
    const points = layered(workflow)
    for (let n = 1; n < 12; n++) {
      const [at = { x: 0, y: 0 }, before = { x: 0, y: 0 }] = [points[`t${n}`], points[`t${n - 1}`]]
      if (at.y === before.y) expect(at.x - before.x).toBeGreaterThan(NODE_WIDTH)
      else expect(at.y - before.y).toBeGreaterThan(NODE_HEIGHT)
    }
  })
  it('of new tasks are beside their parents, and the others stay', () => {
    const workflow = chain(3)
    if (!workflow) throw new Error('no workflow')
    const own = { t0: { x: 0, y: 0 }, t1: { x: 300, y: 40 } }
    const points = placeMissing(workflow, own, {})
    expect(points.t0).toEqual({ x: 0, y: 0 })
    expect(points.t2?.x).toBeGreaterThan(300 + NODE_WIDTH)
  })
  it('are free', () => {
    const taken = [{ x: 0, y: 0 }]
    expect(Math.abs(freeSpot({ x: 10, y: 5 }, taken).y)).toBeGreaterThanOrEqual(NODE_HEIGHT)
    expect(freeSpot({ x: 900, y: 5 }, taken)).toEqual({ x: 900, y: 5 })
  })
})

describe('small things', () => {
  it('finds free names', () => {
    expect(freeName('a', new Set())).toBe('a')
    expect(freeName('a', new Set(['a', 'a2']))).toBe('a3')
    expect(freeName('t9', new Set(['t9']))).toBe('t2')
    expect(['x', 'élan', '1x', 'a b', 'None', ''].map(isName)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
  it('shows arguments so that they are read as the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.array(fc.integer()), fc.constant(null)),
        (value) => {
          expect(readArg(showArg(value))).toEqual(value)
        },
      ),
    )
  })
  it('edits an op by its parameters', () => {
    expect(readOp('nfu:filter?above=0&below=9')).toEqual({ op: 'filter', values: { above: '0', below: '9' } })
    expect(printOp('filter', { above: '', below: '9', window: '8' })).toBe('nfu:filter?below=9')
    expect(printOp('forward', { above: '1' })).toBe('nfu:forward')
    for (const code of ['tasks/a.js', 'nfu:blend', 'nfu:filter?8', 'nfu:filter?above=1&above=2'])
      expect(readOp(code)).toBeNull()
  })
  it('lists the missing files once each, with templates', () => {
    const { workflow } = check(
      `${text}Task(again, None, x, 'tasks/judge.py')\nTask(up, None, y, '../up.js')\nTask(bin, None, z, 'a.bin')\n`,
    )
    expect(newFilesOf(workflow, []).map(({ path }) => path)).toEqual(['tasks/sense.js', 'tasks/judge.py'])
    expect(newFilesOf(workflow, [{ path: 'tasks/sense.js' }]).map(({ path }) => path)).toEqual([
      'tasks/judge.py',
    ])
  })
  it('has sensors whose template every op can take', async () => {
    const { workflow } = check(text)
    const [sense] = workflow?.tasks ?? []
    const template = sense && codeTemplate(sense)
    const code = await import(`data:text/javascript,${encodeURIComponent(template ?? '')}`)
    const values: unknown[] = []
    for await (const value of code.run({}, {}, { device: 'device-1', maxItems: 16 })) values.push(value)
    expect(values).toHaveLength(16)
    for (const item of paletteItems.filter(({ kind }) => kind.startsWith('nfu-'))) {
      const op = createOp(parseNfu(item.make('', new Set()).code))
      expect(values.flatMap((value) => op(value)).length, item.kind).toBeGreaterThan(0)
    }
  })
  it('writes a template for each language and role', () => {
    const { workflow } = check(text)
    const [sense, judge] = workflow?.tasks ?? []
    expect(sense && codeTemplate(sense)).toContain('async function*')
    expect(judge && codeTemplate(judge)).toContain("inputs['reading']")
    expect(judge && codeTemplate({ ...judge, code: 'data/x.bin' })).toBeNull()
  })
})
