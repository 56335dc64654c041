let calls = 0
export async function run(inputs, args, context) {
  context.log(`call ${++calls}`)
  console.log('printed')
  return {
    inputs,
    args,
    device: context.device,
    trace: context.traceparent,
    bytes: new Uint8Array([1, 2, 255]),
    calls,
  }
}
