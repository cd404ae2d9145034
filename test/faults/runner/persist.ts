import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Call, TenantResponse } from '../../tenant.ts'

const deadlineMs = 120_000
const pauseMs = 100

/** Another operation of the transaction is open, or a process is away. */
export function mayRepeat({ status, body }: TenantResponse): boolean {
  const isBusy = body.code === 'operation_in_progress' || body.code === 'idempotency_key_in_use'
  return status === 503 || status === 504 || status === 500 || (status === 409 && isBusy)
}

/**
 * Sends a request with one Idempotency-Key until its response is final, as the API documents. Throws at the deadline.
 */
export async function persist(call: Call, path: string, body?: object): Promise<TenantResponse> {
  const key = { 'Idempotency-Key': randomUUID() }
  let last: TenantResponse | undefined
  for (const deadlineAt = performance.now() + deadlineMs; performance.now() < deadlineAt; await delay(pauseMs)) {
    last = await call('POST', path, body, key).catch(() => undefined)
    if (last !== undefined && !mayRepeat(last)) return last
  }
  throw new Error(
    `${path}: no final response in ${deadlineMs} ms, at last ${last?.status} ${JSON.stringify(last?.body)}`,
  )
}
