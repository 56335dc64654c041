/** Counts from 0, `items` values in all, or fewer where the run asks for fewer. */
export function* run(_inputs, args, context) {
  const count = Math.min(args.items, context.maxItems ?? args.items)
  for (let value = 0; value < count; value++) yield value
}
