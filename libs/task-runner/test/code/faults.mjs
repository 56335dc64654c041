import { writeFileSync } from 'node:fs'
export function run(_, args, context) {
  if (args.do === 'throw') throw new TypeError('no such thing')
  if (args.do === 'exit') process.exit(7)
  if (args.do === 'loop') for (;;) {}
  if (args.do === 'hog') {
    const all = []
    for (;;) all.push(Buffer.alloc(1e7, 1))
  }
  if (args.do === 'map') return { deep: [new Map()] }
  if (args.do === 'escape') return context.path('../../x')
  if (args.do === 'pid-loop') {
    writeFileSync(args.file, String(process.pid))
    for (;;) {}
  }
  return null
}
