import type { Response } from 'express'
import { actorName } from '../base/caller.ts'
import './locals.ts'

interface Sender {
  /** Empty without a tenant. */
  readonly tenantId: string
  /** The actor, as the member of its tenant (`AcquireOptions`). Empty for a service, which calls for all tenants. */
  readonly member: string
}

/** Among whom the permits for requests are divided: tenants, and the credentials of each. */
export function readSender({ locals: { assertion } }: Response): Sender {
  if (assertion === undefined) return { tenantId: '', member: '' }
  const { tenantId, actor } = assertion
  return { tenantId: tenantId ?? '', member: actor.type === 'api_key' || actor.type === 'user' ? actorName(actor) : '' }
}
