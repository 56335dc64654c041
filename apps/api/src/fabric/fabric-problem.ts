import { FabricError, type FabricErrorCode } from '@hivemind/fabric'
import { Problem } from '../common/problem.ts'

const STATUS: Partial<Record<FabricErrorCode, number>> = {
  'not-found': 404,
  'bad-parameters': 400,
  board: 409,
}

/** Does a piece of work of the fabric; what it fails for becomes an answer. */
export async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FabricError) throw new Problem(STATUS[error.code] ?? 422, error.message)
    throw error
  }
}
