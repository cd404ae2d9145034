import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from '../measure/child-process.ts'
import type { LoadRequest, LoadResult } from './http-load.ts'

export type Generator = Child<object, LoadRequest, LoadResult>

/** Requests at even intervals, for `seconds`. */
export type PacedRequest = LoadRequest & { readonly perSecond: number }

const leadSeconds = 1
const warmUpSecondsMax = 120

/** A number of requests, not a time: V8 has then compiled the code. */
export async function warmUp(
  generator: Generator,
  name: string,
  request: Omit<LoadRequest, 'seconds'>,
  requestsMin: number,
): Promise<void> {
  let requests = 0
  for (let seconds = 0; requests < requestsMin && seconds < warmUpSecondsMax; seconds += 2)
    requests += requireSuccess(name, await generator.request({ ...request, seconds: 2 })).requests
  if (requests < requestsMin) console.log(`${name}: warmed up with ${requests} requests only`)
}

export function requireSuccess(name: string, result: LoadResult): LoadResult {
  if (Object.keys(result.failures).length > 0)
    throw new Error(`${name}: not every response was a 200: ${JSON.stringify(result.failures)}`)
  return result
}

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
