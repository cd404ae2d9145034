import type { Response } from 'express'
import type { Release, UpstreamPermits } from '../limits/upstream-permits.ts'

/**
 * Acquires a permit of the service for the tenant, then runs `work`, which must see to it that the permit is released when
 * the service's response has ended or broken off. Where `work` throws the permit is released here. A client that leaves
 * while its request waits gives up its place in the queue.
 *
 * A wait takes up to `UPSTREAM_WAIT_MS_MAX`, so what must hold as the request is forwarded is decided inside `work`.
 */
export async function withPermit(
  permits: UpstreamPermits,
  tenantId: string,
  response: Response,
  work: (release: Release) => void | Promise<void>,
): Promise<void> {
  const gone = new AbortController()
  const leave = () => gone.abort(new Error('the client left while its request waited for a permit'))
  response.once('close', leave)
  const release = await permits.acquire(tenantId, gone.signal).finally(() => response.off('close', leave))
  try {
    await work(release)
  } catch (error) {
    release()
    throw error
  }
}
