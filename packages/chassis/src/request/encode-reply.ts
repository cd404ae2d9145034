import { type Page, readablePage } from '@payments/contracts/grammar/page'
import type { z } from 'zod'
import type { Log } from '../observability/log.ts'
import { unreadableItems } from '../process/metrics.ts'

interface Unreadable {
  readonly ids: readonly (string | null)[]
  readonly err: z.ZodError
}

/**
 * The reply as its contract encodes it. Of a list, an item that the contract rejects is named, reported and left out:
 * one row must not hide the others. Throws for any other reply that the contract rejects. Both are bugs.
 */
export function encodeReply(schema: z.ZodType, body: unknown, report: (unreadable: Unreadable) => void): unknown {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  const page = readablePage(schema, body as Page<unknown>)
  if (page === undefined || page.unreadable.length === 0) throw error
  report({ ids: page.unreadable.map(({ id }) => id), err: error })
  return page
}

export function logUnreadable(
  log: Log,
  { operation, traceId, ids, err }: Unreadable & { readonly operation: string; readonly traceId: string | undefined },
): void {
  unreadableItems.inc(ids.length)
  log.error({ trace_id: traceId, operation, ids, err }, 'items of a list do not match the contract')
}
