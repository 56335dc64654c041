// Divides the field into strips, one for each device, and leads each device over its strip in lanes (paper, section 2.1).

/** Without an input map: the coverage of the paper's camera, 6.7 m by 8.75 m, over a small field. */
const DEFAULT_FIELD = { width: 40, height: 35, coverage: { width: 6.7, height: 8.75 } }

export function run({ inputMap }, _args, { deviceIndex, devices, device, log }) {
  const { width, height, coverage } = { ...DEFAULT_FIELD, ...(inputMap ?? {}) }
  if (!(width > 0 && height > 0 && coverage?.width > 0 && coverage?.height > 0))
    throw new Error(
      'inputMap must give width, height and coverage {width, height}, all in metres and above 0.',
    )
  const strip = width / devices.length
  const left = deviceIndex * strip
  const lanes = Math.max(1, Math.ceil(strip / coverage.width))
  const waypoints = []
  for (let lane = 0; lane < lanes; lane++) {
    const x = left + ((lane + 0.5) * strip) / lanes
    const ends = [0, height]
    for (const y of lane % 2 === 0 ? ends : ends.reverse()) waypoints.push({ x, y })
  }
  log(`${device} flies ${lanes} lanes of ${height} m`)
  return { device, region: { left, right: left + strip, bottom: 0, top: height }, waypoints }
}
