/** @slow It waits for processes that end and start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import { root } from '@payments/devkit/machine/profile'
import { startLocalStack } from '@payments/devkit/platform/local-stack'
import type { ProcessName, ProcessPlan } from '@payments/devkit/platform/process-plan'
import { type ProcessGroup, processGroup, until } from '@payments/devkit/processes/process-group'
import { readStartTime } from '@payments/devkit/processes/process-table'
import { type Supervisor, supervisor } from '@payments/devkit/processes/supervisor'

/** A minimal process: it listens on PORT, is ready or not, and exits on request. */
const program = `
import { createServer } from 'node:http'
console.log('starting', process.env.SAYS)
if (process.env.DIES) { console.log('no such luck'); process.exit(7) }
createServer((request, response) => {
  if (request.url === '/die') process.exit(9)
  response.statusCode = process.env.UNREADY ? 503 : 200
  response.end('{"reasons":{"broker":"is away"}}')
}).listen(process.env.PORT, '127.0.0.1')
`

let directory: string
let group: ProcessGroup

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'local-stack-'))
  writeFileSync(join(directory, 'main.mjs'), program)
  group = processGroup()
})

afterEach(async () => {
  await group.close()
  rmSync(directory, { recursive: true })
})

async function plan(name: ProcessName, env: Record<string, string> = {}): Promise<ProcessPlan> {
  const [port = 0] = await freePorts(1)
  return {
    name,
    directory: relative(root, directory),
    entry: 'main.mjs',
    flags: [],
    env: { PATH: process.env['PATH'], PORT: String(port), ...env },
    ports: [{ port, purpose: name, variable: 'PORT' }],
    readyUrl: `http://127.0.0.1:${port}/readyz`,
  }
}

const run = (plans: readonly ProcessPlan[], readyTimeoutMs = 20_000, options: { supervisor?: Supervisor } = {}) =>
  startLocalStack({ plans, group, logDirectory: join(directory, 'logs'), readyTimeoutMs, ...options })

it('starts when every process is ready, with a log file per process', async () => {
  const plans = [await plan('rbac', { SAYS: 'hello from rbac' }), await plan('gateway')]
  const running = await run(plans)
  for (const { readyUrl } of plans) expect((await fetch(readyUrl)).status).toBe(200)
  expect(readFileSync(running.logFile('rbac'), 'utf8')).toContain('hello from rbac')
  await running.stop()
  await expect(fetch(String(plans[0]?.readyUrl))).rejects.toThrow('fetch failed')
})

/** Within it, a busy machine starts a process: one that is not ready yet would refuse the connection. */
const shortTimeoutMs = 5_000

it('names a process that is not ready, the reason and the end of its log', async () => {
  const plans = [await plan('rbac'), await plan('webhooks', { UNREADY: '1', SAYS: 'as well as it can' })]
  const failure = run(plans, shortTimeoutMs)
  await expect(failure).rejects.toThrow(
    /^webhooks was not ready within 5 s: 503 .*is away[\s\S]*webhooks.log:\n[\s\S]*as well as it can/,
  )
})

it('starts processes one by one while a dependency starts; the deadline begins when the dependency is ready', async () => {
  let lay: (value: unknown) => void = () => {}
  const ready = new Promise((resolve) => {
    lay = resolve
  })
  const readyTimeoutMs = shortTimeoutMs
  const dependencyMs = readyTimeoutMs + 1_000
  const heard: string[] = []
  const from = Date.now()
  const starting = startLocalStack({
    plans: [await plan('rbac', { UNREADY: '1' }), await plan('gateway')],
    group,
    logDirectory: join(directory, 'logs'),
    readyTimeoutMs,
    grounds: { ready, startingMax: 1 },
    heard: (name, state) => {
      heard.push(`${name} ${state}`)
      if (name === 'gateway') setTimeout(lay, dependencyMs)
    },
  })
  await expect(starting).rejects.toThrow(/^rbac was not ready within 5 s: 503/)
  expect(heard).toEqual(['rbac starting', 'gateway starting', 'gateway ready'])
  expect(Date.now() - from).toBeGreaterThanOrEqual(dependencyMs + readyTimeoutMs)
})

it('names a process that ended while starting', async () => {
  await expect(run([await plan('api-key', { DIES: '1' })])).rejects.toThrow(
    /^api-key ended while starting \(exit code 7\)[\s\S]*no such luck/,
  )
})

it('rejects a port in use before it starts a process', async () => {
  const first = await plan('rbac')
  const running = await run([first])
  await expect(run([{ ...(await plan('gateway')), ports: first.ports }])).rejects.toThrow(
    'is in use; it is needed for rbac',
  )
  await running.stop()
})

it('reports a process that ends by itself, and not a process that a test killed', async () => {
  const plans = [await plan('rbac'), await plan('gateway')]
  const running = await run(plans)
  await running.kill('rbac')
  await fetch(String(plans[1]?.readyUrl).replace('readyz', 'die')).catch(() => {})
  await expect(running.died).rejects.toThrow(/^gateway ended by itself \(exit code 9\)/)
})

it('starts a killed process again under a new pid', async () => {
  const running = await run([await plan('webhooks-dispatcher')])
  const before = running.pid('webhooks-dispatcher')
  await running.kill('webhooks-dispatcher', 'SIGKILL')
  expect(readStartTime(before)).toBeUndefined()
  await running.restart('webhooks-dispatcher')
  expect(running.pid('webhooks-dispatcher')).not.toBe(before)
})

it('with a supervisor, starts a process that ended by itself again and leaves the others alone', async () => {
  const lines: string[] = []
  const plans = [await plan('rbac'), await plan('gateway')]
  const running = await run(plans, undefined, { supervisor: supervisor(group, (line) => lines.push(line)) })
  const before = { rbac: running.pid('rbac'), gateway: running.pid('gateway') }
  await fetch(String(plans[1]?.readyUrl).replace('readyz', 'die')).catch(() => {})
  expect(await until(() => running.pid('gateway') !== before.gateway, 20_000)).toBe(true)
  const responds = () =>
    fetch(String(plans[1]?.readyUrl)).then(
      ({ ok }) => ok,
      () => false,
    )
  expect(await until(responds, 20_000)).toBe(true)
  expect(running.pid('rbac')).toBe(before.rbac)
  expect(lines).toHaveLength(1)
  await running.stop()
  expect(readStartTime(running.pid('gateway'))).toBeUndefined()
  expect(lines).toHaveLength(1)
})

it('with a supervisor, a process that ends while starting still fails the start', async () => {
  const supervised = supervisor(group, () => {})
  await expect(run([await plan('api-key', { DIES: '1' })], undefined, { supervisor: supervised })).rejects.toThrow(
    /^api-key ended while starting \(exit code 7\)/,
  )
})

it('says which process is not compiled', async () => {
  await expect(run([{ ...(await plan('rbac')), entry: 'dist/absent.js' }])).rejects.toThrow('rbac is not compiled')
})
