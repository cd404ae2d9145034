import type { Response } from 'express'
import type { Release, UpstreamPermits } from '../limits/upstream-permits.ts'

/**
 * Acquires a permit of the service for the tenant, then runs `work`, which must see to it that the permit is released when
 * the service's response has ended or broken off. Where `work` throws the permit is released here. A client that leaves
 * while its request waits gives up its place in the queue.
 *
 * A wait takes up to `UPSTREAM_WAIT_MS_MAX`. So `work` decides, after a wait, what must hold when the request is forwarded.
 */
export async function withPermit(
  permits: UpstreamPermits,
  tenantId: string,
  response: Response,
  work: (release: Release, hasWaited: boolean) => void | Promise<void>,
): Promise<void> {
  const immediate = permits.tryAcquire(tenantId)
  const release = immediate ?? (await wait(permits, tenantId, response))
  try {
    await work(release, immediate === undefined)
  } catch (error) {
    release()
    throw error
  }
}

async function wait(permits: UpstreamPermits, tenantId: string, response: Response): Promise<Release> {
  const gone = new AbortController()
  const leave = () => gone.abort(new Error('the client left while its request waited for a permit'))
  response.once('close', leave)
  return permits.acquire(tenantId, gone.signal).finally(() => response.off('close', leave))
}
