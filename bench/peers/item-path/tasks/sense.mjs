export function* run(_inputs, _args, context) {
  const frame = new Uint8Array(100000).fill(7)
  for (let n = 0; n < context.maxItems; n++) yield frame
}
