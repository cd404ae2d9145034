import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from '../measure/child-process.ts'
import type { LoadRequest, LoadResult } from './http-load.ts'

export type Generator = Child<object, LoadRequest, LoadResult>

/** Requests at even intervals, for `seconds`. */
export type PacedRequest = LoadRequest & { readonly perSecond: number }

const leadSeconds = 1

/**
 * Runs `measure` while requests are sent, and returns the results of both. The load begins a second earlier, so leases
 * and batches are in the state of the rate, and the work that follows a response, as for its audit record, comes from
 * as many earlier requests.
 */
export async function duringPacedLoad<T>(
  generator: Generator,
  request: PacedRequest,
  measure: (work: () => Promise<void>) => Promise<T>,
): Promise<{ result: LoadResult; measured: T }> {
  const sent = generator.request({ ...request, seconds: request.seconds + leadSeconds })
  await delay(leadSeconds * 1_000)
  const measured = await measure(() => delay(request.seconds * 1_000))
  return { result: await sent, measured }
}
