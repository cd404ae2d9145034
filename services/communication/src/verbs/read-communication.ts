import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type Communication, problems } from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { presentCommunication } from '../domain/communication.ts'
import { findCommunication } from '../store/communications.ts'

/** Throws communication_not_found. */
export async function readCommunication(
  deps: Deps,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: string,
): Promise<Communication> {
  const communication = await deps.db.readInTenant(tenantId, (tx) => findCommunication(tx, tenantId, id))
  if (communication === null) throw new Problem(problems.communication_not_found)
  return presentCommunication(communication)
}
