import { Webhook } from 'standardwebhooks'
import { until } from '../../until.ts'
import { fails, holding, ok } from './endpoint.ts'
import type { Subscribed, WebhookFault, WebhookRound } from './round.ts'

/** Changes of a subscription by its tenant between two attempts of its deliveries. */
const payments = 4
const events = 2 * payments

/** Runs `act` during the first attempts, which then fail. */
async function midRetry(
  round: WebhookRound,
  act: (one: Subscribed) => Promise<unknown>,
  always = true,
): Promise<Subscribed> {
  const { endpoint } = round.world
  const held = holding(fails)
  const one = await round.subscribe('changed', {
    behaviour: (received, response, nth) =>
      nth === 1 ? held.behaviour(received, response, nth) : ok(received, response, nth),
    eventTypes: ['payment-proxy.*'],
    always,
  })
  await round.pay(payments)
  await until('attempts in work', () => endpoint.arrivalsAt(one.name).size >= events)
  await act(one)
  held.open()
  return one
}

const subscriptionPath = ({ tenant, id }: Subscribed) => `/v1/webhooks/${tenant.business_unit_id}/webhooks/${id}`

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

async function rotateSecrets(round: WebhookRound): Promise<number> {
  const secrets: string[] = []
  const reveal = async (one: Subscribed) => {
    secrets.push((await change(one, 'GET', `${subscriptionPath(one)}/reveal`)).secret)
  }
  const one = await midRetry(round, async (subscription) => {
    await reveal(subscription)
    await change(subscription, 'POST', `${subscriptionPath(subscription)}/rotate-secret`, {
      grace_period_seconds: 3_600,
    })
    await reveal(subscription)
  })
  const { endpoint } = round.world
  await until('attempts with both signatures', () => endpoint.receivedAt(one.name).length >= 2 * events)
  for (const { headers, body } of endpoint.receivedAt(one.name).slice(events)) {
    for (const secret of secrets) new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>)
  }
  round.notes.push('both secrets verify the second attempts')
  return events
}

async function disableSubscriptions(round: WebhookRound): Promise<number> {
  await midRetry(round, (one) => change(one, 'PUT', subscriptionPath(one), { enabled: false }))
  await round.pay(payments)
  return events
}

async function deleteSubscriptions(round: WebhookRound): Promise<number> {
  await midRetry(round, (one) => change(one, 'DELETE', subscriptionPath(one)), false)
  await round.pay(payments)
  return events
}

export const subscriptionFaults: readonly WebhookFault[] = [
  { name: 'secret rotated between two attempts', withoutLoad: true, run: rotateSecrets },
  { name: 'subscription disabled between two attempts', withoutLoad: true, run: disableSubscriptions },
  { name: 'subscription deleted between two attempts', withoutLoad: true, run: deleteSubscriptions },
]
