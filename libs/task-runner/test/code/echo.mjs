/** Gives its inputs back, or the one that `args.only` names. */
export function run(inputs, args) {
  return args.only === undefined ? inputs : inputs[args.only]
}
