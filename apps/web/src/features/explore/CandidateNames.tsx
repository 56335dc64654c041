import { createContext, use } from 'react'
import type { Candidate } from '../../api/types.ts'

/** Names of the shown exploration's candidates by id (`namesOf`). */
export const CandidateNames = createContext<ReadonlyMap<string, string>>(new Map())

/** Names candidates; those that the exploration does not list by their baseline or their id. */
export function useCandidateName(): (candidate: Pick<Candidate, 'id' | 'baseline'>) => string {
  const names = use(CandidateNames)
  return ({ id, baseline }) => names.get(id) ?? baseline ?? id
}
