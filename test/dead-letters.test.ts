/** @slow It starts its own platform. */
import { spawn } from 'node:child_process'
import { createSecretKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, client } from '@payments/chassis/client/client'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { root } from '@payments/devkit/machine/profile'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { eventually } from './tenant-resources.ts'

/**
 * Commands for dead letters on the whole platform, while its processes are killed with -9 during a task. Every row
 * changes once, none is left out, and the queue holds exactly one message per dead row.
 */
const queue = 'webhooks.dead-letters'

let platform: TestStack
let endpoint: Receiver
let tenant: Onboarded
let call: Call
let operator: Client<typeof webhooks, 'payctl'>

beforeAll(async () => {
  platform = await startTestStack({
    without: ['payment-proxy', 'audit'],
    env: { WEBHOOKS_RETRY_SCHEDULE: '0s', WEBHOOKS_BREAKER_ATTEMPTS_MIN: '1000' },
  })
  operator = client(webhooks, {
    self: 'payctl',
    operator: 'test@localhost',
    keys: new Map([['webhooks', createSecretKey(platform.edgeKey('payctl', 'webhooks'), 'base64')]]),
    baseUrl: `http://127.0.0.1:${platform.ports.webhooks}`,
    timeoutMs: 30_000,
  })
  endpoint = await receiver()
  tenant = await onboard(platform, 'Acme')
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  const path = `/v1/webhooks/${tenant.business_unit_id}/webhooks`
  const { status } = await call('POST', path, { destination_url: endpoint.url, event_types: ['api-key.keys.create'] })
  expect(status).toBe(201)
}, 120_000)

afterAll(async () => {
  await endpoint?.close()
  await platform?.stop()
}, 120_000)

const payctl = async (...args: string[]) => {
  const { code, stdout, output } = await platform.payctl('dlq', ...args, '--json')
  if (code !== 0) throw new Error(output)
  return JSON.parse(stdout)
}

/** The request of `payctl dlq list`; a start of payctl costs as much as a hundred requests. */
async function depth(): Promise<number | undefined> {
  const queues = await operator.listDeadLetterQueues({ traceId: randomUUID() }, {})
  return queues.data.find(({ name }) => name === queue)?.depth
}

const listIds = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id).sort()

async function deadIds(): Promise<string[]> {
  return listIds((await call('GET', '/v1/webhooks/dead-letters?limit=200')).body)
}

/** Deliveries with two attempts: the failed one and another. */
async function deliveredAtTheSecond(): Promise<string[]> {
  const path = `/v1/webhooks/${tenant.business_unit_id}/deliveries?status=delivered&limit=200`
  const { data } = (await call('GET', path)).body as { data: { id: string; attempt_count: number }[] }
  return listIds({ data: data.filter(({ attempt_count }) => attempt_count === 2) })
}

/** Adds dead letters of new events until there are `count`. */
async function kill(count: number): Promise<void> {
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
  const missing = count - (await deadIds()).length
  for (let i = 0; i < missing; i += 1) {
    expect((await call('POST', '/v1/api-key/keys', { name: `key ${i}` })).status).toBe(201)
  }
  await deadLetters(count)
}

async function deadLetters(count: number): Promise<void> {
  await eventually(async () => ((await deadIds()).length === count ? true : undefined), `${count} dead letters`)
  await eventually(async () => ((await depth()) === count ? true : undefined), `a depth of ${count}`)
}

/** Runs payctl until a line of its output matches `until`. */
function onScreen(...args: string[]) {
  const entry = join(root, 'packages', 'payctl', 'dist', 'main.js')
  const child = spawn(process.execPath, [entry, 'dlq', ...args], { env: platform.payctlEnv })
  const shown = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (shown.out += chunk))
  child.stderr.on('data', (chunk) => (shown.err += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...shown }))
  return {
    child,
    ended,
    progress: (least: number) =>
      eventually(async () => {
        const done = Number(shown.err.match(/(\d+) of \d+\s*$/)?.[1] ?? 0)
        return done >= least ? done : undefined
      }, `${least} done: ${shown.err}`),
  }
}

test('shows dead letters by cause and one by one', async () => {
  await kill(3)
  // Services that this stack lacks make the exit code 1; the queues of the others are listed.
  const { stdout } = await platform.payctl('dlq', 'list', '--json')
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: queue, depth: 3 }))
  expect(await payctl('groups')).toMatchObject([{ key: 'status:500', count: 3 }])
  const { stdout: groups } = await platform.payctl('dlq', 'groups', queue)
  const [, redrive = ''] = /^payctl dlq (redrive .*)$/m.exec(groups) ?? []
  expect(await payctl(...redrive.split(' '), '--dry-run')).toEqual({ count: 3 })
  expect(await payctl('groups', '--by', 'event_type', '--tenant', tenant.tenant_id)).toMatchObject([
    { key: 'api-key.keys.create', count: 3 },
  ])
  const [first] = await payctl('peek', queue, '--limit', '1')
  const letter = await payctl('show', first.id)
  expect(letter).toMatchObject({ id: first.id, tenant_id: tenant.tenant_id, response: { body: 'out of order' } })
  expect(letter.request.headers['webhook-signature']).toBe('v1,…')
  expect(await payctl('redrive', queue, '--status-code', '503', '--dry-run')).toEqual({ count: 0 })
}, 120_000)

test.each(['webhooks-dispatcher', 'webhooks'] as const)(
  'with %s killed in the middle of a redrive, each is redriven once and the queue is right',
  async (victim) => {
    const count = 40
    await kill(count)
    const letters = await deadIds()
    endpoint.respondWith(() => ({ status: 200 }))
    const screen = onScreen('redrive', queue, '--all', '--rate', '8')
    await screen.progress(8)
    await platform.kill(victim, 'SIGKILL')
    await platform.restart(victim)
    const { code, out, err } = await screen.ended
    expect([code, out.trim(), err]).toEqual([0, `redriven  ${count}`, expect.stringContaining(`${count} of ${count}`)])
    // Deliveries in progress in a killed dispatcher are sent again after their lease, so endpoints may receive more
    // than `count`.
    await eventually(async () => {
      const delivered = new Set(await deliveredAtTheSecond())
      return letters.every((id) => delivered.has(id)) ? true : undefined
    }, 'each delivered at its second attempt')
    await deadLetters(0)
    const [task] = await payctl('tasks', '--limit', '1')
    expect(task).toMatchObject({ kind: 'redrive', status: 'done', total: count, done: count, tenant_id: null })
    expect(task.created_by).toMatch(/^operator:.+/)
  },
  120_000,
)

test('Ctrl-C leaves the task running and prints how to cancel it; deliveries not reached stay dead', async () => {
  const count = 30
  await kill(count)
  const screen = onScreen('discard', queue, '--all', '--rate', '1', '--reason', 'obsolete')
  await screen.progress(1)
  screen.child.kill('SIGINT')
  const { code, err } = await screen.ended
  const [, id = ''] = /payctl dlq cancel (\S+)/.exec(err) ?? []
  expect([code, id]).toEqual([130, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect((await payctl('tasks'))[0]).toMatchObject({ id, status: 'running', reason: 'obsolete' })

  const canceled = await payctl('cancel', id)
  expect(canceled).toMatchObject({ id, status: 'canceled', total: count })
  const left = count - canceled.done
  expect(left).toBeGreaterThan(0)
  await deadLetters(left)
  expect(await payctl('discard', queue, '--all')).toEqual({ discarded: left })
  await deadLetters(0)
}, 90_000)
