import { permission } from '../../grammar/field.ts'
import type { Permission } from '../../grammar/permission.ts'

/**
 * The payload of an event shows the resource that the event is about. So a caller sees it only with the permission to
 * read the resource, whichever endpoint shows it. edges/payload-permissions.ts has the permission of each event type.
 */
export const payloadPermissions = [
  'apikey:ReadKey',
  'businessunit:ReadBusinessUnit',
  'businessunit:ReadPaymentOrchestrator',
  'communication:ReadCommunication',
  'communication:ReadTemplate',
  'invitetopay:ReadCode',
  'rbac:ReadRole',
  'transaction:ReadTransaction',
  'user:ReadUser',
  'webhook:ReadSubscription',
] as const satisfies readonly Permission[]
export type PayloadPermission = (typeof payloadPermissions)[number]

export const missingPermission = permission
  .nullable()
  .describe(
    'Permission to read the resource of the event, which the caller lacks: the payload and the bodies of responses are null. Null when the caller has it.',
  )
