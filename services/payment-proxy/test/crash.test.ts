import { type ChildProcess, spawn } from 'node:child_process'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { freePorts } from '@payments/devkit/machine/ports'
import { privateBroker } from '@payments/testing/broker/broker'
import { testEventEnvironment } from '@payments/testing/broker/signed-events'
import { signCall } from '@payments/testing/calls/signed-call'
import { until } from '@payments/testing/services/until'
import request from 'supertest'
import { startWorld, type World } from './world.ts'

/** The built service as a separate process, on the database of a test world. */
let world: World
let running: ChildProcess | undefined
const key = randomBytes(32)
const anyKey = () => randomBytes(32).toString('base64')

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
afterEach(() => {
  running?.kill('SIGKILL')
})

async function startProcess(): Promise<{ url: string; kill(): Promise<void> }> {
  const [[port = 0], broker] = [await freePorts(1), await privateBroker()]
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../dist/main.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ENVIRONMENT: 'dev',
      PORT: String(port),
      DATABASE_URL: world.database.url,
      AMQP_URL: broker.url,
      MESSAGING_PREFIX: broker.prefix,
      ...testEventEnvironment,
      ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key.toString('base64') }),
      // The tenants of the world have copies of their units and no invitations, so neither service is called.
      ASSERTION_SIGN_KEYS: JSON.stringify({ 'business-unit': anyKey(), 'invite-to-pay': anyKey() }),
      BUSINESS_UNIT_URL: 'http://127.0.0.1:1',
      INVITE_TO_PAY_URL: 'http://127.0.0.1:1',
      PAY_BASE_URL: 'https://pay.payments.test',
      AUDIT_MESSAGE_KEY: JSON.stringify({ 'payment-proxy': randomBytes(32).toString('base64') }),
    },
  })
  running = child
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the process ended with code ${child.exitCode}`)
    const readiness = request(url).get('/readyz')
    return (await readiness.catch(() => undefined))?.status === 200
  })
  return {
    url,
    kill: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

function authorizeSlowly(url: string, tenantId: string, businessUnitId: string) {
  const path = '/v1/payment-proxy/transactions/authorize'
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_slow_5000' }
  const body = { business_unit_id: businessUnitId, currency: 'EUR', amount: 10_000, capture: true, payment_details }
  const text = JSON.stringify(body)
  const actor = { type: 'api_key', id: randomUUID() } as const
  const claims = { tenantId, actor, permissions: permissionNames, traceId: randomUUID() }
  const assertion = signCall(paymentProxy, createSecretKey(key), claims, { method: 'POST', path, body: text })
  return request(url).post(path).set('Internal-Assertion', assertion).type('application/json').send(text)
}

/** The provider had no time for it, or the service had no connection: a busy machine. */
const isBusy = (status: number) => status === 202 || status === 503
const attemptsMax = 10

/** A payment of a new tenant that the provider executes: its ledger has `ledgerRows` operations. */
async function payUntilExecuting(url: string, ledgerRows: number, attempt = 1) {
  const tenant = world.tenant()
  await tenant.storeUnit({})
  let early: { readonly status: number; readonly body: unknown } | undefined
  const end = authorizeSlowly(url, tenant.id, tenant.businessUnitId).then(
    ({ status, body }) => {
      early = { status, body }
      return 'responded'
    },
    () => 'lost',
  )
  await until(async () => early !== undefined || (await tenant.ledger()).length === ledgerRows)
  if (early === undefined) return { tenant, end }
  if (!isBusy(early.status) || attempt === attemptsMax) throw new Error(JSON.stringify(early))
  return payUntilExecuting(url, ledgerRows, attempt + 1)
}

test.each([
  ['the authorization', 1],
  ['the capture', 2],
])(
  'after kill -9 while the provider executes %s, the next process completes it once',
  async (_case, ledgerRows) => {
    const first = await startProcess()
    const { tenant, end } = await payUntilExecuting(first.url, ledgerRows)
    await first.kill()
    expect(await end).toBe('lost')
    expect((await tenant.recorded()).at(-1)?.state).toBe('in_progress')
    // Simulates an expired lease.
    await world.rows(
      `UPDATE operations SET due_at = now() - interval '1 second' WHERE tenant_id = $1::uuid AND due_at IS NOT NULL`,
      tenant.id,
    )
    await startProcess()
    const status = async () => (await tenant.list()).body.data[0].status
    // A sync during the delay returns "pending", with the next sync after 30 s. The test does not wait for that time.
    await until(async () => {
      await world.rows(
        `UPDATE operations SET due_at = now() - interval '1 second'
         WHERE tenant_id = $1::uuid AND state IN ('pending', 'unknown')`,
        tenant.id,
      )
      return (await status()) === 'captured'
    })
    expect(await tenant.ledger()).toHaveLength(2)
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
  },
  120_000,
)
