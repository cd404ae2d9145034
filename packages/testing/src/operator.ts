import { randomUUID } from 'node:crypto'
import { signAssertion } from '@payments/chassis/assertion'
import request, { type Response } from 'supertest'
import type { Subject } from './contract-suite.ts'

interface OperatorCall {
  readonly response: Response
  readonly traceId: string
}

/** Calls a service as payctl does: with the assertion of a person. */
export function asOperator(
  { app, edgeKey }: Subject,
  service: string,
): {
  readonly get: (path: string) => Promise<OperatorCall>
  readonly post: (path: string, body?: object) => Promise<OperatorCall>
} {
  const operator = 'ada@example.com'
  const send = async (method: 'get' | 'post', path: string, body?: object): Promise<OperatorCall> => {
    const traceId = randomUUID()
    const assertion = signAssertion(
      { tenantId: null, actor: { type: 'service', id: 'payctl' }, permissions: [], traceId, operator },
      { issuer: 'payctl', audience: service, key: edgeKey },
      { method: method.toUpperCase(), path },
    )
    const sent = request(app)[method](path).set('Internal-Assertion', assertion)
    const response = await (body === undefined ? sent : sent.send(body))
    return { response, traceId }
  }
  return {
    get: (path: string) => send('get', path),
    post: (path: string, body: object = {}): Promise<OperatorCall> => send('post', path, body),
  }
}

/** What a service keeps of an operator's call until it is published. */
export const operatorCallSql = `SELECT record FROM operator_calls WHERE record->>'trace_id' = $1 AND completed_at IS NOT NULL`
