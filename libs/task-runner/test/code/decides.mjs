export function run(_inputs, _args, context) {
  const raw = new Uint8Array([1, 2])
  context.report({ turn: 'left' })
  context.report(raw)
  raw.fill(9)
}
