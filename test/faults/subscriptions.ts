import { Webhook } from 'standardwebhooks'
import { fails, holding, ok } from './endpoint.ts'
import type { Fault, Injection } from './fault.ts'
import type { Scenario, Subscribed } from './scenario.ts'
import { until } from './until.ts'

/** Changes of a subscription by its tenant between two attempts of its deliveries. */
const payments = 4
const events = 2 * payments

/** Runs `act` during the first attempts, which then fail. */
async function midRetry(
  scenario: Scenario,
  act: (one: Subscribed) => Promise<void>,
  always = true,
): Promise<Injection & { one: Subscribed }> {
  const { endpoint } = scenario.world
  const held = holding(fails)
  const one = await scenario.subscribe('changed', {
    behaviour: (received, response, nth) =>
      nth === 1 ? held.behaviour(received, response, nth) : ok(received, response, nth),
    eventTypes: ['payment-proxy.*'],
    always,
  })
  await scenario.pay(payments)
  await until('attempts in work', () => endpoint.arrivalsAt(one.name).size >= events)
  await act(one)
  held.open()
  return { times: events, one }
}

const pathOf = ({ tenant, id }: Subscribed) => `/v1/webhooks/${tenant.business_unit_id}/webhooks/${id}`

async function change(
  { tenant }: Subscribed,
  method: string,
  path: string,
  body?: object,
): Promise<{ secret: string }> {
  const response = await tenant.call(method, path, body)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

async function rotated(scenario: Scenario): Promise<Injection> {
  const secrets: string[] = []
  const reveal = async (one: Subscribed) => {
    secrets.push((await change(one, 'GET', `${pathOf(one)}/reveal`)).secret)
  }
  const { times, one } = await midRetry(scenario, async (subscription) => {
    await reveal(subscription)
    await change(subscription, 'POST', `${pathOf(subscription)}/rotate-secret`, { grace_period_seconds: 3_600 })
    await reveal(subscription)
  })
  const { endpoint } = scenario.world
  await until('attempts with both signatures', () => endpoint.receivedAt(one.name).length >= 2 * events)
  for (const { headers, body } of endpoint.receivedAt(one.name).slice(events)) {
    for (const secret of secrets) new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>)
  }
  return { times, note: 'both secrets verify the second attempts' }
}

async function disabled(scenario: Scenario): Promise<Injection> {
  const { times } = await midRetry(scenario, async (one) => {
    await change(one, 'PUT', pathOf(one), { enabled: false })
  })
  await scenario.pay(payments)
  return { times }
}

async function deleted(scenario: Scenario): Promise<Injection> {
  const remove = async (one: Subscribed) => {
    await change(one, 'DELETE', pathOf(one))
  }
  const { times } = await midRetry(scenario, remove, false)
  await scenario.pay(payments)
  return { times }
}

export const subscriptionFaults: readonly Fault[] = [
  { name: 'secret rotated between two attempts', run: rotated },
  { name: 'subscription disabled between two attempts', run: disabled },
  { name: 'subscription deleted between two attempts', run: deleted },
]
