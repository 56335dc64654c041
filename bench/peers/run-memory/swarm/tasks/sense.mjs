/** Emits numbers; the bench has devices of its own that answer for it. */
export function* run(_inputs, _args, context) {
  for (let n = 0; n < context.maxItems; n++) yield { n }
}
