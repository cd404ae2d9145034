import { createHmac } from 'node:crypto'
import { type FieldError, Problem } from '@payments/contracts/grammar/problem'
import { type ConnectorName, connectorCredentials } from '@payments/contracts/nouns/payment-connectors'
import { problems } from '@payments/contracts/services/business-unit/contract'

export type GatewayAuthentication = Readonly<Record<string, string>>

const authenticationPurpose = 'payment-orchestrator.gateway-authentication'

export const encryptedColumns = [
  {
    table: 'payment_orchestrators',
    id: 'id',
    column: 'gateway_authentication_encrypted',
    purpose: authenticationPurpose,
  },
]

/** The record that encrypted credentials are bound to. */
export function authenticationBinding(tenantId: string, paymentOrchestratorId: string) {
  return { purpose: authenticationPurpose, tenantId, recordId: paymentOrchestratorId }
}

/**
 * The plaintext of the encrypted column: the credentials, and the random key of their fingerprint. The key stays
 * as long as there are credentials, so equal credentials of one payment orchestrator have equal fingerprints.
 */
export interface StoredAuthentication {
  readonly fingerprint_key: string
  readonly gateway_authentication: GatewayAuthentication
}

/**
 * HMAC-SHA-256 of the credentials, of which 128 bits are shown. Only the vault has the key, so a reader of the
 * fingerprint cannot check a guess.
 */
export function fingerprintCredentials({
  fingerprint_key: key,
  gateway_authentication: given,
}: StoredAuthentication): string {
  const sorted = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHmac('sha256', Buffer.from(key, 'base64')).update(JSON.stringify(sorted)).digest('hex').slice(0, 32)
}

/**
 * Throws invalid_gateway_authentication, which names each field that the connector does not accept in the mode. No
 * message contains a value.
 */
export function checkAuthentication(
  paymentGateway: ConnectorName,
  mode: 'test' | 'live',
  given: GatewayAuthentication,
): void {
  const errors = [...shapeErrors(paymentGateway, given)]
  if (errors.length === 0 && paymentGateway === 'stripe') errors.push(...stripeModeErrors(mode, given))
  if (errors.length > 0) throw new Problem(problems.invalid_gateway_authentication, { errors })
}

const base = '/gateway_authentication'
const errorsMax = 50

function shapeErrors(paymentGateway: ConnectorName, given: GatewayAuthentication): FieldError[] {
  const parsed = connectorCredentials[paymentGateway].safeParse(given)
  const errors = (parsed.error?.issues ?? []).flatMap((issue): FieldError[] => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ pointer: `${base}/${issue.path.map(String).join('/')}`, detail: issue.message }]
    }
    const detail = `is not a field of the connector ${paymentGateway}`
    return issue.keys.map((key) => ({ pointer: `${base}/${escapePointer(key)}`, detail }))
  })
  return errors.slice(0, errorsMax)
}

/** The keys of Stripe name their mode: `sk_test_…`, `rk_live_…`. */
function stripeModeErrors(mode: 'test' | 'live', { secret_key: key = '' }: GatewayAuthentication): FieldError[] {
  if (key.split('_')[1] === mode) return []
  return [{ pointer: `${base}/secret_key`, detail: `must be a key of the mode ${mode}` }]
}

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
