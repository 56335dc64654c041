/**
 * The connected regions of a mask (bytes, row by row; 4-neighbours), each as its pixel count, its bounding box
 * and its centre, in the order in which a reader meets them.
 */
export function regionsOf(mask, width, height) {
  const open = Uint8Array.from(mask)
  const regions = []
  for (let start = 0; start < open.length; start++)
    if (open[start]) regions.push(flood(open, width, height, start))
  return regions
}

function flood(open, width, height, start) {
  const region = { area: 0, left: width, right: 0, top: height, bottom: 0, x: 0, y: 0 }
  const queue = [start]
  open[start] = 0
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const [x, y] = [at % width, Math.floor(at / width)]
    region.area += 1
    region.x += x + 0.5
    region.y += y + 0.5
    region.left = Math.min(region.left, x)
    region.right = Math.max(region.right, x + 1)
    region.top = Math.min(region.top, y)
    region.bottom = Math.max(region.bottom, y + 1)
    const beside = [
      x > 0 && at - 1,
      x + 1 < width && at + 1,
      y > 0 && at - width,
      y + 1 < height && at + width,
    ]
    for (const next of beside)
      if (next !== false && open[next]) {
        open[next] = 0
        queue.push(next)
      }
  }
  region.x /= region.area
  region.y /= region.area
  return region
}
