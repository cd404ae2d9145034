import type { FairPermits, Release } from '@payments/chassis/base/fair-permits'
import type { Response } from 'express'

/**
 * Acquires a permit of the service for a tenant, whose credentials take turns, or for an address, then runs `work`.
 * `work` must release the permit when the response of the service has ended or broken off. When `work` throws, the
 * permit is released here. A request queues for up to `UPSTREAM_WAIT_MS_MAX`, or until its client leaves. After a queue
 * (`hasQueued`), `work` must authorize the request again.
 */
export function withPermit(
  permits: FairPermits,
  subject: { readonly id: string; readonly member?: string },
  response: Response,
  work: (release: Release, hasQueued: boolean) => void | Promise<void>,
): Promise<void> {
  const release = permits.tryAcquire(subject.id, subject.member)
  if (release !== undefined) return releaseOnError(release, () => work(release, false))
  return queueForPermit(permits, subject, response).then((queued) => releaseOnError(queued, () => work(queued, true)))
}

/** Runs `work`, which must release the permit. When `work` throws, the permit is released here. */
export async function releaseOnError(release: Release, work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    release()
    throw error
  }
}

async function queueForPermit(
  permits: FairPermits,
  { id, ...member }: Parameters<typeof withPermit>[1],
  response: Response,
): Promise<Release> {
  const abort = new AbortController()
  const leave = () => abort.abort(new Error('the client left while its request waited for a permit'))
  response.once('close', leave)
  return permits.acquire(id, { ...member, signal: abort.signal }).finally(() => response.off('close', leave))
}
