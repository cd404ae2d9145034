import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { operatorIssuer } from '@payments/chassis/request/operator-calls'
import type { Contract, Endpoint } from '@payments/contracts/grammar/contract'
import fc from 'fast-check'
import type { Response } from 'supertest'
import { type Caller, createCallers, operatorName } from '../calls/caller.ts'
import { validRequests } from '../generators/broken-request.ts'
import type { OwnerRows } from '../services/service-world.ts'
import type { Subject } from './contract-suite.ts'

/** A service that operators may call. */
export interface OperatorSubject extends Subject {
  readonly rows: OwnerRows
}

/** The completed audit records of the call with this response, before they are published. */
export async function operatorRecords(rows: OwnerRows, { headers }: Response): Promise<object[]> {
  const sql = `SELECT record FROM operator_calls WHERE record->>'trace_id' = $1 AND completed_at IS NOT NULL`
  return (await rows<{ record: object }>(sql, headers['trace-id'])).map(({ record }) => record)
}

/**
 * The tests that each service has: when a response leaves, the audit record of the call is
 * stored, also where the service rejects the call. The gateway records the calls of tenants.
 */
export function operatorSuite(contract: Contract, currentSubject: () => OperatorSubject): void {
  const endpoints = Object.entries(contract.endpoints)
  const callers = () => createCallers(contract, currentSubject().edgeKey, currentSubject().app)

  for (const [operation, endpoint] of endpoints.filter(([, one]) => isForOperators(one))) {
    test(`${operation} leaves an audit record with the name of the operator, also of a rejected call`, async () => {
      const operator = callers().asOperator()
      const { path, reply } = await sendTo(operator, endpoint)
      const { status, body } = reply
      expect(status).toBeLessThan(500)
      const record = { actor: { type: 'operator', id: operatorName }, operation, method: endpoint.method, path }
      const outcome = status < 400 ? 'success' : 'rejected'
      expect(await operatorRecords(currentSubject().rows, reply)).toMatchObject([
        { ...record, outcome, status, code: body?.code ?? null, ...tenantIn(endpoint, path) },
      ])
      const malformed = await operator.send(clientMethod(endpoint), `${path}?no_such_field=1`)
      expect(await operatorRecords(currentSubject().rows, malformed)).toMatchObject([
        { ...record, outcome: 'rejected', status: 400, code: 'invalid_request', tenant_id: null },
      ])
    })
  }

  test('a call of a tenant leaves no audit record in the service', async () => {
    const ofTenants = endpoints.map(([, endpoint]) => endpoint).filter(({ audience }) => audience === 'tenant')
    expect(ofTenants).not.toEqual([])
    for (const endpoint of ofTenants.slice(0, 1)) {
      const { reply } = await sendTo(callers().asTenant(randomUUID()), endpoint)
      expect(await operatorRecords(currentSubject().rows, reply)).toEqual([])
    }
  })
}

const isForOperators = ({ callers = [] }: Endpoint) => callers.includes(operatorIssuer)
const clientMethod = ({ method }: Endpoint) => method.toLowerCase() as Lowercase<Endpoint['method']>

/** The tenant that the path names. The chain of no tenant is named `none`. */
function tenantIn({ path }: Endpoint, target: string): { tenant_id?: string | null } {
  const pattern = new RegExp(path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)'))
  const named = pattern.exec(target)?.groups?.['tenant_id']
  if (named === undefined) return {}
  return { tenant_id: named === 'none' ? null : named.toLowerCase() }
}

/** Sends a valid request with random values. Returns its path without the query, and the response. */
async function sendTo(caller: Caller, endpoint: Endpoint): Promise<{ path: string; reply: Response }> {
  const [request] = fc.sample(validRequests(endpoint), 1)
  if (request === undefined) throw new Error('fast-check generated no request')
  const { target, body } = request
  const reply = await caller.send(clientMethod(endpoint), target, body?.toString())
  return { path: target.replace(/\?.*/s, ''), reply }
}
