/**
 * What a read of an authorization epoch costs the gateway: by its own reader (gateway/src/epoch-read.ts), and by the typed client that
 * services call each other with.
 *
 *   pnpm bench epoch [--rounds 5] [--reads 3000]
 *
 * Both ask one owner, a process of its own that answers at once, one read after another as the gateway does. They take turns,
 * round by round; the figure is the CPU time of this process, user and system, and the owner's is not counted.
 */
import { createSecretKey, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { client } from '@payments/chassis/client'
import { newId } from '@payments/chassis/id'
import { rbac } from '@payments/contracts/rbac'
import { epochRead } from '../gateway/dist/epoch-read.js'
import { start } from './gateway-processes.mjs'

const { values } = parseArgs({
  options: {
    role: { type: 'string', default: 'measure' },
    rounds: { type: 'string', default: '5' },
    reads: { type: 'string', default: '3000' },
  },
})
await { owner, measure }[values.role]()

async function owner() {
  const body = JSON.stringify({ incarnation: 'd41d8cd98f00b204e9800998ecf8427e', epoch: 7, invalidated: [] })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const server = createServer({ keepAliveTimeout: 100_000 }, (_request, response) =>
    response.writeHead(200, headers).end(body),
  )
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
}

async function measure() {
  const ends = []
  try {
    const { hello } = await start(ends, fileURLToPath(import.meta.url), ['--role', 'owner'])
    const key = createSecretKey(randomBytes(32))
    const at = { baseUrl: `http://127.0.0.1:${hello.port}`, timeoutMs: 2_000 }
    const typed = client(rbac, { self: 'gateway', keys: new Map([['rbac', key]]), ...at })
    const lean = epochRead({ service: 'rbac', key, ...at })
    const ways = {
      'typed client (axios)': () => typed.readAuthorizationEpoch({ traceId: newId() }, { query: { since: 7 } }),
      'epoch-read (node:http)': () => lean(7),
    }
    const results = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
    for (let round = -1; round < Number(values.rounds); round += 1) {
      for (const [name, read] of Object.entries(ways)) {
        const cost = await costOf(read)
        if (round >= 0) results[name].push(cost)
      }
    }
    print(results)
  } finally {
    for (const end of ends) await end()
  }
}

/** Of one read, in µs. */
async function costOf(read) {
  const reads = Number(values.reads)
  const before = process.cpuUsage()
  for (let i = 0; i < reads; i += 1) await read()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / reads
}

function print(results) {
  const [{ model }] = cpus()
  const load = loadavg().map((one) => one.toFixed(1))
  console.log(`Node ${process.version}, ${cpus().length} × ${model}, load ${load.join(' ')}`)
  const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
  const row = (costs) => ({
    'CPU µs/read': Math.round(median(costs)),
    least: Math.round(Math.min(...costs)),
    most: Math.round(Math.max(...costs)),
  })
  console.table(Object.fromEntries(Object.entries(results).map(([name, costs]) => [name, row(costs)])))
}
