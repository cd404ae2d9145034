import { freePorts } from '@payments/devkit/machine/ports'
import { withClient } from '@payments/devkit/servers/databases'
import { signInAs } from '@payments/devkit/sign-in/sign-in-as'
import { receiver } from '../peers/receiver.ts'
import type { TestStack } from '../platform/local-stack.ts'
import { recordAccess } from './access.ts'
import { recordAudit } from './audit.ts'
import { recordBusinessUnits } from './business-units.ts'
import { recordInvitations } from './invitations.ts'
import { recordMessages } from './messages.ts'
import { recordPayments } from './payments.ts'
import { recordPeople } from './people.ts'
import { type RecordedExamples, Recorder } from './recorder.ts'
import type { Scenario } from './scenario.ts'
import { StableValues } from './stable-values.ts'
import { recordDeadLetters, recordWebhooks } from './webhooks.ts'

/** Short, so that a dead letter exists within a second. */
export const recordingEnvironment = { WEBHOOKS_RETRY_SCHEDULE: '0s,200ms' }

const nameStableIds = (ids: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(ids).map(([id, last]) => [id, `0191e4a2-0000-7d11-8c55-91b6e0a7c0${last}`]))

/**
 * Sends one request per operation of a tenant, on its own platform that was started with
 * `recordingEnvironment`. Returns requests, responses and problems by service, the same in every run.
 */
export async function recordExamples(stack: TestStack): Promise<ReadonlyMap<string, RecordedExamples>> {
  const args = ['--name', 'Juniper Coffee', '--admin-email', 'ada@juniper.example', '--json', '--show-key']
  const made = await stack.payctl('tenant', 'create', ...args)
  if (made.code !== 0) throw new Error(made.output)
  const { tenant_id: tenantId, business_unit_id, payment_orchestrator_id, api_key, roles } = JSON.parse(made.stdout)
  const accepting = await receiver()
  const [closedPort = 0] = await freePorts(1)
  const refusing = `http://127.0.0.1:${closedPort}`
  const stable = new StableValues(
    nameStableIds({ [tenantId]: '01', [business_unit_id]: '02', [api_key.id]: '03', [payment_orchestrator_id]: '04' }),
    [
      [accepting.url, 'https://example.com'],
      [refusing, 'https://hooks.example.com'],
      [stack.gatewayUrl, 'https://pay.example.com'],
      ['127.0.0.1', '203.0.113.7'],
    ],
  )
  const credentialHeaders = (keyValue: string) => ({ Authorization: `Bearer ${keyValue}`, 'Tenant-ID': tenantId })
  const recorder = new Recorder(stack.gatewayUrl, credentialHeaders(api_key.value), stable)
  const scenario: Scenario = {
    recorder,
    unitId: business_unit_id,
    orchestratorId: payment_orchestrator_id,
    roleIds: new Map(roles.map(({ id, name }: { id: string; name: string }) => [name, id])),
    signIn: async (person) => {
      stable.beginPeriod()
      const cookies = await signInAs(stack.gatewayUrl, person)
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      return { Cookie: cookie, 'X-Console': '1', 'Sec-Fetch-Site': 'same-origin' }
    },
    credentialHeaders,
    paymentsDatabaseUrl: stack.databases['payment-proxy'].ownerUrl,
    countAgain: async () => {
      for (const service of ['payment-proxy', 'webhooks', 'communication'] as const)
        await withClient(stack.databases[service].ownerUrl, (owner) =>
          owner.query('TRUNCATE hourly_counts, counted_hours'),
        )
    },
    destinations: { accepting: `${accepting.url}/webhooks/payments`, refusing: `${refusing}/orders` },
  }
  try {
    await recordAll(scenario)
  } finally {
    await accepting.close()
  }
  return recorder.examples
}

/** In turn, so that every list and count has the same content in every run. */
async function recordAll(scenario: Scenario): Promise<void> {
  await recordAccess(scenario)
  await recordBusinessUnits(scenario)
  await recordWebhooks(scenario)
  await recordPayments(scenario)
  await recordDeadLetters(scenario)
  await recordMessages(scenario)
  await recordPeople(scenario)
  await recordInvitations(scenario)
  await recordAudit(scenario)
}
