import { randomUUID } from 'node:crypto'
import type { Contract } from '@payments/contracts/grammar/contract'
import request, { type Response } from 'supertest'
import { signCall } from '../calls/signed-call.ts'
import type { Subject } from './contract-suite.ts'

interface OperatorCall {
  readonly response: Response
  readonly traceId: string
}

const payctl = { type: 'service', id: 'payctl' } as const

/** Calls a service as payctl does: with the assertion of an operator. */
export function asOperator(
  { app, edgeKey }: Subject,
  contract: Contract,
): {
  readonly get: (path: string) => Promise<OperatorCall>
  readonly post: (path: string, body?: object) => Promise<OperatorCall>
} {
  const operator = 'ada@example.com'
  const send = async (method: 'get' | 'post', path: string, body?: object): Promise<OperatorCall> => {
    const traceId = randomUUID()
    const claims = { tenantId: null, actor: payctl, permissions: [], traceId, operator }
    const text = body === undefined ? undefined : JSON.stringify(body)
    const call = { method: method.toUpperCase(), path, body: text }
    const assertion = signCall(contract, edgeKey, claims, call, payctl.id)
    const sent = request(app)[method](path).set('Internal-Assertion', assertion)
    const response = await (text === undefined ? sent : sent.type('application/json').send(text))
    return { response, traceId }
  }
  return {
    get: (path: string) => send('get', path),
    post: (path: string, body: object = {}): Promise<OperatorCall> => send('post', path, body),
  }
}

/** The stored record of an operator's call before it is published. */
export const operatorCallSql = `SELECT record FROM operator_calls WHERE record->>'trace_id' = $1 AND completed_at IS NOT NULL`
