import { z } from 'zod'
import { instant } from '../../grammar/field.ts'

/** Deliveries that a count of the health of a subscription looks at, in a read and per subscription of a list. */
export const countMax = 10_000
export const listedCountMax = 1_000

const subscriptionStates = ['active', 'failing', 'paused', 'disabled'] as const
const breakerStates = ['closed', 'open', 'half_open'] as const

const stateText =
  '`active`: deliveries are sent. `failing`: they are sent, and the last attempt failed. `paused`: the circuit breaker is open. `disabled`: the subscription is disabled.'
const countText = `At most ${countMax}, and at most ${listedCountMax} in a list.`

export const subscriptionHealth = z
  .object({
    state: z.enum(subscriptionStates).meta({ id: 'WebhookSubscriptionState' }).describe(stateText),
    reason: z.string().describe('The reason of the state in words.'),
    breaker: z
      .object({
        state: z
          .enum(breakerStates)
          .describe('State of the circuit breaker. `half_open`: one delivery probes the destination.'),
        opened_at: instant.nullable().describe('When the circuit breaker opened. Null while it is closed.'),
        probe_at: instant
          .nullable()
          .describe('When a delivery may probe the destination. Null unless the circuit breaker is open.'),
      })
      .describe('The circuit breaker of the destination.'),
    held: z
      .int()
      .describe(
        `Number of deliveries that wait until the subscription is enabled or the circuit breaker closes. ${countText}`,
      ),
    waiting: z.int().describe(`Number of other deliveries that wait for their next attempt. ${countText}`),
    counts_capped: z.boolean().describe('Whether more deliveries are held or waiting than the counts say.'),
    last_delivered_at: instant
      .nullable()
      .describe('When the last successful attempt ended, a few seconds late. Null when none is known.'),
    last_failed_at: instant
      .nullable()
      .describe('When the last failed attempt ended, a few seconds late. Null when none is known.'),
    previous_secret_expires_at: instant
      .nullable()
      .describe('End of the grace period of the previous signing secret. Null when no previous secret signs.'),
  })
  .meta({
    id: 'WebhookSubscriptionHealth',
    description: 'Whether the deliveries of a subscription reach its receiver.',
  })

export type SubscriptionHealth = z.input<typeof subscriptionHealth>
