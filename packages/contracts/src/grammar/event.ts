import { z } from 'zod'

/**
 * An event is a fact. A service writes it to its outbox in the transaction that made it true; it travels as this
 * message.
 */
interface EventDefinition {
  readonly description: string
  readonly scope: 'business_unit' | 'tenant'
  /** The shape of `metadata.payload` in the delivery. */
  readonly payload: z.ZodType
  /** A payload for the documentation, as `payload` parses it. */
  readonly example?: Readonly<Record<string, unknown>>
}

/** An event of one business unit: for the subscriptions of the unit. */
export const unitEvent = <const P extends z.ZodType>(description: string, payload: P, example?: z.input<P>) =>
  ({ description, scope: 'business_unit', payload, ...(example === undefined ? {} : { example }) }) as const

/** An event of the whole tenant: for the subscriptions of every business unit. */
export const tenantEvent = <const P extends z.ZodType>(description: string, payload: P, example?: z.input<P>) =>
  ({ description, scope: 'tenant', payload, ...(example === undefined ? {} : { example }) }) as const

export type EventDefinitions = Readonly<Record<string, EventDefinition>>

export const eventMessage = z.object({
  /** The tenant_event_id: the same over every retry and redrive. */
  id: z.uuid(),
  type: z.string().min(1).max(200),
  tenant_id: z.guid(),
  business_unit_id: z.guid().nullable(),
  trace_id: z.guid(),
  occurred_at: z.iso.datetime({ offset: true }),
  payload: z.record(z.string(), z.unknown()),
})

export type EventMessage = z.infer<typeof eventMessage>
