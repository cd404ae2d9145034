import type { Handlers } from '@payments/chassis/request/router'
import type { audit } from '@payments/contracts/services/audit/contract'
import { quarantineHandlers } from '@payments/messaging/quarantine/quarantine-handlers'
import type { Deps } from './deps.ts'
import { toChainId } from './domain/chain.ts'
import { readAuditStatistics, readAuditUsage } from './verbs/read-audit-statistics.ts'
import { readChain } from './verbs/read-chain.ts'
import { listCheckpoints } from './verbs/read-chains.ts'
import { inspectRecords, listRecords } from './verbs/read-records.ts'
import { verifyChain } from './verbs/verify-chain.ts'

export const routes = (deps: Deps): Handlers<typeof audit> => ({
  ...quarantineHandlers(deps.quarantine, deps.log),
  listRecords: (caller, { query }) => listRecords(deps, caller, query),
  readChain: (caller) => readChain(deps, caller),
  readAuditStatistics: (caller, { query }) => readAuditStatistics(deps, caller, query),
  readAuditUsage: (caller, { query }) => readAuditUsage(deps, caller, query.month),
  inspectRecords: (_, { params, query }) => inspectRecords(deps, toChainId(params.tenant_id), query),
  listCheckpoints: (_, { query }) => listCheckpoints(deps, query),
  verifyChain: (_, { params, query }) => verifyChain(deps, toChainId(params.tenant_id), query.after_sequence),
})
