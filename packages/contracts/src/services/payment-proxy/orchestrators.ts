import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { id, instant } from '../../grammar/field.ts'
import { tenantRoute } from '../../grammar/route.ts'

/** Results of a check, each with its text. `accepted` is the one success. */
export const checkReasons = {
  accepted: 'The payment provider accepted the credentials.',
  credentials_rejected: 'The payment provider rejected the credentials, or they lack a permission.',
  rate_limited: 'The payment provider received too many requests. Check again later.',
  unreachable:
    'The payment provider could not be reached: its host name, its address, its certificate or the connection failed.',
  timeout: 'The payment provider did not respond in time.',
  unexpected_response: 'The payment provider gave no response of the expected form. Check `gateway_url`.',
} as const

export type CheckReason = keyof typeof checkReasons

const check = z
  .object({
    ok: z.boolean().describe('Whether the payment provider accepted the credentials.'),
    reason: z.enum(Object.keys(checkReasons) as [CheckReason, ...CheckReason[]]).describe('Result of the check.'),
    detail: z.string().describe('The result in words.'),
    checked_at: instant.describe('When the payment provider was called.'),
  })
  .meta({ id: 'PaymentOrchestratorCheck', description: 'Result of a call of a payment provider without an effect.' })

export type PaymentOrchestratorCheck = z.input<typeof check>

export const orchestratorEndpoints = {
  checkPaymentOrchestrator: {
    ...tenantRoute(
      'POST',
      '/v1/payment-proxy/business-units/{business_unit_id}/payment-orchestrators/{payment_orchestrator_id}/check',
      'businessunit:UpdatePaymentOrchestrator',
    ),
    summary: 'Check that a payment orchestrator reaches its payment provider.',
    description:
      'Calls the provider once with the stored credentials, by a read without an effect. The sandbox needs no call. A tenant can check 10 times at once, then every 6 seconds.',
    params: z.strictObject({
      business_unit_id: id.describe('Identifier of the business unit.'),
      payment_orchestrator_id: id.describe('Identifier of the payment orchestrator.'),
    }),
    replies: { 200: check },
    problems: ['business_unit_not_found', 'payment_orchestrator_not_found'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
