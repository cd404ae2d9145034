/**
 * Child process: gateways that renew the leases of their sources without other work, each with connections of its own.
 * A gateway sends a read each 50 ms to each source, and reports requests of some subjects to the first.
 */
import { createSecretKey, randomUUID } from 'node:crypto'
import { createLeaseClient, versionReader } from '#gateway/authorization/lease-client'
import { serveParent } from '../measure/child-process.ts'

export interface LeaseLoad {
  readonly sources: readonly { readonly name: string; readonly url: string; readonly key: string }[]
  readonly gateways: number
  /** Different subjects per gateway and report. */
  readonly subjects: number
  readonly seconds: number
}

export interface LeaseLoadResult {
  readonly reads: number
  readonly failures: number
  readonly readMs: readonly number[]
}

const intervalMs = 50
const timeoutMs = 2_000

serveParent<object, LeaseLoad, LeaseLoadResult>({}, async ({ sources, gateways, subjects, seconds }) => {
  const result = { reads: 0, failures: 0, readMs: [] as number[] }
  const endsAt = performance.now() + seconds * 1_000
  const running = Array.from({ length: gateways }, (_, number) => {
    const replica = randomUUID()
    const requests = Array.from({ length: subjects }, (_, nth) => ({
      subject: `bench ${number} ${nth}`,
      requests: 1,
      per_second: 1_000_000,
    }))
    const report = { body: { replica, requests }, succeed: () => {}, fail: () => {} }
    const readers = sources.map(({ name, url, key }, at) => {
      const keys = new Map([[name, createSecretKey(Buffer.from(key, 'base64'))]])
      const client = createLeaseClient({ service: name, baseUrl: url, keys, timeoutMs })
      return versionReader(client, at === 0 ? () => report : undefined)
    })
    return runGateway(readers, (intervalMs * number) / gateways, endsAt, result)
  })
  await Promise.all(running)
  return result
})

/** Resolves after the last reply. */
function runGateway(
  readers: readonly ReturnType<typeof versionReader>[],
  startMs: number,
  endsAt: number,
  result: { reads: number; failures: number; readMs: number[] },
): Promise<void> {
  const since = readers.map((): number | undefined => undefined)
  let open = 0
  return new Promise((resolve) => {
    const read = async (at: number) => {
      const sentAt = performance.now()
      open += 1
      try {
        since[at] = (await readers[at]?.(since[at]))?.epoch
        result.reads += 1
        result.readMs.push(performance.now() - sentAt)
      } catch {
        result.failures += 1
      }
      open -= 1
      if (open === 0 && performance.now() >= endsAt) resolve()
    }
    setTimeout(() => {
      const timer = setInterval(() => {
        if (performance.now() >= endsAt) {
          clearInterval(timer)
          if (open === 0) resolve()
          return
        }
        for (const at of readers.keys()) void read(at)
      }, intervalMs)
    }, startMs)
  })
}
