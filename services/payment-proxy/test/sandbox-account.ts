import type { AccountOwner, Accounts } from '../src/connectors/accounts.ts'
import type { Account } from '../src/connectors/connector.ts'

/** The account of a sandbox, for a test of a connector or of the host, without business units. */
export function createSandboxAccount(owner: Omit<AccountOwner, 'traceId'>): Account {
  const { tenantId, businessUnitId, paymentOrchestratorId } = owner
  const ids = { tenantId, businessUnitId, paymentOrchestratorId }
  return {
    ...ids,
    connector: 'sandbox',
    mode: 'test',
    gatewayUrl: null,
    settings: {},
    credentials: {},
    name: 'account',
  }
}

export const sandboxAccounts: Accounts = { find: async (owner) => createSandboxAccount(owner) }
