import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type PrivateServers, privateServers } from '@payments/testing/platform/servers'
import { closeObserver, type OtherTenant } from './gateway-faults/other-tenant.ts'
import { type Attacker, chosenPressures, pressuresOf } from './gateway-faults/pressures.ts'
import { type Row, runPressure } from './gateway-faults/run.ts'
import { writeTable } from './gateway-faults/table.ts'
import { onboard } from './tenant.ts'

/**
 * One client does not take the platform from the others. `npm run faults gateway` runs all pressures, on servers of its
 * own; here three of them run for a few seconds each. Other tests share the processors then, so latency has no bound.
 * Linux only: the attacker has other addresses of the loopback network.
 */
const choice = process.env['GATEWAY_FAULTS']
const seconds = choice === undefined ? 4 : 12
const rows: Row[] = []
let servers: PrivateServers | undefined
let platform: TestStack
let databaseUrl: string
let other: OtherTenant
let attacker: Attacker

/** As in production, but for the tenants' addresses; all processes get them, and only the gateway reads them. */
const env = {
  FAILED_AUTHENTICATIONS_PER_MINUTE: '20',
  UNVERIFIED_REQUESTS_PER_MINUTE: '300',
  CONNECTIONS_PER_ADDRESS_MAX: '500',
}

beforeAll(async () => {
  servers = choice === undefined ? undefined : await privateServers()
  databaseUrl = servers?.databaseUrl ?? testAddress('TEST_DATABASE_URL')
  platform = await startTestStack({
    env,
    without: ['webhooks', 'webhooks-dispatcher'],
    ...(servers === undefined ? {} : { servers }),
  })
  const [acme, globex] = [await onboard(platform, 'Acme'), await onboard(platform, 'Globex')]
  other = { url: platform.gatewayUrl, tenantId: acme.tenant_id, key: acme.api_key.value }
  attacker = { tenantId: globex.tenant_id, key: globex.api_key.value }
}, 300_000)

afterAll(async () => {
  if (rows.length > 0) process.stdout.write(`\n${writeTable(rows)}\n`)
  closeObserver()
  await platform?.stop()
  await servers?.stop()
}, 120_000)

test.each(chosenPressures(choice))(
  'another tenant is served, and its requests are recorded, under %s',
  async (name) => {
    const pressure = pressuresOf(attacker).find((one) => one.name === name)
    if (pressure === undefined) throw new Error(`there is no pressure ${name}`)
    const row = await runPressure(
      { platform, databaseUrl, other, seconds, boundsLatency: choice !== undefined },
      pressure,
    )
    rows.push(row)
    expect(row.broken).toEqual([])
  },
  180_000,
)
