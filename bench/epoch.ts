/**
 * CPU of one read of an authorization version: by the gateway's reader (gateway/src/authorization/version-reader.ts), and by the typed
 * client that services use to call each other.
 *
 *   npm run bench epoch -- [--rounds 5] [--reads 3000]
 *
 * Both read from one authorization source, a process that responds at once, one read after another as in the gateway.
 * The variants alternate. CPU is user plus system time of this process.
 */
import { createSecretKey, randomBytes } from 'node:crypto'
import { client } from '@payments/chassis/client'
import { newId } from '@payments/chassis/id'
import { rbac } from '@payments/contracts/rbac'
import { createVersionReader } from '#gateway/authorization/version-reader'
import { benchOptions } from './bench-options.ts'
import { startChild } from './child-process.ts'
import { machineDescription, median } from './sample-statistics.ts'
import type { StubReady } from './stub-server.ts'

type Read = () => Promise<unknown>

const { rounds, reads } = benchOptions({ rounds: 5, reads: 3_000 })
const source = await startChild<StubReady>('stub-server', { args: ['epoch'] })
try {
  const variants = variantsOf(source.ready.port)
  const costs = new Map(variants.map(({ name }) => [name, [] as number[]]))
  for (const { read } of variants) await cpuMicrosecondsOf(read)
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, read } of variants) costs.get(name)?.push(await cpuMicrosecondsOf(read))
  }
  console.log(machineDescription())
  console.table(Object.fromEntries([...costs].map(([name, each]) => [name, row(each)])))
} finally {
  await source.end()
}
process.exit()

function variantsOf(port: number): { name: string; read: Read }[] {
  const key = createSecretKey(randomBytes(32))
  const at = { baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 2_000 }
  const typed = client(rbac, { self: 'gateway', keys: new Map([['rbac', key]]), ...at })
  const direct = createVersionReader({ service: 'rbac', key, ...at })
  return [
    {
      name: 'typed client (axios)',
      read: () => typed.readAuthorizationEpoch({ traceId: newId() }, { query: { since: 7 } }),
    },
    { name: 'version reader (node:http)', read: () => direct(7) },
  ]
}

async function cpuMicrosecondsOf(read: Read): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < reads; i += 1) await read()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / reads
}

function row(costs: readonly number[]) {
  return {
    'CPU µs/read': Math.round(median(costs)),
    least: Math.round(Math.min(...costs)),
    most: Math.round(Math.max(...costs)),
  }
}
