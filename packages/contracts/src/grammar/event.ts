import { z } from 'zod'

/**
 * An event is a fact. A service writes it to its outbox in the transaction that made it true; it travels as this
 * message. scope business_unit: goes to that unit's subscriptions. scope tenant: to those of every unit of the tenant.
 */
interface EventDefinition {
  readonly description: string
  readonly scope: 'business_unit' | 'tenant'
  /** The shape of `metadata.payload` in the delivery. */
  readonly payload: z.ZodType
  /** A payload for the documentation, as `payload` parses it. */
  readonly example?: Readonly<Record<string, unknown>>
}

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
