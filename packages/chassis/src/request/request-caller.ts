import { assertedPermissions } from '@payments/contracts/grammar/asserted-permissions'
import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { recordedTenantHeader, recordedUserHeader } from '@payments/contracts/services/audit/contract'
import type { Request, Response } from 'express'
import type { Assertion } from '../assertion/assertion.ts'
import type {
  Caller,
  CallerWith,
  CallerWithPermissions,
  Idempotency,
  PublicCaller,
  ServiceCaller,
} from '../base/caller.ts'
import { rejectCardNumbers } from '../base/card-number.ts'
import { fingerprintRequest } from './fingerprint.ts'
import { rawHeaderValues } from './raw-request.ts'

/** The caller that the handler of an endpoint gets. */
export type CallerOf<E extends Endpoint> = E['audience'] extends 'internal'
  ? ServiceCaller
  : E['audience'] extends 'public'
    ? PublicCaller
    : CredentialCallerOf<E['readsPermissions']>

/** By the permissions that the contract lets the handler read. */
type CredentialCallerOf<Read> = Read extends 'all'
  ? CallerWithPermissions
  : Read extends readonly (infer P extends Permission)[]
    ? CallerWith<P>
    : Caller

export type AnyCaller = Caller | ServiceCaller | PublicCaller

/** Throws invalid_credentials, invalid_header and raw_card_data_not_allowed. */
export function readCaller(
  assertion: Assertion | undefined,
  endpoint: Endpoint,
  request: Request,
  response: Response,
  parsed: RequestOf<Endpoint>,
): AnyCaller {
  if (assertion === undefined) throw new Problem(commonProblems.invalid_credentials)
  const { actor, tenantId, traceId, permissions, sessionId = null, browser } = assertion
  if (actor.type === 'service') return { service: actor.id, traceId }
  if (actor.type === 'anonymous') {
    const recordTenant: PublicCaller['recordTenant'] = (recorded, user) => {
      response.set(recordedTenantHeader, recorded)
      if (user !== undefined) response.set(recordedUserHeader, user.id)
    }
    return { traceId, recordTenant, ...(browser === undefined ? {} : { browser }) }
  }
  if (tenantId === null) throw new Problem(commonProblems.invalid_credentials)
  return {
    tenantId,
    actor: { type: actor.type, id: actor.id },
    traceId,
    sessionId,
    isSessionToken: assertion.isSessionToken === true,
    roleIds: assertion.roleIds ?? null,
    roleNames: assertion.roleNames ?? null,
    idempotency: endpoint.idempotent === true ? readIdempotency(endpoint, request, parsed) : null,
    ...permissionsFor(endpoint, permissions),
    ...(endpoint.waits === true ? { left: abortedWithClient(response) } : {}),
  }
}

function abortedWithClient(response: Response): AbortSignal {
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  return abort.signal
}

/** Those that the handler reads. A gateway of another release may name more. */
function permissionsFor(endpoint: Endpoint, asserted: readonly Permission[]) {
  return endpoint.readsPermissions === undefined
    ? {}
    : { permissions: new Set(assertedPermissions(endpoint, asserted)) }
}

function readIdempotency(endpoint: Endpoint, request: Request, parsed: RequestOf<Endpoint>): Idempotency | null {
  const values = rawHeaderValues(request, 'idempotency-key')
  if (values.length === 0) return null
  const [key = ''] = values
  if (values.length > 1 || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const detail = 'must be given once, with 1 to 255 printable ASCII characters without spaces'
    throw new Problem(commonProblems.invalid_header, { errors: [{ pointer: '/headers/Idempotency-Key', detail }] })
  }
  rejectCardNumbers(key, 'Idempotency-Key')
  return { key, fingerprint: fingerprintRequest(endpoint, request, parsed), replayed: false }
}
