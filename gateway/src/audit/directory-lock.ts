import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { ConfigError } from '@payments/chassis/base/config'

/**
 * Locks an audit directory for one process, because a second process would delete segments that the first still writes.
 * The lock is the name of an abstract Linux socket. The kernel releases it with the process, so no stale lock remains.
 * Not guaranteed: a lock on other systems, or between containers that share a volume but no network namespace.
 */
export function lockDirectory(directory: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return Promise.resolve(async () => {})
  const name = `\0payments-audit-${hash('sha256', realpathSync(directory))}`
  const server = createServer().unref()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isLocked = error.code === 'EADDRINUSE'
      reject(
        isLocked
          ? new ConfigError(
              `AUDIT_DIRECTORY: ${directory} is in use by another gateway; each gateway needs its own directory`,
            )
          : error,
      )
    })
    server.listen({ path: name }, () => resolve(() => new Promise((closed) => server.close(() => closed()))))
  })
}
