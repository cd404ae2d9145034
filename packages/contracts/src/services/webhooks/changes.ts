import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { queryInteger } from '../../grammar/field.ts'
import { tenantRoute } from '../../grammar/route.ts'

/** Topics of changes: hints after which a page reads its list again. In the order of the cursor. */
export const changeTopics = ['deliveries', 'dead_letters', 'events', 'tasks', 'subscriptions'] as const
export type ChangeTopic = (typeof changeTopics)[number]

const waitSecondsMax = 20

const changes = z
  .object({
    topics: z
      .array(z.enum(changeTopics).meta({ id: 'WebhookChangeTopic' }))
      .describe('The topics that changed since `after`. Empty when none did. `subscriptions`: the health of one.'),
    next_cursor: z.string().describe('`after` of the next request.'),
  })
  .meta({ id: 'WebhookChanges', description: 'Names of the lists that have changed.' })
export type Changes = z.input<typeof changes>

export const changeEndpoints = {
  readChanges: {
    ...tenantRoute('GET', '/v1/webhooks/changes', 'webhook:ReadDelivery'),
    summary: 'Wait until deliveries, dead letters, events, tasks or the health of subscriptions change.',
    description:
      'Responds as soon as something changed since `after`, or after `wait_seconds`. Without `after`, responds at once with the cursor of now. Changes are noticed within about a second. A user has 6 waits at the same time, a tenant 20. A request with `wait_seconds=0` responds at once and is none of them.',
    query: z.strictObject({
      after: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,200}$/, 'must be a next_cursor of this endpoint')
        .optional()
        .describe('`next_cursor` of the previous response.'),
      wait_seconds: queryInteger(0, waitSecondsMax)
        .prefault(waitSecondsMax)
        .describe('Maximum seconds until the response. 0: responds at once.'),
    }),
    replies: { 200: changes },
    waits: true,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
