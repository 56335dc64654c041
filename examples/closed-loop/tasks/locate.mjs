/** Where this robot stands: the robots wait side by side along the lower edge of the field, in the order of their names. */
export function run({ field }, _args, context) {
  const { deviceIndex, devices } = context
  const x = (field.widthM * (deviceIndex + 0.5)) / devices.length
  context.log(`at ${x.toFixed(1)} m of the lower edge`)
  return { x, y: 0 }
}
