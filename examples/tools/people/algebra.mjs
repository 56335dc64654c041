// The linear algebra of the training, over arrays of Float64Array.

/** The lower triangle L of a symmetric positive definite matrix, L Lᵀ = a; written over the lower triangle of `a`. */
export function choleskyOf(a) {
  for (let i = 0; i < a.length; i++)
    for (let j = 0; j <= i; j++) {
      let sum = a[i][j]
      for (let k = 0; k < j; k++) sum -= a[i][k] * a[j][k]
      a[i][j] = i === j ? Math.sqrt(sum) : sum / a[j][j]
    }
  return a
}

/** x with L x = vector. */
export function solveLower(lower, vector) {
  const out = Float64Array.from(vector)
  for (let i = 0; i < out.length; i++) {
    for (let k = 0; k < i; k++) out[i] -= lower[i][k] * out[k]
    out[i] /= lower[i][i]
  }
  return out
}

/** x with Lᵀ x = vector. */
export function solveUpper(lower, vector) {
  const out = Float64Array.from(vector)
  for (let i = out.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < out.length; k++) out[i] -= lower[k][i] * out[k]
    out[i] /= lower[i][i]
  }
  return out
}

/** The strongest directions of a set of vectors, by power iteration with deflation. */
export function principal(vectors, count, next) {
  const size = vectors[0].length
  const left = vectors.map((vector) => Float64Array.from(vector))
  const along = (vector, direction) => {
    let share = 0
    for (let at = 0; at < size; at++) share += vector[at] * direction[at]
    return share
  }
  return Array.from({ length: count }, () => {
    let direction = Float64Array.from({ length: size }, () => next() - 0.5)
    for (let pass = 0; pass < 60; pass++) {
      const sum = new Float64Array(size)
      for (const vector of left) {
        const share = along(vector, direction)
        for (let at = 0; at < size; at++) sum[at] += share * vector[at]
      }
      const length = Math.hypot(...sum) || 1
      direction = sum.map((value) => value / length)
    }
    for (const vector of left) {
      const share = along(vector, direction)
      for (let at = 0; at < size; at++) vector[at] -= share * direction[at]
    }
    return direction
  })
}
