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
  if (args.do === 'report-and-loop') {
    context.log('looping')
    setImmediate(() => {
      for (;;) {}
    })
    return new Promise(() => {})
  }
  return null
}
