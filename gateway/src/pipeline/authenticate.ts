import { commonProblems, type FieldError, Problem } from '@payments/contracts/problem'
import type { Authority, Judgement } from '../authority.ts'
import type { Exchange } from '../exchange.ts'
import type { FailedAuthentications } from '../failed-authentications.ts'
import type { Route } from '../route-table.ts'
import { authorize } from './authorize.ts'
import { isUuid } from './identify.ts'
import { refuseAddress, tooManyFailures } from './limit.ts'

/**
 * Who is it? One answer, invalid_credentials, for everything that is wrong with a credential, the tenant it is used for
 * included: which it is, is not told.
 */
export async function authenticate(
  authority: Authority,
  failures: FailedAuthentications,
  exchange: Exchange,
): Promise<Judgement> {
  refuseAddress(failures, exchange)
  const bearer = bearerOf(exchange)
  const judgement = bearer === undefined ? undefined : await authority.judge(bearer, { traceId: exchange.traceId })
  const [tenantId] = exchange.given['tenant-id']
  const isForeign = isUuid(tenantId) && tenantId.toLowerCase() !== judgement?.tenantId.toLowerCase()
  if (judgement === undefined || isForeign) {
    const refusedForSeconds = await failures.count(exchange.address, exchange)
    if (refusedForSeconds !== undefined) throw tooManyFailures(refusedForSeconds)
    throw new Problem(commonProblems.invalid_credentials)
  }
  exchange.judgement = judgement
  return judgement
}

/**
 * Decides about the request again, after the gateway has waited for the client or for another service: what was revoked
 * meanwhile binds this request too. A credential that represents another tenant or actor by now is not good for this request.
 */
export async function authenticateAgain(authority: Authority, route: Route, exchange: Exchange): Promise<Judgement> {
  const { judgement: before, traceId } = exchange
  const bearer = bearerOf(exchange)
  const judgement = bearer === undefined ? undefined : await authority.judge(bearer, { traceId })
  if (judgement === undefined || before === undefined || !isSameCaller(judgement, before)) {
    throw new Problem(commonProblems.invalid_credentials)
  }
  exchange.judgement = judgement
  authorize(route, judgement, exchange)
  return judgement
}

function isSameCaller(one: Judgement, other: Judgement): boolean {
  return one.tenantId === other.tenantId && one.actor.type === other.actor.type && one.actor.id === other.actor.id
}

/** RFC 6750: `Bearer`, in any case, and one token. */
function bearerOf({ given }: Exchange): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(given.authorization[0] ?? '')?.[1]
}

/** Only a good credential learns what is wrong with the headers beside it. */
export function refuseBadHeaders({ given }: Exchange, judgement: Judgement): void {
  const errors: FieldError[] = []
  const check = (name: string, value: string | undefined, isRequired: boolean) => {
    if (value === undefined ? isRequired : !isUuid(value)) {
      const detail = value === undefined ? 'is missing' : 'must be a UUID'
      errors.push({ pointer: `/headers/${name}`, detail })
    }
  }
  check('Trace-ID', given['trace-id'][0], true)
  check('Tenant-ID', given['tenant-id'][0], judgement.actor.type === 'api_key')
  if (errors.length === 0) return
  const detail = errors.map((error) => `${error.pointer.slice('/headers/'.length)} ${error.detail}`).join('; ')
  throw new Problem(commonProblems.invalid_header, { detail, errors })
}
