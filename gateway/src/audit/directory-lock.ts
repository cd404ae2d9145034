import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { ConfigError } from '@payments/chassis/config'

/**
 * One process writes and ships the segments of a directory: a second one would delete what the first still writes to.
 * The lock is the name of an abstract socket of Linux, which the kernel frees with the process, however it ends, so there is
 * never a stale one. Not promised elsewhere than on Linux, nor between containers that share a volume but no network namespace.
 */
export function lockDirectory(directory: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return Promise.resolve(async () => {})
  const name = `\0payments-audit-${hash('sha256', realpathSync(directory))}`
  const server = createServer().unref()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE'
      reject(
        isTaken
          ? new ConfigError(`AUDIT_DIRECTORY: ${directory} is in use by another gateway; each has one of its own`)
          : error,
      )
    })
    server.listen({ path: name }, () => resolve(() => new Promise((closed) => server.close(() => closed()))))
  })
}
