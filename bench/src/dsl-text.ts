/** The generated workflow text, and the clock for work that is repeated within one process. */

/** A workflow of a sensor and a binary tree of tasks below it, written as a person would. */
export function textOf(tasks: number): string {
  const children = (index: number) =>
    [2 * index + 1, 2 * index + 2].filter((child) => child < tasks).map((child) => `'task${child}'`)
  const names = Array.from({ length: tasks }, (_, index) => `'task${index}'`)
  const statements = names.map((_, index) => {
    const above = Math.floor((index - 1) / 2)
    return [
      `Task(task${index}, ${index === 0 ? 'None' : `data${above}`}, data${index},`,
      `     'tasks/task${index}.py', threshold=0.5, mode='fast',`,
      `     parentTask=${index === 0 ? 'None' : `['task${above}']`}, childTask=[${children(index).join(', ')}])`,
    ].join('\n')
  })
  return `TaskGraph(list=[${names.join(', ')}], constraint=dict(execTime='10s'))\n\n${statements.join('\n\n')}\n`
}

/** Median CPU seconds of one call, of 30 after 10 to warm up. */
export function medianTime(call: () => unknown): number {
  for (let i = 0; i < 10; i++) call()
  const times = Array.from({ length: 30 }, () => {
    const before = process.cpuUsage()
    call()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  })
  return times.sort((a, b) => a - b)[15] as number
}
