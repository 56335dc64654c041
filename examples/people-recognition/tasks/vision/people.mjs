// From faces to people: faces that look alike are one person, unless one frame shows both.
import { cluster } from './cluster.mjs'
import { likeness } from './embed.mjs'

/** A person counts when seen this often: what is seen once is likelier a patch that is no face, or a spoilt copy. */
const ENOUGH = 2

/** Indexes of `faces` (`{ frame, points }`) by person. `sameness` is the least mean likeness within a person. */
export function peopleOf(faces, sameness) {
  return cluster(alikeOf(faces), sameness).filter(({ length }) => length >= ENOUGH)
}

/** The same for several values of `sameness`: how many people each gives. */
export function countsOf(faces, values) {
  const alike = alikeOf(faces)
  return values.map((value) => cluster(alike, value).filter(({ length }) => length >= ENOUGH).length)
}

function alikeOf(faces) {
  const alike = likeness(faces.map(({ points }) => points))
  // Nobody is in two places of one frame.
  for (let a = 0; a < faces.length; a++)
    for (let b = 0; b < faces.length; b++) if (a !== b && faces[a].frame === faces[b].frame) alike[a][b] = -1
  return alike
}
