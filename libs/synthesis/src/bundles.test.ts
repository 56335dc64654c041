import type { Task } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { task } from '../test/fixtures.ts'
import { bundleOf, type SourceFile } from './bundles.ts'
import { isCode, mentionsIn } from './mentions.ts'
import type { Bundle } from './plan.ts'

/** A project from texts. */
const project = (texts: Record<string, string>): SourceFile[] =>
  Object.entries(texts).map(([path, text]) => ({
    ...{ path, hash: text, bytes: text.length },
    ...(isCode(path, text.length) && { mentions: mentionsIn(path, text) }),
  }))

const tasks = (...codes: string[]): Task[] => codes.map((code) => task(code.replace(/\W/g, ''), { code }))

/** Paths in the bundle of the first task. */
function pathsOf(files: SourceFile[], all: Task[], args: Record<string, unknown> = {}): string[] {
  const [first, ...others] = all as [Task, ...Task[]]
  const own = { ...first, args: { ...first.args, ...args } } as Task
  return (bundleOf(own, files, [own, ...others]) as Bundle).files.map(({ path }) => path)
}

describe('what a task gets of its folder', () => {
  const all = tasks('tasks/a.py', 'tasks/b.py', 'tasks/c.mjs')

  test('all of it but the code of other tasks', () => {
    const files = project({ 'tasks/a.py': '', 'tasks/b.py': '', 'tasks/c.mjs': '', 'tasks/model/w.bin': '' })
    expect(pathsOf(files, all)).toEqual(['tasks/a.py', 'tasks/model/w.bin'])
    expect(pathsOf(files, all, { files: 'tasks/b.py' })).toContain('tasks/b.py')
    expect(pathsOf(files, all, { files: 'tasks' })).toHaveLength(4)
  })

  test.each([
    ['import b', 'a line of its own'],
    ['from b import helper', 'a part of it'],
    ['from . import (\n  x,\n  b,\n)', 'over several lines'],
    ["importlib.import_module('tasks.b')", 'by a name in quotes'],
    ["open('tasks/b.py').read()", 'as a file'],
    ['try: import b\nexcept ImportError: pass', 'after a colon'],
    ['x = 1; from b import y', 'after a semicolon'],
    ['import math, \\\n  b', 'after the end of a line'],
    ['def load(name):\n  return __import__(name)', 'nobody knows what'],
    ['from importlib import import_module as load\nload(name)', 'by another name'],
    ['load = importlib.import_module\nload(name)', 'by a name of its own'],
    ['exec(open(name).read())', 'as text that it runs'],
  ])('and code that it imports: %s (%s)', (text) => {
    const files = project({ 'tasks/a.py': text, 'tasks/b.py': '', 'tasks/c.mjs': '' })
    expect(pathsOf(files, all)).toContain('tasks/b.py')
  })

  test.each([
    "import { x } from './c.mjs'",
    "const x = require('./c')",
    "await import('../tasks/c.mjs')",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a task
    'await import(`./${name}.mjs`)',
    'await import(name)',
    'const load = createRequire(import.meta.url)\nload(name)',
    'const load = require\nload(name)',
  ])('from JavaScript, too: %s', (text) => {
    const files = project({ 'tasks/b.mjs': text, 'tasks/c.mjs': '', 'tasks/d.mjs': '' })
    expect(pathsOf(files, tasks('tasks/b.mjs', 'tasks/c.mjs', 'tasks/d.mjs'))).toContain('tasks/c.mjs')
  })

  test('and all of it beside code that is too long to be read, or in another language', () => {
    const long = { path: 'tasks/a.py', hash: 'a', bytes: 3_000_000 }
    const others = project({ 'tasks/b.py': '', 'tasks/c.mjs': '' })
    expect(pathsOf([long, ...others], all)).toHaveLength(3)
    const script = project({ 'tasks/a.sh': 'python3 $1', 'tasks/b.py': '', 'tasks/c.mjs': '' })
    expect(pathsOf(script, tasks('tasks/a.sh', 'tasks/b.py', 'tasks/c.mjs'))).toHaveLength(3)
  })

  test('also by way of others', () => {
    const files = project({
      'tasks/a.py': 'import shared',
      'tasks/shared.py': 'import b',
      'tasks/b.py': "X = 'c'",
      'tasks/c.mjs': '',
    })
    expect(pathsOf(files, all)).toHaveLength(4)
  })

  test('a word that is neither imported nor quoted is none', () => {
    const text = '# like b, but faster\nb = 1\nprint(f"a b c")\nfrom math import log'
    const files = project({ 'tasks/a.py': text, 'tasks/b.py': '', 'tasks/c.mjs': '' })
    expect(pathsOf(files, all)).toEqual(['tasks/a.py'])
  })

  test('the code of other tasks may change without changing the bundle', () => {
    const hashOf = (other: string) =>
      (
        bundleOf(
          all[0] as Task,
          project({ 'tasks/a.py': 'import x', 'tasks/b.py': other, 'tasks/x.py': '' }),
          all,
        ) as Bundle
      ).hash
    expect(hashOf('1')).toBe(hashOf('2'))
  })
})
