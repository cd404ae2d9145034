import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/business-unit/contract'
import { decryptCredentials } from '../changes/credentials.ts'
import type { Deps } from '../deps.ts'
import type { GatewayAuthentication } from '../domain/gateway-authentication.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** The credentials, and the URL that they were given for. Throws payment_orchestrator_not_found. */
export async function readGatewayAuthentication(
  deps: Deps,
  tenantId: string,
  paymentOrchestratorId: string,
): Promise<{ fingerprint: string | null; gateway_url: string | null; gateway_authentication: GatewayAuthentication }> {
  const row = await deps.db.readInTenant(tenantId, (tx) =>
    orchestrators.findInTenant(tx, tenantId, paymentOrchestratorId),
  )
  if (row === null) throw new Problem(problems.payment_orchestrator_not_found)
  const { id, gatewayUrl, gatewayAuthenticationEncrypted: encrypted, gatewayAuthenticationFingerprint } = row
  const stored = await decryptCredentials(deps.vault, { tenantId, id, encrypted })
  return {
    fingerprint: gatewayAuthenticationFingerprint,
    gateway_url: gatewayUrl,
    gateway_authentication: stored?.gateway_authentication ?? {},
  }
}
