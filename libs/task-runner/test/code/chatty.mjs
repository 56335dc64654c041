/** Logs and prints one line of 20 MB each. */
export function run(_inputs, _args, context) {
  const line = 'x'.repeat(20_000_000)
  context.log(line)
  process.stdout.write(`${line}\n`)
  context.log('the end')
  return 1
}
