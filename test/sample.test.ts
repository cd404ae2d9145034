/** @slow It starts its own platform. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import { ensureDemoPeople } from '@payments/devkit/platform/demo-people'
import { startReceiver } from '@payments/devkit/sample/receiver'
import { ensureSample, hasSample, sampleSchedule } from '@payments/devkit/sample/sample'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/** The data of `npm start -- --sample`, on its own platform, for its people. Tests need the previous ones. */
const directory = mkdtempSync(join(tmpdir(), 'sample-'))
let platform: TestStack
let tenant: Onboarded
let call: Call
let receiver: Awaited<ReturnType<typeof startReceiver>>

const write = () => ensureSample(directory, platform.gatewayUrl, tenant, receiver.url, () => {})

beforeAll(async () => {
  platform = await startTestStack({ env: { WEBHOOKS_RETRY_SCHEDULE: sampleSchedule } })
  const [port = 0] = await freePorts(1)
  receiver = await startReceiver({ port, purpose: 'the test', variable: 'PORT' })
  tenant = await onboard(platform, 'Juniper Coffee')
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  await ensureDemoPeople(platform.gatewayUrl, tenant)
  await write()
}, 300_000)
afterAll(async () => {
  await platform?.stop()
  await receiver?.close()
  rmSync(directory, { recursive: true })
}, 120_000)

const list = async (path: string) => (await call('GET', `${path}?limit=200`)).body.data
const readValues = async (path: string, field: string): Promise<string[]> => {
  const values = (await list(path)).map((each: Record<string, unknown>) => String(each[field]))
  return [...new Set<string>(values)].sort((a, b) => a.localeCompare(b))
}

const transactions = '/v1/payment-proxy/transactions'
const deadLetters = () => list('/v1/webhooks/dead-letters')

test('the payments of the day have each status, declines, and one unknown outcome', async () => {
  await until('payments settle', async () => {
    const pending = (await list(transactions)).filter(({ pending_operation: operation }: any) => operation !== null)
    return pending.length === 1
  })
  const all = await list(transactions)
  expect(all.find(({ pending_operation: operation }: any) => operation !== null).pending_operation.state).toBe(
    'unknown',
  )
  expect([...new Set(all.map(({ status }: { status: string }) => status))]).toEqual(
    expect.arrayContaining(['authorized', 'captured', 'failed', 'partially_captured', 'refunded', 'voided']),
  )
}, 240_000)

test('subscriptions succeed and fail, and dead letters have three causes', async () => {
  await until('dead letters of three causes', async () => {
    const causes = new Set((await deadLetters()).map(({ last_error: error }: any) => error.split(':')[0]))
    return ['gone', 'redirect', 'status'].every((cause) => causes.has(cause))
  })
  const { body } = await call('GET', `/v1/webhooks/${tenant.business_unit_id}/webhooks?include=health`)
  const states = Object.fromEntries(body.data.map(({ label, health }: any) => [label, health.state]))
  expect(states).toMatchObject({ 'Order system': 'active', Campaigns: 'disabled' })
}, 240_000)

test('invitations, messages, keys and roles are there', async () => {
  await until('the paid invitations complete', async () => {
    const statuses = await readValues('/v1/invite-to-pay/codes', 'status')
    return JSON.stringify(statuses) === '["active","canceled","completed"]'
  })
  expect(await readValues('/v1/identity/users', 'email')).toEqual(['dev@juniper.example', 'viv@juniper.example'])
  expect(await readValues('/v1/communication/templates', 'name')).toContain('Order ready')
  expect(await readValues('/v1/rbac/roles', 'name')).toEqual(expect.arrayContaining(['accountant', 'developer']))
  expect(await readValues('/v1/api-key/keys', 'name')).toContain('Checkout backend')
}, 240_000)

test('sample data that was interrupted continues on the next day without a second copy', async () => {
  const read = async () => {
    const templates = await list('/v1/communication/templates')
    const { id } = templates.find(({ name }: { name: string }) => name === 'Order ready')
    const paths = [transactions, '/v1/api-key/keys', '/v1/invite-to-pay/codes', '/v1/communication/communications']
    const lists = await Promise.all([...paths, `/v1/communication/templates/${id}/versions`].map(list))
    return lists.map(({ length }) => length)
  }
  const before = await read()
  rmSync(join(directory, 'sample.json'))
  const tomorrow = Date.now() + 86_400_000
  const clock = jest.spyOn(Date, 'now').mockReturnValue(tomorrow)
  try {
    await write()
  } finally {
    clock.mockRestore()
  }
  expect(await read()).toEqual(before)
  expect([hasSample(directory), existsSync(join(directory, 'sample.json'))]).toEqual([true, true])
}, 240_000)
