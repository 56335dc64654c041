/** The fabric of a fleet from the boards that it has. */
import type { Fabric, Fleet } from './fleet.ts'

/** What was measured of a board, and what its build says. */
export interface BoardFigures extends Pick<Fabric, 'places' | 'clockMHz' | 'cyclesPerItem'> {
  /** Id of the build that is loaded. */
  build: string
}

/** The fleet with boards as its fabric: the least that any of them can do. Without boards, as it is. */
export function withBoards(fleet: Fleet, boards: readonly BoardFigures[]): Fleet {
  if (boards.length === 0) return fleet
  return {
    ...fleet,
    fabric: {
      boards: boards.length,
      places: Math.min(...boards.map(({ places }) => places)),
      clockMHz: Math.min(...boards.map(({ clockMHz }) => clockMHz)),
      cyclesPerItem: Math.max(...boards.map(({ cyclesPerItem }) => cyclesPerItem)),
      sources: boards.map(({ build, clockMHz, cyclesPerItem }) => ({
        what: `${cyclesPerItem} cycles of ${Math.round(clockMHz * 10) / 10} MHz`,
        from: `measured on a board with build ${build.slice(0, 12)}`,
      })),
    },
  }
}
