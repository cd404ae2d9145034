import { every, type Scheduled } from '@payments/chassis/schedule'
import type { Deps } from './deps.ts'
import { listUnsealedChains } from './verbs/list-unsealed-chains.ts'
import { retainRecords } from './verbs/retain-records.ts'
import { sealChain } from './verbs/seal-chain.ts'

const chainsMax = 500
const retentionIntervalMs = 10 * 60_000

/** Time → verbs. */
export const startJobs = (deps: Deps, sealIntervalMs: number): Scheduled[] => [
  every(sealIntervalMs, 'seal-chains', deps.log, () => sealChains(deps)),
  every(retentionIntervalMs, 'retain-records', deps.log, async () => {
    const { made, dropped } = await retainRecords(deps)
    if (made > 0 || dropped > 0) deps.log.info({ made, dropped }, 'partitions')
  }),
]

/** One stretch of each chain that has something new. A chain that cannot be sealed does not hold up the others. */
export async function sealChains(deps: Deps): Promise<number> {
  let sealed = 0
  for (const tenantId of await listUnsealedChains(deps, chainsMax)) {
    try {
      if (await sealChain(deps, tenantId)) sealed += 1
    } catch (err) {
      deps.log.error({ err, tenant_id: tenantId }, 'a chain cannot be sealed')
    }
  }
  return sealed
}
