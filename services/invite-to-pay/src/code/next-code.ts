import type { Deps } from '../deps.ts'
import { nextCodes } from '../store/due-codes.ts'

export type CodeJob = keyof typeof nextCodes

/** When the job has the next code to work on. */
export const nextCode = ({ db }: Pick<Deps, 'db'>, job: CodeJob): Promise<number | null> =>
  nextCodes[job](db.crossTenant)
